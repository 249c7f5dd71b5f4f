import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { Resource, ResourceTemplate } from '../../../src/core/model/catalog.ts';
import {
  type ListedOffer,
  namedSets,
  namesFile,
  setOffOf,
  setOffOfUri,
  setOfUri,
} from '../../../src/core/policy/offerSets.ts';
import { mcpl, view } from '../../support/featureSets.ts';

const declared = mcpl([
  view('on', { state: 'enabled' }),
  view('off', { state: 'disabled' }),
  view('other', { state: 'enabled' }),
]);

/** Resources and templates by URI, each with the set that it names, in the order of their list. */
function offerOf(items: readonly (readonly [uri: string, set: string])[]): ListedOffer {
  const common = {
    name: 'n',
    title: undefined,
    description: undefined,
    mimeType: undefined,
    annotations: { audience: [], priority: undefined, lastModified: undefined },
    icons: [],
  };
  const resources: Resource[] = [];
  const templates: ResourceTemplate[] = [];
  for (const [uri, set] of items) {
    const raw: JsonObject = set === '' ? {} : { _meta: { featureSet: set } };
    if (uri.includes('{')) templates.push({ ...common, uriTemplate: uri, raw });
    else resources.push({ ...common, uri, size: undefined, raw });
  }
  return { resources, templates };
}

suite('The feature sets of resources and templates', () => {
  test('come from every place that servers use, each once', () => {
    const table: readonly (readonly [JsonObject, string])[] = [
      [{}, ''],
      [{ _meta: { featureSet: 'a' } }, 'a'],
      [{ _meta: { 'mcpl/featureSet': 'a' } }, 'a'],
      [{ featureSet: 'a' }, 'a'],
      [{ _meta: { featureSet: 'a', 'mcpl/featureSet': 'b' }, featureSet: 'c' }, 'a b c'],
      [{ _meta: { featureSet: 'a', 'mcpl/featureSet': 'a' }, featureSet: 'a' }, 'a'],
      [{ _meta: { featureSet: '', 'mcpl/featureSet': 7 }, featureSet: null }, ''],
      [{ _meta: 'a' }, ''],
      [{ _meta: ['a'] }, ''],
    ];
    assert.deepEqual(
      table.map(([raw]) => namedSets(raw).join(' ')),
      table.map(([, names]) => names),
    );
  });

  test('keep an item off unless all of them are declared and on', () => {
    const off = (raw: JsonObject, snapshot: typeof declared | undefined = declared): string =>
      setOffOf({ raw }, snapshot) ?? '-';
    assert.deepEqual(
      {
        none: off({}),
        on: off({ featureSet: 'on' }),
        off: off({ featureSet: 'off' }),
        undeclared: off({ featureSet: 'gone' }),
        'on and off': off({ _meta: { featureSet: 'on' }, featureSet: 'off' }),
        'on twice': off({ _meta: { featureSet: 'on' }, featureSet: 'other' }),
        'a server without MCPL': setOffOf({ raw: { featureSet: 'off' } }, undefined) ?? '-',
        'a server without sets': off({ featureSet: 'off' }, mcpl([])),
      },
      {
        none: '-',
        on: '-',
        off: 'off',
        undeclared: 'gone',
        'on and off': 'off',
        'on twice': '-',
        'a server without MCPL': '-',
        'a server without sets': '-',
      },
    );
  });
});

suite('The feature set of a URI', () => {
  const offer = offerOf([
    ['note://Free', ''],
    ['note://open/a', 'on'],
    ['note://shut/a', 'off'],
    ['note://mixed', 'on'],
    ['note://Mixed/', 'off'],
    ['log://shut/{day}', 'off'],
    ['log://open/{day}', 'on'],
    ['log://shut/today', 'on'],
    ['x://{a}/mid/{b}/end', 'off'],
  ]);

  test('is found under any spelling of a listed one, and under all that a template may expand to', () => {
    const table = `
      note://Free | - | -
      note://open/a | - | on
      note://shut/a | off | off
      NOTE://SHUT/A | off | off
      note://shut/a/ | off | off
      note://shut/a// | off | off
      note://shut/%61 | off | off
      note://shut%2Fa | off | off
      \u00a0note://shut/a | off | off
      note://shut/a/b | - | -
      note://shut/%ff | - | -
      note://mixed | off | on
      log://shut/today | - | on
      log://shut/TODAY | off | on
      log://shut/yesterday | off | off
      LOG://%73hut/yesterday | off | off
      \u00a0log://shut/yesterday | off | off
      log://shut/ | off | off
      log://open/yesterday | - | on
      y/log://shut/yesterday | - | -
      x://1/mid/2/end | off | off
      x://1/mid/end | - | -
      x://1/end/2/mid | - | -
      x://mid/end | - | -
      x:///mid//end | off | off
      x://1/mid/2 | - | -
    `;
    const lines = table
      .trim()
      .split('\n')
      .map((line) => line.replace(/^ +/, ''));
    const told = lines.map((line) => {
      const uri = line.split(' | ')[0] ?? '';
      return `${uri} | ${setOffOfUri(uri, offer, declared) ?? '-'} | ${setOfUri(uri, offer) ?? '-'}`;
    });
    assert.deepEqual(told, lines);
  });

  test('is off where any template that may expand to it is, in any order', () => {
    const of = (sets: readonly string[]): string => {
      const items = sets.map((set, index) => [`a://{x}${index === 0 ? '' : '/z'}`, set] as const);
      return `${setOffOfUri('a://1/z', offerOf(items), declared) ?? '-'} ${setOfUri('a://1/z', offerOf(items)) ?? '-'}`;
    };
    assert.deepEqual(
      [of(['on', 'off']), of(['off', 'on']), of(['', 'gone']), of(['on', 'other'])],
      ['off on', 'off off', 'gone -', '- on'],
    );
  });

  test('of an odd template is found without an error', () => {
    const odd = offerOf([['{+any}', 'off']]);
    assert.deepEqual(
      ['', 'a', 'note://x'].map((uri) => [uri, setOffOfUri(uri, odd, declared), setOffOfUri(uri, odd, undefined)]),
      [
        ['', 'off', undefined],
        ['a', 'off', undefined],
        ['note://x', 'off', undefined],
      ],
    );
  });
});

suite('A URI names a file', () => {
  test('with "file:" anywhere in it, or without a scheme', () => {
    const table = {
      'file:///etc/passwd': true,
      'FILE:/etc/passwd': true,
      'fi%6ce:///etc/passwd': true,
      ' file:///etc/passwd': true,
      'git+file:///repo': true,
      'view://x?u=file:///etc': true,
      '/etc/passwd': true,
      'src/a.ts': true,
      'c:\\secrets': true,
      'C:/secrets': true,
      '': true,
      'https://example.com/profile:1': false,
      'note://a': false,
      ' note://a': false,
      'x-1.y+z:a': false,
      'NOTE:a': false,
      '1x:a': true,
      ':a': true,
      'a b:c': true,
    };
    assert.deepEqual(Object.fromEntries(Object.keys(table).map((uri) => [uri, namesFile(uri)])), table);
  });
});
