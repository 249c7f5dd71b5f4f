/**
 * Quotes foreign text so that it cannot close the quotes. Quotes, their look-alikes, and characters that are invisible,
 * change the direction, end the line or make a link become `\u{…}`.
 */
export function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

/** The text between such quotes. */
export function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replace(DOUBLED, (marks) => Array.from(marks, codeOf).join(''))
    .replace(UNSAFE, codeOf)
    .replaceAll('](', `]${codeOf('(')}`);
}

interface CutText {
  readonly text: string;
  readonly isWhole: boolean;
}

/** Like `quoted`, but truncates a text that is too long and ends it with `…`. */
export function quotedUpTo(text: string, most: number): CutText {
  // Truncates first, because escaping the rest is wasted.
  const whole = escaped(text.length > most ? text.slice(0, most + 1) : text);
  if (whole.length <= most) return { text: `"${whole}"`, isWhole: true };
  const kept = PIECES.exec(whole.slice(0, most - 1))?.[0] ?? '';
  return { text: `"${kept}…"`, isWhole: false };
}

/** Only whole characters and escapes. */
const PIECES = /^(?:\\\\|\\u\{[0-9a-f]+\}|[^\\\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])*/;

/** Quotes and their look-alikes, control, unassigned, private-use and invisible characters, and direction marks. */
const UNSAFE =
  /["\u00ab\u00bb\u02ba\u02dd\u02ee\u02f6\u05f4\u201c-\u201f\u2033\u2034\u2036\u2037\u2057\u275d\u275e\u2760\u276e\u276f\u3003\u301d-\u301f\uff02\u{1f676}-\u{1f678}]|[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]|[^\S ]/gu;

/** Two adjacent ones look like one double quote. */
const DOUBLED = /['`\u00b4\u02b9\u02bb-\u02bd\u02c8\u02ca\u02cb\u2018-\u201b\u2032\u2035\u275b\u275c\uff07\uff40]{2,}/g;

function codeOf(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
