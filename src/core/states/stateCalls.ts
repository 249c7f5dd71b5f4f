import { type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import { cleanLine } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { cancelled, HostError, messageOf } from '../base/errors.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, parseJson } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import { namesSecret } from '../base/secretNames.ts';
import { secretMark } from '../base/secrets.ts';
import { slicedJson, weigh } from '../base/slicedJson.ts';
import { AnnotatedResult } from '../calls/annotatedResult.ts';
import type { CallContext, CallStep } from '../calls/callSteps.ts';
import { type SentState, stateOwner, stateUse } from '../mcpl/stateSets.ts';
import type { StateVerdict, UpdatedState } from '../mcpl/stateUpdates.ts';
import type { ResultView } from '../model/content.ts';
import { checkpointName, type KeptState, keyText, type LineageKey, type StateKeeper } from '../model/lineage.ts';
import type { ServerSnapshot } from '../model/server.ts';
import type { NewStateBody, StateBase, StateStore, StateUpdate } from '../ports.ts';
import type { Session } from '../session/session.ts';
import { type AnnouncedState, decodeStateResult, type StateBody } from '../wire/mcpl/stateResult.ts';
import type { NewState, StateKeeping } from './stateKeeping.ts';
import type { StateOwners } from './stateOwners.ts';

const MAX_LENGTH = 300;
/** Longer texts and larger objects are shortened first. */
const MAX_TEXT = 2_000;
const MAX_MEMBERS = 20;

/** The arguments of a call on one line, without secrets. */
export function shortArguments(args: JsonObject, redact: (text: string) => string): string | undefined {
  if (Object.keys(args).length === 0) return undefined;
  // Redacted before truncation, because a cut secret would not be found.
  return cleanLine(redact(JSON.stringify(shortened(args, 0))), MAX_LENGTH);
}

function shortened(value: Json | undefined, depth: number): Json {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (isJsonArray(value))
    return depth > 3 ? '…' : value.slice(0, MAX_MEMBERS).map((item) => shortened(item, depth + 1));
  if (!isJsonObject(value)) return value ?? null;
  if (depth > 3) return '…';
  const members = Object.entries(value).slice(0, MAX_MEMBERS);
  return Object.fromEntries(
    members.map(([name, member]) => [name, isSecret(name, member) ? secretMark(name) : shortened(member, depth + 1)]),
  );
}

/** User input to a model is not in the list of secrets, but is stored long and exported. */
function isSecret(name: string, value: Json | undefined): boolean {
  return typeof value !== 'boolean' && value !== null && namesSecret(name);
}

/** The parts of a server that states need. */
export interface StatefulServer {
  readonly id: string;
  readonly snapshot: ServerSnapshot;
  readonly session: Session | undefined;
  redact(text: string): string;
}

/** A position at the head of the queue. */
export interface StateTurn {
  /** Whether it had to wait for another call. */
  readonly hasWaited: boolean;
  /** Starts the next call. Can be called repeatedly. */
  end(): void;
}

/** Runs calls with the same key one by one, in order of arrival. */
export class StateQueue {
  /** Waiting calls. A key exists while one of its calls runs. */
  readonly #lines = new Map<string, Set<() => void>>();

  /** Rejects if cancelled while waiting. */
  async begin(key: string, token: CancellationToken, onWaiting: () => void): Promise<StateTurn> {
    if (token.isCancellationRequested) throw cancelled('The call');
    const line = this.#lines.get(key);
    if (line === undefined) {
      this.#lines.set(key, new Set());
      return this.#turn(key, false);
    }
    onWaiting();
    await untilCalled(line, token);
    return this.#turn(key, true);
  }

  #turn(key: string, hasWaited: boolean): StateTurn {
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#next(key);
    };
    return { hasWaited, end };
  }

  #next(key: string): void {
    const line = this.#lines.get(key);
    const [first] = line ?? [];
    if (line === undefined || first === undefined) {
      this.#lines.delete(key);
      return;
    }
    line.delete(first);
    first();
  }
}

