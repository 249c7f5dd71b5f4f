import { CancellationSource, type CancellationToken, type Disposable } from '../../core/index.ts';
import { type CommandId, Refused } from './controlCommands.ts';

/** Running work by command id, so that it can be cancelled. */
export class Work implements Disposable {
  readonly #running = new Map<CommandId, CancellationSource>();

  async run<T>(id: CommandId, work: (token: CancellationToken) => Promise<T>): Promise<T> {
    if (this.#running.has(id))
      throw new Refused('INVALID_COMMAND', 'A call with this id is still running.', 'Give each command its own id.');
    const cancellation = new CancellationSource();
    this.#running.set(id, cancellation);
    try {
      return await work(cancellation.token);
    } finally {
      this.#running.delete(id);
      cancellation.dispose();
    }
  }

  /** Returns false if nothing with that id runs. */
  cancel(id: CommandId): boolean {
    const running = this.#running.get(id);
    running?.cancel('cancelled by the driver');
    return running !== undefined;
  }

  dispose(): void {
    for (const running of this.#running.values()) running.cancel('shutdown');
  }
}
