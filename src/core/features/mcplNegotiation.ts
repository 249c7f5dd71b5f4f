import { type Disposable, toDisposable } from '../base/disposable.ts';
import { methodNotFound, RPC, WireError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Session, SessionFeature } from '../session/session.ts';
import { decodeAdvert, decodeNames, MCPL_ERROR } from '../wire/mcpl.ts';

/** The requests of a server that name the feature set they belong to (MCPL §6.5). */
const GATED = ['push/event', 'inference/request', 'scope/elevate'] as const;

/** More than any server has; every change is answered with all of them. */
const MAX_SETS = 256;

/**
 * MCPL as far as saying no to it: the host announces it, tells a server that all its feature sets are off, and
 * refuses by the protocol's own codes what a set that is off may not do. Servers push whether they may or not, so the
 * host decides on each message.
 */
export class McplNegotiation implements SessionFeature {
  #session: Session | undefined;
  /** Absent while the server is a plain MCP server. */
  #declared: Set<string> | undefined;

  /** Its requests go from server to host, which a stateless connection does not carry. */
  readonly era = 'legacy';
  readonly #isOff: () => boolean;

  /** `isOff`: the settings say that this server is to be a plain MCP server. */
  constructor(isOff: () => boolean = () => false) {
    this.#isOff = isOff;
  }

  /** Nobody knows at first contact which sets a server has; `featureSets/update` tells the truth right after. */
  get capabilities(): JsonObject {
    if (this.#isOff()) return {};
    return { experimental: { mcpl: { version: '0.2', featureSets: { enabled: [], disabled: [] } } } };
  }

  readonly requests: NonNullable<SessionFeature['requests']> = Object.fromEntries(
    GATED.map((method) => [method, (params: JsonObject): Json => this.#refuse(method, params)]),
  );

  readonly notifications: NonNullable<SessionFeature['notifications']> = {
    'featureSets/changed': (params) => this.#changed(params),
  };

  started(session: Session): Disposable {
    const advert = this.#isOff() ? undefined : decodeAdvert(session.handshake.capabilities);
    this.#declared = advert === undefined ? undefined : new Set(advert.featureSets.slice(0, MAX_SETS));
    this.#session = session;
    this.#tell();
    return toDisposable(() => {
      this.#session = undefined;
      this.#declared = undefined;
    });
  }

  /** MCPL §6.7, with every declared set named: right for a server that reads a difference and for one that reads all. */
  #tell(): void {
    if (this.#declared === undefined) return;
    this.#session?.notify('featureSets/update', { enabled: [], disabled: [...this.#declared] });
  }

  #changed({ added, removed }: JsonObject): void {
    if (this.#declared === undefined) return;
    for (const name of decodeNames(removed)) this.#declared.delete(name);
    for (const name of decodeNames(added)) if (this.#declared.size < MAX_SETS) this.#declared.add(name);
    this.#tell();
  }

  #refuse(method: string, params: JsonObject): never {
    if (this.#declared === undefined) throw methodNotFound(method);
    const { featureSet } = params;
    if (typeof featureSet !== 'string') throw new WireError(RPC.invalidParams, 'featureSet must be a text.');
    if (!this.#declared.has(featureSet))
      throw new WireError(MCPL_ERROR.unknownFeatureSet, 'Unknown feature set', { featureSet });
    throw new WireError(MCPL_ERROR.notEnabled, 'Feature set not enabled', { featureSet, canEnable: true });
  }
}
