import { isDeceiving, LONGEST_TEXT } from './pathText.ts';
import { withHost, withoutHost } from './segments.ts';

/** A form as it is matched. Both texts end with `/`: what is said of all that is in a folder is said of itself. */
export interface FormText {
  /** With one slash wherever there are several. */
  readonly collapsed: string;
  /** With what tells a host; `undefined` where the text says the same in an odd way, and nothing may allow it. */
  readonly exact: string | undefined;
}

/** Signs, dots and slashes that most forms do not have. */
const UNUSUAL = /[^ -[\]-~]|\/[./]|^\.|\/$/;
const DETOUR = /(?:^|\/)\.{1,2}(?:\/|$)/;
/** A host begins with two slashes, after a scheme or at the beginning. */
const BEGINNING = /^(?:[^/]*:)?\/\/(?=[^/])/;

/**
 * Globs match texts in normal form: another spelling would escape its deny rule. `undefined` if the meaning is unknown:
 * such a text is denied.
 */
export function formText(form: string, kind: 'path' | 'name'): FormText | undefined {
  if (form === '' || form.length > LONGEST_TEXT) return undefined;
  if (!UNUSUAL.test(form)) return { collapsed: `${form}/`, exact: `${form}/` };
  if (form.includes('\\') || isDeceiving(form) || DETOUR.test(form)) return undefined;
  const isOdd = form.includes('//') && form.replace(BEGINNING, '').includes('//');
  if (isOdd && kind === 'path') return undefined;
  const text = `${form.replace(/\/+$/, '')}/`.normalize('NFC');
  return { collapsed: withoutHost(text), exact: isOdd ? undefined : withHost(text) };
}
