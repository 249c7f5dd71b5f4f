import { showHidden, withoutHidden } from './hiddenText.ts';
import { clip } from './json.ts';

/** Maximum characters of server text that are shown anywhere. */
const MAX_SHOWN = 2_000;

/** Even paired direction marks can change how a line reads. */
const DIRECTION_OR_LINE = /[\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;

/** A line that needs no cleaning, like most lines. */
const PLAIN_LINE = /^[!-~]+(?: [!-~]+)*$/;

/** Prepares server text for display: removes control and direction characters, limits the length, keeps line breaks. */
export function cleanText(text: string, max: number = MAX_SHOWN): string {
  // Truncates generously first, because a pass over megabytes is wasted on text that is not shown.
  const near = text.length > max * 2 ? text.slice(0, max * 2) : text;
  return clip(withoutHidden(withoutControls(near).replace(DIRECTION_OR_LINE, '')), max);
}

/** Prepares server text for a model: makes hidden characters visible, and limits the length. */
export function textForModels(text: string, max: number): string {
  const near = text.length > max * 2 ? text.slice(0, max * 2) : text;
  return clip(showHidden(withoutControls(near)), max);
}

function withoutControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').replace(CONTROL, '');
}

/** Like `cleanText`, on one line. */
export function cleanLine(text: string, max: number = MAX_SHOWN): string {
  if (text.length <= max && PLAIN_LINE.test(text)) return text;
  return clip(cleanText(text, max).replace(/\s+/g, ' ').trim(), max);
}
