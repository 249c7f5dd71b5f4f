import { showHidden, withoutHidden } from './hiddenText.ts';
import { clip } from './json.ts';

/** Longest text of a server that is shown anywhere. */
const MAX_SHOWN = 2_000;

/** Direction marks can make a line read as something that it is not, even in pairs. */
const DIRECTION_OR_LINE = /[\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;

/** Nothing to take out and nothing to fold: what most lines are. */
const PLAIN_LINE = /^[!-~]+(?: [!-~]+)*$/;

/** Text of a server, fit to be shown as it is: no control or direction characters, bounded, line breaks kept. */
export function cleanText(text: string, max: number = MAX_SHOWN): string {
  // Cut first, generously: what will not be shown is not worth a pass over megabytes.
  const near = text.length > max * 2 ? text.slice(0, max * 2) : text;
  return clip(withoutHidden(withoutControls(near).replace(DIRECTION_OR_LINE, '')), max);
}

/** Text of a server for a model: whole, bounded, and with hidden characters shown. */
export function textForModels(text: string, max: number): string {
  const near = text.length > max * 2 ? text.slice(0, max * 2) : text;
  return clip(showHidden(withoutControls(near)), max);
}

function withoutControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').replace(CONTROL, '');
}

/** The same on one line. */
export function cleanLine(text: string, max: number = MAX_SHOWN): string {
  if (text.length <= max && PLAIN_LINE.test(text)) return text;
  return clip(cleanText(text, max).replace(/\s+/g, ' ').trim(), max);
}
