import { type AsyncLazy, type Disposable, DisposableStore, type Logger, messageOf } from '../../core/index.ts';
import { type CommandText, registerCommand } from './commandRegistry.ts';
import type { CommandId } from './ids.ts';
import type { EditorServices } from './services.ts';

/** A part of the editor with commands, which is loaded on first use. */
type LazyPart<A extends string> = AsyncLazy<{
  readonly actions: Readonly<Record<A, (argument: unknown, selection: unknown) => Promise<unknown>>>;
}>;

type ActionRow<A> = readonly [id: CommandId, action: A, failed: string, options?: Pick<CommandText, 'retry'>];

/** Registers the commands of a part. */
export function registerActions<A extends string>(
  services: Pick<EditorServices, 'failures'>,
  part: LazyPart<A>,
  rows: readonly ActionRow<A>[],
): Disposable {
  const store = new DisposableStore();
  for (const [id, action, failed, options] of rows)
    store.add(
      registerCommand(services, id, { failed, ...options }, async (argument, selection) => {
        await (await part.get()).actions[action](argument, selection);
      }),
    );
  return store;
}

/** Runs something with a part, and logs if it cannot be loaded. */
export function whenLoaded<T>(part: AsyncLazy<T>, log: Logger, failed: string, run: (loaded: T) => void): void {
  part.get().then(run, (error: unknown) => log.log('error', `${failed}: ${messageOf(error)}`));
}
