import {
  type ApprovalChoice,
  type ApprovalOutcome,
  type AuditEntry,
  type ApprovalSubject,
  grantText,
  cleanLine,
  cleanText,
  type PendingApproval,
  type ApprovalGrant,
  phraseText,
  type ScopeTarget,
  subjectText,
} from '../../core/index.ts';
import { clockText, timeText } from '../shared/timeText.ts';
import { plainText } from '../shared/plainText.ts';
import type { OpenFolder } from '../shared/workspaceFolders.ts';
import {
  allowedText,
  expiryText,
  nameText,
  outcomeText,
  QUOTING,
  quoteText,
  targetText,
  wantsText,
  whoText,
} from './approvalText.ts';

/** Too long for a prompt, but users should read it once. */
const NO_SANDBOX = [
  "This is policy, not a sandbox: the server's process can touch anything that you can.",
  'Your answer decides only what MCP Live answers or sends.',
] as const;

interface Answer {
  readonly choice: ApprovalChoice;
  /** The title of its button. The four buttons of a notification must fit side by side. */
  readonly title: string;
  /** Its name in a list, as in the menu of a row. */
  readonly name: string;
  /** Its effect and duration. */
  readonly meaning: string;
}

const ANSWERS: readonly Answer[] = [
  {
    choice: 'once',
    title: 'Allow Once',
    name: 'Allow Once',
    meaning: 'Allows only the waiting requests. You are asked about the next one.',
  },
  {
    choice: 'session',
    title: 'Session',
    name: 'Allow for This Session',
    meaning: 'Also allows identical requests until this window closes.',
  },
  {
    choice: 'workspace',
    title: 'Always',
    name: 'Always Allow in This Workspace',
    meaning: 'Also allows identical requests in this workspace for 90 days, or until you revoke it.',
  },
  {
    choice: 'deny',
    title: 'Deny',
    name: 'Deny',
    meaning: 'Denies the waiting requests. You are asked about the next one.',
  },
];

/** The answers to a request, default first: "Deny" if the server's name for it is misleading. */
export function answersTo(subject: ApprovalSubject): readonly Answer[] {
  if (subjectText(subject).doubt !== 'deceptive') return ANSWERS;
  return [...ANSWERS.filter(({ choice }) => choice === 'deny'), ...ANSWERS.filter(({ choice }) => choice !== 'deny')];
}

/** The tooltip of a row, as plain text. */
export function approvalSummary(approval: PendingApproval, folders: readonly OpenFolder[]): string {
  const { askedAt, waiting } = approval;
  const { reason, label } = subjectText(approval.subject);
  const hasLabel = reason.some((part) => typeof part !== 'string');
  return [
    wantsText(approval, folders),
    '',
    phraseText(reason, QUOTING),
    ...(label === undefined || hasLabel ? [] : [`The server calls it ${quoteText(label)}.`]),
    ...(waiting > 1 ? [`${waiting} identical requests wait for your answer.`] : []),
    `Asked at ${clockText(askedAt, askedAt)}`,
    expiryText(approval),
    '',
    ...ANSWERS.filter(({ title, name }) => title !== name).map(({ title, meaning }) => `${title}: ${meaning}`),
    'Select the row to see all details.',
  ].join('\n');
}

export function grantSummary(grant: ApprovalGrant, folders: readonly OpenFolder[], ends: string): string {
  return [
    allowedText(grant, folders),
    '',
    `${whoText(grant.server, grant.featureSet)}, ${ends}`,
    `Allowed: ${timeText(grant.at)}`,
    'Select to see all of it.',
  ].join('\n');
}

/**
 * A request as text. Server text is indented or follows a label, so that it cannot pass for the host's words. `outcome`
 * is set if the request has ended.
 */
