import { Deferred } from '../base/async.ts';
import { type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import { type Clock, secondsText } from '../base/clock.ts';
import { cancelled, HostError, toHostError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { decodeResult, type ResultView } from '../model/content.ts';
import type { KeptState } from '../model/lineage.ts';
import type { Operation, OperationState, Progress, ToolCallRequest } from '../model/operation.ts';
import type { ServerSnapshot } from '../model/server.ts';
import type { Ids } from '../ports.ts';
import type { Session, SessionRequest } from '../session/session.ts';
import { decodeProgress } from '../wire/tools.ts';
import type { CallAudit } from './callAudit.ts';
import {
  type AnyConcern,
  type CallContext,
  type CallInterceptor,
  type CallRecovery,
  type CallStep,
  stepThrough,
} from './callSteps.ts';
import { toolNamed } from './calledTool.ts';

/** The parts of a server that a call needs. */
export interface CallTarget {
  readonly snapshot: ServerSnapshot;
  readonly session: Session | undefined;
  readonly onDidChange: Event<unknown>;
  /** Reads a result of it; by default, as it came. */
  readonly decode?: ((value: Json) => ResultView) | undefined;
  /** Its tools as they are now: at once, unless the server said that they changed. */
  freshTools?(token: CancellationToken): Promise<unknown>;
}

export interface ToolCallsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  /** In the order of the onion: the last one is the nearest to the server. Asked once for each tool. */
  interceptors(): readonly AnyConcern[];
  /** Hears how each call ended. */
  readonly audit: Pick<CallAudit, 'answered' | 'failed'>;
  find(server: string): CallTarget | undefined;
}

export interface CallSettings {
  readonly token?: CancellationToken | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** All tool calls, from every route: finds the tool, checks, intercepts, sends, and reports. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #operations = new Emitter<Operation>();
  readonly #numbers: OperationNumbers;
  /** The interceptors that concern a tool as one function, made once and not for each call. A snapshot never changes. */
  readonly #steps = new WeakMap<ServerSnapshot, Map<string, CallStep>>();

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    this.#numbers = new OperationNumbers(options.ids);
  }

  get onDidChangeOperation(): Event<Operation> {
    return this.#operations.event;
  }

  /** Without `async`, whose machinery would be a fifth of what a short call costs here. */
  call(request: ToolCallRequest, settings: CallSettings = NO_SETTINGS): Promise<ResultView> {
    const { audit, clock } = this.#options;
    const startedAt = clock.now();
    // Without a listener nothing is reported; a later listener gets the calls that start after it.
    if (!this.#operations.hasListeners) {
      const ended = this.#begin(new ToldOperation(request, this.#numbers), settings);
      // Beside the promise that the caller gets: who waits for the call does not wait for the audit.
      ended.then(
        (result) => audit.answered(request, startedAt, result),
        (thrown: unknown) => audit.failed(request, startedAt, toHostError(thrown)),
      );
      return ended;
    }
    const told = new ToldOperation(request, this.#numbers, { startedAt, operations: this.#operations });
    return this.#begin(told, settings).then(
      (result) => {
        audit.answered(request, startedAt, result);
        told.tell({ kind: 'succeeded', result });
        return result;
      },
      (thrown: unknown) => {
        const error = toHostError(thrown);
        audit.failed(request, startedAt, error);
        told.tell({ kind: 'failed', error, effect: error.effect });
        throw error;
      },
    );
  }

  #begin(told: ToldOperation, settings: CallSettings): Promise<ResultView> {
    const { request } = told;
    try {
      const target = this.#options.find(request.server);
      if (target === undefined) throw unknownServer(request);
      const { snapshot } = target;
      const step = this.#steps.get(snapshot)?.get(request.tool);
      if (step !== undefined) return this.#send(told, target, snapshot, settings, step);
      // Right after a start the tools are still being read; later, this does not wait.
      const isReading = isStillReading(target);
      const isKnown = isReading || toolNamed(snapshot, request.tool) !== undefined;
      if (isKnown && !isReading) return this.#send(told, target, snapshot, settings);
      told.tell(PENDING);
      const { token = NO_CANCELLATION } = settings;
      const read = isReading ? untilRead(target, request, token, this.#options.clock) : untilFresh(target, token);
      return read.then(() => this.#send(told, target, target.snapshot, settings));
    } catch (error) {
      return Promise.reject(toHostError(error));
    }
  }

  #send(
    told: ToldOperation,
    { session, decode }: CallTarget,
    snapshot: ServerSnapshot,
    settings: CallSettings,
    step?: CallStep,
  ): Promise<ResultView> {
    if (session === undefined) throw notRunning(told.request);
    const context = new OngoingCall(told, snapshot, session, settings, decode);
    told.attempts = 1;
    told.tell(RUNNING);
    return (step ?? this.#firstStep(context))(context);
  }

  #firstStep({ server, session, request }: CallContext): CallStep {
    const tool = toolNamed(server, request.tool)?.tool;
    const step = stepThrough(this.#options.interceptors(), send, { session, tool, server });
    // A name that no tool has may be anything, and any number of them.
    if (tool === undefined) return step;
    const steps = this.#steps.get(server) ?? new Map<string, CallStep>();
    this.#steps.set(server, steps.set(request.tool, step));
    return step;
  }
}

const DEFAULT_TIMEOUTS = { call: 60, callMax: 3600 };
const NO_SETTINGS: CallSettings = {};
const PENDING: OperationState = { kind: 'pending' };
const RUNNING: OperationState = { kind: 'running', progress: undefined };

/** Ids unique beyond this process, all made of one random number: a new one for each call would cost more than the call. */
class OperationNumbers {
  readonly #ids: Ids;
  #run: string | undefined;
  #count = 0;

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  next(): string {
    this.#run ??= this.#ids.uuid();
    return `${this.#run}-${++this.#count}`;
  }
}

/** How an operation is reported. */
interface Telling {
  readonly startedAt: number;
  readonly operations: Emitter<Operation>;
}

/** The report of a call. Its id is made on first access, because allocation is most of the cost of a call. */
class ToldOperation {
  readonly request: ToolCallRequest;
  readonly #numbers: OperationNumbers;
  /** Absent without a listener at the start. */
  readonly #telling: Telling | undefined;
  #id: string | undefined;
  attempts = 0;
  rounds = 0;
  taskId: string | undefined;
  kept: KeptState | undefined;

  constructor(request: ToolCallRequest, numbers: OperationNumbers, telling?: Telling) {
    this.request = request;
    this.#numbers = numbers;
    this.#telling = telling;
  }

  get id(): string {
    this.#id ??= this.#numbers.next();
    return this.#id;
  }

  tell(state: OperationState): void {
    if (this.#telling === undefined) return;
    const { startedAt, operations } = this.#telling;
    const { id, request, attempts, rounds, taskId, kept } = this;
    operations.fire({ id, request, startedAt, attempts, rounds, taskId, kept, state });
  }
}

/** The context of a call and the options of its request in one. */
class OngoingCall implements CallContext, SessionRequest {
  readonly request: ToolCallRequest;
  readonly server: ServerSnapshot;
  readonly session: Session;
  readonly decode: CallContext['decode'];
  readonly token: CancellationToken | undefined;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  extraParams: JsonObject | undefined;
  extraMeta: JsonObject | undefined;
  headers: Readonly<Record<string, string>> | undefined;
  parts: Readonly<Record<string, string>> | undefined;
  recovery: CallRecovery | undefined;
  readonly #told: ToldOperation;
  readonly #settings: CallSettings;
  #isSent = false;

  constructor(
    told: ToldOperation,
    server: ServerSnapshot,
    session: Session,
    settings: CallSettings,
    decode: CallContext['decode'] = decodeResult,
  ) {
    this.decode = decode;
    const { call, callMax } = server.definition?.timeouts ?? DEFAULT_TIMEOUTS;
    this.request = told.request;
    this.server = server;
    this.session = session;
    this.token = settings.token;
    this.timeoutMs = call * 1000;
    this.maxTimeoutMs = callMax * 1000;
    this.extraMeta = told.request.meta;
    this.#told = told;
    this.#settings = settings;
  }

  get operationId(): string {
    return this.#told.id;
  }

  get kept(): KeptState | undefined {
    return this.#told.kept;
  }

  set kept(kept: KeptState | undefined) {
    this.#told.kept = kept;
  }

  get sending(): SessionRequest {
    return this;
  }

  report(progress: Progress): void {
    this.#told.tell({ kind: 'running', progress });
    this.#settings.onProgress?.(progress);
  }

  sent(): void {
    if (!this.#isSent) {
      this.#isSent = true;
      return;
    }
    this.#told.attempts++;
    this.#told.tell(RUNNING);
  }

  onRound(): void {
    this.#told.rounds++;
    this.#told.tell(RUNNING);
  }

  becameTask(taskId: string): void {
    this.#told.taskId = taskId;
    this.#told.tell(RUNNING);
  }

  onProgress(step: JsonObject): void {
    this.report(decodeProgress(step));
  }

  explain(error: HostError): HostError {
    return explained(error, this.request);
  }

  instead(error: HostError): Promise<Json> | undefined {
    const { recovery } = this;
    this.recovery = undefined;
    return recovery?.recover(this, error, send)?.then(({ raw }) => raw);
  }
}

function unlisted({ server }: ToolCallRequest, ms: number): HostError {
  const within = secondsText(ms);
  return new HostError('TIMEOUT', `The server "${server}" has not finished listing its tools within ${within}.`, {
    layer: 'server',
    effect: 'none',
    suggestion: 'Try again later, or restart it.',
  });
}

function isStillReading({ session, snapshot }: CallTarget): boolean {
  return session !== undefined && snapshot.listing.kind === 'unread';
}

/** A server may say in its last answer which tool to use next, before it was asked what tools it has now. */
async function untilFresh(target: CallTarget, token: CancellationToken): Promise<void> {
  if (target.session === undefined) return;
  try {
    await target.freshTools?.(token);
  } catch (error) {
    // That the tool is not known says enough.
    if (token.isCancellationRequested) throw error;
  }
}

/** Ends with the reading, with the connection, or with the call: a list of many slow pages may take hours. */
async function untilRead(
  target: CallTarget,
  request: ToolCallRequest,
  token: CancellationToken,
  clock: Clock,
): Promise<void> {
  const done = new Deferred<void>();
  const { call } = target.snapshot.definition?.timeouts ?? DEFAULT_TIMEOUTS;
  const ms = call * 1000;
  const patience = clock.delay(ms, () => done.reject(unlisted(request, ms)));
  const changes = target.onDidChange(() => {
    if (!isStillReading(target)) done.resolve();
  });
  const cancels = token.onCancellationRequested(() => done.reject(cancelled('The call')));
  try {
    await done.promise;
  } finally {
    patience.dispose();
    changes.dispose();
    cancels.dispose();
  }
}

function send(context: CallContext): Promise<ResultView> {
  const { request, session, sending, decode, extraParams, extraMeta } = context;
  context.sent();
  const plain = { name: request.tool, arguments: request.args };
  const params = extraParams === undefined ? plain : { ...plain, ...extraParams };
  const sent = extraMeta === undefined ? params : { ...params, _meta: extraMeta };
  return session.decoded('tools/call', sent, sending, decode);
}

/** The tool exists, and models see only what is offered to them. A person may call what is hidden from models. */
export const checkTool: CallInterceptor = {
  concerns: (_, tool, server) => tool === undefined || toolNamed(server, tool.name)?.offered !== true,
  intercept: checked,
};

function checked(context: CallContext, next: CallStep): Promise<ResultView> {
  const { request, server } = context;
  const found = toolNamed(server, request.tool);
  if (found === undefined)
    throw refused('UNKNOWN_TOOL', `The server "${server.id}" has no tool "${request.tool}".`, 'List its tools again.');
  const byPerson = request.route === 'command' || request.route === 'cli';
  if (!found.offered && !byPerson)
    throw refused('TOOL_HIDDEN', `The tool "${request.tool}" is not offered to models.`, 'Use another tool.');
  return next(context);
}

function unknownServer({ server }: ToolCallRequest): HostError {
  return refused('UNKNOWN_SERVER', `There is no server "${server}".`, 'Check the setting "mcpl.servers".');
}

function notRunning({ server }: ToolCallRequest): HostError {
  return refused('SERVER_NOT_RUNNING', `The server "${server}" is not running.`, 'Start it, then try again.');
}

function refused(
  code: 'UNKNOWN_SERVER' | 'SERVER_NOT_RUNNING' | 'UNKNOWN_TOOL' | 'TOOL_HIDDEN',
  message: string,
  suggestion: string,
): HostError {
  return new HostError(code, message, { layer: 'policy', effect: 'none', suggestion });
}

/** The same failure, naming the server and the tool. */
function explained(error: HostError, request: ToolCallRequest): HostError {
  if (error.code !== 'TIMEOUT') return error;
  const { timeoutMs, isWhole } = isJsonObject(error.data) ? error.data : {};
  const within = typeof timeoutMs === 'number' ? `within ${secondsText(timeoutMs)}` : 'in time';
  const what = isWhole === true ? 'did not finish' : 'gave no answer';
  return new HostError('TIMEOUT', `The tool "${request.tool}" of "${request.server}" ${what} ${within}.`, {
    layer: 'server',
    suggestion: `Try again, or raise "timeouts.${isWhole === true ? 'callMax' : 'call'}" of the server.`,
    effect: 'unknown',
    cause: error,
  });
}
