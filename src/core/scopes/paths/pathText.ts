import { withoutHidden } from '../../base/hiddenText.ts';

/**
 * Marks a host after `//`: `//server/share` is not the folder `/server`, but matchers collapse slashes. No matched text
 * contains this character.
 */
const HOST = '\u0001';
const HOST_SLASHES = /^([^/]*:)?\/\/(?=[^/])/;

/** Adds the marker that distinguishes `//server` and `scheme://` from a single slash. */
export function withHost(text: string): string {
  return text.includes('//') ? text.replace(HOST_SLASHES, `$1/${HOST}/`) : text;
}

/** Removes the marker and collapses slashes, as careless programs do. */
export function withoutHost(text: string): string {
  const bare = text.includes(HOST) ? text.replaceAll(`/${HOST}/`, '/') : text;
  return bare.includes('//') ? bare.replace(/\/{2,}/g, '/') : bare;
}

/** Whether this is a root: for paths, a drive or share counts too. */
function isRoot(segments: readonly string[]): boolean {
  const [first = '', second] = segments;
  if (segments.length === 1) return first === '' || /^[a-z]:$/i.test(first);
  return second === HOST && segments.length <= (first === '' ? 4 : 3);
}

/** Without `.`, `..` and empty segments. `undefined` if `..` follows `**`, which no text can match. */
export function withoutDetours(text: string): string | undefined {
  const [first = '', ...rest] = text.split('/');
  const kept: string[] = first === '.' ? [] : [first];
  for (const segment of rest) {
    if (segment === '' || segment === '.') continue;
    const last = kept.at(-1);
    if (segment !== '..' || last === undefined || last === '..') kept.push(segment);
    else if (last === '**') return undefined;
    else if (!isRoot(kept)) kept.pop();
  }
  return kept.length === 1 && kept[0] === '' ? '/' : kept.join('/');
}

/** Longer than any path. */
export const MAX_TEXT = 4_096;

/** Why a text cannot be judged and must not be allowed: a sentence. */
export interface Unreadable {
  readonly why: string;
}

export const TOO_LONG: Unreadable = { why: `It is longer than ${MAX_TEXT} characters.` };
export const DECEIVING: Unreadable = { why: 'It has characters that cannot be seen, or that change what is seen.' };
export const UNDECODABLE: Unreadable = { why: 'Its encoding is invalid.' };
export const OVERENCODED: Unreadable = { why: 'It is encoded more than three times over.' };

export function isUnreadable(value: object): value is Unreadable {
  return 'why' in value;
}

const PLAIN = /^[ -~]*$/;

/** Control characters, lone surrogates, line separators and direction marks. No name needs them. */
const NEVER = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2060-\u206F]/u;

/**
 * Whether a text has characters that are invisible or change how others look. Emoji, ideographs and joined scripts need
 * some such characters; deny rules apply with and without them.
 */
export function isDeceiving(text: string): boolean {
  return !PLAIN.test(text) && (NEVER.test(text) || withoutHidden(text) !== text);
}

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Removes characters that some file systems ignore in names. */
export function withoutIgnorable(text: string): string {
  return PLAIN.test(text) ? text : text.replace(IGNORABLE, '');
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes each percent-encoded byte once, and keeps other `%`. Returns `undefined` for invalid UTF-8. */
export function decodeOnce(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return text.replace(ENCODED, decoded);
  } catch {
    return undefined;
  }
}

const ENCODED = /(?:%[\da-f]{2})+/gi;

function decoded(run: string): string {
  const bytes = run.slice(1).split('%');
  return UTF8.decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
}

/**
 * How programs read a text if they decode only part of it: the dots, as URLs do; the separators; or the rest. Invalid
 * UTF-8 stays encoded.
 */
export function partlyDecoded(text: string): readonly string[] {
  if (!text.includes('%')) return [];
  return [
    text.replace(/%2e/gi, '.'),
    text.replace(/%2f/gi, '/').replace(/%5c/gi, '\\'),
    text.replace(/(?:%(?!2e|2f|5c)[\da-f]{2})+/gi, decodedOrNot),
    text.replace(ENCODED, decodedOrNot),
  ].filter((other) => other !== text);
}

function decodedOrNot(run: string): string {
  try {
    return decoded(run);
  } catch {
    return run;
  }
}

/** No dots, although schemes may have them: `a.ts:10` is a file. */
const SCHEME = /^([a-z][a-z\d+-]+):/i;
/** Local files: a remote extension host uses `vscode-remote` for its own files. */
const FILE_SCHEMES = /^(?:file|vscode-remote)$/i;

/** Names something other than a file: a channel, a person, or another resource. */
export function isName(text: string): boolean {
  return hasSigil(text) || hasScheme(text);
}

export function hasSigil(text: string): boolean {
  return /^[#@]/.test(text);
}

/** Has a scheme other than one for files. */
export function hasScheme(text: string): boolean {
  const scheme = SCHEME.exec(text)?.[1];
  return scheme !== undefined && !FILE_SCHEMES.test(scheme);
}

export function isFileUri(text: string): boolean {
  return FILE_SCHEMES.test(SCHEME.exec(text)?.[1] ?? '');
}
