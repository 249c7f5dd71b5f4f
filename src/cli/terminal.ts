import { cleanText, type Json } from '../core/index.ts';

/** Output streams of a command. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
}

/** Removes characters that a terminal would interpret. */
export function plain(text: string): string {
  return cleanText(text, Number.MAX_SAFE_INTEGER);
}

/** The same, with a final line break. */
export function wholeLines(text: string): string {
  const clean = plain(text);
  return clean === '' || clean.endsWith('\n') ? clean : `${clean}\n`;
}

/** Characters that JSON.stringify keeps, but terminals interpret or misrender. */
const UNSAFE = /[\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/g;

/** Lossless JSON without characters that a terminal would interpret. */
export function safeJson(value: Json, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent);
  return text.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Exit codes. */
export const EXIT = {
  ok: 0,
  /** The tool reported a failure. */
  toolFailed: 1,
  usage: 2,
  notStarted: 3,
  callFailed: 4,
  interrupted: 130,
} as const;
