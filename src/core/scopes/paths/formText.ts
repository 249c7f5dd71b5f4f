import { isDeceiving, MAX_TEXT } from './pathText.ts';
import { withHost, withoutHost } from './segments.ts';

/**
 * A form in the spelling that globs match. Both texts end with `/`: a pattern for a folder's content also covers the
 * folder.
 */
interface FormText {
  /** With repeated slashes collapsed to one. */
  readonly collapsed: string;
  /** With the host marker. `undefined` for an unusual spelling, which no rule may allow. */
  readonly exact: string | undefined;
}

/** Characters, dots and slashes that need the slow path. Most forms have none. */
const UNUSUAL = /[^ -[\]-~]|\/[./]|^\.|\/$/;
const DETOUR = /(?:^|\/)\.{1,2}(?:\/|$)/;
/** A host follows two slashes, at the start or after a scheme. */
const BEGINNING = /^(?:[^/]*:)?\/\/(?=[^/])/;

/**
 * Globs match texts in normal form: another spelling would escape its deny rule. `undefined` if the meaning is unknown:
 * such a text is denied.
 */
export function formText(form: string, kind: 'path' | 'name'): FormText | undefined {
  if (form === '' || form.length > MAX_TEXT) return undefined;
  if (!UNUSUAL.test(form)) return { collapsed: `${form}/`, exact: `${form}/` };
  if (form.includes('\\') || isDeceiving(form) || DETOUR.test(form)) return undefined;
  const isOdd = form.includes('//') && form.replace(BEGINNING, '').includes('//');
  if (isOdd && kind === 'path') return undefined;
  const text = `${form.replace(/\/+$/, '')}/`.normalize('NFC');
  return { collapsed: withoutHost(text), exact: isOdd ? undefined : withHost(text) };
}
