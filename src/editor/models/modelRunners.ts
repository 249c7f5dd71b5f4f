import type { Disposable as Registration, ModelRunner } from '../../../media/mcp-live.d.ts';
import { type Contributor, type Disposable, Emitter, type Event, HostError } from '../../core/index.ts';

/** A model of another extension. */
export interface AddedRunner {
  readonly id: string;
  readonly by: Contributor;
  /** Copied when it was added, so that later changes have no effect. */
  readonly name: string;
  readonly maxInputTokens: number;
  readonly runner: ModelRunner;
}

const ID = /^[A-Za-z0-9][\w.-]{0,63}$/;
const MAX_NAME = 100;
const MOST = 100;

/** The models that other extensions add. */
export class ModelRunners implements Disposable {
  readonly #added = new Map<string, AddedRunner>();
  readonly #changed = new Emitter<void>();

  readonly onDidChange: Event<void> = this.#changed.event;

  get all(): readonly AddedRunner[] {
    return [...this.#added.values()];
  }

  add(id: string, runner: ModelRunner, by: Contributor): Registration {
    const { name, maxInputTokens } = runner;
    const key = `${by.id}/${id}`;
    const problem = this.#problem(key, id, name, maxInputTokens);
    if (problem !== undefined)
      throw new HostError('INVALID_ARGUMENTS', `The model of ${by.id} was not added: ${problem}`, {
        layer: 'host',
        effect: 'none',
      });
    const added: AddedRunner = { id, by, name, maxInputTokens, runner };
    this.#added.set(key, added);
    this.#changed.fire();
    return {
      dispose: () => {
        if (this.#added.get(key) !== added) return;
        this.#added.delete(key);
        this.#changed.fire();
      },
    };
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #problem(key: string, id: unknown, name: unknown, maxInputTokens: unknown): string | undefined {
    if (typeof id !== 'string' || !ID.test(id)) return 'its id must be letters, digits, ".", "_" and "-", at most 64.';
    if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME)
      return `its name must have 1 to ${MAX_NAME} characters.`;
    if (typeof maxInputTokens !== 'number' || !Number.isSafeInteger(maxInputTokens) || maxInputTokens < 1)
      return 'its "maxInputTokens" must be a whole number above 0.';
    if (this.#added.has(key)) return `the id "${id}" is taken.`;
    return this.#added.size >= MOST ? `there are ${MOST} already.` : undefined;
  }
}
