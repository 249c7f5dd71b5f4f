import {
  APPROVAL_CHOICES,
  type ApprovalChoice,
  type Approvals,
  CancellationSource,
  type Disposable,
  DisposableStore,
  type Json,
  type JsonObject,
  type PendingApproval,
  toHostError,
} from '../../core/index.ts';
import type { Handlers } from './controlCommands.ts';
import { auditView, grantView, pendingView, settledView } from './controlViews.ts';
import type { Question, Questions } from './questions.ts';

type Answer = ApprovalChoice | 'dismiss';

/** All valid answers. `null` means `dismiss`. */
export const APPROVAL_ANSWERS: readonly Answer[] = [...APPROVAL_CHOICES, 'dismiss'];

/** Asks the driver for approvals, and reports how each request ended. */
export class ApprovalQuestions implements Disposable {
  readonly #approvals: Approvals;
  readonly #questions: Questions;
  readonly #write: (message: JsonObject) => void;
  readonly #life = new DisposableStore();
  /** By request. */
  readonly #open = new Map<string, CancellationSource>();

  constructor(approvals: Approvals, questions: Questions, write: (message: JsonObject) => void) {
    this.#approvals = approvals;
    this.#questions = questions;
    this.#write = write;
    this.#life.add(approvals.onDidAsk((approval) => void this.#ask(approval)));
    this.#life.add(
      approvals.onDidSettle((settled) => {
        this.#open.get(settled.approval.id)?.cancel();
        write({ event: 'approvalSettled', ...settledView(settled) });
      }),
    );
    this.#life.add(
      approvals.onDidChange(() =>
        write({ event: 'approvals', pending: approvals.pending().length, remembered: approvals.remembered().length }),
      ),
    );
  }

  dispose(): void {
    this.#life.dispose();
    for (const open of this.#open.values()) open.cancel();
  }

  async #ask(approval: PendingApproval): Promise<void> {
    const { id } = approval;
    const open = new CancellationSource();
    this.#open.set(id, open);
    try {
      const answer = await this.#questions.ask(questionOf(approval), open.token);
      if (!open.isCancelled) await this.#approvals.answer(id, answer);
    } catch (error) {
      // The answering command has already been answered.
      const { message, suggestion = '' } = toHostError(error);
      this.#write({
        event: 'notice',
        text: `The answer holds for this one time only. ${message} ${suggestion}`.trim(),
      });
    } finally {
      this.#open.delete(id);
      open.dispose();
    }
  }
}

function questionOf(approval: PendingApproval): Question<Answer> {
  const { id, ...about } = pendingView(approval);
  return {
    details: { kind: 'approval', approval: id, ...about, answers: [...APPROVAL_ANSWERS] },
    dismissed: 'dismiss',
    decode: (answer: Json) => (answer === null ? 'dismiss' : APPROVAL_ANSWERS.find((known: Json) => known === answer)),
  };
}

type ApprovalCommand = 'approvals' | 'answerApproval' | 'revokeApprovals' | 'setApprovalExpiry';

/** Handles the driver's commands about approvals. */
export function approvalHandlers(approvals: Approvals): Handlers<ApprovalCommand> {
  const remembered = (): Json => approvals.remembered().map(grantView);
  return {
    approvals: async ({ limit }) => {
      await approvals.loaded();
      const history = await approvals.history(limit);
      return {
        pending: approvals.pending().map(pendingView),
        remembered: remembered(),
        history: history.map(auditView),
      };
    },
    answerApproval: async ({ approval, answer }) => ({ answered: await approvals.answer(approval, answer) }),
    revokeApprovals: async ({ ids }) => {
      await approvals.loaded();
      await approvals.revoke(ids);
      return { remembered: remembered() };
    },
    setApprovalExpiry: async ({ ids, until }) => {
      await approvals.loaded();
      await approvals.setExpiry(ids, until);
      return { remembered: remembered() };
    },
  };
}
