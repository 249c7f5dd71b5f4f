import { phraseText, type Quoting, type SubjectText, subjectText } from '../approvals/subjectText.ts';
import { Deferred, ignoreFailure } from '../base/async.ts';
import { CancellationSource, type CancellationToken } from '../base/cancellation.ts';
import { cleanLine } from '../base/cleanText.ts';
import { type Disposable, disposeAll, toDisposable } from '../base/disposable.ts';
import type { WireError } from '../base/errors.ts';
import { clip, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Approvals } from '../hostTypes.ts';
import type { ApprovalChoice, PendingApproval } from '../model/approval.ts';
import type { ToolCallRequest } from '../model/operation.ts';
import type { ScopeTarget } from '../model/scope.ts';
import type { Ids } from '../ports.ts';
import { type CallProgress, notificationMessage, type RequestId, requestMessage } from './gatewayMessages.ts';

/** A stream for messages that the client did not request. */
export interface BackChannel {
  send(message: JsonObject): void;
  /** Ends the stream with the session. */
  end(): void;
}

/** Lists with change notifications. */
export type ListKind = 'tools' | 'prompts' | 'resources';

/** The transport allows several streams. A client with more than a few has lost track of them. */
const MAX_CHANNELS = 4;
/** Maximum updates stored while no stream is open. With more, the client must read everything again. */
const MAX_PENDING = 256;

/** The streams of one client for unrequested messages. The newest is used. */
export class BackChannels implements Disposable {
  #channels: readonly BackChannel[] = [];
  readonly #pendingLists = new Set<ListKind>();
  readonly #pendingResources = new Set<string>();
  #isDisposed = false;

  get size(): number {
    return this.#channels.length;
  }

  get newest(): BackChannel | undefined {
    return this.#channels.at(-1);
  }

