import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { isFeatureSetPattern, nearestPattern } from '../model/featureSetPattern.ts';
import { type ScopeLists, type ScopeSettings, UNREADABLE_ADAPTER } from '../model/scope.ts';
import { parseArgumentPath } from '../model/argumentPath.ts';
import { patternProblem } from '../model/scopePattern.ts';
import type { EntryReader } from './entryReader.ts';

const MAX_KEYS = 1_000;
const MAX_PATTERNS = 1_000;
const MAX_PATHS = 16;
const EVERY = '*';

const NOTHING_WORKS = 'Everything is denied until it is corrected.';
const NO_LISTS = 'Must be an object such as {"files.edit": {"whitelist": ["${workspaceFolder}/**"]}}.';
const NO_KEY = 'Must be the name of a feature set, such as "files.edit", or "files.*" or "*".';
const NO_ADAPTERS = 'Must be an object such as {"write_file": "$.path"}.';
const NO_ADAPTER = `Must be a path such as "$.path" or "$.files[*].path", or a list of at most ${MAX_PATHS} of them.`;

/** The deny rules under a key, and whether all are readable. */
interface Denials {
  readonly blacklist: readonly string[];
  readonly isBroken: boolean;
}

/**
 * Decodes `scopes` and `scopeAdapters`. An error does not invalidate the entry, because an older, weaker list would
 * then stay in effect. Unreadable parts are treated as strictly as possible.
 */
export function decodeScopes(reader: EntryReader): ScopeSettings {
  const lists = decodeLists(reader);
  const adapters = decodeAdapters(reader);
  return {
    // Without adapters it is unknown what calls touch.
    lists: adapters === undefined ? broken(lists, EVERY) : lists,
    adapters: adapters ?? {},
  };
}

/** Deny rules of the user survive when lists are replaced. User adapters apply unless another layer defines one. */
export function withDenialsOf(own: ScopeSettings, merged: ScopeSettings): ScopeSettings {
  const lists = new Map(Object.entries(merged.lists));
  for (const [key, mine] of Object.entries(own.lists)) {
    const theirs = lists.get(key);
    lists.set(key, {
      whitelist: theirs?.whitelist ?? [],
      blacklist: [...new Set([...mine.blacklist, ...(theirs?.blacklist ?? [])])],
      isBroken: mine.isBroken || theirs?.isBroken === true,
    });
  }
  return {
    lists: Object.fromEntries(lists),
    adapters: Object.fromEntries([...Object.entries(own.adapters), ...Object.entries(merged.adapters)]),
  };
}

function decodeLists(reader: EntryReader): ScopeSettings['lists'] {
  const entries = limited(reader, 'scopes', NO_LISTS);
  if (entries === undefined) return broken({}, EVERY);
  const usable: (readonly [string, Json | undefined, Denials])[] = [];
  let isOddKey = false;
  // The number of problems is limited, so errors in deny rules come before those in allow rules.
  for (const [key, value] of entries)
    if (isFeatureSetPattern(key)) usable.push([key, value, decodeDenials(reader, key, value)]);
    else {
      isOddKey = true;
      reader.warn(['scopes', key], `${NO_KEY} ${NOTHING_WORKS}`);
    }
  const given = new Map<string, readonly string[]>();
  for (const [key, value] of usable) {
    const whitelist = isJsonObject(value) ? decodeWhitelist(reader, key, value) : [];
    if (whitelist !== undefined) given.set(key, whitelist);
  }
  const keys = [...given.keys()];
  const lists = usable.map<[string, ScopeLists]>(([key, , denials]) => {
    // A key with only deny rules inherits the allow rules of the next wider key.
    const nearest = nearestPattern(keys, key);
    return [key, { whitelist: (nearest === undefined ? undefined : given.get(nearest)) ?? [], ...denials }];
  });
  return isOddKey ? broken(Object.fromEntries(lists), EVERY) : Object.fromEntries(lists);
}

