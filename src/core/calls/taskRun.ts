import { Deferred, ignoreFailure } from '../base/async.ts';
import { CancellationSource } from '../base/cancellation.ts';
import { cleanLine } from '../base/cleanText.ts';
import { type Clock, secondsText } from '../base/clock.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { assertNever, cancelled, HostError, isHostError, WireError } from '../base/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { ResultView } from '../model/content.ts';
import { type InputRequest, type InputRequests, isOver, type Task } from '../model/task.ts';
import type { InboundContext } from '../rpc/peer.ts';
import { decodeTask } from '../wire/taskMessages.ts';
import type { CallContext } from './callSteps.ts';

/** Tasks of MCP 2025-11-25, or of the extension that replaces them. */
export type TaskForm = 'core' | 'extension';

interface TaskRunPorts {
  readonly clock: Clock;
  readonly feature: {
    follow(taskId: string, changed: () => void): Disposable;
    answer(method: string, params: JsonObject, context: InboundContext): Promise<Json>;
  };
}

const POLL_MS = { shortest: 500, usual: 2_000, longest: 60_000 };
/** Minimum interval between polls, however often the server reports changes. */
const SHORTEST_GAP_MS = 250;
const MAX_RUN_MS = 3_600_000;
const CANCEL_TIMEOUT_MS = 10_000;
/** A poll without an answer is repeated, because the task continues. */
const MAX_MISSED_LOOKS = 3;
const MAX_RESULT_CALLS = 20;
const MAX_INPUTS = 200;

/** One task from creation to result: polls it, answers its questions, and cancels it with its call. */
export class TaskRun {
  readonly #form: TaskForm;
  readonly #context: CallContext;
  readonly #ports: TaskRunPorts;
  readonly #store = new DisposableStore();
  /** Cancels every request and question of this run. */
  readonly #stop = new CancellationSource();
  /** Ends the run from outside the polls. */
  readonly #ended = new Deferred<ResultView>();
  readonly #asked = new Map<string, CancellationSource>();
  #task: Task;
  #alarm: Deferred<void> | undefined;
  #isImpatient = false;
  #lastLook: number;
  #steps = 0;
  #lastMessage: string | undefined;
  #resultCall: Promise<ResultView> | undefined;
  #resultCalls = 0;

