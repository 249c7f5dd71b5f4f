import {
  type ApprovalGrant,
  type ApprovalOutcome,
  type ApprovalSubject,
  assertNever,
  cleanLine,
  clip,
  denialText,
  grantText,
  type PendingApproval,
  phraseText,
  type Quoting,
  type ScopeTarget,
  type SubjectText,
  subjectText,
} from '../../core/index.ts';
import { plainText } from '../shared/plainText.ts';
import { clockText } from '../shared/timeText.ts';
import type { OpenFolder } from '../shared/workspaceFolders.ts';

const MAX_NAME = 64;
const MAX_TARGET = 120;
const MAX_HEAD = 50;
/** Side bars are narrow. */
const MAX_ROW_PATH = 24;
const MAX_QUOTE = 160;
/** Maximum targets in a message. For one more, "and 1 more" would not be shorter. */
const NAMED = 2;
const MAX_NAMED_COUNT = NAMED + 1;

/**
 * The notification text, in at most two sentences: server, action and the computed targets, then the reason for the
 * question. The server's own label is quoted, and only shown if it differs.
 */
export function approvalText(approval: PendingApproval, folders: readonly OpenFolder[]): string {
  const { waiting } = approval;
  const subject = subjectText(approval.subject);
  const { doubt, targets, reason } = subject;
  const notes = [
    ...(waiting > 1 ? [`${waiting} identical requests`] : []),
    ...(isCut(subject) ? ['details in Approvals'] : []),
  ];
  const request = wantsText(approval, folders, notes);
  // Targets outside the workspace are reason enough.
  const isAllOutside = doubt === 'none' && outside(targets).length === distinct(targets).length;
  return isAllOutside ? request : `${request} ${phraseText(reason, QUOTING)}`;
}

/** `files (files.edit) wants to append to /etc/hosts, outside this workspace.` */
export function wantsText(
  { server, featureSet, subject }: PendingApproval,
  folders: readonly OpenFolder[],
  notes: readonly string[] = [],
): string {
  const text = subjectText(subject);
  const out = outsideText(text.targets);
  const request = `${whoText(server, featureSet)} wants ${subjectWords(text, folders)}${out === '' ? '' : `, ${out}`}`;
  return notes.length === 0 ? `${request}.` : `${request} (${notes.join(', ')}).`;
}

/** `Expires at 16:05:21 (then denied)` */
export function expiryText({ askedAt, expiresAt }: PendingApproval): string {
  return `Expires at ${clockText(expiresAt, askedAt)} (then denied)`;
}

