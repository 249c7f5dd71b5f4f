import { isAbsolute, relative } from 'node:path';
import {
  cleanLine,
  type DenialReason,
  type PendingApproval,
  type ScopeDoubt,
  type ScopeSubject,
  type ScopeTarget,
} from '../core/index.ts';

const MOST_TARGETS = 20;
const MOST_LINES = 30;
const LONGEST_QUOTE = 300;

const DEEDS: Readonly<Record<string, string>> = {
  append: 'to append to',
  create: 'to create',
  delete: 'to delete',
  execute: 'to run',
  list: 'to list',
  move: 'to move',
  read: 'to read',
  rename: 'to rename',
  write: 'to write to',
};

const DOUBTS: Readonly<Record<Exclude<ScopeDoubt, 'unlisted'>, string>> = {
  disagreement: 'It names something else than what it would touch.',
  noTarget: 'What it would touch could not be found out.',
};

/**
 * What somebody is asked to approve: who wants to do what, to what the host computed. Words of the server are
 * quotations, and are there where the host's own do not tell everything.
 */
export function approvalLines(approval: PendingApproval, folder: string): readonly string[] {
  const { server, featureSet, subject, waiting } = approval;
  const { label, payload, why } = subject;
  const who = featureSet === undefined ? quote(server) : `${quote(server)} (${quote(featureSet)})`;
  const targets = outsideFirst(subject.targets, folder);
  const more = targets.length - MOST_TARGETS;
  return [
    `The server ${who} wants ${deed(subject)}${targets.length === 0 ? '.' : ':'}`,
    ...targets.slice(0, MOST_TARGETS).map((target) => `  ${targetText(target, folder)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(why === 'unlisted' ? [] : [`! ${DOUBTS[why]}`, ...quotations(label, payload)]),
    ...(waiting > 1 ? [`${waiting} identical requests wait for your answer.`] : []),
  ];
}

function deed({ action, targets }: ScopeSubject): string {
  const isKnown = targets.length > 0;
  if (action.kind === 'call') return `to call ${quote(action.tool)}${isKnown ? ' on' : ''}`;
  const { mode } = action;
  const verb = mode !== undefined && Object.hasOwn(DEEDS, mode) ? DEEDS[mode] : 'access to';
  return isKnown ? `${verb}` : `${verb} something unknown`;
}

/** Each once; what lies elsewhere is never among those that are only counted. */
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

function quotations(label: string | undefined, payload: string | undefined): readonly string[] {
  const lines = (payload ?? '').split('\n').filter((line) => line !== '');
  const more = lines.length - MOST_LINES;
  return [
    ...(label === undefined ? [] : [`  It says: ${quote(label)}`]),
    ...(lines.length === 0 ? [] : ['  It sends:']),
    ...lines.slice(0, MOST_LINES).map((line) => `    | ${line}`),
    ...(more > 0 ? [`    | and ${more} more lines`] : []),
  ];
}

/** A server's words, with no quotation mark that could end the quotation. */
function quote(text: string): string {
  return `"${cleanLine(text, LONGEST_QUOTE).replaceAll('"', "'")}"`;
}

const DENIED: Readonly<Record<DenialReason, string>> = {
  byPerson: 'It is denied.',
  timeout: 'It is denied, because there was no answer in time.',
  dismissed: 'It is denied, because there was no answer.',
  nobody: 'It is denied, because there is no user to ask.',
  flood: 'It is denied, because there were too many requests.',
  withdrawn: 'It was withdrawn before it was answered.',
};

export function denialText(why: DenialReason): string {
  return DENIED[why];
}
