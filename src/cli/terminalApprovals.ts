import { realpath } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import {
  type ApprovalChoice,
  type Approvals,
  CancellationSource,
  type CancellationToken,
  cleanLine,
  denialText,
  type DenialReason,
  type Disposable,
  DisposableStore,
  messageOf,
  type PendingApproval,
  phraseText,
  type ScopeTarget,
  type SubjectText,
  subjectText,
} from '../core/index.ts';
import type { Dialog } from './dialog.ts';
import type { PromptQueue } from './promptQueue.ts';

interface TerminalApprovalsOptions {
  readonly approvals: Approvals;
  readonly dialog: Dialog;
  readonly turns: PromptQueue;
  /** The base folder of shown paths. */
  readonly folder: string;
  /** The command's token. An interruption denies open requests. */
  readonly token: CancellationToken;
}

type Answer = ApprovalChoice | 'dismiss';

interface Open {
  readonly end: CancellationSource;
  isShown: boolean;
}

/** Maximum invalid answers. */
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

/**
 * Asks the user of the terminal for approvals. Without a terminal there is no listener, and all requests are denied.
 */
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
        // The request is approved once, but the answer could not be stored.
        .catch((error: unknown) => dialog.say(`! ${messageOf(error)}`))
        .finally(() => open.delete(approval.id));
    }),
  );
  life.add(
    approvals.onDidSettle(({ approval, outcome }) => {
      const question = open.get(approval.id);
      question?.end.cancel();
      // Requests that were never shown are reported at the end of the command.
      if (question?.isShown !== true || outcome.kind === 'approved' || outcome.why === 'byPerson') return;
      dialog.say(deniedText(outcome.why));
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
  // The request may have become void in the queue.
  if (token.isCancellationRequested) return;
  question.isShown = true;
  // Targets are real paths, so resolve the folder too.
  const seenFrom = await realpath(folder).catch(() => folder);
  for (const line of approvalLines(approval, seenFrom)) dialog.say(line);
  const answer = await answerOf(dialog, token);
  await approvals.answer(approval.id, answer);
}

/** Ignores input from before the question. */
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

const MAX_TARGETS = 20;
const MAX_LINES = 30;
const MAX_QUOTE = 300;

/**
 * The text of an approval prompt: the server, the action and the computed targets. Server text is quoted, and only
 * shown if the host's own text is incomplete.
 */
export function approvalLines(approval: PendingApproval, folder: string): readonly string[] {
  const { server, featureSet, waiting } = approval;
  const subject = subjectText(approval.subject);
  const { warning } = subject;
  const who = featureSet === undefined ? quote(server) : `${quote(server)} (${quote(featureSet)})`;
  const targets = outsideFirst(subject.targets, folder);
  const more = targets.length - MAX_TARGETS;
  return [
    `The server ${who} wants ${subjectWords(subject)}${targets.length === 0 ? '.' : ':'}`,
    ...targets.slice(0, MAX_TARGETS).map((target) => `  ${targetText(target, folder)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(warning === undefined ? [] : [`! ${warning}`, ...quotations(subject)]),
    ...(waiting > 1 ? [`${waiting} identical requests wait for your answer.`] : []),
  ];
}

function subjectWords({ wanted, joint, noTargets, targets }: SubjectText): string {
  return `${phraseText(wanted, { name: quote, claim: quote })}${targets.length === 0 ? noTargets : joint.trimEnd()}`;
}

/** Each target once. Targets outside come first, so that they are always listed. */
function outsideFirst(targets: readonly ScopeTarget[], folder: string): readonly ScopeTarget[] {
  const all = [...new Map(targets.map((target) => [`${target.kind} ${target.real}`, target])).values()];
  const isOutside = (target: ScopeTarget): boolean =>
    target.kind === 'path' && insidePath(target, folder) === undefined;
  return [...all.filter(isOutside), ...all.filter((target) => !isOutside(target))];
}

/** Relative to the working folder, if it is inside. */
function targetText(target: ScopeTarget, folder: string): string {
  const { kind, real, written } = target;
  if (kind === 'name') return quote(real);
  const path = insidePath(target, folder);
  const text = path === undefined ? `${cleanLine(real)} (outside of the working folder)` : cleanLine(path);
  const isSame = [real, path, path && `./${path}`, `file://${real}`].includes(written.replace(/(.)\/+$/, '$1'));
  return isSame ? text || 'the working folder' : `${text || 'the working folder'}, written as ${quote(written)}`;
}

function insidePath({ real }: ScopeTarget, folder: string): string | undefined {
  const path = relative(folder, real);
  return isAbsolute(path) || /^\.\.(?:[\\/]|$)/.test(path) ? undefined : path;
}

function quotations({ label, data }: SubjectText): readonly string[] {
  const lines = (data?.text ?? '').split('\n').filter((line) => line !== '');
  const more = lines.length - MAX_LINES;
  return [
    ...(label === undefined ? [] : [`  It says: ${quote(label)}`]),
    ...(lines.length === 0 ? [] : ['  It sends:']),
    ...lines.slice(0, MAX_LINES).map((line) => `    | ${line}`),
    ...(more > 0 ? [`    | and ${more} more lines`] : []),
  ];
}

/** Quotes server text, without quotation marks that could end the quotation. */
function quote(text: string): string {
  return `"${cleanLine(text, MAX_QUOTE).replaceAll('"', "'")}"`;
}

function deniedText(why: DenialReason): string {
  const ended = denialText(why, 'there was no answer');
  return why === 'withdrawn' ? `It was ${ended}.` : `It is ${ended}.`;
}