function untilCalled(line: Set<() => void>, token: CancellationToken): Promise<void> {
  let subscription: Disposable | undefined;
  return new Promise<void>((resolve, reject) => {
    const called = (): void => resolve();
    line.add(called);
    subscription = token.onCancellationRequested(() => {
      // A call that has already started checks the token itself.
      if (line.delete(called)) reject(cancelled('The call'));
    });
  }).finally(() => subscription?.dispose());
}

interface StateCallsOptions {
  readonly clock: Clock;
  readonly states: StateStore;
  readonly queue: StateQueue;
  readonly keeping: StateKeeping;
  readonly owners: StateOwners;
  log(server: string): Logger;
  redact(server: string, text: string): string;
  find(server: string): StatefulServer | undefined;
}

/** A call that holds the queue of its set. */
interface Held {
  readonly key: LineageKey;
  readonly turn: StateTurn;
  /** The current checkpoint when the call was sent. */
  base: number | undefined;
}

/** Longer states are sent as JSON text. Shorter ones are sent as values, which a trace shows. */
const MAX_SHOWN = 16_384;
/** Maximum distinct log messages, because servers repeat them with each call. */
const MAX_SAID = 500;
/** Maximum pending updates, because each takes time to store. */
const MAX_UPDATES = 64;
/** Above this number only small updates are accepted: one may be 32 MB of text, and more as objects. */
const FEW_UPDATES = 4;
const SMALL = 65_536;
const TOO_MANY: StateVerdict = { accepted: false, reason: 'Too many states wait to be stored. Send it again later.' };

/**
 * Sends the calls of a set one by one, each with the current state, and stores the results (MCPL §8.2 to §8.4, §8.7).
 */
export class StateCalls {
  readonly #options: StateCallsOptions;
  readonly #held = new Map<CallContext, Held>();
  /** The current call of each lineage, by key. */
  readonly #current = new Map<string, CallContext>();
  readonly #said = new Set<string>();
  /** Number of pending updates per server. */
  readonly #updates = new Map<string, number>();

  constructor(options: StateCallsOptions) {
    this.#options = options;
  }

