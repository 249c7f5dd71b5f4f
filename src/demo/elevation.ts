import { FILES_EDIT } from './demoFeatureSets.ts';
import type { FileAccess, Mode } from './fileAccess.ts';
import { type Ask, Unanswered } from './outgoing.ts';
import { METHOD_NOT_FOUND, NOT_ENABLED, RpcError, UNKNOWN_SET } from './rpcError.ts';
import { type Fields, isFields } from './schema.ts';
import type { Clock } from './systemClock.ts';
import type { ToolOutcome } from './tool.ts';

interface Wanted {
  readonly label: string;
  readonly path: string;
  readonly mode: Mode;
}

interface ElevationOptions {
  readonly ask: Ask;
  readonly clock: Clock;
  readonly access: FileAccess;
}

interface Waiting {
  readonly signal: AbortSignal;
  readonly progress: (done: number, total: number | undefined, message: string) => void;
}

/** The user may take an hour to answer. After that, no answer will come. */
const ANSWER_MS = 3_630_000;
/** Clients time out tools that stay silent for long. */
const SIGN_OF_LIFE_MS = 10_000;
const TELL = 'Tell the person what was needed and why, and try no other way.';

/** MCPL §7.4: asks the host for access that no list approves, and reports the answer. */
export class Elevation {
  readonly #options: ElevationOptions;

  constructor(options: ElevationOptions) {
    this.#options = options;
  }

  async run({ label, path, mode }: Wanted, waiting: Waiting): Promise<ToolOutcome> {
    const payload = { path, mode };
    const stop = this.#showLife(waiting);
    try {
      const params = { featureSet: FILES_EDIT, scope: { label, payload } };
      const result = await this.#options.ask('scope/elevate', params, { timeoutMs: ANSWER_MS, signal: waiting.signal });
      return this.#report(result, path, mode);
    } catch (error) {
      return { text: reasonOf(error), isError: true };
    } finally {
      stop();
    }
  }

  #report(result: unknown, path: string, mode: Mode): ToolOutcome {
    const { approved, payload, reason } = isFields(result) ? result : {};
    if (typeof approved !== 'boolean')
      return { text: `The host's answer says neither yes nor no. Nothing is approved. ${TELL}`, isError: true };
    const structured = { approved, ...(payload === undefined ? {} : { payload }), ...textIn({ reason }) };
    if (!approved) {
      const said = typeof reason === 'string' ? `"${reason}"` : 'no reason was given.';
      return { text: `The host refused: ${said} ${TELL}`, structured };
    }
    // The host returns the payload that the user approved. Do nothing beyond it.
    if (!isFields(payload) || payload['path'] !== path || payload['mode'] !== mode)
      return { text: 'The host approved something else than was asked for. Nothing is remembered.', structured };
    this.#options.access.approve(path, mode);
    return { text: `The host approved "${mode}" of ${path}, once. Its payload came back as it was sent.`, structured };
  }

  #showLife({ progress }: Waiting): () => void {
    let stop = (): void => undefined;
    const tick = (): void => {
      progress(0, 1, 'Waiting for the host to approve it');
      stop = this.#options.clock.delay(SIGN_OF_LIFE_MS, tick);
    };
    tick();
    return () => stop();
  }
}

function textIn({ reason }: Fields): Fields {
  return typeof reason === 'string' ? { reason } : {};
}

function reasonOf(error: unknown): string {
  if (error instanceof Unanswered) return `${error.message} Nothing is approved.`;
  if (!(error instanceof RpcError)) return `Something went wrong: ${String(error)}`;
  switch (error.code) {
    case NOT_ENABLED:
      return `The host has ${FILES_EDIT} off. Switch it on and try again.`;
    case UNKNOWN_SET:
      return `The host does not know ${FILES_EDIT}. Restart this server.`;
    case METHOD_NOT_FOUND:
      return 'The host has no scopes: there is nobody who could approve it.';
    default:
      return `The host answered: ${error.message} (${error.code}). Nothing is approved.`;
  }
}
