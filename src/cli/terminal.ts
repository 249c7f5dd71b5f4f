import { cleanText, type Json } from '../core/index.ts';

/** Where a command writes. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
}

/** Whole, but without anything that a terminal would act on. */
export function plain(text: string): string {
  return cleanText(text, Number.MAX_SAFE_INTEGER);
}

/** The same, with a line break at its end. */
export function wholeLines(text: string): string {
  const clean = plain(text);
  return clean === '' || clean.endsWith('\n') ? clean : `${clean}\n`;
}

/** What JSON.stringify leaves as it is although terminals act on it or show it as something else. */
const UNSAFE = /[\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/g;

/** JSON with nothing lost and nothing in it that a terminal would act on. */
export function safeJson(value: Json, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent);
  return text.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What a terminal command ends with. */
export const EXIT = {
  ok: 0,
  /** The tool says of itself that it failed. */
  toolFailed: 1,
  usage: 2,
  notStarted: 3,
  callFailed: 4,
  interrupted: 130,
} as const;