/** The action at the start of a row: `Append to /etc/hosts`. */
export function wantedText(subject: ApprovalSubject, folders: readonly OpenFolder[]): string {
  const text = subjectWords(subjectText(subject), folders).replace(/^to /, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `files (files.edit)` */
export function whoText(server: string, featureSet: string | undefined): string {
  return featureSet === undefined ? nameText(server) : `${nameText(server)} (${nameText(featureSet)})`;
}

/** `outside this workspace`, `1 of 3 outside this workspace`, or empty. */
export function outsideText(targets: readonly ScopeTarget[]): string {
  const [out, all] = [outside(targets).length, distinct(targets).length];
  if (out === 0) return '';
  return out === all ? 'outside this workspace' : `${out} of ${all} outside this workspace`;
}

/** The real path of a target, relative to an open folder if possible. */
export function targetText({ kind, real, inside }: ScopeTarget, folders: readonly OpenFolder[]): string {
  if (kind === 'name' || inside === undefined) return pathText(real);
  return insideText(inside.folder, inside.path, folders);
}

/** The same for the targets of a grant, which are stored as absolute paths. */
function grantTargetText(real: string, folders: readonly OpenFolder[]): string {
  const folder = folderOf(real, folders);
  return folder === undefined ? pathText(real) : insideText(folder.name, real.slice(folder.path.length + 1), folders);
}

/** The user's decisions, as the audit records them and as the history shows them. */
const OWN_DECISIONS: readonly (readonly [recorded: string, shown: string])[] = [
  ['allowed by the person (once)', 'You allowed it once'],
  ['allowed by the person (session)', 'You allowed it for the session'],
  ['allowed by the person (workspace)', 'You allowed it in this workspace'],
  ['allowed by the person before (session)', 'You had allowed it for the session'],
  ['allowed by the person before (workspace)', 'You had allowed it in this workspace'],
  ['denied by the person', 'You denied it'],
];

/** A decision as shown in the history: `scope/elevate /etc/hosts: You allowed it once`. */
export function historyText(recorded: string): string {
  const own = OWN_DECISIONS.find(([how]) => recorded.endsWith(`: ${how}`));
  return own === undefined ? recorded : `${recorded.slice(0, -own[0].length)}${own[1]}`;
}

/** Makes paths in a text relative to the open folders, because side bars are narrow. */
export function seenFrom(folders: readonly OpenFolder[], text: string): string {
  return folders.reduce((so, { name, path }) => {
    const begin = new RegExp(`(?<=^|\\s)${path.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}/`, 'g');
    return so.replace(begin, () => (folders.length > 1 ? `${name}/` : ''));
  }, text);
}

/** Shortens long paths to their start and the file name. The tooltip has the full path. */
export function narrowText(text: string): string {
  return text.replace(LONG_PATH, (path, begin: string, end: string) =>
    path.length > MAX_ROW_PATH ? `${begin}/…/${end}` : path,
  );
}

const LONG_PATH = /(?<=^|\s)((?:[A-Za-z]:)?\/[^\s/"]+)\/[^\s"]+\/([^\s/"]+)/g;

/** A grant in short: `/etc/hosts`, `edit_file: src/a.ts and 2 more`. */
export function allowedText(grant: ApprovalGrant, folders: readonly OpenFolder[]): string {
  const { targets, label } = grant;
  const { name } = grantText(grant);
  const call = name === undefined ? '' : nameText(name);
  const touched = listText([...new Set(targets)].map((real) => grantTargetText(real, folders)));
  if (touched === '') return call === '' ? quoteText(label ?? '') : call;
  return call === '' ? touched : `${call}: ${touched}`;
}

/** Quotes server text: one line, bounded, without links and quotation marks. */
export function quoteText(text: string, max = MAX_QUOTE): string {
  return `"${plainText(cleanLine(text, max)).replaceAll('"', "'")}"`;
}

/** A server's or setting's name. Quoted if it could pass for the host's words. */
export function nameText(name: string): string {
  return /^[\p{L}\p{N}_.:@/#*-]+$/u.test(name) && name.length <= MAX_NAME ? name : quoteText(name, MAX_NAME);
}

export const QUOTING: Quoting = { name: nameText, claim: quoteText };

/** The outcome of a request: `allowed once`, `denied, because there was no answer in time`. */
export function outcomeText(outcome: ApprovalOutcome): string {
  if (outcome.kind === 'denied') return denialText(outcome.why, 'its notification was closed');
  switch (outcome.choice) {
    case 'once':
      return 'allowed once';
    case 'session':
      return 'allowed for this session';
    case 'workspace':
      return 'allowed in this workspace';
    default:
      return assertNever(outcome.choice);
  }
}

/** The message for an answer that came too late. */
export function lateText(outcome: ApprovalOutcome | undefined): string {
  const how = outcome === undefined ? '' : `: it was ${outcomeText(outcome)}`;
  return `That request had ended already${how}. Your answer changed nothing.`;
}

/** `to append to /etc/hosts` */
function subjectWords({ wanted, joint, noTargets, targets }: SubjectText, folders: readonly OpenFolder[]): string {
  const touched = touchedText(targets, folders);
  return `${phraseText(wanted, QUOTING)}${touched === '' ? noTargets : `${joint}${touched}`}`;
}

function touchedText(targets: readonly ScopeTarget[], folders: readonly OpenFolder[]): string {
  const all = shown(targets);
  const [only] = all.length === 1 ? all : [];
  const list = listText(all.map((target) => targetText(target, folders)));
  return only === undefined ? list : `${list}${writtenText(only)}`;
}

/**
 * Targets outside come first, so that they are always listed. Then those in the payload, before those only in the
 * label.
 */
function shown(targets: readonly ScopeTarget[]): readonly ScopeTarget[] {
  const out = outside(targets);
  const rank = (target: ScopeTarget): number => (out.includes(target) ? 0 : 2) + (target.from === 'label' ? 1 : 0);
  return distinct(targets).toSorted((a, b) => rank(a) - rank(b));
}

function listText(texts: readonly string[]): string {
  const named = texts.slice(0, texts.length === MAX_NAMED_COUNT ? MAX_NAMED_COUNT : NAMED);
  const rest = texts.length - named.length;
  const parts = rest > 0 ? [...named, `${rest} more`] : named;
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}

/** The path as written, if it differs from the real one. */
function writtenText({ kind, written, real, inside }: ScopeTarget): string {
  if (kind === 'name') return '';
  const path = written
    .replaceAll('\\', '/')
    .replace(/^file:\/\//, '')
    .replace(/^(\.\/)+/, '')
    .replace(/(.)\/+$/, '$1');
  const isSame = path === real || path === inside?.path || (path === '.' && inside?.path === '');
  return isSame ? '' : ` (written as ${quoteText(written, 80)})`;
}

function insideText(folder: string, path: string, folders: readonly OpenFolder[]): string {
  if (path === '') return `the folder ${nameText(folder)}`;
  return folders.length > 1 ? `${pathText(path)} in folder ${nameText(folder)}` : pathText(path);
}

/** Quotes a path that could be misread. Shortens a long one in the middle, because the end has the file name. */
function pathText(path: string): string {
  const short = path.length <= MAX_TARGET ? path : `${clip(path, MAX_HEAD)}${path.slice(MAX_HEAD - MAX_TARGET)}`;
  const plain = plainText(short);
  return /[\s"'“”„«»,;()]/.test(plain) ? `"${plain.replaceAll('"', '\\"')}"` : plain;
}

function folderOf(real: string, folders: readonly OpenFolder[]): OpenFolder | undefined {
  return folders
    .filter(({ path }) => real === path || real.startsWith(`${path}/`))
    .reduce<OpenFolder | undefined>(
      (best, folder) => (best === undefined || folder.path.length > best.path.length ? folder : best),
      undefined,
    );
}

function outside(targets: readonly ScopeTarget[]): readonly ScopeTarget[] {
  return distinct(targets).filter(({ kind, inside }) => kind === 'path' && inside === undefined);
}

/** Label and payload usually name the same targets. */
function distinct(targets: readonly ScopeTarget[]): readonly ScopeTarget[] {
  const seen = new Map<string, ScopeTarget>();
  for (const target of targets) {
    const key = JSON.stringify([target.kind, target.real]);
    if (!seen.has(key)) seen.set(key, target);
  }
  return [...seen.values()];
}

function isCut({ targets, reason }: SubjectText): boolean {
  const all = distinct(targets);
  const isQuoted = reason.some((part) => typeof part !== 'string' && 'claim' in part && part.claim.length > MAX_QUOTE);
  return (
    all.length > MAX_NAMED_COUNT ||
    isQuoted ||
    all.some(({ real, inside }) => (inside?.path ?? real).length > MAX_TARGET)
  );
}
