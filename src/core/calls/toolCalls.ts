import { Deferred } from '../base/async.ts';
import { type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import { type Clock, secondsText } from '../base/clock.ts';
import { cancelled, HostError, toHostError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { waitFor } from '../base/patience.ts';
import { decodeResult, type ResultView } from '../model/content.ts';
import type { Operation, OperationState, Progress, ToolCallRequest } from '../model/operation.ts';
import { DEFAULT_TIMEOUTS, type ServerSnapshot } from '../model/server.ts';
import type { Ids } from '../ports.ts';
import type { Session, SessionRequest } from '../session/session.ts';
import { decodeProgress } from '../wire/tools.ts';
import type { CallAudit } from './callAudit.ts';
import {
  type AnyConcern,
  type CallContext,
  type CallInterceptor,
  type CallStep,
  stepThrough,
  toolNamed,
} from './callSteps.ts';

/** The parts of a server that a call needs. */
interface CallTarget {
  readonly snapshot: ServerSnapshot;
  readonly session: Session | undefined;
  readonly onDidChange: Event<unknown>;
  /** Decodes its results. Default: unchanged. */
  readonly decode?: ((value: Json) => ResultView) | undefined;
  /** The current tools. Resolves at once unless the server announced a change. */
  freshTools?(token: CancellationToken): Promise<unknown>;
}

interface ToolCallsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Outermost first. Called once per tool. */
  interceptors(): readonly AnyConcern[];
  /** Records the end of each call. */
  readonly audit: Pick<CallAudit, 'answered' | 'failed'>;
  find(server: string): CallTarget | undefined;
}

interface CallSettings {
  readonly token?: CancellationToken | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** All tool calls of all routes: finds the tool, checks, intercepts, sends, and reports. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #operations = new Emitter<Operation>();
  /** The combined interceptors of each tool, built once per snapshot, because snapshots never change. */
  readonly #steps = new WeakMap<ServerSnapshot, Map<string, CallStep>>();

  /** Random, so that operation ids are unique across processes. */
  #idPrefix: string | undefined;
  #count = 0;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  get onDidChangeOperation(): Event<Operation> {
    return this.#operations.event;
  }

  /** Not async: that costs 2 % of a short call. */
  call(request: ToolCallRequest, settings: CallSettings = {}): Promise<ResultView> {
    const { audit, clock } = this.#options;
    const startedAt = clock.now();
    const report = this.#reportOf(request, startedAt);
    return this.#begin(report, settings).then(
      (result) => {
        audit.answered(request, startedAt, result);
        report.tell({ kind: 'succeeded', result });
        return result;
      },
      (thrown: unknown) => {
        const error = toHostError(thrown);
        audit.failed(request, startedAt, error);
        report.tell({ kind: 'failed', error, effect: error.effect });
        throw error;
      },
    );
  }

  #begin(report: OperationReport, settings: CallSettings): Promise<ResultView> {
    const { request } = report;
    try {
      const target = this.#options.find(request.server);
      if (target === undefined) throw unknownServer(request);
      if (isListed(target, request)) return this.#send(report, target, settings);
      report.tell(PENDING);
      const listed = untilListed(target, request, settings.token ?? NO_CANCELLATION, this.#options.clock);
      return listed.then(() => this.#send(report, target, settings));
    } catch (error) {
      return Promise.reject(toHostError(error));
    }
  }

  #send(
    report: OperationReport,
    { session, snapshot, decode }: CallTarget,
    settings: CallSettings,
  ): Promise<ResultView> {
    if (session === undefined) throw notRunning(report.request);
    const context = new OngoingCall(report, snapshot, session, settings, decode);
    report.attempts = 1;
    report.tell(RUNNING);
    return (this.#steps.get(snapshot)?.get(report.request.tool) ?? this.#firstStep(context))(context);
  }

  #reportOf(request: ToolCallRequest, startedAt: number): OperationReport {
    this.#idPrefix ??= this.#options.ids.uuid();
    // Listeners only get calls that start after them.
    const operations = this.#operations.hasListeners ? this.#operations : undefined;
    return new OperationReport(this.#idPrefix, ++this.#count, request, startedAt, operations);
  }

  #firstStep({ server, session, request }: CallContext): CallStep {
    const tool = toolNamed(server, request.tool)?.tool;
    const step = stepThrough(this.#options.interceptors(), send, { session, tool, server });
    // Not cached for unknown tools, because callers can invent any number of names.
    if (tool === undefined) return step;
    const steps = this.#steps.get(server) ?? new Map<string, CallStep>();
    this.#steps.set(server, steps.set(request.tool, step));
    return step;
  }
}

const PENDING: OperationState = { kind: 'pending' };
const RUNNING: OperationState = { kind: 'running', progress: undefined };

/** Reports the state of a call to listeners. */
class OperationReport {
  readonly #idPrefix: string;
  readonly #number: number;
  readonly request: ToolCallRequest;
  readonly #startedAt: number;
  /** Absent without listeners at the start. */
  readonly #operations: Emitter<Operation> | undefined;
  attempts = 0;
  rounds = 0;
  taskId: string | undefined;