  async send(context: CallContext, use: SentState, next: CallStep): Promise<ResultView> {
    const { request, token = NO_CANCELLATION } = context;
    const key = { server: request.server, featureSet: use.featureSet };
    this.release(context);
    const turn = await this.#options.queue.begin(keyText(key), token, () => {
      context.report({ progress: 0, total: undefined, message: `Waiting for another call of ${key.featureSet}` });
    });
    const held: Held = { key, turn, base: undefined };
    this.#held.set(context, held);
    this.#current.set(keyText(key), context);
    try {
      if (turn.hasWaited) this.#checkStillOn(context, key);
      const base = await this.#base(context, key, use.keeper);
      if (token.isCancellationRequested) throw cancelled('The call');
      if (base.blocked !== undefined)
        throw blockedCall(request.tool, key, base.blocked, (text) => this.#options.redact(key.server, text));
      held.base = base.head?.place;
      addState(context, base);
      return await next(context);
    } catch (error) {
      // A call that waits for a page or the user must not block others.
      this.release(context);
      throw error;
    }
  }

  /** The call ended, or will be sent again. */
  release(context: CallContext): void {
    const held = this.#held.get(context);
    if (held === undefined) return;
    this.#held.delete(context);
    const text = keyText(held.key);
    if (this.#current.get(text) === context) this.#current.delete(text);
    held.turn.end();
  }

  /** Resolves once the state is durable or failed to be stored. The next call of the set starts after that. */
  async keep(context: CallContext, result: ResultView): Promise<ResultView> {
    try {
      const kept = await this.#kept(context, result.raw);
      if (kept === undefined) return result;
      return new AnnotatedResult(result, [{ source: 'host', kind: 'state', text: noteOn(kept), data: kept }]);
    } finally {
      this.release(context);
    }
  }

  /** Does not wait for calls of the set: the server sends no result before it gets this answer. */
  async update({ server, featureSet, keeper, state }: UpdatedState): Promise<StateVerdict> {
    const underWay = this.#updates.get(server) ?? 0;
    if (underWay >= MAX_UPDATES) return TOO_MANY;
    if (underWay >= FEW_UPDATES && weightOf(state.body) > SMALL) return TOO_MANY;
    this.#updates.set(server, underWay + 1);
    const key = { server, featureSet };
    const during = this.#current.get(keyText(key));
    const storing = this.#options.keeping.store(key, async () => {
      const update = { ...(await this.#newState(key, keeper, state, during)), cause: 'update' as const };
      return { update, isLoose: true };
    });
    const kept = await storing.finally(() => this.#updates.set(server, (this.#updates.get(server) ?? 1) - 1));
    return 'problem' in kept ? { accepted: false, reason: kept.problem } : { accepted: true };
  }

  async #base(context: CallContext, key: LineageKey, keeper: StateKeeper | 'either'): Promise<StateBase> {
    const { states, keeping } = this.#options;
    try {
      await keeping.flush(key);
      return await states.base(key, context.request.conversationId, keeper);
    } catch (error) {
      throw storeFailed(context.request.tool, key, error);
    }
  }

  /** The user may have switched the set off while the call waited. */
  #checkStillOn({ request }: CallContext, { server, featureSet }: LineageKey): void {
    const mcpl = this.#options.find(server)?.snapshot.mcpl;
    if (mcpl?.sets.find(({ set }) => set.name === featureSet)?.state === 'enabled') return;
    const message = `The tool "${request.tool}" was not called: its feature set "${featureSet}" is off by now.`;
    throw new HostError('FEATURE_SET_OFF', message, {
      layer: 'policy',
      effect: 'none',
      suggestion: 'Switch the feature set on, then try again.',
      data: { featureSet },
    });
  }

  async #kept(context: CallContext, raw: JsonObject): Promise<KeptState | undefined> {
    const { server, request } = context;
    const { mcpl } = server;
    const decoded = decodeStateResult(raw);
    if (mcpl === undefined || decoded === undefined) return undefined;
    if ('problem' in decoded) {
      // Results may use this member name for something else.
      if (!isJsonObject(raw['state']) && stateUse(mcpl, request.tool).kind !== 'always') return undefined;
      return this.#lost(context, '', undefined, decoded.problem, 'failure');
    }
    const { checkpoint, featureSet: named, body } = decoded;
    const { owners } = this.#options;
    const byOwner = stateUse(mcpl, request.tool).kind === 'byOwner';
    const first = byOwner ? await owners.of(server.id, request.tool) : undefined;
    const owner = stateOwner(mcpl, request.tool, { named, first, hasBody: body !== undefined });
    if (byOwner && first === undefined && owner.kind === 'set')
      await owners.learn(server.id, request.tool, owner.featureSet);
    if (named !== undefined && owner.featureSet !== named)
      this.#say(context, `names the feature set "${named}" in its state, which is not declared.`);
    if (owner.kind === 'off')
      return this.#lost(context, owner.featureSet, checkpoint, 'Its feature set is off.', 'dropped');
    if (owner.kind === 'nobody')
      this.#say(context, 'returns a state that belongs to no feature set that could be told: it is only kept.');
    const key = { server: server.id, featureSet: owner.featureSet };
    return this.#options.keeping.keep(key, async () => {
      const update = await this.#newState(key, owner.keeper, decoded, context);
      return this.#sent({ ...update, cause: 'call' }, context);
    });
  }

  /** Based on the state in the request, if both belong to the same set. */
  #sent(update: StateUpdate, context: CallContext): NewState {
    const held = this.#held.get(context);
    const isHeld = held !== undefined && held.key.featureSet === update.featureSet;
    return { update: { ...update, base: isHeld ? held.base : undefined }, isLoose: !isHeld };
  }

  async #newState(
    key: LineageKey,
    keeper: StateKeeper | 'either',
    { checkpoint, parent, body, remarks }: AnnouncedState,
    context: CallContext | undefined,
  ): Promise<Omit<StateUpdate, 'cause'>> {
    const { clock } = this.#options;
    const request = context?.request;
    if (context !== undefined) for (const remark of remarks) this.#say(context, `returns a state: ${remark}`);
    const isKept = body !== undefined && keeper !== 'server';
    if (body !== undefined && !isKept && context !== undefined)
      this.#say(context, 'returns a state that its server keeps itself by its declaration: it is not stored.');
    const redact = (text: string): string => this.#options.redact(key.server, text);
    return {
      ...key,
      conversation: request?.conversationId,
      keeper,
      checkpoint,
      parent,
      base: undefined,
      body: isKept ? await newBody(body, clock) : undefined,
      at: clock.now(),
      tool: request?.tool,
      args: request === undefined ? undefined : shortArguments(request.args, redact),
    };
  }

  #lost(
    { request }: CallContext,
    featureSet: string,
    checkpoint: string | undefined,
    problem: string,
    outcome: 'failure' | 'dropped',
  ): KeptState {
    const which = checkpoint === undefined ? '' : ` ${checkpoint}`;
    const detail = `The state${which} that "${request.tool}" returned is not kept: ${problem}`;
    this.#options.keeping.lost({ server: request.server, featureSet }, detail, outcome);
    return { kind: 'lost', checkpoint, problem };
  }

  /** Logs once per tool. */
  #say({ request }: CallContext, what: string): void {
    const message = `The tool "${request.tool}" ${what}`;
    const text = `${request.server} ${message}`;
    if (this.#said.has(text) || this.#said.size >= MAX_SAID) return;
    this.#said.add(text);
    this.#options.log(request.server).log('warn', message);
  }
}

