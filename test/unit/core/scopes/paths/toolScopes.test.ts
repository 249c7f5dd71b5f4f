import assert from 'node:assert/strict';
import type { ScopeLists } from '../../../../../src/core/model/scope.ts';
import { listsFor, scopeOfOffer, scopeOfTool } from '../../../../../src/core/scopes/paths/toolScopes.ts';
import { mcpl, view } from '../../../../support/featureSets.ts';

const lists = (whitelist: readonly string[], blacklist: readonly string[] = [], isBroken = false): ScopeLists => ({
  whitelist,
  blacklist,
  isBroken,
});
const NO_LISTS = { lists: {}, adapters: {} };

suite('A tool', () => {
  const scoped = mcpl([view('files', { scoped: true, tools: ['edit'] }), view('notes', { tools: ['note'] })]);

  test('of a set that is declared as scoped is scoped, whatever settings say', () => {
    assert.deepEqual(scopeOfTool({ mcpl: scoped, scopes: NO_LISTS }, 'edit'), {
      featureSet: 'files',
      adapter: undefined,
    });
  });

  test('of another set is not, unless settings have lists for it', () => {
    const of = (key: string): unknown =>
      scopeOfTool({ mcpl: scoped, scopes: { lists: { [key]: lists([]) }, adapters: {} } }, 'note');
    assert.deepEqual(
      ['files', 'notes', 'notes.*', '*'].map((key) => of(key) !== undefined),
      [false, true, false, true],
    );
  });

  test('that belongs to no set is scoped as soon as anything of its server is', () => {
    const stray = { featureSet: undefined, adapter: undefined };
    assert.deepEqual(scopeOfTool({ mcpl: scoped, scopes: NO_LISTS }, 'stray'), stray);
    const withLists = { lists: { files: lists([]) }, adapters: {} };
    assert.deepEqual(scopeOfTool({ mcpl: undefined, scopes: withLists }, 'stray'), stray);
    assert.equal(scopeOfTool({ mcpl: undefined, scopes: NO_LISTS }, 'stray'), undefined);
    assert.equal(scopeOfTool({ mcpl: mcpl([view('notes')]), scopes: NO_LISTS }, 'stray'), undefined);
  });

  test('is as its adapter says: it touches this, or nothing at all', () => {
    const scopes = { lists: { '*': lists([]) }, adapters: { edit: ['$.path'], note: [] } };
    assert.deepEqual(scopeOfTool({ mcpl: scoped, scopes }, 'edit'), { featureSet: 'files', adapter: ['$.path'] });
    assert.equal(scopeOfTool({ mcpl: scoped, scopes }, 'note'), undefined);
  });

  test('called like a member of every object has no adapter by that', () => {
    const scopes = { lists: { '*': lists([]) }, adapters: {} };
    assert.deepEqual(scopeOfTool({ mcpl: undefined, scopes }, 'constructor'), {
      featureSet: undefined,
      adapter: undefined,
    });
  });
});

suite('A resource or a prompt', () => {
  test('is scoped like a tool of the set that it names, and like a tool of no set otherwise', () => {
    const plain = mcpl([view('notes'), view('chat')]);
    const mixed = mcpl([view('notes'), view('files', { scoped: true })]);
    const of = (snapshot: typeof plain | undefined, keys: readonly string[], featureSet?: string): string => {
      const scopes = { lists: Object.fromEntries(keys.map((key) => [key, lists([])])), adapters: { x: ['$.path'] } };
      const scope = scopeOfOffer({ mcpl: snapshot, scopes }, featureSet);
      return scope === undefined ? '-' : `${scope.featureSet ?? 'any'} ${scope.adapter?.join(' ') ?? ''}`.trim();
    };
    assert.deepEqual(
      {
        'no MCPL': [of(undefined, []), of(undefined, ['a']), of(undefined, [], 'notes')],
        'nothing scoped': [of(plain, []), of(plain, [], 'notes'), of(plain, [], 'gone')],
        'another set has lists': [of(plain, ['chat']), of(plain, ['chat'], 'notes'), of(plain, ['chat'], 'gone')],
        'its set has lists': [
          of(plain, ['notes'], 'notes'),
          of(plain, ['*'], 'notes'),
          of(plain, ['notes.*'], 'notes'),
        ],
        'another set is scoped': [of(mixed, []), of(mixed, [], 'notes'), of(mixed, [], 'gone')],
        'its set is scoped': [of(mixed, [], 'files'), of(mixed, ['notes'], 'files')],
      },
      {
        'no MCPL': ['-', 'any', '-'],
        'nothing scoped': ['-', '-', '-'],
        'another set has lists': ['any', '-', 'any'],
        'its set has lists': ['notes', 'notes', '-'],
        'another set is scoped': ['any', '-', 'any'],
        'its set is scoped': ['files', 'files'],
      },
    );
  });
});

suite('The lists of a set', () => {
  const all = {
    '*': lists(['/a/**'], ['**/.env']),
    'files.*': lists(['/b/**'], ['**/secrets/**']),
    'files.edit': lists(['/c/**'], ['**/.env', '/c/x']),
    notes: lists(['/d/**'], ['/d/x'], true),
  };

  test('are the whitelist of the nearest key, and the blacklists of all that fit', () => {
    assert.deepEqual(listsFor({ lists: all }, 'files.edit'), lists(['/c/**'], ['**/.env', '**/secrets/**', '/c/x']));
    assert.deepEqual(listsFor({ lists: all }, 'files.read'), lists(['/b/**'], ['**/.env', '**/secrets/**']));
    assert.deepEqual(listsFor({ lists: all }, 'other'), lists(['/a/**'], ['**/.env']));
  });

  test('deny all where one that fits cannot be read', () => {
    assert.equal(listsFor({ lists: all }, 'notes').isBroken, true);
  });

  test('of a tool that belongs to no set deny whatever any of them denies', () => {
    assert.deepEqual(
      listsFor({ lists: all }, undefined),
      lists(['/a/**'], ['**/.env', '**/secrets/**', '/c/x', '/d/x'], true),
    );
  });

  test('are empty where settings say nothing', () => {
    assert.deepEqual(listsFor({ lists: {} }, 'files'), lists([]));
    assert.deepEqual(listsFor({ lists: {} }, 'constructor'), lists([]));
  });
});
