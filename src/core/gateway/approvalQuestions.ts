import { ignoreFailure } from '../base/async.ts';
import { type Disposable, disposeAll, toDisposable } from '../base/disposable.ts';
import type { JsonObject } from '../base/json.ts';
import type { Approvals } from '../hostTypes.ts';
import type { PendingApproval } from '../model/approval.ts';
import type { ToolCallRequest } from '../model/operation.ts';
import type { Ids } from '../ports.ts';
import { approvalForm, decisionOf } from './approvalQuestion.ts';
import type { CallProgress } from './callProgress.ts';
import { notificationMessage, type RequestId, requestMessage } from './gatewayMessages.ts';

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
const MAX_OPEN = 16;

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
      if (!asked.has(chat.key) && !this.#done.has(chat.key) && this.#open.size < MAX_OPEN) this.#ask(chat);
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
