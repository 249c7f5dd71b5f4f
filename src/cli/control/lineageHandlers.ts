import { resolve } from 'node:path';
import type { JsonObject, Lineages } from '../../core/index.ts';
import { addressed, unknownCheckpoint } from './checkpointAddresses.ts';
import type { Handlers } from './commands.ts';
import type { LineageCommands } from './lineageCommands.ts';
import { detailView, lineageView, planView, rollbackView, windowView } from './lineageViews.ts';
import type { LineageWatch } from './lineageWatch.ts';
import type { Work } from './work.ts';

export interface LineageTools {
  readonly lineages: Lineages;
  readonly work: Work;
  readonly watch: LineageWatch;
}

/** What a driver does with the states of feature sets, and with the way back (MCPL §8). */
export function lineageHandlers({ lineages, work, watch }: LineageTools): Handlers<keyof LineageCommands> {
  const detailOf = async (place: number): Promise<JsonObject> => {
    const detail = await lineages.checkpoint(place);
    if (detail === undefined) throw unknownCheckpoint(`number ${place}`);
    return detailView(detail);
  };
  return {
    lineages: async () => {
      await lineages.loaded();
      return lineages.list().map(lineageView);
    },
    watchLineages: ({ on }) => {
      watch.switch(on);
      return null;
    },
    checkpoints: async ({ query }) => windowView(await lineages.window(query)),
    checkpoint: ({ place }) => detailOf(place),
    state: async ({ place, form }) => ({ text: (await lineages.state(place, form)) ?? null }),
    planRollback: async ({ target }) => planView(await lineages.plan(await addressed(lineages, target))),
    rollback: ({ target, conversation }, id) =>
      work.run(id, async (token) => {
        const place = await addressed(lineages, target);
        return rollbackView(await lineages.rollBack(place, { conversation, token }));
      }),
    continueFrom: async ({ target, conversation }) => {
      const place = await addressed(lineages, target);
      await lineages.continueFrom(place, conversation);
      return detailOf(place);
    },
    annotate: async ({ place, change }) => {
      await lineages.annotate(place, change);
      return detailOf(place);
    },
    exportLineage: async ({ key, file }) => {
      const path = resolve(file);
      return { file: path, checkpoints: await lineages.exportTo(key, path) };
    },
    importLineage: async ({ key, file }) => ({ ...(await lineages.importFrom(key, resolve(file))) }),
    forgetLineage: async ({ key }) => {
      await lineages.forget(key);
      return null;
    },
  };
}
