import { base64 } from './base64.ts';
import { textFinder } from './textFinder.ts';

/** A text that only the server it belongs to may receive. */
export interface Secret {
  /** The name from the settings, which replaces the value. */
  readonly name: string;
  readonly value: string;
}

export type Redact = (text: string) => string;

/** Shorter values occur in ordinary text. */
const SHORTEST_SECRET = 8;
/** A line of a key is longer. A shorter line of a JSON credential may be a bracket or a common word. */
const SHORTEST_LINE = 12;
const MAX_NAME = 64;
/** Tokens are replaced every hour, so the oldest have expired. */
const MAX_SECRETS = 1_024;

interface Held {
  readonly name: string;
  /** Ids of the servers that may know it. */
  readonly owners: ReadonlySet<string>;
}

/**
 * The list of all secrets: tokens, secret inputs, credential headers and credentials in environments. Everything that
 * leaves the host is redacted with it, except for data to a secret's own server.
 */
export class SecretList {
  readonly #held = new Map<string, Held>();
  #all: Redact | undefined;
  readonly #foreign = new Map<string, Redact | undefined>();

  /** Adds secrets of `owners`. They stay in the list after the server has stopped, because logs still contain them. */
  add(secrets: Iterable<Secret | undefined>, ...owners: readonly string[]): void {
    for (const secret of secrets) {
      if (secret === undefined || !isHideable(secret.value)) continue;
      const { name, value } = secret;
      const known = this.#held.get(value);
      if (known !== undefined && owners.every((owner) => known.owners.has(owner))) continue;
      this.#held.delete(value);
      const held = { name: known?.name ?? name, owners: new Set([...(known?.owners ?? []), ...owners]) };
      this.#held.set(value, held);
      this.#all = undefined;
      this.#foreign.clear();
    }
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= MAX_SECRETS) break;
      this.#held.delete(oldest);
    }
  }

  /** Replaces every secret by `[secret: NAME]`. */
  readonly redact: Redact = (text) => {
    this.#all ??= redactor(this.#entries(() => true));
    return this.#all(text);
  };

  /** Replaces secrets that `owner` must not learn. `undefined` without such secrets. */
  foreignTo(owner: string): Redact | undefined {
    if (!this.#foreign.has(owner)) this.#foreign.set(owner, this.#redactorFor(owner));
    return this.#foreign.get(owner);
  }

  #redactorFor(owner: string): Redact | undefined {
    const own = [...this.#held].flatMap(([value, { owners }]) => (owners.has(owner) ? [value] : []));
    // A part of the server's own secret must reach it unchanged.
    const foreign = this.#entries((value) => !own.some((mine) => mine.includes(value)));
    return foreign.length === 0 ? undefined : redactor(foreign);
  }

  #entries(isWanted: (value: string) => boolean): readonly Secret[] {
    return [...this.#held].flatMap(([value, { name }]) => (isWanted(value) ? [{ name, value }] : []));
  }
}

/** Values that occur in ordinary text, whatever their names suggest. */
const COMMON = new RegExp(
  '^(?:(?:pre-?)?production|develop(?:ment|er)|staging|localhost|undefined|disabled|enabled|required|optional|' +
    'anonymous|postgres(?:ql)?|password|changeme|change-me|administrator|username|redacted|external|internal|' +
    'bearer|negotiate|application/\\S+|text/\\S+|\\*+|x+|(?:\\d{1,3}\\.){3}\\d{1,3}(?::\\d+)?)$',
  'i',
);
const PATH = /^(?:~?[/\\]|\.{1,2}[/\\]|[a-z]:[/\\])[^\n]*$/i;
/** A base64 key may also begin with a slash. */
const RANDOM_PART = /(?:^|[/\\])(?=[^/\\]*[a-z])(?=[^/\\]*[A-Z])(?=[^/\\]*\d)[^/\\.\s-]{16,}/;

/** Whether the value can be hidden without hiding ordinary text: it is long, no common word and no path. */
export function isHideable(value: string): boolean {
  const text = value.trim();
  return text.length >= SHORTEST_SECRET && !COMMON.test(text) && !(PATH.test(text) && !RANDOM_PART.test(text));
}

