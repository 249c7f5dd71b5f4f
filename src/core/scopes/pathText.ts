/** No path of any system is longer. */
export const LONGEST_TEXT = 4_096;

/** Why a text cannot be judged, so that nobody may allow it: a sentence. */
export interface Unreadable {
  readonly why: string;
}

export const TOO_LONG: Unreadable = { why: `It is longer than ${LONGEST_TEXT} characters.` };
export const DECEIVING: Unreadable = { why: 'It has characters that cannot be seen, or that change what is seen.' };
export const UNDECODABLE: Unreadable = { why: 'It is encoded as no text can be.' };
export const OVERENCODED: Unreadable = { why: 'It is encoded more than three times over.' };

export function isUnreadable(value: object): value is Unreadable {
  return 'why' in value;
}

const PLAIN = /^[ -~]*$/;

/**
 * What is not seen, or makes a text be seen as another: some file systems leave it out of names, so that one with it is
 * the one without. Half a character is there because no system gets it as it was written.
 */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u;

/**
 * Invisible characters that ordinary names have: in emoji and keycaps, in flags of regions, in variants of ideographs,
 * and the joiners of Arabic and Indic words. A deny rule applies with and without them.
 */
const ORDINARY = new RegExp(
  [
    String.raw`\u{1F3F4}[\u{E0061}-\u{E007A}\u{E0030}-\u{E0039}]{2,6}\u{E007F}`,
    String.raw`\p{Extended_Pictographic}[\uFE0E\uFE0F\u{1F3FB}-\u{1F3FF}]?(?:\u200D\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)*`,
    String.raw`[\d#*]\uFE0F?\u20E3`,
    String.raw`\p{Script=Han}[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]`,
    String.raw`(?<=\p{Script=Mongolian})[\u180B-\u180D\u180F]`,
    // After a sign that removes a vowel (virama).
    String.raw`(?<=[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA])[\u200C\u200D]`,
    ...['Arabic', 'Syriac', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada'].map(
      betweenLettersOf,
    ),
    ...['Malayalam', 'Sinhala', 'Khmer'].map(betweenLettersOf),
  ].join('|'),
  'gu',
);

function betweenLettersOf(script: string): string {
  return String.raw`(?<=\p{Script=${script}}\p{Mn}*)[\u200C\u200D](?=\p{Script=${script}})`;
}

export function isDeceiving(text: string): boolean {
  return !PLAIN.test(text) && HIDDEN.test(text) && HIDDEN.test(text.replace(ORDINARY, ''));
}

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Without characters that some file systems leave out of names. */
export function withoutIgnorable(text: string): string {
  return PLAIN.test(text) ? text : text.replace(IGNORABLE, '');
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** With every `%` and two digits decoded once, and any other `%` left; `undefined` where that gives no UTF-8. */
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
 * What programs make of a text that decode only some of it: the dots, as URLs do; the separators; or the rest. What is
 * no UTF-8 stays encoded.
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

/** Dots are left out, which schemes may have and hardly do: `a.ts:10` is a file. */
const SCHEME = /^([a-z][a-z\d+-]+):/i;
/** Their paths are of this machine: an extension host on another one calls its own files so. */
const FILE_SCHEMES = /^(?:file|vscode-remote)$/i;

/** What means something that is no file: a channel, a person, a resource of some other kind. */
export function isName(text: string): boolean {
  return hasSigil(text) || hasScheme(text);
}

export function hasSigil(text: string): boolean {
  return /^[#@]/.test(text);
}

/** Has a scheme that is not one of files. */
export function hasScheme(text: string): boolean {
  const scheme = SCHEME.exec(text)?.[1];
  return scheme !== undefined && !FILE_SCHEMES.test(scheme);
}

export function isFileUri(text: string): boolean {
  return FILE_SCHEMES.test(SCHEME.exec(text)?.[1] ?? '');
}
