import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import type { Resource, ResourceTemplate } from '../../../../src/core/model/catalog.ts';
import {
  type ListedOffer,
  namedSets,
  namesFileUri,
  setOffOf,
  setOffOfUri,
  setOfUri,
} from '../../../../src/core/mcpl/offerSets.ts';
import { dose } from '../../../support/dose.ts';
import { mcpl, view } from '../../../support/featureSets.ts';

const declared = mcpl([
  view('on', { state: 'enabled' }),
  view('off', { state: 'disabled' }),
  view('other', { state: 'enabled' }),
]);

/** Resources and templates by URI, each with its set, in list order. */
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

  test('keep an item off although the server withdrew its only set', () => {
    const item = { raw: { _meta: { featureSet: 'b' } } };
    const { set } = view('b');
    assert.equal(setOffOf(item, mcpl([])), undefined);
    assert.equal(setOffOf(item, { ...mcpl([]), withdrawn: [set] }), 'b');
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

/** Spellings of a text that a lenient URI parser reads equally: one choice per character. */
const choices = fc.array(fc.nat(11), { minLength: 8, maxLength: 24 });

function respelled(text: string, chosen: readonly number[]): string {
  return Array.from(text, (character, index) => {
    const choice = chosen[index % chosen.length] ?? 0;
    const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
    if (choice === 1) return character.toUpperCase();
    if (choice === 2) return `%${hex.toUpperCase()}`;
    if (choice === 3) return `%25${hex}`;
    if (choice === 4) return `%25%32%35${hex}`;
    if (choice === 5) return `${character}\t`;
    if (choice === 6) return `\n${character}`;
    if (choice === 7) return `%${hex}%0d`;
    if (character !== '/' || index < text.indexOf('//') + 2) return character;
    return ['/', '/./', '//', '/x/../', '\\', '/%2e/', '/%2E./', '/x/%2e%2e/'][choice % 8] ?? '/';
  }).join('');
}

const endings = fc.constantFrom('', '/', '//', '/.', '#top', '/#', ' ', '%20', '\u0000');

suite('A spelling of a URI', () => {
  const offer = offerOf([
    ['memo://notes/one/two', 'off'],
    ['memo://open/{id}', 'on'],
    ['log://shut/days/{day}', 'off'],
  ]);

  test('does not free a resource of a set that is off, nor a template of it', () => {
    fc.assert(
      fc.property(choices, endings, fc.stringMatching(/^[a-z0-9]{1,8}$/), (chosen, ending, day) => {
        const listed = respelled('memo://notes/one/two', chosen) + ending;
        const expanded = respelled(`log://shut/days/${day}`, chosen) + ending;
        assert.deepEqual(
          [setOffOfUri(listed, offer, declared), setOffOfUri(expanded, offer, declared)],
          ['off', 'off'],
        );
        assert.equal(setOfUri(listed, offer), 'off');
      }),
      { numRuns: dose(5_000, 100_000) },
    );
  });

  test('of another resource is not refused', () => {
    fc.assert(
      fc.property(choices, fc.stringMatching(/^[a-z0-9]{1,8}$/), (chosen, name) => {
        fc.pre(name !== 'x');
        for (const uri of [`memo://open/${name}`, `memo://notes/one/two/${name}`, `memo://notes/${name}`])
          assert.equal(setOffOfUri(respelled(uri, chosen), offer, declared), undefined);
      }),
      { numRuns: dose(5_000, 100_000) },
    );
  });

  test('leaves a file: URI one', () => {
    fc.assert(
      fc.property(choices, endings, fc.constantFrom('', 'git+', 'view://x?u='), (chosen, ending, before) => {
        assert.equal(namesFileUri(before + respelled('file:///ws/secrets/key', chosen) + ending), true);
      }),
      { numRuns: dose(5_000, 100_000) },
    );
  });

  test('are those of one URI if it has no scheme', () => {
    const plain = offerOf([['notes/one', 'off']]);
    assert.deepEqual(
      ['notes/one', 'NOTES//one', 'notes/two', 'x'].map((uri) => setOfUri(uri, plain)),
      ['off', 'off', undefined, undefined],
    );
  });

  test('may take the authority for a segment of the path, or not', () => {
    const spelled = ['memo://notes/../notes/one/two', 'memo://notes/../one/two', 'memo://other/../notes/one/two'];
    assert.deepEqual(
      spelled.map((uri) => setOffOfUri(uri, offer, declared)),
      ['off', 'off', 'off'],
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
    assert.deepEqual(Object.fromEntries(Object.keys(table).map((uri) => [uri, namesFileUri(uri)])), table);
    assert.equal(namesFileUri('folder/name:x'), true, 'a colon later on is no scheme');
  });
});