  /** Adds a stream. Clients reconnect before they close the old one. */
  attach(channel: BackChannel): void {
    if (this.#isDisposed) return channel.end();
    for (const surplus of this.#channels.slice(0, Math.max(0, this.#channels.length + 1 - MAX_CHANNELS))) {
      this.detach(surplus);
      surplus.end();
    }
    this.#channels = [...this.#channels, channel];
    for (const list of takeAll(this.#pendingLists)) this.notifyListChanged(list);
    for (const uri of takeAll(this.#pendingResources)) this.notifyUpdated(uri);
  }

  /** Removes a closed stream. */
  detach(channel: BackChannel): void {
    this.#channels = this.#channels.filter((other) => other !== channel);
  }

  /** Notifies the client, or stores the notification until it has a stream. Repeated changes are merged. */
  notifyListChanged(list: ListKind): void {
    const { newest } = this;
    if (newest === undefined) this.#pendingLists.add(list);
    newest?.send(notificationMessage(`notifications/${list}/list_changed`));
  }

  notifyUpdated(uri: string): void {
    const { newest } = this;
    if (newest !== undefined) newest.send(notificationMessage('notifications/resources/updated', { uri }));
    else if (this.#pendingResources.size < MAX_PENDING) this.#pendingResources.add(uri);
  }

  dispose(): void {
    this.#isDisposed = true;
    const channels = this.#channels;
    this.#channels = [];
    for (const channel of channels) channel.end();
  }
}

function takeAll<T>(set: Set<T>): readonly T[] {
  const all = [...set];
  set.clear();
  return all;
}

type SendToClient = (message: JsonObject) => void;

/** A place where a client can be asked. */
export interface ClientLocation {
  /** Rejects with the client's `WireError`. Resolves with `undefined` if no answer can come. */
  ask(method: string, params: JsonObject, token: CancellationToken): Promise<JsonObject | undefined>;
}

/** More than a user can answer. */
const MAX_OPEN = 16;

/** Open requests to one client. */
export class ClientRequests implements Disposable {
  readonly #ids: Pick<Ids, 'uuid'>;
  readonly #open = new Map<RequestId, Deferred<JsonObject | undefined>>();

  constructor(ids: Pick<Ids, 'uuid'>) {
    this.#ids = ids;
  }

  /** Cancelling the token cancels the request. */
  async ask(
    send: SendToClient,
    method: string,
    params: JsonObject,
    token: CancellationToken,
  ): Promise<JsonObject | undefined> {
    if (token.isCancellationRequested || this.#open.size >= MAX_OPEN) return undefined;
    // A UUID instead of a number: a client could confuse the id of a cancelled request with its own.
    const id = this.#ids.uuid();
    const answered = new Deferred<JsonObject | undefined>();
    ignoreFailure(answered.promise);
    this.#open.set(id, answered);
    const takesBack = token.onCancellationRequested(() => {
      if (!this.#open.delete(id)) return;
      send(
        notificationMessage('notifications/cancelled', { requestId: id, reason: 'It waits for no answer any more.' }),
      );
      answered.resolve(undefined);
    });
    send(requestMessage(id, method, params));
    try {
      return await answered.promise;
    } finally {
      takesBack.dispose();
      this.#open.delete(id);
    }
  }

  /** Ignores an answer that matches no open request. */
  answer(id: RequestId | undefined, result: JsonObject | undefined, error: WireError | undefined): void {
    const answered = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || answered === undefined) return;
    this.#open.delete(id);
    if (error === undefined) answered.resolve(result);
    else answered.reject(error);
  }

  dispose(): void {
    for (const answered of this.#open.values()) answered.resolve(undefined);
    this.#open.clear();
  }
}

/** A client's tool call. Its stream can carry requests until the call ends. */
export class CallLocation implements ClientLocation, Disposable {
  readonly conversation: string | undefined;
  readonly #requests: ClientRequests;
  readonly #send: SendToClient;
  readonly #asked = new Set<CancellationSource>();

  constructor(conversation: string | undefined, requests: ClientRequests, send: SendToClient) {
    this.conversation = conversation;
    this.#requests = requests;
    this.#send = send;
  }

  async ask(method: string, params: JsonObject, token: CancellationToken): Promise<JsonObject | undefined> {
    const source = new CancellationSource();
    const ends = token.onCancellationRequested(() => source.cancel());
    this.#asked.add(source);
    try {
      return await this.#requests.ask(this.#send, method, params, source.token);
    } finally {
      this.#asked.delete(source);
      ends.dispose();
      source.dispose();
    }
  }

  dispose(): void {
    for (const source of [...this.#asked]) source.cancel();
  }
}

const MAX_NAME = 64;
const MAX_TARGET = 120;
const MAX_QUOTE = 160;
const MAX_TARGETS = 3;

/**
 * The answers, in words: clients show the values, or show them next to titles. "Deny" comes first and there is no
 * default. Editors mark the first answer when the form gets focus, so an accidental Enter must not allow anything.
 */
const ANSWERS: readonly (readonly [words: string, choice: ApprovalChoice])[] = [
  ['Deny', 'deny'],
  ['Allow once', 'once'],
  ['Allow for this session', 'session'],
  ['Always allow in this workspace', 'workspace'],
];

/** Params of MCP's `elicitation/create` for a form. */
interface FormParams extends JsonObject {
  readonly message: string;
  readonly requestedSchema: JsonObject;
}

/** The approval prompt as a form, for clients that support forms. */
export function approvalForm(approval: PendingApproval): FormParams {
  return {
    message: approvalMessage(approval),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Your decision',
          enum: ANSWERS.map(([words]) => words),
        },
      },
      required: ['decision'],
    },
  };
}

/**
 * The decision in a client's answer. `undefined` if the form was closed or the client failed. An unreadable answer is a
 * denial.
 */
export function decisionOf(result: JsonObject | undefined): ApprovalChoice | undefined {
  switch (result?.['action']) {
    case 'accept': {
      const { content } = result;
      const decision = isJsonObject(content) ? content['decision'] : undefined;
      return ANSWERS.find(([words]) => words === decision)?.[1] ?? 'deny';
    }
    case 'decline':
      return 'deny';
    default:
      return undefined;
  }
}

/** Whether a client with these capabilities shows forms. Before 2025-11-25 there were only forms. */
export function showsForms(capabilities: Json | undefined): boolean {
  const elicitation = isJsonObject(capabilities) ? capabilities['elicitation'] : undefined;
  if (!isJsonObject(elicitation)) return false;
  return isJsonObject(elicitation['form']) || elicitation['url'] === undefined;
}

/**
 * Plain text that is also valid Markdown for chats, and one line for notifications. Short, with the most important part
 * first, because a chat truncates it after a few lines.
 */
function approvalMessage({ server, featureSet, subject, waiting }: PendingApproval): string {
  const text = subjectText(subject);
  const set = featureSet === undefined ? '' : ` (feature set ${quoted(featureSet, MAX_NAME)})`;
  return [
    `The server ${quoted(server, MAX_NAME)}${set} wants ${phraseText(text.short.wanted, QUOTING)}.`,
    ...touched(text),
    text.short.why,
    ...(waiting > 1 ? [`${waiting} identical requests wait for this answer.`] : []),
    ...serverWords(text),
  ].join('\n\n');
}

const QUOTING: Quoting = {
  name: (text) => quoted(text, MAX_NAME),
  claim: (text) => quoted(text, MAX_QUOTE),
};

function touched({ targets, doubt }: SubjectText): readonly string[] {
  if (doubt !== 'deceptive') return targets.length === 0 ? [] : [`It would touch ${list(targets)}.`];
  const claimed = targets.filter(({ from }) => from === 'label');
  const sent = targets.filter(({ from }) => from !== 'label');
  return [
    ...(claimed.length === 0 ? [] : [`By its label it would touch ${list(claimed)}.`]),
    ...(sent.length === 0 ? [] : [`By what it sent it would touch ${list(sent)}.`]),
  ];
}

/** Targets outside the folders come first, so that they are always listed. */
function list(targets: readonly ScopeTarget[]): string {
  const texts = new Set([...targets.filter(isOutside), ...targets].map(targetText));
  const named = [...texts].slice(0, MAX_TARGETS);
  const rest = texts.size - named.length;
  return rest === 0 ? named.join('; ') : `${named.join('; ')}; and ${rest} more, which MCP Live shows`;
}

function targetText(target: ScopeTarget): string {
  const { written, real } = target;
  // A relative path that matches its real path is not repeated.
  const isPlain = real === written || real.endsWith(`/${written}`);
  return [
    quoted(real, MAX_TARGET),
    ...(isOutside(target) ? [' outside of the open folders'] : []),
    ...(isPlain ? [] : [` (written as ${quoted(written, MAX_NAME)})`]),
  ].join('');
}

function isOutside({ kind, inside }: ScopeTarget): boolean {
  return kind === 'path' && inside === undefined;
}

/** Omits the server's own words if the host knows the targets. */
function serverWords({ label, data, targets, doubt }: SubjectText): readonly string[] {
  const isKnown = doubt === 'deceptive' ? targets.some(({ from }) => from === 'label') : targets.length > 0;
  return [
    ...(label === undefined || isKnown ? [] : [`It calls it ${quoted(label, MAX_QUOTE)}.`]),
    ...(data === undefined || targets.length > 0 ? [] : [`It sent ${quoted(data.text, MAX_QUOTE)}.`]),
  ];
}

/**
 * Formats foreign text as a code span. Otherwise a server could write headings, links and sentences in the host's name,
 * and a path such as `__init__.py` would lose its underscores. Notifications only render links, so these are broken up.
 */
function quoted(text: string, max: number): string {
  const line = shortened(cleanLine(text, 10_000), max).replaceAll('](', '] (');
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest > 0 || line === '' ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

/** Keeps the start and the end: the end of a path has the file name. */
function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  const end = text.slice(-half);
  return `${clip(text, half)}${/^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end}`;
}

/** Without `onDidAsk`: listening to it claims that a user is present, which a gateway cannot know. */
export type GatewayApprovals = Pick<Approvals, 'onDidChange' | 'onDidSettle' | 'pending' | 'answer' | 'asksInChat'>;

/** A tool call of the client that has no answer yet. */
interface OpenCall {
  /** The same object that was passed to the host. */
  readonly request: ToolCallRequest;
  readonly progress: CallProgress;
  /** Sends to the stream of the call. Absent if the client only accepts the answer. */
  readonly send: ((message: JsonObject) => void) | undefined;
}

/** One approval in one chat. */
interface ChatApproval {
  readonly key: string;
  readonly approval: PendingApproval;
  readonly calls: readonly OpenCall[];
}

interface Question {
  readonly chat: string;
  readonly approvalId: string;
  /** The call whose stream was used. */
  readonly call: OpenCall;
}

/** Above the host's limit of pending approvals. Bounds the forms that a client shows. */
const MAX_OPEN_QUESTIONS = 16;

/**
 * Asks for approvals in the chat that made the call, in addition to the host's prompt. The first answer counts.
 *
 * Why the client's answer counts as the user's: the client knows the token, which only this editor got. The editor lets
 * the user answer forms, never a model or the server that wants the approval. An editor that passes the token on, such
 * as to an agent's process, trusts that process like itself. Asking in the chat is therefore a setting.
 *
 * Limits of an answer: it counts once, for one open question with an unguessable id that was sent in this session.
 * Forms of servers never use this path, so accepting one approves nothing.
 */
export class ApprovalQuestions {
  readonly #approvals: GatewayApprovals;
  readonly #ids: Pick<Ids, 'uuid'>;
  readonly #calls = new Map<ToolCallRequest, OpenCall>();
  readonly #open = new Map<RequestId, Question>();
  /** Questions that were answered or closed, while their approval is still pending. */
  readonly #done = new Set<string>();
  /** Only while there are calls. */
  #subscriptions: readonly Disposable[] = [];
  #showsForms = false;

  constructor(approvals: GatewayApprovals, ids: Pick<Ids, 'uuid'>) {
    this.#approvals = approvals;
    this.#ids = ids;
  }

  /** Sets whether the client shows forms. */
  declare(showsForms: boolean): void {
    this.#showsForms = showsForms;
    this.#compare();
  }

  /** Call this before passing the call to the host. Dispose the result when the call is answered or needs no answer. */
  begin(call: OpenCall): Disposable {
    if (this.#calls.size === 0) {
      const compare = (): void => this.#compare();
      this.#subscriptions = [this.#approvals.onDidChange(compare), this.#approvals.onDidSettle(compare)];
    }
    this.#calls.set(call.request, call);
    return toDisposable(() => {
      this.#calls.delete(call.request);
      // Skipped for most calls, which had no question.
      if ([...this.#open.values()].some((question) => question.call === call)) this.#compare();
      if (this.#calls.size > 0) return;
      disposeAll(this.#subscriptions);
      this.#subscriptions = [];
    });
  }

  /** Takes an answer of the client. Ignores it if no question with this id is open. */
  answer(id: RequestId | undefined, result: JsonObject | undefined): void {
    const question = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || question === undefined) return;
    this.#open.delete(id);
    this.#done.add(question.chat);
    const choice = decisionOf(result);
    // The host reports a failure to store the answer.
    if (choice !== undefined) ignoreFailure(this.#approvals.answer(question.approvalId, choice));
  }

  /** Sends missing questions, and cancels those that are no longer needed. */
  #compare(): void {
    const pending = this.#calls.size === 0 ? [] : this.#approvals.pending();
    const waiting = new Set(pending.flatMap(({ calls }) => calls));
    for (const { request, progress } of [...this.#calls.values()]) progress.wait(waiting.has(request));
    const chats = this.#asks() ? this.#chatsOf(pending) : new Map<string, ChatApproval>();
    for (const [id, { chat, call }] of [...this.#open])
      if (chats.get(chat)?.calls.includes(call) !== true) this.#takeBack(id, call);
    for (const key of [...this.#done]) if (!chats.has(key)) this.#done.delete(key);
    const asked = new Set([...this.#open.values()].map(({ chat }) => chat));
    for (const chat of chats.values())
      if (!asked.has(chat.key) && !this.#done.has(chat.key) && this.#open.size < MAX_OPEN_QUESTIONS) this.#ask(chat);
  }

  #asks(): boolean {
    return this.#showsForms && this.#approvals.asksInChat();
  }

  /** Identical calls share one question per chat. */
  #chatsOf(pending: readonly PendingApproval[]): Map<string, ChatApproval> {
    const chats = new Map<string, ChatApproval>();
    for (const approval of pending)
      for (const request of approval.calls) {
        const call = this.#calls.get(request);
        if (call?.send === undefined || request.conversationId === undefined) continue;
        const key = JSON.stringify([approval.id, request.conversationId]);
        chats.set(key, { key, approval, calls: [...(chats.get(key)?.calls ?? []), call] });
      }
    return chats;
  }

  #ask({ key, approval, calls: [call] }: ChatApproval): void {
    if (call?.send === undefined) return;
    // A UUID instead of a number: a client could confuse the id of a cancelled request with its own.
    const id = this.#ids.uuid();
    this.#open.set(id, { chat: key, approvalId: approval.id, call });
    call.send(requestMessage(id, 'elicitation/create', approvalForm(approval)));
  }

  #takeBack(id: RequestId, { send }: OpenCall): void {
    this.#open.delete(id);
    send?.(
      notificationMessage('notifications/cancelled', { requestId: id, reason: 'It waits for no answer any more.' }),
    );
  }
}