function broken(lists: ScopeSettings['lists'], key: string): ScopeSettings['lists'] {
  const { whitelist = [], blacklist = [] } = lists[key] ?? {};
  return { ...lists, [key]: { whitelist, blacklist, isBroken: true } };
}

function decodeDenials(reader: EntryReader, key: string, value: Json | undefined): Denials {
  let isBroken = false;
  const fail = (path: readonly (string | number)[], problem: string, at?: 'key'): void => {
    isBroken = true;
    const whom = key === EVERY ? 'Everything' : `Everything of "${key}"`;
    reader.warn(['scopes', key, ...path], `${problem} ${whom} is denied until it is corrected.`, at);
  };
  if (!isJsonObject(value)) {
    fail([], 'Must be an object with a "whitelist" and a "blacklist".');
    return { blacklist: [], isBroken };
  }
  for (const member of Object.keys(value))
    // A misspelled key may have been meant to deny.
    if (member !== 'whitelist' && member !== 'blacklist') fail([member], `"${member}" is not known here.`, 'key');
  const blacklist = decodePatterns(value['blacklist'], (path, problem) => fail(['blacklist', ...path], problem)) ?? [];
  return { blacklist, isBroken };
}

function decodeWhitelist(reader: EntryReader, key: string, value: JsonObject): readonly string[] | undefined {
  return decodePatterns(value['whitelist'], (path, problem) =>
    reader.warn(['scopes', key, 'whitelist', ...path], `${problem} Nothing is allowed by it.`),
  );
}

function decodePatterns(
  value: Json | undefined,
  fail: (path: readonly number[], problem: string) => void,
): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (!isJsonArray(value) || value.length > MAX_PATTERNS) {
    fail([], `Must be a list of at most ${MAX_PATTERNS} patterns.`);
    return [];
  }
  const patterns = value.flatMap((item, index) => {
    const problem = typeof item === 'string' ? patternProblem(item) : 'Must be a text.';
    if (typeof item === 'string' && problem === undefined) return [item];
    if (problem !== undefined) fail([index], problem);
    return [];
  });
  return [...new Set(patterns)];
}

/** Returns `undefined` if no adapter can be read. */
function decodeAdapters(reader: EntryReader): ScopeSettings['adapters'] | undefined {
  const entries = limited(reader, 'scopeAdapters', NO_ADAPTERS);
  if (entries === undefined) return undefined;
  return Object.fromEntries(
    entries.map(([tool, value]) => {
      const paths = readPaths(value);
      if (paths === undefined)
        reader.warn(['scopeAdapters', tool], `${NO_ADAPTER} No list allows its calls until it is corrected.`);
      return [tool, paths ?? UNREADABLE_ADAPTER];
    }),
  );
}

function readPaths(value: Json | undefined): readonly string[] | undefined {
  const items = isJsonArray(value) ? value : [value];
  if (items.length > MAX_PATHS) return undefined;
  const paths = items.flatMap((item) =>
    typeof item === 'string' && parseArgumentPath(item) !== undefined ? [item] : [],
  );
  // Skipping an invalid path would hide its targets, so all paths are ignored.
  return paths.length === items.length ? [...new Set(paths)] : undefined;
}

/** The members of an object. Otherwise `undefined`, with a warning. */
function limited(
  reader: EntryReader,
  key: 'scopes' | 'scopeAdapters',
  problem: string,
): readonly (readonly [string, Json | undefined])[] | undefined {
  const value = reader.value(key);
  if (value === undefined) return [];
  const entries = isJsonObject(value) ? Object.entries(value) : undefined;
  if (entries !== undefined && entries.length <= MAX_KEYS) return entries;
  const what = entries === undefined ? problem : `Must have at most ${MAX_KEYS} members.`;
  reader.warn([key], `${what} ${NOTHING_WORKS}`);
  return undefined;
}
