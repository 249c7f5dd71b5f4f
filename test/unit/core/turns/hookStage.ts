import { Deferred } from '../../../../src/core/base/async.ts';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { toDisposable } from '../../../../src/core/base/disposable.ts';
import { HostError } from '../../../../src/core/base/errors.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { NO_LOG } from '../../../../src/core/base/log.ts';
import type { TurnRequest, TurnResult } from '../../../../src/core/hostTypes.ts';
import { ConversationModels } from '../../../../src/core/turns/conversationModels.ts';
import type { Refusal, Taken } from '../../../../src/core/turns/budgets.ts';
import type { Participant } from '../../../../src/core/mcpl/participant.ts';
import { TurnHooks } from '../../../../src/core/turns/turnHooks.ts';
import { TurnRunner } from '../../../../src/core/turns/turnRunner.ts';
import type { AuditRecord } from '../../../../src/core/model/audit.ts';
import type { ModelMessage } from '../../../../src/core/model/inference.ts';
import type { HookSettings } from '../../../../src/core/model/mcpl.ts';
import type { ModelChoice, ModelRunEnd, ModelSelection } from '../../../../src/core/modelPorts.ts';
import type { SessionRequest } from '../../../../src/core/session/session.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { FakeModel } from './inferenceFakes.ts';

export const BEFORE = 'context/beforeInference';
export const AFTER = 'context/afterInference';

const HOOKS: HookSettings = {
  order: 0,
  readUserMessage: true,
  positions: ['system', 'beforeUser', 'afterUser'],
  afterInference: 'failOpen',
  beforeTimeoutMs: 5_000,
  afterTimeoutMs: 10_000,
};

export interface HookRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly options: SessionRequest;
  readonly answer: Deferred<Json>;
}

/** Immediate answers of a server. Without an entry, the test answers, or the request stays open. */
type Script = Readonly<Record<string, (params: JsonObject) => Json | HostError>>;

/** A participant that ignores cancellation, like the worst servers. */
export class HookMember {
  readonly server: string;
  readonly log = NO_LOG;
  readonly requests: HookRequest[] = [];
  readonly notified: { readonly method: string; readonly params: JsonObject }[] = [];
  hooks = HOOKS;
  model: string | undefined;
  dialect = { before: true, after: 'none' as 'none' | 'notify' | 'blocking' };
  /** The enabled sets. */
  sets: Record<string, readonly string[]> = { hooks: ['contextHooks.beforeInference', 'contextHooks.afterInference'] };
  hooksUnderWay = 0;
  isConnected = true;
  readonly #script: Script;

  constructor(server: string, script: Script = {}, changes: Partial<HookSettings> = {}) {
    this.server = server;
    this.#script = script;
    this.hooks = { ...HOOKS, ...changes };
  }

  get settings(): unknown {
    return { hooks: this.hooks, inference: { model: this.model } };
  }

  get session(): unknown {
    if (!this.isConnected) throw new Error(`The server "${this.server}" has no session.`);
    return {
      request: (method: string, params: JsonObject, options: SessionRequest): Promise<Json> => {
        const request = { method, params, options, answer: new Deferred<Json>() };
        this.requests.push(request);
        const answer = this.#script[method]?.(params);
        if (answer instanceof HostError) request.answer.reject(answer);
        else if (answer !== undefined) request.answer.resolve(answer);
        return request.answer.promise;
      },
      notify: (method: string, params: JsonObject): void => void this.notified.push({ method, params }),
    };
  }

  get last(): HookRequest {
    return this.requests.at(-1)!;
  }

  redact(text: string): string {
    return text.replaceAll('hunter2', '‹secret›');
  }

  redactForeign(text: string): string {
    return text.replaceAll('foreign-key', '‹foreign›');
  }

  setsFor(use: string): readonly { readonly name: string }[] {
    if (!this.isConnected) return [];
    return Object.keys(this.sets).flatMap((name) => (this.sets[name]!.includes(use) ? [{ name }] : []));
  }

  enterHook(): { dispose(): void } {
    this.hooksUnderWay++;
    return toDisposable(() => this.hooksUnderWay--);
  }

  get asMember(): Participant {
    // Hooks must not need the missing members.
    return this as unknown as Participant;
  }
}