  constructor(
    idPrefix: string,
    number: number,
    request: ToolCallRequest,
    startedAt: number,
    operations: Emitter<Operation> | undefined,
  ) {
    this.#idPrefix = idPrefix;
    this.#number = number;
    this.request = request;
    this.#startedAt = startedAt;
    this.#operations = operations;
  }

  get id(): string {
    return `${this.#idPrefix}-${this.#number}`;
  }

  tell(state: OperationState): void {
    if (this.#operations === undefined) return;
    const { id, request, attempts, rounds, taskId } = this;
    this.#operations.fire({ id, request, startedAt: this.#startedAt, attempts, rounds, taskId, state });
  }
}

/** The context of a call, and the options of its request. */
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
  readonly #report: OperationReport;
  readonly #settings: CallSettings;
  #isSent = false;

  constructor(
    report: OperationReport,
    server: ServerSnapshot,
    session: Session,
    settings: CallSettings,
    decode: CallContext['decode'] = decodeResult,
  ) {
    this.decode = decode;
    const { call, callMax } = server.definition?.timeouts ?? DEFAULT_TIMEOUTS;
    this.request = report.request;
    this.server = server;
    this.session = session;
    this.token = settings.token;
    this.timeoutMs = call * 1000;
    this.maxTimeoutMs = callMax * 1000;
    this.extraMeta = report.request.meta;
    this.#report = report;
    this.#settings = settings;
  }

  get operationId(): string {
    return this.#report.id;
  }

  get sending(): SessionRequest {
    return this;
  }

  report(progress: Progress): void {
    this.#report.tell({ kind: 'running', progress });
    this.#settings.onProgress?.(progress);
  }

  sent(): void {
    if (!this.#isSent) {
      this.#isSent = true;
      return;
    }
    this.#report.attempts++;
    this.#report.tell(RUNNING);
  }

  onRound(): void {
    this.#report.rounds++;
    this.#report.tell(RUNNING);
  }

  becameTask(taskId: string): void {
    this.#report.taskId = taskId;
    this.#report.tell(RUNNING);
  }

  onProgress(step: JsonObject): void {
    this.report(decodeProgress(step));
  }

  timeoutError(ms: number, isWhole: boolean): HostError {
    const { tool, server } = this.request;
    const what = isWhole ? 'did not finish' : 'gave no answer';
    return new HostError('TIMEOUT', `The tool "${tool}" of "${server}" ${what} within ${secondsText(ms)}.`, {
      layer: 'server',
      suggestion: `Try again, or raise "timeouts.${isWhole ? 'callMax' : 'call'}" of the server.`,
      effect: 'unknown',
    });
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

function isListed(target: CallTarget, { tool }: ToolCallRequest): boolean {
  return !isStillReading(target) && toolNamed(target.snapshot, tool) !== undefined;
}

/** Right after a start the tools are still being read. Later, the server may have announced a change. */
function untilListed(
  target: CallTarget,
  request: ToolCallRequest,
  token: CancellationToken,
  clock: Clock,
): Promise<void> {
  return isStillReading(target) ? untilRead(target, request, token, clock) : untilFresh(target, token);
}

/** A server's last answer may name a new tool before the list was read again. */
async function untilFresh(target: CallTarget, token: CancellationToken): Promise<void> {
  if (target.session === undefined) return;
  try {
    await target.freshTools?.(token);
  } catch (error) {
    // The unknown tool is reported anyway.
    if (token.isCancellationRequested) throw error;
  }
}

/**
 * Resolves when the tools are read, or with the end of the connection or call: a list with many slow pages may take
 * hours.
 */
async function untilRead(
  target: CallTarget,
  request: ToolCallRequest,
  token: CancellationToken,
  clock: Clock,
): Promise<void> {
  const { call } = target.snapshot.definition?.timeouts ?? DEFAULT_TIMEOUTS;
  const ms = call * 1000;
  const read = new Deferred<void>();
  const changes = target.onDidChange(() => {
    if (!isStillReading(target)) read.resolve();
  });
  try {
    const waited = await waitFor(read.promise, { clock, ms, token });
    if (waited.kind === 'late') throw unlisted(request, ms);
    if (waited.kind === 'cancelled') throw cancelled('The call');
  } finally {
    changes.dispose();
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

/** Checks that the tool exists, and that it is offered to models. Users may call hidden tools. */
export const checkTool: CallInterceptor = {
  concerns: (_, tool, server) => tool === undefined || toolNamed(server, tool.name)?.offered !== true,
  intercept: checked,
};

function checked(context: CallContext, next: CallStep): Promise<ResultView> {
  const { request, server } = context;
  const found = toolNamed(server, request.tool);
  if (found === undefined)
    throw refused('UNKNOWN_TOOL', `The server "${server.id}" has no tool "${request.tool}".`, 'List its tools again.');
  const byUser = request.route === 'command' || request.route === 'cli';
  if (!found.offered && !byUser)
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
