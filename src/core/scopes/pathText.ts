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

/** A picture is made of several by what is refused elsewhere. */
const PICTURE =
  /\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?(?:\u200D\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)*/gu;

export function isDeceiving(text: string): boolean {
  return !PLAIN.test(text) && HIDDEN.test(text.replace(PICTURE, ''));
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** With every `%` and two digits decoded once, and any other `%` left; `undefined` where that gives no UTF-8. */
export function decodeOnce(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return text.replace(/(?:%[\da-f]{2})+/gi, (run) => {
      const bytes = run.slice(1).split('%');
      return UTF8.decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
    });
  } catch {
    return undefined;
  }
}

/** Dots are left out, which schemes may have and hardly do: `a.ts:10` is a file. */
const SCHEME = /^([a-z][a-z\d+-]+):/i;
/** Their paths are of this machine: an extension host on another one calls its own files so. */
const FILE_SCHEMES = /^(?:file|vscode-remote)$/i;

/** What means something that is no file: a channel, a person, a resource of some other kind. */
export function isName(text: string): boolean {
  const scheme = SCHEME.exec(text)?.[1];
  return /^[#@]/.test(text) || (scheme !== undefined && !FILE_SCHEMES.test(scheme));
}

export function isFileUri(text: string): boolean {
  return FILE_SCHEMES.test(SCHEME.exec(text)?.[1] ?? '');
}