/** Replaces `secrets` in a text, also in their forms in JSON, URLs and base64, and line by line. */
export function redactor(secrets: Iterable<Secret>): Redact {
  const marks = new Map<string, string>();
  for (const { name, value } of secrets) {
    const mark = secretMark(name);
    for (const form of writtenForms(value)) if (!marks.has(form)) marks.set(form, mark);
  }
  if (marks.size === 0) return (text) => text;
  const forms = [...marks.keys()];
  const contains = textFinder(forms);
  let pattern: RegExp | undefined;
  const withoutWhole: Redact = (text) => {
    if (!contains(text)) return text;
    // Longest first, in one pass, so that a secret that contains another is hidden as a whole.
    pattern ??= new RegExp(
      forms
        .sort((a, b) => b.length - a.length)
        .map(escapeForPattern)
        .join('|'),
      'g',
    );
    return text.replace(pattern, (form) => marks.get(form) ?? '');
  };
  return (text) => {
    const clean = withoutWhole(text);
    return clean.length <= MAX_CUT && clean.includes(CUT) ? withoutBeginnings(clean, marks) : clean;
  };
}

/** The mark that `clip` writes at the end of a truncated text. */
const CUT = '…';
/** Truncated texts are short, such as log lines and error messages. */
const MAX_CUT = 20_000;
/** This many characters of a long secret before a cut are hidden, and half of a shorter one. */
const LONG_BEGINNING = 12;

/** Replaces the start of a secret at the end of a truncated text: it may have been truncated before the redaction. */
function withoutBeginnings(text: string, marks: ReadonlyMap<string, string>): string {
  const parts = text.split(CUT);
  const last = parts.pop() ?? '';
  return [...parts.map((part) => withoutBeginning(part, marks)), last].join(CUT);
}

function withoutBeginning(text: string, marks: ReadonlyMap<string, string>): string {
  let [start, mark] = [text.length, ''];
  for (const [form, name] of marks) {
    const head = form.slice(0, Math.min(LONG_BEGINNING, Math.ceil(form.length / 2)));
    for (let at = text.indexOf(head, Math.max(0, text.length - form.length)); at >= 0; at = text.indexOf(head, at + 1))
      if (at < start && form.startsWith(text.slice(at))) [start, mark] = [at, name];
  }
  return text.slice(0, start) + mark;
}

/** The replacement for a secret. Safe in JSON, in log lines and for models. */
export function secretMark(name: string): string {
  return `[secret: ${name.replace(/[^\w.-]+/g, '_').slice(0, MAX_NAME) || 'unnamed'}]`;
}

function writtenForms(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const forms = [
    secret,
    secret.trim(),
    ...formsInJson(secret),
    ...formsInUrls(secret.replace(/\p{Surrogate}/gu, '\uFFFD')),
    ...formsInBase64(secret),
    ...(lines.length === 1 ? [] : lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith('-----'))),
  ];
  return forms.filter((form) => form.length >= SHORTEST_SECRET);
}

/** The forms that JavaScript, Go, Gson, Python, PHP and .NET write, and JSON inside a JSON text. */
function formsInJson(secret: string): readonly string[] {
  const plain = JSON.stringify(secret).slice(1, -1);
  const ascii = withEscapes(plain, /[^\0-\x7f]/g);
  return [
    plain,
    JSON.stringify(plain).slice(1, -1),
    withEscapes(plain, /[<>&\u2028\u2029]/g),
    withEscapes(plain, /[<>&'=\u2028\u2029]/g),
    ascii,
    ascii.replaceAll('/', '\\/'),
    withEscapes(plain.replaceAll('\\"', '"'), /[^\0-\x7f]|["&'+<>`\x7f]/g, (code) => code.toUpperCase()),
  ];
}

function withEscapes(text: string, characters: RegExp, spell: (code: string) => string = (code) => code): string {
  const escape = (unit: string): string => `\\u${spell(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`;
  return text.replace(characters, escape);
}

/** The forms in a query and in a path, with digits in either case, and with `+` for a space. */
function formsInUrls(secret: string): readonly string[] {
  const inUrl = encodeURIComponent(secret);
  const strict = inUrl.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return [inUrl, strict, strict.replaceAll('%2F', '/'), encodeURI(secret)].flatMap((form) => [
    form,
    form.replace(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase()),
    form.replaceAll('%20', '+'),
  ]);
}

/**
 * The base64 digits, in either alphabet, that depend only on the secret. In a longer text, such as `user:password`, it
 * can start at any of three positions of a group.
 */
function formsInBase64(secret: string): readonly string[] {
  const size = new TextEncoder().encode(secret).length;
  return [0, 1, 2].flatMap((before) => {
    const digits = base64('x'.repeat(before) + secret);
    const own = digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + size) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