export function approvalPage(
  approval: PendingApproval,
  folders: readonly OpenFolder[],
  outcome: ApprovalOutcome | undefined,
): string {
  const { server, featureSet, askedAt, expiresAt, waiting } = approval;
  const { action, why, targets, label, data, identical } = subjectText(approval.subject);
  const facts = [
    fact('Server', nameText(server)),
    ...(featureSet === undefined ? [] : [fact('Feature set', nameText(featureSet))]),
    fact('Action', phraseText(action, QUOTING)),
    fact('Why asked', why),
    fact('Asked', timeText(askedAt)),
    outcome === undefined
      ? fact('Expires', `at ${clockText(expiresAt, askedAt)} (then denied)`)
      : fact('Ended', outcomeText(outcome)),
    ...(waiting > 1 ? [fact('Waiting', `${waiting} identical requests; your answer is for all of them`)] : []),
  ];
  return page([
    [wantsText(approval, folders), ...facts],
    ['Targets', ...targetLines(targets, folders)],
    ...(label === undefined ? [] : [quotation('What the server calls it', label)]),
    ...(data === undefined ? [] : [quotation(data.title, data.text)]),
    [...NO_SANDBOX],
    ['Your answers', ...ANSWERS.flatMap(answerLines)],
    [identical],
  ]);
}

/** A grant as text. */
export function grantPage(grant: ApprovalGrant, folders: readonly OpenFolder[], ends: string): string {
  const { server, featureSet, targets, label, lifetime, at, payloadHash, fingerprint } = grant;
  const { action, identical } = grantText(grant);
  const facts = [
    fact('Server', nameText(server)),
    ...(featureSet === undefined ? [] : [fact('Feature set', nameText(featureSet))]),
    fact('Action', phraseText(action, QUOTING)),
    fact('Allowed', `${timeText(at)}, by you`),
    fact('Holds', `${lifetime === 'session' ? 'in this window' : 'in this workspace'}, ${ends}`),
    fact('Program', cleanLine(fingerprint, 100)),
    fact('Data', cleanLine(payloadHash, 100)),
  ];
  return page([
    [`MCP Live remembers that you allowed this: ${allowedText(grant, folders)}`, ...facts],
    [
      'Targets',
      ...(targets.length === 0 ? [NO_TARGET] : [...new Set(targets)].map((real) => `  ${plainText(real, 5_000)}`)),
    ],
    ...(label === undefined ? [] : [quotation('What the server called it', label)]),
    [...NO_SANDBOX],
    [
      identical,
      'You are asked about anything else. Deny lists in the settings still apply.',
      'To revoke it, use Revoke in the Approvals view.',
    ],
  ]);
}

/** Shown for a request that no longer exists. */
export const GONE = 'This request has ended, or its approval is no longer remembered.\n';

const NO_TARGET = '  (MCP Live could not find out what it touches.)';

function answerLines({ title, name, meaning }: Answer): readonly string[] {
  return [title === name ? `  ${title}` : `  ${title}: ${name}`, `    ${meaning}`];
}

function targetLines(targets: readonly ScopeTarget[], folders: readonly OpenFolder[]): readonly string[] {
  if (targets.length === 0) return [NO_TARGET];
  return targets.flatMap((target) => {
    const { kind, inside, written, from, real } = target;
    const where =
      kind === 'name'
        ? 'a name'
        : inside === undefined
          ? 'outside this workspace'
          : `inside the folder ${nameText(inside.folder)}`;
    return [
      `  ${targetText(target, folders)}`,
      `    ${'Leads to'.padEnd(10)} ${plainText(real, 5_000)}`,
      `    ${'That is'.padEnd(10)} ${where}`,
      `    ${'Written'.padEnd(10)} ${quoteText(written, 1_000)}`,
      `    ${'Found in'.padEnd(10)} ${from === 'label' ? 'what the server calls it' : cleanLine(from, 300)}`,
    ];
  });
}

function quotation(title: string, text: string): readonly string[] {
  const clean = cleanText(text, 10_000);
  return [title, `  ${(clean === '' ? '(nothing)' : clean).replaceAll('\n', '\n  ')}`];
}

function fact(name: string, value: string): string {
  return `${name.padEnd(12)} ${value}`;
}

function page(sections: readonly (readonly string[])[]): string {
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Grants and decisions as JSON, with times in ISO 8601. */
export function approvalsJson(
  remembered: readonly ApprovalGrant[],
  history: readonly AuditEntry[],
  now: number,
): string {
  const value = {
    exportedAt: timeOf(now),
    remembered: remembered.map(({ at, until, ...grant }) => ({
      ...grant,
      at: timeOf(at),
      until: until === undefined ? null : timeOf(until),
    })),
    history: history.map(({ at, place, ...entry }) => ({ place, time: timeOf(at), ...entry })),
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
