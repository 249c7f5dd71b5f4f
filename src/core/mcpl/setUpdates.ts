import { isHostError, messageOf, RPC } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { FeatureSet, McplDialect } from '../model/mcpl.ts';
import type { Session } from '../session/session.ts';
import { capabilitiesOf } from '../wire/mcpl/featureSetMessages.ts';

interface SetUpdatesOptions {
  readonly log: Logger;
  onSent(enabled: number, disabled: number): void;
  /** The server got the list of sets that are on. `isFirst`: for the first time over this connection. */
  onGranted(isFirst: boolean): void;
}

interface SetUpdate {
  readonly choice: { readonly enabled: string[]; readonly disabled: string[]; readonly scopes?: JsonObject };
  /** The sets of `choice.enabled`, and the one that stands for undeclared sets, which is never sent. */
  readonly enabled: readonly FeatureSet[];
  readonly dialect: McplDialect;
}

const POLICY_MS = 15_000;

/**
 * Sends `featureSets/update` (MCPL §6.7). It lists every declared set and no wildcards. This suits servers that read a
 * difference, servers that read the complete state, and servers that wait for it before they start.
 */
export class SetUpdates {
  readonly #options: SetUpdatesOptions;
  #session: Session | undefined;
  /** The last update as text, for comparison. */
  #sentText = '';
  /** The sets that were on in the last update of this connection, as text. */
  #granted: string | undefined;

  constructor(options: SetUpdatesOptions) {
    this.#options = options;
  }

  begin(session: Session): void {
    this.#session = session;
    this.#sentText = '';
    this.#granted = undefined;
  }

  end(): void {
    this.#session = undefined;
  }

  /** Sends the next update even without a change: the server may have lost the last one. */
  forget(): void {
    this.#sentText = '';
  }

  send(update: SetUpdate): void {
    const session = this.#session;
    if (session === undefined) return;
    const { choice, dialect } = update;
    const { policy } = dialect.traits;
    const text = JSON.stringify(choice);
    if (text === this.#sentText) return;
    this.#sentText = text;
    this.#options.onSent(choice.enabled.length, choice.disabled.length);
    const before = this.#granted;
    this.#granted = JSON.stringify(choice.enabled);
    const isFirst = before === undefined;
    // Lists are first read after a notification, but they may be read before a request is answered.
    const isNews = isFirst ? policy === 'request' && choice.enabled.length > 0 : before !== this.#granted;
    if (policy === 'notification') {
      session.notify('featureSets/update', choice);
      if (isNews) this.#options.onGranted(false);
      return;
    }
    void this.#request(session, update).then(() => {
      if (isNews && this.#session === session) this.#options.onGranted(isFirst);
    });
  }

  /** Some servers announce MCPL 0.5 but do not know the request. They get the notification of older versions. */
  async #request(session: Session, { choice, enabled, dialect }: SetUpdate): Promise<void> {
    const { log } = this.#options;
    try {
      const policy = { ...choice, effectiveCapabilities: capabilitiesOf(enabled) };
      await session.request('featureSets/update', policy, { timeoutMs: POLICY_MS });
    } catch (error) {
      if (this.#session !== session) return;
      if (isHostError(error, 'REMOTE_ERROR') && error.rpcCode === RPC.methodNotFound) {
        const why = `The server says MCPL ${dialect.version} and does not take its policy as a request`;
        log.log('info', `${why}: it gets a notification.`);
        session.notify('featureSets/update', choice);
      } else log.log('warn', `The server did not take its feature sets: ${messageOf(error)}`);
    }
  }
}
