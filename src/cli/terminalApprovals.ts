import { realpath } from 'node:fs/promises';
import {
  type ApprovalChoice,
  type Approvals,
  CancellationSource,
  type CancellationToken,
  type Disposable,
  DisposableStore,
  messageOf,
  type PendingApproval,
} from '../core/index.ts';
import { approvalLines, denialText } from './approvalText.ts';
import type { Dialog } from './dialog.ts';
import type { Turns } from './turns.ts';

export interface TerminalApprovalsOptions {
  readonly approvals: Approvals;
  readonly dialog: Dialog;
  readonly turns: Turns;
  /** The base folder of shown paths. */
  readonly folder: string;
  /** Of the command: who interrupts it denies what it asks. */
  readonly token: CancellationToken;
}

type Answer = ApprovalChoice | 'dismiss';

interface Open {
  readonly end: CancellationSource;
  isShown: boolean;
}

/** A person who mistypes more often than this wants something else. */
const MAX_TRIES = 20;
const PROMPT = 'Allow it? (o: once, s: whenever it asks during this run, d: deny; Enter denies) ';
const ANSWERS: ReadonlyMap<string, Answer> = new Map([
  ['o', 'once'],
  ['once', 'once'],
  ['s', 'session'],
  ['session', 'session'],
  ['d', 'deny'],
  ['deny', 'deny'],
  ['', 'deny'],
]);

/** Asks the person at the terminal to approve what servers would touch. Without one there is no listener, and all is denied. */
export function terminalApprovals(options: TerminalApprovalsOptions): Disposable {
  const { approvals, dialog, turns } = options;
  const life = new DisposableStore();
  if (!dialog.isInteractive) return life;
  const open = new Map<string, Open>();
  life.add(
    approvals.onDidAsk((approval) => {
      const question: Open = { end: new CancellationSource(), isShown: false };
      open.set(approval.id, question);
      void turns
        .take(() => put(options, approval, question))
        // It is approved this once; there is nowhere else to say so.
        .catch((error: unknown) => dialog.say(`! ${messageOf(error)}`))
        .finally(() => open.delete(approval.id));
    }),
  );
  life.add(
    approvals.onDidSettle(({ approval, outcome }) => {
      const question = open.get(approval.id);
      question?.end.cancel();
      // One that was never shown is reported at the end of the command.
      if (question?.isShown !== true || outcome.kind === 'approved' || outcome.why === 'byPerson') return;
      dialog.say(denialText(outcome.why));
    }),
  );
  life.add(
    options.token.onCancellationRequested(() => {
      for (const id of open.keys()) void approvals.answer(id, 'deny').catch(() => undefined);
    }),
  );
  return life;
}

async function put(
  { approvals, dialog, folder }: TerminalApprovalsOptions,
  approval: PendingApproval,
  question: Open,
): Promise<void> {
  const { token } = question.end;
  // It may have waited for its turn until it was void.
  if (token.isCancellationRequested) return;
  question.isShown = true;
  // Targets are real names.
  const seenFrom = await realpath(folder).catch(() => folder);
  for (const line of approvalLines(approval, seenFrom)) dialog.say(line);
  const answer = await answerOf(dialog, token);
  await approvals.answer(approval.id, answer);
}

/** Input from before the question was meant for something else. */
async function answerOf(dialog: Dialog, token: CancellationToken): Promise<Answer> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const typed = await dialog.ask(PROMPT, token, 'typedNow');
    if (typed === undefined) return 'dismiss';
    const answer = ANSWERS.get(typed.trim().toLowerCase());
    if (answer !== undefined) return answer;
    dialog.say('! Type o, s or d.');
  }
  return 'dismiss';
}
