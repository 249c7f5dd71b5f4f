import { cleanLine } from '../base/cleanText.ts';
import { clip, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { phraseText, type Quoting, type SubjectText, subjectText } from '../approvals/subjectText.ts';
import type { ApprovalChoice, PendingApproval } from '../model/approval.ts';
import type { ScopeTarget } from '../model/scope.ts';

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