function weightOf(body: StateBody | undefined): number {
  if (body === undefined) return 0;
  return 'text' in body ? body.text.length : weigh(body.value, SMALL);
}

async function newBody(body: StateBody, clock: Clock): Promise<NewStateBody> {
  const { kind } = body;
  if ('text' in body) return { kind, text: body.text, isAsItCame: true };
  return { kind, text: await slicedJson(body.value, clock) };
}

/** MCPL §8.4, §8.7. Replaces the state of an earlier attempt. */
function addState(context: CallContext, { keeper, head, state }: StateBase): void {
  const { state: _, ...parts } = context.parts ?? {};
  const { state: __, checkpoint: ___, ...extra } = context.extraParams ?? {};
  context.parts = Object.keys(parts).length === 0 ? undefined : parts;
  context.extraParams = Object.keys(extra).length === 0 ? undefined : extra;
  if (keeper === 'server') {
    if (head !== undefined) context.extraParams = { ...extra, checkpoint: head.checkpoint };
  } else if (state !== undefined) {
    // The first call has no state. Null would be a state (docs/decisions/state-contents.md).
    if (state.length > MAX_SHOWN) context.parts = { ...parts, state };
    else context.extraParams = { ...extra, state: parseJson(state) };
  }
}

function noteOn(kept: KeptState): string {
  switch (kept.kind) {
    case 'broken':
      return `The state ${kept.checkpoint} that came with it could not be made: ${kept.problem} Roll back, or continue from an earlier checkpoint, before the next call.`;
    case 'lost':
      return `The state that came with it was not kept: ${kept.problem}`;
    default:
      return '';
  }
}

function blockedCall(
  tool: string,
  { featureSet }: LineageKey,
  blocked: NonNullable<StateBase['blocked']>,
  redact: (text: string) => string,
): HostError {
  const name = checkpointName(blocked);
  // The problem may quote text of the server or of a file.
  const why = blocked.problem === undefined ? '' : ` (${cleanLine(redact(blocked.problem)).replace(/\.$/, '')})`;
  const message = `The tool "${tool}" was not called: the state of "${featureSet}" after checkpoint ${name} is not known${why}.`;
  return new HostError('STATE_BLOCKED', message, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'Roll back, or continue from an earlier checkpoint, in the Lineage view, then try again.',
    data: { featureSet, checkpoint: name },
  });
}

function storeFailed(tool: string, { featureSet }: LineageKey, error: unknown): HostError {
  const message = `The tool "${tool}" was not called: the state of "${featureSet}" cannot be stored or read. ${messageOf(error)}`;
  const { suggestion = 'See the log of the host, then try again.', category } = error instanceof HostError ? error : {};
  return new HostError('STORAGE_FAILED', message, {
    layer: 'host',
    effect: 'none',
    suggestion,
    category,
    cause: error,
  });
}
