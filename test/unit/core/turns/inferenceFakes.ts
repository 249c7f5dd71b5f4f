import { CancellationSource, type CancellationToken } from '../../../../src/core/base/cancellation.ts';
import { Deferred } from '../../../../src/core/base/async.ts';
import { Emitter } from '../../../../src/core/base/event.ts';
import { toDisposable } from '../../../../src/core/base/disposable.ts';
import type { WireError } from '../../../../src/core/base/errors.ts';
import type { Json } from '../../../../src/core/base/json.ts';
import type { ModelRefusal } from '../../../../src/core/hostTypes.ts';
import { Budgets } from '../../../../src/core/turns/budgets.ts';
import { ConversationModels } from '../../../../src/core/turns/conversationModels.ts';
import { InferenceRequests } from '../../../../src/core/turns/inferenceRequests.ts';
import type { Participant } from '../../../../src/core/mcpl/participant.ts';
import type { AuditRecord } from '../../../../src/core/model/audit.ts';
import type { ModelFailureReason } from '../../../../src/core/model/inference.ts';
import type { FeatureSet, InferenceSettings, McplDialect } from '../../../../src/core/model/mcpl.ts';
import type {
  LanguageModel,
  ModelChoice,
  ModelRequest,
  ModelRunEnd,
  ModelSelection,
} from '../../../../src/core/modelPorts.ts';
import type { ModelUse } from '../../../../src/core/ports.ts';
import { notEnabled } from '../../../../src/core/wire/mcpl/mcplErrors.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { mcplTraits } from '../../../support/featureSets.ts';

export const ENDED: ModelRunEnd = { kind: 'ended', finishReason: 'end_turn' };

/** A model that the test controls. One token per character, for easy sums. */
export class FakeModel implements LanguageModel {
  readonly facts = { id: 'fake-1', vendor: 'acme', contextWindow: 8_000, capabilities: ['vision'] };
  readonly runs: {
    readonly request: ModelRequest;
    readonly say: (delta: string) => void;
    readonly end: (end: ModelRunEnd) => void;
    readonly fail: (error: Error) => void;
    readonly token: CancellationToken;
  }[] = [];
  readonly counted: string[] = [];
  tokensOf: (text: string) => number | Promise<number> = (text) => text.length;

  run(request: ModelRequest, say: (delta: string) => void, token: CancellationToken): Promise<ModelRunEnd> {
    const ended = new Deferred<ModelRunEnd>();
    const { resolve, reject } = ended;
    this.runs.push({ request, say, end: resolve, fail: reject, token });
    return ended.promise;
  }

  async count(text: string): Promise<number> {
    this.counted.push(text);
    return this.tokensOf(text);
  }

  get last(): (typeof this.runs)[number] {
    const run = this.runs.at(-1);
    if (run === undefined) throw new Error('The model was not run.');
    return run;
  }
}

export class FakeMember {
  readonly server: string;
  readonly log = { log: (): void => undefined };
  readonly notified: { readonly method: string; readonly params: Json }[] = [];
  readonly session = {
    notify: (method: string, params: Json): void => void this.notified.push({ method, params }),
  };
  inference: InferenceSettings = { model: undefined, requestsPerHour: 30, tokensPerDay: 100_000 };
  isInHook = false;
  dialect: Pick<McplDialect, 'traits'> = { traits: mcplTraits('0.2') };
  readonly #changed = new Emitter<void>();
  readonly onDidChangeSets = this.#changed.event;
  sets = ['memory.think'];

  constructor(server = 'memory') {
    this.server = server;
  }

  get settings(): { readonly inference: InferenceSettings } {
    return { inference: this.inference };
  }

  redact(text: string): string {
    return text.replaceAll('s3cret', '‹secret›');
  }

  redactForeign(text: string): string {
    return text;
  }

  requireEnabled(featureSet: Json | undefined): FeatureSet {
    const name = String(featureSet);
    if (!this.sets.includes(name)) throw notEnabled(name, true);
    const uses = ['inferenceRequest'];
    return { name, description: '', uses, scoped: false, rollback: false, hostState: false, problem: undefined };
  }

  switchOff(name: string): void {
    this.sets = this.sets.filter((set) => set !== name);
    this.#changed.fire();
  }

  isOn(name: string): boolean {
    return this.sets.includes(name);
  }

  setsFor(): readonly FeatureSet[] {
    return this.sets.map((name) => this.requireEnabled(name));
  }

  enterHook(): { dispose(): void } {
    return toDisposable(() => undefined);
  }

  asMember(): Participant {
    // Inference must not need the missing members.
    return this as unknown as Participant;
  }
}

/** The inference of a host with a model that the test controls. */
export class InferenceStage {
  readonly clock = new FakeClock(Date.parse('2026-03-01T12:00:00Z'));
  readonly model = new FakeModel();
  readonly member = new FakeMember();
  readonly records: AuditRecord[] = [];
  readonly refusals: ModelRefusal[] = [];
  readonly wanted: ModelSelection[] = [];
  used: (server: string, since: number) => Promise<readonly ModelUse[]> = () => Promise.resolve([]);
  choose: (wanted: ModelSelection) => Promise<ModelChoice> = () =>
    Promise.resolve({ kind: 'model', model: this.model });
  readonly conversations = new ConversationModels();
  hostModel: string | undefined;
  #ids = 0;
  readonly recorder = { record: (record: AuditRecord): void => void this.records.push(record) };
  readonly budgets = new Budgets({
    clock: this.clock,
    audit: { used: (server, since) => this.used(server, since) },
    recorder: this.recorder,
  });
  readonly requests = new InferenceRequests({
    clock: this.clock,
    ids: { uuid: () => `${++this.#ids}`, random: () => 0, sha256: (text) => text },
    models: {
      choose: (wanted) => {
        this.wanted.push(wanted);
        return this.choose(wanted);
      },
    },
    budgets: this.budgets,
    conversations: this.conversations,
    recorder: this.recorder,
    limits: () => ({ model: this.hostModel }),
    onRefused: (refusal) => this.refusals.push(refusal),
  });

  /** Sends a request. `answer` settles with the server's answer. */
  ask(params: Record<string, Json> = {}, requestId: string | number = 1): Asked {
    const source = new CancellationSource();
    const whole = { featureSet: 'memory.think', messages: [{ role: 'user', content: 'hello' }], ...params };
    const context = { requestId, token: source.token };
    return { source, answer: told(this.requests.handle(this.member.asMember(), whole, context)) };
  }

  info(): Promise<unknown> {
    const context = { requestId: 1, token: new CancellationSource().token };
    return told(this.requests.modelInfo(this.member.asMember(), {}, context));
  }

  /** The audit, a line each. */
  get audited(): readonly string[] {
    return this.records.map(
      ({ operation, outcome, detail, tokens }) => `${operation} ${outcome} [${tokens ?? '-'}] ${detail}`,
    );
  }
}

export interface Asked {
  readonly source: CancellationSource;
  readonly answer: Promise<unknown>;
}

export function failure(reason: ModelFailureReason, message = 'It did not work.'): ModelRunEnd & ModelChoice {
  return { kind: 'failed', reason, message };
}

async function told(answer: Promise<Json>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    const { code, message, data } = error as WireError;
    return { code, message, data };
  }
}
