import { isObject } from '../../core/index.ts';

/**
 * The two decisions for each request: whether a model may see the prompt, and whether the server may get the answer.
 */
const SAMPLING_STAGES = ['request', 'answer'] as const;
export type SamplingStage = (typeof SAMPLING_STAGES)[number];

/** How long a decision lasts. */
export const SAMPLING_LIFETIMES = ['once', 'session', 'workspace'] as const;
export type SamplingLifetime = (typeof SAMPLING_LIFETIMES)[number];

interface SamplingAsker {
  readonly server: string;
  /** Fingerprint of the connection. Without one, nothing is remembered. */
  readonly fingerprint?: string | undefined;
}

/** A decision for more than one request. */
interface SamplingDecision {
  readonly server: string;
  readonly fingerprint: string;
  readonly stage: SamplingStage;
  readonly verdict: 'allow' | 'refuse';
  readonly lifetime: Exclude<SamplingLifetime, 'once'>;
  readonly at: number;
}

/** The editor's workspace state, which workspace files cannot change. */
export interface SamplingStore {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

const KEY = 'mcpl.sampling';
/** Above the number of servers that anyone has. */
const MOST = 200;

/** The user's decisions about sampling, for the session or the workspace. */
export class SamplingMemory {
  readonly #store: SamplingStore;
  readonly #session = new Map<string, SamplingDecision>();

  constructor(store: SamplingStore) {
    this.#store = store;
  }

  /** The decision for this connection. Session decisions take precedence. */
  verdict(asker: SamplingAsker, stage: SamplingStage): SamplingDecision['verdict'] | undefined {
    const { server, fingerprint } = asker;
    if (fingerprint === undefined) return undefined;
    const key = keyOf({ server, fingerprint, stage });
    const found = this.#session.get(key) ?? this.#kept().find((decision) => keyOf(decision) === key);
    return found?.verdict;
  }

  /** Newest first. */
  list(): readonly SamplingDecision[] {
    const session = [...this.#session.values()];
    return [...session, ...this.#kept()].sort((a, b) => b.at - a.at);
  }

  async remember({ server, fingerprint }: SamplingAsker, decision: Remembered): Promise<void> {
    const { lifetime, ...rest } = decision;
    if (fingerprint === undefined || lifetime === 'once') return;
    const made: SamplingDecision = { server, fingerprint, lifetime, ...rest };
    const key = keyOf(made);
    const others = this.#kept().filter((kept) => keyOf(kept) !== key);
    this.#session.delete(key);
    if (lifetime === 'session') this.#session.set(key, made);
    else await this.#store.update(KEY, [made, ...others].slice(0, MOST));
  }

  async forget(decisions: readonly SamplingDecision[]): Promise<void> {
    for (const decision of decisions) if (decision.lifetime === 'session') this.#session.delete(keyOf(decision));
    const gone = new Set(decisions.filter(({ lifetime }) => lifetime === 'workspace').map(keyOf));
    const kept = this.#kept();
    const left = kept.filter((decision) => !gone.has(keyOf(decision)));
    if (left.length < kept.length) await this.#store.update(KEY, left.length === 0 ? undefined : left);
  }

  #kept(): readonly SamplingDecision[] {
    const value = this.#store.get(KEY);
    return Array.isArray(value) ? value.slice(0, MOST).flatMap(decode) : [];
  }
}

type Remembered = Pick<SamplingDecision, 'stage' | 'verdict' | 'at'> & { readonly lifetime: SamplingLifetime };

function keyOf({ server, fingerprint, stage }: Pick<SamplingDecision, 'server' | 'fingerprint' | 'stage'>): string {
  return JSON.stringify([server, fingerprint, stage]);
}

/** Stored by another version, so invalid data allows nothing. */
function decode(value: unknown): readonly SamplingDecision[] {
  if (!isObject(value)) return [];
  const { server, fingerprint, at } = value;
  const stage = SAMPLING_STAGES.find((known) => known === value['stage']);
  const verdict = (['allow', 'refuse'] as const).find((known) => known === value['verdict']);
  if (typeof server !== 'string' || typeof fingerprint !== 'string' || typeof at !== 'number') return [];
  if (stage === undefined || verdict === undefined) return [];
  return [{ server, fingerprint, stage, verdict, lifetime: 'workspace', at }];
}

const TEXTS: { readonly [S in SamplingDecision['stage']]: { readonly [V in SamplingDecision['verdict']]: string } } = {
  request: {
    allow: 'Its prompts go to a model without a question',
    refuse: 'Its prompts are refused without a question',
  },
  answer: {
    allow: 'It gets answers of models without a review',
    refuse: 'It gets no answers of models',
  },
};

/** A stored decision in a few words. */
export function decisionText({ stage, verdict, lifetime }: SamplingDecision): string {
  return `${TEXTS[stage][verdict]} · ${lifetime === 'session' ? 'this session' : 'always'}`;
}
