import { resolve } from 'node:path';
import { checkpointName, type Disposable, disposeAll, type JsonObject, type Lineages } from '../../core/index.ts';
import { type CheckpointAddress, type Handlers, type LineageCommands, Refused } from './controlCommands.ts';
import {
  briefLineageView,
  detailView,
  lineageView,
  planView,
  rollbackView,
  troubleView,
  windowView,
} from './controlViews.ts';
import type { Work } from './work.ts';

interface LineageTools {
  readonly lineages: Lineages;
  readonly work: Work;
  readonly watch: LineageWatch;
}

/** Handles the driver's commands about states and rollbacks (MCPL §8). */
export function lineageHandlers({ lineages, work, watch }: LineageTools): Handlers<keyof LineageCommands> {
  const detailOf = async (rowId: number): Promise<JsonObject> => {
    const detail = await lineages.checkpoint(rowId);
    if (detail === undefined) throw unknownCheckpoint(`number ${rowId}`);
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
        const rowId = await addressed(lineages, target);
        return rollbackView(await lineages.rollBack(rowId, { conversation, token }));
      }),
    continueFrom: async ({ target, conversation }) => {
      const rowId = await addressed(lineages, target);
      await lineages.continueFrom(rowId, conversation);
      return detailOf(rowId);
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

/** The place of a checkpoint that the driver names, such as `chk_1` or `chk_1#2`. */
async function addressed(lineages: Lineages, target: CheckpointAddress): Promise<number> {
  if (target.kind === 'place') return target.place;
  const { key, name } = target;
  // Servers may use `#` in their own names.
  for (const id of new Set([name, name.replace(/#[2-9]\d*$|#1\d+$/, '')])) {
    const found = await lineages.find(key.server, id);
    const meant = found.find((node) => node.featureSet === key.featureSet && checkpointName(node) === name);
    if (meant !== undefined) return meant.place;
  }
  throw unknownCheckpoint(`"${name}" of "${key.server}"`);
}

function unknownCheckpoint(what: string): Refused {
  return new Refused('UNKNOWN_CHECKPOINT', `There is no checkpoint ${what}.`, 'List them with "checkpoints".');
}

/** Reports changes of states. While switched on, also those by other processes with the same store. */
export class LineageWatch implements Disposable {
  readonly #lineages: Lineages;
  readonly #listening: readonly Disposable[];
  #watching: Disposable | undefined;

  constructor(lineages: Lineages, write: (message: JsonObject) => void) {
    this.#lineages = lineages;
    this.#listening = [
      lineages.onDidChange(() => write({ event: 'lineages', lineages: lineages.list().map(briefLineageView) })),
      lineages.onDidBreak((trouble) => write({ event: 'stateTrouble', ...troubleView(trouble) })),
    ];
  }

  switch(on: boolean): void {
    if (on) this.#watching ??= this.#lineages.watch();
    else this.#stop();
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#stop();
  }

  #stop(): void {
    this.#watching?.dispose();
    this.#watching = undefined;
  }
}
