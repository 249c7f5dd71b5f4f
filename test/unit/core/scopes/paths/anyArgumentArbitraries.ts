import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../../src/core/base/json.ts';
import { isContentKey, isProseKey } from '../../../../../src/core/scopes/paths/pathKeys.ts';
import type { FakeEntry } from '../../../../support/fakeFiles.ts';

/** A text that some program reads as a file or a name, and how it was generated. */
export interface Spelling {
  readonly text: string;
  readonly how: readonly string[];
}

type Respell = (text: string, seed: number) => string;

const nth = (seed: number, count: number): number => Math.abs(Math.trunc(seed)) % Math.max(1, count);
const encode = (letter: string): string => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`;
const atSlash = (text: string, seed: number, inserted: (before: string) => string): string => {
  const slashes = [...text.matchAll(/\//g)].map(({ index }) => index);
  if (slashes.length === 0) return text;
  const at = slashes[nth(seed, slashes.length)] ?? 0;
  return `${text.slice(0, at)}${inserted(text.slice(0, at))}${text.slice(at)}`;
};
const letterOf = (text: string, seed: number, change: (letter: string) => string): string => {
  const letters = [...text.matchAll(/[a-z]/g)].map(({ index }) => index);
  const at = letters[nth(seed, letters.length)];
  return at === undefined ? text : `${text.slice(0, at)}${change(text.charAt(at))}${text.slice(at + 1)}`;
};

/** Other spellings of a path that name the same file for programs that know them. */
const PATH_WAYS: Readonly<Record<string, Respell>> = {
  detour: (text, seed) => atSlash(text, seed, () => '/x/..'),
  here: (text, seed) => atSlash(text, seed, () => '/.'),
  double: (text, seed) => atSlash(text, seed, () => '/'),
  relative: (text) => text.replace(/^\/ws\/+(?=.)/, ''),
  climb: (text) => text.replace(/^\/ws\/+(?=.)/, 'src/../'),
  dot: (text) => (/^[\w.]/.test(text) ? `./${text}` : text),
  end: (text) => `${text}/`,
  unset: (text, seed) =>
    atSlash(text, seed, () => ['/${UNSET}', '/$unset', '/$UNSET_2', '/%UNSET%'][nth(seed, 4)] ?? ''),
  unsetAndBack: (text, seed) => atSlash(text, seed, () => '/${UNSET}/x/..'),
};
/** Done once, at the end. */
const SIGN_WAYS: Readonly<Record<string, Respell>> = {
  letter: (text, seed) => letterOf(text, seed, encode),
  upper: (text, seed) => letterOf(text, seed, (letter) => letter.toUpperCase()),
  wide: (text, seed) => letterOf(text, seed, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  one: (text, seed) => letterOf(text, seed, () => '?'),
  class: (text, seed) => letterOf(text, seed, (letter) => `[${letter}]`),
  brace: (text, seed) => letterOf(text, seed, (letter) => `{${letter},_}`),
  backslash: (text) => text.replaceAll('/', '\\'),
  dots: (text) => text.replaceAll('..', '%2E%2e'),
  separators: (text) => text.replaceAll('/', '%2f'),
  encoded: (text) => [...text].map((letter) => (/[/.\w]/.test(letter) ? encode(letter) : letter)).join(''),
  home: (text, seed) => text.replace(/^\/home\/me/, ['~', '$HOME', '${HOME}', '%USERPROFILE%'][nth(seed, 4)] ?? '~'),
  uri: (text) => (text.startsWith('/') ? `file://${text}` : text),
  quoted: (text, seed) => `${'"\'`'[nth(seed, 3)] ?? ''}${text}${'"\'`'[nth(seed, 3)] ?? ''}`,
  spaced: (text) => ` ${text} `,
};
const LETTER_WAYS = new Set(['letter', 'upper', 'wide', 'one', 'class', 'brace']);
/** The surrounding text. */
export const CARRIERS: Readonly<Record<string, (text: string) => string>> = {
  itself: (text) => text,
  value: (text) => `key=${text}`,
  option: (text) => `--option=${text}`,
  glued: (text) => `-I${text}`,
  revision: (text) => `HEAD~1:${text}`,
  line: (text) => `${text}:10:2`,
  fragment: (text) => `${text}#L10`,
  commas: (text) => `src/a.ts,${text}`,
  spaces: (text) => `src/a.ts ${text}`,
  semicolons: (text) => `src/a.ts;${text}`,
  colons: (text) => `src/a.ts:${text}`,
  first: (text) => `${text},src/a.ts`,
  json: (text) => JSON.stringify({ a: [text] }),
  not: (text) => `!${text}`,
};

