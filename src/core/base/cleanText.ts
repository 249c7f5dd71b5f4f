import { clip } from './json.ts';

/** Longest text of a server that is shown anywhere. */
const MAX_SHOWN = 2_000;

/** Zero-width and direction marks can make a text read as something that it is not; the rest cannot be shown. */
const DECEIVING =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u2028\u2029\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;

/** Nothing to take out and nothing to fold: what most lines are. */
const PLAIN_LINE = /^[!-~]+(?: [!-~]+)*$/;

/** Text of a server, fit to be shown as it is: no control or direction characters, bounded, line breaks kept. */
export function cleanText(text: string, max: number = MAX_SHOWN): string {
  // Cut first, generously: what will not be shown is not worth a pass over megabytes.
  const near = text.length > max * 2 ? text.slice(0, max * 2) : text;
  const clean = near.replaceAll('\r\n', '\n').replaceAll('\r', '\n').replace(CONTROL, '').replace(DECEIVING, '');
  return clip(clean, max);
}

/** The same on one line. */
export function cleanLine(text: string, max: number = MAX_SHOWN): string {
  if (text.length <= max && PLAIN_LINE.test(text)) return text;
  return clip(cleanText(text, max).replace(/\s+/g, ' ').trim(), max);
}
