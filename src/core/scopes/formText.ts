import { isDeceiving, LONGEST_TEXT } from './pathText.ts';

const PLAIN = /^[ -[\]-~]*$/;
const DETOUR = /(?:^|\/)\.{1,2}(?:\/|$)/;
/** A host begins with two slashes, after a scheme or at the beginning. */
const BEGINNING = /^(?:[^/]*:)?\/\/(?=[^/])/;

/** How a form is matched: without a slash at its end. */
export type FormText =
  | { readonly kind: 'normal'; readonly text: string }
  /** A name that says the same in an odd way: it may be denied, and never be allowed. */
  | { readonly kind: 'odd'; readonly text: string }
  /** Nobody can say what it means: it is denied unmatched. */
  | { readonly kind: 'unreadable' };

const UNREADABLE: FormText = { kind: 'unreadable' };

/** Globs are about texts in normal form: any other spelling would pass by what denies it. */
export function formText(form: string, kind: 'path' | 'name'): FormText {
  if (form === '' || form.length > LONGEST_TEXT) return UNREADABLE;
  if (!PLAIN.test(form) && (form.includes('\\') || isDeceiving(form))) return UNREADABLE;
  if (form.includes('/.') || form.startsWith('.')) if (DETOUR.test(form)) return UNREADABLE;
  const text = (form.endsWith('/') ? form.slice(0, -1) : form).normalize('NFC');
  const isOdd = form.includes('//') && form.replace(BEGINNING, '').includes('//');
  if (!isOdd) return { kind: 'normal', text };
  return kind === 'name' ? { kind: 'odd', text } : UNREADABLE;
}