/** A server that changes answers with this function. */
export function checker(server: string, change: (text: string) => Json, hooks: Partial<HookSettings> = {}): HookMember {
  const script = { [AFTER]: ({ assistantMessage }: JsonObject) => change(String(assistantMessage)) };
  const member = new HookMember(server, script, hooks);
  member.dialect = { before: false, after: 'blocking' };
  return member;
}

export function injection(position: string, content: Json, extra: JsonObject = {}): JsonObject {
  return { featureSet: 'hooks', contextInjections: [{ namespace: 'facts', position, content, ...extra }] };
}

export function userText(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** Turns with scripted servers and a scripted model. */
export class HookStage {
  readonly clock = new FakeClock();
  readonly model = new FakeModel();
  readonly members: HookMember[] = [];
  /** The audit records of servers. */
  readonly records: AuditRecord[] = [];
  /** The records of the user's own uses. */
  readonly own: AuditRecord[] = [];
  readonly wanted: ModelSelection[] = [];
  readonly source = new CancellationSource();
  readonly shown: string[] = [];
  readonly steps: string[] = [];
  readonly done: (number | undefined)[] = [];
  choose: () => Promise<ModelChoice> = () => Promise.resolve({ kind: 'model', model: this.model });
  budget: Refusal | undefined;
  #ids = 0;
  readonly recorder = {
    record: (record: AuditRecord): void => void (record.server === '' ? this.own : this.records).push(record),
  };
  readonly conversations = new ConversationModels();
  readonly hooks = new TurnHooks({
    clock: this.clock,
    recorder: this.recorder,
    log: NO_LOG,
    conversations: this.conversations,
    members: () => this.members.map(({ asMember }) => asMember),
  });
  readonly ids = { uuid: (): string => `${++this.#ids}` };
  readonly turns = new TurnRunner({
    clock: this.clock,
    ids: this.ids,
    models: {
      choose: (wanted) => {
        this.wanted.push(wanted);
        return this.choose();
      },
    },
    budgets: { take: () => Promise.resolve(this.budget ?? this.#taken()) },
    recorder: this.recorder,
    log: NO_LOG,
    hooks: this.hooks,
    limits: () => ({ model: 'host-model' }),
  });

  constructor(...members: readonly HookMember[]) {
    this.members.push(...members);
  }

  #taken(): Taken {
    return {
      kind: 'taken',
      allow: () => ({ kind: 'allowed', maxTokens: 40 }),
      done: (tokens) => this.done.push(tokens),
    };
  }

  run(changes: Partial<TurnRequest> = {}, payer?: HookMember): Promise<TurnResult> {
    const request: TurnRequest = {
      conversationId: 'c1',
      turnIndex: 0,
      userMessage: 'How are you?',
      messages: [userText('How are you?')],
      justification: 'You asked.',
      onText: (text) => void this.shown.push(text),
      onStep: (step) => void this.steps.push(step),
      token: this.source.token,
      ...changes,
    };
    return this.turns.run(request, { payer: payer?.asMember });
  }

  /** Runs a turn in which the model streams these pieces. */
  async said(pieces: readonly string[], changes: Partial<TurnRequest> = {}, payer?: HookMember): Promise<TurnResult> {
    const turn = this.run(changes, payer);
    await settle();
    this.says(...pieces);
    return turn;
  }

  says(...pieces: readonly string[]): void {
    for (const piece of pieces) this.model.last.say(piece);
    this.model.last.end({ kind: 'ended', finishReason: 'end_turn' } satisfies ModelRunEnd);
  }

  /** The model's input, one line each. */
  get prompt(): string {
    return showMessages(this.model.last.request.messages);
  }

  /** The audit, a line each. */
  get audited(): string {
    return this.records
      .map(({ server, operation, featureSet, inferenceId, outcome, durationMs, detail, tokens }) =>
        [server, operation, featureSet ?? '-', inferenceId, outcome, `${durationMs} ms`, tokens ?? '-', detail].join(
          ' ',
        ),
      )
      .join('\n');
  }
}

export function showMessages(messages: readonly ModelMessage[]): string {
  return messages
    .map(({ role, content }) => {
      const blocks = content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
      return `${role}: ${blocks.join(' + ')}`;
    })
    .join('\n');
}

/** The error of a failed turn as text. */
export async function failureOf(turn: Promise<unknown>): Promise<string> {
  try {
    await turn;
    return 'no failure';
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const { code, category, message, suggestion } = error;
    return [code, category ?? '-', message, suggestion ?? '-'].join(' | ');
  }
}
