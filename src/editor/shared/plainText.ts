import { clip } from '../../core/index.ts';

/** Maximum length of displayed server or setting text. */
export const MAX_SHOWN = 2_000;

// Control characters, line breaks, and invisible or direction-changing characters, which make text misleading.
const DECEPTIVE =
  /[\p{Cc}\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffc\u{e0000}-\u{e007f}]|\p{Cs}/gu;

/**
 * Untrusted text for a message: makes misleading characters visible, and breaks up links (the editor renders
 * `[text](command:…)` in notifications).
 */
export function plainText(text: string, max = MAX_SHOWN): string {
  const visible = text.replace(DECEPTIVE, (char) => `‹U+${codeOf(char)}›`).replaceAll('](', '] (');
  return clip(visible, max);
}

/** Untrusted text on one line. */
export function plainLine(text: string, max: number): string {
  return plainText(text.replace(/\s+/g, ' ').trim(), max);
}

/** The text of a notification, on one line, or of a modal dialog, which has lines and shows whole addresses. */
export function notificationText(text: string, isModal: boolean): string {
  const lines = text.split(/\r\n|\r|\n/);
  return isModal ? lines.map((line) => plainText(line, Infinity)).join('\n') : plainText(lines.join(' '));
}

function codeOf(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** Escapes foreign text for Markdown. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~-]/g, '\\$&');
}