  constructor(created: Task, form: TaskForm, context: CallContext, ports: TaskRunPorts) {
    this.#task = created;
    this.#form = form;
    this.#context = context;
    this.#ports = ports;
    this.#lastLook = ports.clock.now();
    ignoreFailure(this.#ended.promise);
  }

  async run(): Promise<ResultView> {
    const { token, sending } = this.#context;
    const { clock, feature } = this.#ports;
    this.#store.add(feature.follow(this.#task.taskId, () => this.#lookSoon()));
    const longestMs = sending.maxTimeoutMs ?? MAX_RUN_MS;
    this.#store.add(clock.delay(longestMs, () => this.#ended.reject(this.#tookTooLong(longestMs))));
    const cancels = token?.onCancellationRequested(() => this.#ended.reject(cancelled('The call')));
    if (cancels !== undefined) this.#store.add(cancels);
    // Withdraws its requests. Its result still counts.
    const withdraw = (): void => this.#asked.forEach((source) => source.cancel());
    this.#store.add(this.#context.session.stopping.onCancellationRequested(withdraw));
    try {
      const result = await Promise.race([this.#ended.promise, this.#untilOver()]);
      this.#end();
      return result;
    } catch (error) {
      this.#end();
      if (!isOver(this.#task) && !isHostError(error, 'CONNECTION_CLOSED')) this.#cancelTask();
      throw error;
    }
  }

  async #untilOver(): Promise<ResultView> {
    let missed = 0;
    while (!isOver(this.#task)) {
      this.#tell();
      this.#answerInputs();
      await this.#pause();
      if (this.#stop.isCancelled) return this.#ended.promise;
      try {
        this.#task = await this.#look();
        missed = 0;
      } catch (error) {
        if (!isHostError(error, 'TIMEOUT') || ++missed >= MAX_MISSED_LOOKS) throw error;
      }
    }
    return this.#outcome();
  }

  async #look(): Promise<Task> {
    this.#lastLook = this.#ports.clock.now();
    const answer = await this.#request('tasks/get', { taskId: this.#task.taskId });
    const decoded = decodeTask(answer);
    if (decoded.kind === 'ok') return decoded.value;
    const why = decoded.kind === 'invalid' ? decoded.why : 'it is of another revision';
    throw new HostError('INVALID_MESSAGE', `The task of "${this.#tool}" cannot be followed: ${why}.`, {
      layer: 'protocol',
      effect: 'unknown',
      suggestion: "See the server's log.",
    });
  }

  get #tool(): string {
    return this.#context.request.tool;
  }

  #request(method: string, params: JsonObject): Promise<Json> {
    const { timeoutMs } = this.#context.sending;
    return this.#context.session.request(method, params, { timeoutMs, token: this.#stop.token });
  }

  #tell(): void {
    const { status, statusMessage } = this.#task;
    const fallback = status === 'input_required' ? 'Waits for an answer.' : undefined;
    const message = statusMessage === undefined ? fallback : cleanLine(statusMessage);
    if (message === undefined || message === this.#lastMessage) return;
    this.#lastMessage = message;
    this.#context.report({ progress: ++this.#steps, total: undefined, message });
  }

  #answerInputs(): void {
    const { status, payload } = this.#task;
    if (this.#context.session.stopping.isCancellationRequested) return;
    if (this.#form === 'extension') this.#answerRequests(payload.kind === 'inputs' ? payload.requests : {});
    else if (status === 'input_required') this.#askForResult();
  }

  /** MCP 2025-11-25: servers send questions only while a caller waits for the result. */
  #askForResult(): void {
    if (this.#resultCall !== undefined || this.#resultCalls >= MAX_RESULT_CALLS) return;
    this.#resultCalls++;
    const call = this.#result();
    this.#resultCall = call;
    call.then(
      (result) => this.#ended.resolve(result),
      () => {
        // The next poll decides whether the task has ended.
        this.#resultCall = undefined;
      },
    );
  }

  #result(): Promise<ResultView> {
    const { session, sending, decode } = this.#context;
    const timeoutMs = sending.maxTimeoutMs ?? MAX_RUN_MS;
    const { token } = this.#stop;
    return session.decoded('tasks/result', { taskId: this.#task.taskId }, { timeoutMs, token }, decode);
  }

  /** Asks each question once, however often it is repeated, and cancels it when it is no longer repeated. */
  #answerRequests(requests: InputRequests): void {
    for (const [key, source] of this.#asked) if (!Object.hasOwn(requests, key)) source.cancel();
    for (const [key, request] of Object.entries(requests)) {
      if (this.#asked.has(key)) continue;
      if (this.#asked.size >= MAX_INPUTS) {
        this.#ended.reject(this.#failed(`asked more than ${MAX_INPUTS} things`));
        return;
      }
      const source = this.#store.add(new CancellationSource());
      this.#asked.set(key, source);
      this.#answer(key, request, source).catch((error: unknown) => this.#ended.reject(error));
    }
  }

  async #answer(key: string, { method, params }: InputRequest, source: CancellationSource): Promise<void> {
    const response = await this.#responseTo(key, method, params, source);
    if (source.isCancelled || this.#stop.isCancelled) return;
    await this.#request('tasks/update', { taskId: this.#task.taskId, inputResponses: { [key]: response } });
    this.#lookSoon();
  }

  async #responseTo(key: string, method: string, params: JsonObject, { token }: CancellationSource): Promise<Json> {
    try {
      return await this.#ports.feature.answer(method, params, { requestId: key, token });
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw this.#failed(`asked for something (${cleanLine(method, 100)}) that it does not get: ${error.message}`);
    }
  }

  async #pause(): Promise<void> {
    const { shortest, usual, longest } = POLL_MS;
    this.#isImpatient = true;
    await this.#sleep(Math.min(longest, Math.max(shortest, this.#task.pollIntervalMs ?? usual)));
    this.#isImpatient = false;
    const gap = this.#lastLook + SHORTEST_GAP_MS - this.#ports.clock.now();
    if (gap > 0 && !this.#stop.isCancelled) await this.#sleep(gap);
  }

  #lookSoon(): void {
    if (this.#isImpatient) this.#alarm?.resolve();
  }

  async #sleep(ms: number): Promise<void> {
    const alarm = new Deferred<void>();
    this.#alarm = alarm;
    const timer = this.#ports.clock.delay(ms, () => alarm.resolve());
    await alarm.promise;
    timer.dispose();
  }

  async #outcome(): Promise<ResultView> {
    const { payload, status } = this.#task;
    switch (payload.kind) {
      case 'result':
        return this.#context.decode(payload.result);
      case 'error':
        throw this.#remote(payload.message, payload.code, payload.data);
      case 'none':
      case 'inputs':
        break;
      default:
        return assertNever(payload);
    }
    if (this.#form === 'core') return this.#finalResult();
    if (status === 'cancelled') throw this.#cancelledByServer();
    throw this.#failed('ended without a result');
  }

  async #finalResult(): Promise<ResultView> {
    try {
      return await (this.#resultCall ?? this.#result());
    } catch (error) {
      throw this.#task.status === 'cancelled' ? this.#cancelledByServer() : error;
    }
  }

  #end(): void {
    this.#stop.cancel();
    for (const source of this.#asked.values()) source.cancel();
    this.#alarm?.resolve();
    this.#store.dispose();
  }

  /** MCP: never with `notifications/cancelled`. The server may ignore it. */
  #cancelTask(): void {
    const { session } = this.#context;
    const { tasks } = session.handshake.capabilities;
    if (this.#form === 'core' && (!isJsonObject(tasks) || tasks['cancel'] === undefined)) return;
    const options = { timeoutMs: CANCEL_TIMEOUT_MS };
    ignoreFailure(session.request('tasks/cancel', { taskId: this.#task.taskId }, options));
  }

  #tookTooLong(ms: number): HostError {
    return new HostError('TIMEOUT', `The task of "${this.#tool}" did not end within ${secondsText(ms)}.`, {
      layer: 'server',
      effect: 'unknown',
      suggestion: 'Try again, or raise "timeouts.callMax" of the server.',
    });
  }

  #cancelledByServer(): HostError {
    const { statusMessage } = this.#task;
    const why = statusMessage === undefined ? '' : `: ${cleanLine(statusMessage)}`;
    return this.#remote(`The server cancelled the task of "${this.#tool}"${why}`, undefined, undefined);
  }

  #failed(what: string): HostError {
    return this.#remote(`The task of "${this.#tool}" ${what}.`, undefined, undefined);
  }

  #remote(message: string, rpcCode: number | undefined, data: Json | undefined): HostError {
    const text = message === '' ? `The task of "${this.#tool}" failed.` : message;
    return new HostError('REMOTE_ERROR', text, {
      layer: 'server',
      rpcCode,
      data,
      effect: 'unknown',
      suggestion: "See the server's log.",
    });
  }
}
