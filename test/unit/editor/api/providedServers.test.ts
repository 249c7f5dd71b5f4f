import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isJsonObject } from '../../../../src/core/base/json.ts';
import { decodeSettings } from '../../../../src/core/session/serverSettings.ts';
import { failedLayer, providedLayer } from '../../../../src/editor/api/providedServers.ts';

const ACME = { id: 'acme.tools', name: 'Acme' };
const problemsOf = (given: unknown): readonly string[] => providedLayer(given, ACME).contributed?.problems ?? [];

suite('What a provider of servers gives', () => {
  test('is a layer of the settings with labels for users', () => {
    const given = [{ id: 'db', label: 'Acme\nDatabase', definition: { command: 'node', args: ['a'] }, more: 1 }];
    assert.deepEqual(providedLayer(given, ACME), {
      scope: 'extension',
      servers: { db: { command: 'node', args: ['a'] } },
      contributed: { by: ACME, labels: { db: 'Acme Database' }, problems: [] },
    });
  });

  test('is looked at item by item: what is wrong with one says so, and the others count', () => {
    const throws = {
      get id(): string {
        throw new Error('no id today');
      },
    };
    const long = { id: 'long', definition: { command: 'x'.repeat(300_000) } };
    const given = [
      { id: 'db', definition: {} },
      7,
      null,
      [],
      { id: 'db', definition: {} },
      { id: 3 },
      { id: 'x' },
      throws,
      long,
    ];
    assert.deepEqual(problemsOf(given), [
      '"Acme": its server number 2 is no object.',
      '"Acme": its server number 3 is no object.',
      '"Acme": its server number 4 is no object.',
      '"Acme" contributes two servers "db".',
      '"Acme": its server number 6 has no id.',
      '"Acme": its server number 7 has no definition, such as { command: "node" }.',
      '"Acme": its server number 8 cannot be read: no id today.',
      '"Acme": its server number 9 has a definition that is too long.',
    ]);
    assert.deepEqual(Object.keys(Object(providedLayer(given, ACME).servers) as object), ['db']);
    assert.deepEqual(problemsOf(undefined), ['"Acme" contributes servers that are no list.']);
  });

  test('is bounded in number', () => {
    const many = Array.from({ length: 60 }, (_, n) => ({ id: `s${n}`, definition: { command: 'x' } }));
    const { servers, contributed } = providedLayer(many, ACME);
    assert.equal(Object.keys(Object(servers) as object).length, 50);
    assert.deepEqual(contributed?.problems, ['"Acme" contributes more than 50 servers: only the first count.']);
  });

  test('is kept when it cannot be asked for again', () => {
    const before = providedLayer([{ id: 'db', label: 'L', definition: { command: 'x' } }], ACME);
    const after = failedLayer(before, ACME, 'no\nnetwork');
    assert.deepEqual(
      [after.servers, after.contributed?.labels, after.contributed?.problems],
      [{ db: { command: 'x' } }, { db: 'L' }, ['"Acme" could not tell its servers: no network']],
    );
    assert.deepEqual(failedLayer(undefined, ACME, 'x').servers, {});
  });

  test('whatever it is, neither throws nor comes without its contributor', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withSparseArray: true, withNullPrototype: true }), (given) => {
        for (const tried of [given, [given], [{ id: 'a', definition: given }]]) {
          const layer = providedLayer(tried, ACME);
          assert.equal(layer.scope, 'extension');
          assert.ok(isJsonObject(layer.servers));
          for (const entry of decodeSettings([layer]).entries) assert.equal(entry.contributor, ACME);
        }
      }),
    );
  });
});
