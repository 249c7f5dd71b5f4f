import { quoted, quotedUpTo } from '../base/quotedText.ts';
import { plural } from '../base/plural.ts';
import type { StartQuestion } from '../ports.ts';

/** The editor truncates longer notifications. A hostile definition could hide important parts at the end. */
export const MAX_QUESTION = 1_000;

/** Reserved for the sentence about the missing part. */
const REST = 100;
const MAX_OF_NAME = 64;
const MAX_OF_TARGET = 400;
const MAX_OF_FOLDER = 160;

interface ShortQuestion {
  readonly text: string;
  /** Whether this is the whole prompt. Otherwise the user must see the rest before answering. */
  readonly isWhole: boolean;
}

/** The prompt in one notification. Parts that do not fit are counted, least dangerous first. */
export function shortQuestion(question: StartQuestion): ShortQuestion {
  const start = openingOf(question);
  const target = targetOf(question);
  let text = `${start.text} ${target.text}`;
  const { remarks } = question;
  let shown = 0;
  const isLast = (): boolean => shown === remarks.length - 1;
  for (const remark of remarks) {
    const most = isLast() && start.isWhole && target.isWhole ? MAX_QUESTION : MAX_QUESTION - REST;
    if (text.length + 1 + remark.length > most) break;
    text += ` ${remark}`;
    shown++;
  }
  const left = remarks.length - shown;
  const isWhole = left === 0 && start.isWhole && target.isWhole;
  if (isWhole) return { text, isWhole };
  const more = left === 0 ? '' : ` And ${plural(left, 'more remark')}.`;
  return { text: `${text}${more} Choose Review… to see everything.`, isWhole };
}

/** Why the question is asked, as a sentence. */
export function startTitle(question: StartQuestion): string {
  return openingOf(question).text.replace(/:$/, '.');
}

interface Part {
  readonly text: string;
  readonly isWhole: boolean;
}

function openingOf({ server, reason, kind, contributor }: StartQuestion): Part {
  const name = quotedUpTo(server, MAX_OF_NAME);
  const who = contributor && quotedUpTo(contributor.name, MAX_OF_NAME);
  const id = contributor && quotedUpTo(contributor.id, MAX_OF_NAME);
  const by = who && id ? `The extension ${who.text} (${id.text})` : 'This workspace';
  return {
    text: openingText({ reason, kind }, name.text, by),
    isWhole: [name, who, id].every((part) => part?.isWhole !== false),
  };
}

/** Ends with a colon if the target follows in the same sentence. */
function openingText({ reason, kind }: Pick<StartQuestion, 'reason' | 'kind'>, name: string, by: string): string {
  switch (reason) {
    case 'first':
      return `${by} wants to ${kind === 'url' ? 'connect to' : 'run'} ${name}:`;
    case 'changed':
      return `${by} changed the definition of ${name}.`;
    case 'widened':
      return `${by} gives ${name} more permissions.`;
    case 'workspaceFiles':
      return `Your server ${name} uses files of this workspace.`;
  }
}

function targetOf({ kind, target, cwd, reason }: StartQuestion): Part {
  const verb = reason === 'first' ? '' : kind === 'url' ? 'It connects to ' : 'It runs ';
  const isShort = target.length <= MAX_OF_TARGET;
  const what = isShort ? `"${target}"` : `"${beginningOf(target)}…"`;
  const where = cwd === undefined ? undefined : quotedUpTo(cwd, MAX_OF_FOLDER);
  const folder = where === undefined ? '' : ` in ${where.text}`;
  const length = isShort ? '' : ` (the first of ${target.length} characters)`;
  return { text: `${verb}${what}${length}${folder}.`, isWhole: isShort && where?.isWhole !== false };
}

/** Cuts between characters and escapes. `target` is already escaped. */
function beginningOf(target: string): string {
  return target.slice(0, MAX_OF_TARGET / 2).replace(/\\(?:u(?:\{[0-9a-f]*)?)?$|[\ud800-\udbff]$/, '');
}

/** The whole prompt, one line per part. */
export function wholeQuestion(question: StartQuestion): readonly string[] {
  const { kind, target, cwd, remarks } = question;
  return [
    `${kind === 'url' ? 'It connects to' : 'It runs'} "${target}".`,
    ...(cwd === undefined ? [] : [`It runs in ${quoted(cwd)}.`]),
    ...remarks,
  ];
}
