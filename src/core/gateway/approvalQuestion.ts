import { cleanLine } from '../base/cleanText.ts';
import { clip, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { ApprovalChoice, PendingApproval, ScopeDoubt, ScopeSubject } from '../model/approval.ts';
import type { ScopeTarget } from '../model/scope.ts';

const LONGEST_NAME = 64;
const LONGEST_TARGET = 120;
const LONGEST_QUOTE = 160;
const MOST_TARGETS = 3;

/**
 * The answers, in words: a client shows the values themselves, or beside their titles. To deny comes first, and there is
 * no default: an editor marks the first answer when it puts the focus there, and Enter, hit for something else, must not
 * allow anything.
 */
const ANSWERS: readonly (readonly [words: string, choice: ApprovalChoice])[] = [
  ['Deny', 'deny'],
  ['Allow once', 'once'],
  ['Allow for this session', 'session'],
  ['Always allow in this workspace', 'workspace'],
];

/** A form in the words of MCP (`elicitation/create`). */
export interface FormParams extends JsonObject {
  readonly message: string;
  readonly requestedSchema: JsonObject;
}

/** The question whether something is approved, for a client that shows forms. */
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
 * What a client's answer to the form decides; `undefined`: nothing. To close a question is no decision, and neither is
 * an error of the client. An answer that cannot be read is a no.
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

/** Whether a client that declares these capabilities shows forms: before 2025-11-25 there was nothing else to show. */
export function showsForms(capabilities: Json | undefined): boolean {
  const elicitation = isJsonObject(capabilities) ? capabilities['elicitation'] : undefined;
  if (!isJsonObject(elicitation)) return false;
  return isJsonObject(elicitation['form']) || elicitation['url'] === undefined;
}

/**
 * Plain text that also reads well as Markdown, as which chats show it, and on one line, as which notifications do. It is
 * short, and what is most needed comes first: a chat gives it a few lines above the answers, and cuts the rest off.
 */
function approvalMessage({ server, featureSet, subject, waiting }: PendingApproval): string {
  const set = featureSet === undefined ? '' : ` (feature set ${quoted(featureSet, LONGEST_NAME)})`;
  return [
    `The server ${quoted(server, LONGEST_NAME)}${set} wants ${wish(subject)}.`,
    ...touched(subject),
    WHY[subject.why],
    ...(waiting > 1 ? [`${waiting} identical requests wait for this answer.`] : []),
    ...said(subject),
  ].join('\n\n');
}

const WHY: Readonly<Record<ScopeDoubt, string>> = {
  unlisted: 'Its scope lists neither allow nor deny it.',
  disagreement: 'Its label names something else.',
  noTarget: 'MCP Live could not find out what it would touch.',
};

function wish({ action }: ScopeSubject): string {
  if (action.kind === 'call') return `to run its tool ${quoted(action.tool, LONGEST_NAME)}`;
  return action.mode === undefined ? 'more access than its settings give' : `access (${quoted(action.mode, 40)})`;
}

function touched({ targets, why }: ScopeSubject): readonly string[] {
  if (why !== 'disagreement') return targets.length === 0 ? [] : [`It would touch ${list(targets)}.`];
  const claimed = targets.filter(({ from }) => from === 'label');
  const sent = targets.filter(({ from }) => from !== 'label');
  return [
    ...(claimed.length === 0 ? [] : [`By its label it would touch ${list(claimed)}.`]),
    ...(sent.length === 0 ? [] : [`By what it sent it would touch ${list(sent)}.`]),
  ];
}

/** What is outside comes first, so that it is never among those that are only counted. */
function list(targets: readonly ScopeTarget[]): string {
  const texts = new Set([...targets.filter(isOutside), ...targets].map(targetText));
  const named = [...texts].slice(0, MOST_TARGETS);
  const rest = texts.size - named.length;
  return rest === 0 ? named.join('; ') : `${named.join('; ')}; and ${rest} more, which MCP Live shows`;
}

function targetText(target: ScopeTarget): string {
  const { written, real } = target;
  // A relative path that leads where it says needs no second mention.
  const isPlain = real === written || real.endsWith(`/${written}`);
  return [
    quoted(real, LONGEST_TARGET),
    ...(isOutside(target) ? [' outside of the open folders'] : []),
    ...(isPlain ? [] : [` (written as ${quoted(written, LONGEST_NAME)})`]),
  ].join('');
}

function isOutside({ kind, inside }: ScopeTarget): boolean {
  return kind === 'path' && inside === undefined;
}

/** A server's own words say nothing that counts where the host knows what they stand for. */
function said({ label, payload, targets, why }: ScopeSubject): readonly string[] {
  const isKnown = why === 'disagreement' ? targets.some(({ from }) => from === 'label') : targets.length > 0;
  return [
    ...(label === undefined || isKnown ? [] : [`It calls it ${quoted(label, LONGEST_QUOTE)}.`]),
    ...(payload === undefined || targets.length > 0 ? [] : [`It sent ${quoted(payload, LONGEST_QUOTE)}.`]),
  ];
}

/**
 * What is not ours, as a code span: otherwise a server could write headings, links and sentences as if they were ours,
 * and a path like `__init__.py` would lose its underscores. Notifications know one kind of markup only, links: they are
 * broken up.
 */
function quoted(text: string, max: number): string {
  const line = shortened(cleanLine(text, 10_000), max).replaceAll('](', '] (');
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest > 0 || line === '' ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

/** The begin and the end: of a path, that is where the file is. */
function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  const end = text.slice(-half);
  return `${clip(text, half)}${/^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end}`;
}
