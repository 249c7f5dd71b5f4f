import { clip } from '../../core/index.ts';

/** Longest piece of a server's or a setting's text that is shown anywhere. */
export const MAX_SHOWN = 2_000;

// Controls, line ends, invisible and direction-changing characters: with them a text shows something else than it is.
const DECEPTIVE =
  /[\p{Cc}\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffc\u{e0000}-\u{e007f}]|\p{Cs}/gu;

/**
 * Text of unknown origin as it may be shown in a message: what would deceive becomes visible, and nothing in it is a
 * link (the editor makes links of `[text](command:…)` in notifications).
 */
export function plainText(text: string, max = MAX_SHOWN): string {
  const visible = text.replace(DECEPTIVE, (char) => `‹U+${codeOf(char)}›`).replaceAll('](', '] (');
  return clip(visible, max);
}

/** The text of a notification, on one line, or of a modal dialog, which has lines and shows whole addresses. */
export function notificationText(text: string, isModal: boolean): string {
  const lines = text.split(/\r\n|\r|\n/);
  return isModal ? lines.map((line) => plainText(line, Infinity)).join('\n') : plainText(lines.join(' '));
}

function codeOf(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** Text of somebody else's within an answer: none of it is markdown. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~-]/g, '\\$&');
}