const NO_QUOTES = /["'`{}[\]\\ ]/;

const ways = (
  all: Readonly<Record<string, Respell>>,
  most: number,
): fc.Arbitrary<readonly (readonly [string, number])[]> =>
  fc.array(fc.tuple(fc.constantFrom(...Object.keys(all)), fc.nat(999)), { maxLength: most });

/** Any spelling of a path, in any text that carries it. */
export const spellingOf = (path: fc.Arbitrary<string>): fc.Arbitrary<Spelling> =>
  fc
    .tuple(path, ways(PATH_WAYS, 3), ways(SIGN_WAYS, 1), fc.constantFrom(...Object.keys(CARRIERS)))
    .map(([start, byPath, bySign, carrier]) => {
      let text = start;
      for (const [name, seed] of byPath) text = PATH_WAYS[name]?.(text, seed) ?? text;
      // A changed letter would turn the variable into a part of a name.
      for (const [name, seed] of bySign)
        if (!(/[$%]/.test(text) && LETTER_WAYS.has(name))) text = SIGN_WAYS[name]?.(text, seed) ?? text;
      // Such characters end a part in a surrounding text.
      const carried = carrier === 'itself' || NO_QUOTES.test(text) ? text : (CARRIERS[carrier]?.(text) ?? text);
      return { text: carried, how: [start, ...byPath, ...bySign, carrier].map(String) };
    });

/** Argument names of tools, and unusual ones. */
const KEYS = [
  ...[
    'name',
    'object',
    'ref',
    'target',
    'value',
    'input',
    'filesToStage',
    'includePatterns',
    'projectRoot',
    'url',
    'q',
  ],
  ...[
    'pattern',
    'glob',
    'scope',
    'resource',
    'location',
    'entry',
    'args',
    'options',
    'selector',
    'id',
    'key',
    'entity',
  ],
  ...[
    'channel',
    'user',
    'title',
    'commitish',
    'revision',
    'include',
    'config',
    'output_dir',
    'file-name',
    'URI',
    'zorb',
  ],
];
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...KEYS) },
  {
    weight: 1,
    arbitrary: fc.stringMatching(/^[a-z][a-zA-Z_]{0,11}$/).filter((name) => !isContentKey(name) && !isProseKey(name)),
  },
);

/** In a prose member, plain words next to a path are words. */
const PATH_OR_NAME = /[\\/]|%2f|%5c|^[.#@\uff03\uff20]|^%[24][03]|\w\.\w/i;
const isSentence = (text: string): boolean => {
  const words = text.trim().split(/\s+/);
  return words.length > 1 && !words.every((word) => PATH_OR_NAME.test(word));
};

/** Arguments with the text somewhere next to an allowed one, and a possible schema. */
export interface Carried {
  readonly args: JsonObject;
  readonly schema: JsonObject;
}

const STRING = { type: 'string' };
const NESTINGS: Readonly<Record<string, readonly [(text: string) => Json, JsonObject]>> = {
  plain: [(text) => text, STRING],
  nullable: [(text) => text, { type: ['string', 'null'] }],
  list: [(text) => ['src/a.ts', text], { type: 'array', items: STRING }],
  object: [(text) => ({ inner: text }), { type: 'object', properties: { inner: STRING } }],
  deep: [(text) => [{ of: [[{ it: text }]] }], { type: 'array' }],
  key: [(text) => ({ [text]: true }), { type: 'object' }],
  union: [(text) => text, { anyOf: [STRING, { type: 'number' }] }],
};

export const carried = (text: fc.Arbitrary<Spelling>): fc.Arbitrary<Carried & Spelling> =>
  fc
    .tuple(text, key, fc.constantFrom(...Object.keys(NESTINGS)), fc.boolean(), fc.boolean())
    .map(([{ text: said, how }, anyName, nesting, isDeclared, hasPath]) => {
      const name = isProseKey(anyName) && isSentence(said) ? 'zorb' : anyName;
      // A plain identifier is a member name.
      const isKey = nesting === 'key' && /^[\w$-]*$/.test(said);
      const [value, declared] = NESTINGS[isKey ? 'plain' : nesting] ?? [(it: string) => it, STRING];
      const path = hasPath ? { path: 'src/a.ts' } : {};
      const properties = { path: STRING, ...(isDeclared && { [name]: declared }) };
      return { text: said, how, args: { ...path, [name]: value(said) }, schema: { type: 'object', properties } };
    });

export const TREE: Readonly<Record<string, FakeEntry>> = {
  '/ws/src/a.ts': 'file',
  '/ws/secrets/deep/key.pem': 'file',
  '/ws/.env': 'file',
  '/ws/alias': { link: '/ws/secrets' },
  '/ws/src/up': { link: '../secrets/deep' },
  '/ws/src/own': { link: '/home/me/.ssh' },
  '/home/me/.ssh/id': 'file',
  '/etc/passwd': 'file',
};
export const PLACE = { folders: [{ name: 'ws', path: '/ws' }], userHome: '/home/me', bases: ['/ws'] };
export const LISTS = {
  whitelist: ['${workspaceFolder}/**'],
  blacklist: ['/ws/secrets/**', '**/.env', '~/.ssh/**'],
};
export const DENIED_PATHS = fc.constantFrom(
  ...['/ws/secrets/deep/key.pem', '/ws/secrets/new', '/ws/secrets', '/ws/.env', '/ws/src/.env', '/home/me/.ssh/id'],
);
/** Only found by asking the file system. */
export const LINKED_PATHS = fc.constantFrom(
  '/ws/alias/deep/key.pem',
  '/ws/src/up/key.pem',
  '/ws/src/own/id',
  '/ws/alias',
);
export const OUTSIDE_PATHS = fc.constantFrom(
  '/etc/passwd',
  '/ws/../etc/passwd',
  '/nowhere/x',
  '/home/me/notes',
  '/wsx/a',
);
