import { ignoreFailure } from '../base/async.ts';
import { type Disposable, disposeAll, toDisposable } from '../base/disposable.ts';
import type { JsonObject } from '../base/json.ts';
import type { Approvals } from '../hostTypes.ts';
import type { PendingApproval } from '../model/approval.ts';
import type { ToolCallRequest } from '../model/operation.ts';
import type { Ids } from '../ports.ts';
import { approvalForm, decisionOf } from './approvalQuestion.ts';
import type { CallProgress } from './callProgress.ts';
import { notificationMessage, type RequestId, requestMessage } from './messages.ts';

/** `onDidAsk` is not among them: whoever listens to it says that a person is there, which a gateway cannot know. */
export type GatewayApprovals = Pick<Approvals, 'onDidChange' | 'onDidSettle' | 'pending' | 'answer' | 'asksInChat'>;

/** A call of the client's that has no answer yet. */
export interface OpenCall {
  /** The very object that the host was given. */
  readonly request: ToolCallRequest;
  readonly progress: CallProgress;
  /** To the stream of the call; absent where its answer is all that the client can take. */
  readonly send: ((message: JsonObject) => void) | undefined;
}

/** One approval in one chat. */
interface Place {
  readonly key: string;
  readonly approval: PendingApproval;
  readonly calls: readonly OpenCall[];
}

interface Question {
  readonly place: string;
  readonly approvalId: string;
  /** On whose stream it was sent. */
  readonly call: OpenCall;
}

/** The host has fewer approvals pending; a client has no more than this many forms to show. */
const MOST_OPEN = 16;

/**
 * Puts an approval that a call waits for to the person in the chat that the call came from, beside the host's own
 * question; the first answer counts.
 *
 * Why an answer of the client's is the person's: who speaks here knows the token, which was given to this editor and to
 * nobody else, and the editor has forms answered by who sits before it, never by a model or by the server that wants the
 * approval. An editor that hands the token on, as it may to the process of an agent, trusts that process as itself: that
 * the chat is asked at all is therefore a setting.
 *
 * What an answer cannot do: it counts once, for the one question whose id, which nobody can guess, was sent in this
 * session, and only while that waits. Servers' own forms never come this way, so that to accept one of those approves
 * nothing.
 */
export class ApprovalQuestions {
  readonly #approvals: GatewayApprovals;
  readonly #ids: Pick<Ids, 'uuid'>;
  readonly #calls = new Map<ToolCallRequest, OpenCall>();
  readonly #open = new Map<RequestId, Question>();
  /** Where the person, or the client, has had the question already, and it still waits. */
  readonly #done = new Set<string>();
  /** While there are calls. */
  #subscriptions: readonly Disposable[] = [];
  #showsForms = false;

  constructor(approvals: GatewayApprovals, ids: Pick<Ids, 'uuid'>) {
    this.#approvals = approvals;
    this.#ids = ids;
  }

  /** What the client said of itself. */
  declare(showsForms: boolean): void {
    this.#showsForms = showsForms;
    this.#compare();
  }

  /** To be called before the host gets the call; disposed when the call has its answer, or needs none. */
  begin(call: OpenCall): Disposable {
    if (this.#calls.size === 0) {
      const compare = (): void => this.#compare();
      this.#subscriptions = [this.#approvals.onDidChange(compare), this.#approvals.onDidSettle(compare)];
    }
    this.#calls.set(call.request, call);
    return toDisposable(() => {
      this.#calls.delete(call.request);
      // Most calls were never asked about.
      if ([...this.#open.values()].some((question) => question.call === call)) this.#compare();
      if (this.#calls.size > 0) return;
      disposeAll(this.#subscriptions);
      this.#subscriptions = [];
    });
  }

  /** An answer of the client's; one that belongs to no question that is open means nothing. */
  answer(id: RequestId | undefined, result: JsonObject | undefined): void {
    const question = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || question === undefined) return;
    this.#open.delete(id);
    this.#done.add(question.place);
    const choice = decisionOf(result);
    // The host says by itself that an answer could not be kept.
    if (choice !== undefined) ignoreFailure(this.#approvals.answer(question.approvalId, choice));
  }

  /** Asks what is to be asked and is not, and takes back what is asked and need not be. */
  #compare(): void {
    const pending = this.#calls.size === 0 ? [] : this.#approvals.pending();
    const waiting = new Set(pending.flatMap(({ calls }) => calls));
    for (const { request, progress } of [...this.#calls.values()]) progress.wait(waiting.has(request));
    const places = this.#asks() ? this.#places(pending) : new Map<string, Place>();
    for (const [id, { place, call }] of [...this.#open])
      if (places.get(place)?.calls.includes(call) !== true) this.#takeBack(id, call);
    for (const key of [...this.#done]) if (!places.has(key)) this.#done.delete(key);
    const asked = new Set([...this.#open.values()].map(({ place }) => place));
    for (const place of places.values())
      if (!asked.has(place.key) && !this.#done.has(place.key) && this.#open.size < MOST_OPEN) this.#ask(place);
  }

  #asks(): boolean {
    return this.#showsForms && this.#approvals.asksInChat();
  }

  /** Identical calls of one chat are asked about once, of two chats in both. */
  #places(pending: readonly PendingApproval[]): Map<string, Place> {
    const places = new Map<string, Place>();
    for (const approval of pending)
      for (const request of approval.calls) {
        const call = this.#calls.get(request);
        if (call?.send === undefined || request.conversationId === undefined) continue;
        const key = JSON.stringify([approval.id, request.conversationId]);
        places.set(key, { key, approval, calls: [...(places.get(key)?.calls ?? []), call] });
      }
    return places;
  }

  #ask({ key, approval, calls: [call] }: Place): void {
    if (call?.send === undefined) return;
    // No number: a client may take one that is cancelled for that of a request of its own.
    const id = this.#ids.uuid();
    this.#open.set(id, { place: key, approvalId: approval.id, call });
    call.send(requestMessage(id, 'elicitation/create', approvalForm(approval)));
  }

  #takeBack(id: RequestId, { send }: OpenCall): void {
    this.#open.delete(id);
    send?.(
      notificationMessage('notifications/cancelled', { requestId: id, reason: 'It waits for no answer any more.' }),
    );
  }
}
