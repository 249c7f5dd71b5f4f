import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { type ServerLayers, withFeatureSets, withPushPolicy } from '../../../../src/cli/control/entryChanges.ts';
import { type Json, isChosen } from '../../../../src/core/index.ts';
import { decodeSettings } from '../../../../src/core/session/serverSettings.ts';

const DECLARED = ['a', 'a.b', 'c'];

function toggled(servers: Json | undefined, workspaceServers: Json | undefined, names: readonly string[], on: boolean) {
  return withFeatureSets({ servers, workspaceServers }, 'notes', DECLARED, { names, on });
}

suite('A driver’s choice is written', () => {
  test('into the user’s entry, of which nothing else changes', () => {
    const servers = { first: { command: 'x' }, notes: { command: 'y', featureSets: { later: 1 }, env: { A: '1' } } };
    assert.deepEqual(toggled(servers, { other: {} }, ['a'], true), {
      servers: {
        first: { command: 'x' },
        notes: { command: 'y', featureSets: { later: 1, enabled: ['a'] }, env: { A: '1' } },
      },
    });
    assert.deepEqual(withPushPolicy({ servers, workspaceServers: undefined }, 'notes', 'a', 'inbox'), {
      servers: { ...servers, notes: { ...servers.notes, push: { a: 'inbox' } } },
    });
  });

  test('into the workspace’s entry if that takes precedence or is the only one', () => {
    const own = { notes: { command: 'y', push: { c: 'infer' } } };
    const theirs = { notes: { featureSets: { enabled: ['a'] }, push: { a: 'ignore' } } };
    assert.deepEqual(toggled(own, theirs, ['c'], true), {
      workspaceServers: { notes: { featureSets: { enabled: ['a', 'c'] }, push: { a: 'ignore' } } },
    });
    const layers: ServerLayers = { servers: own, workspaceServers: theirs };
    assert.deepEqual(withPushPolicy(layers, 'notes', 'a', 'notify'), {
      workspaceServers: { notes: { featureSets: { enabled: ['a'] }, push: { a: 'notify' } } },
    });
    assert.deepEqual(withPushPolicy(layers, 'notes', 'a.b', 'notify'), {
      servers: { notes: { command: 'y', push: { c: 'infer', 'a.b': 'notify' } } },
    });
    assert.deepEqual(toggled(undefined, { notes: { command: 'z' } }, ['a'], true), {
      workspaceServers: { notes: { command: 'z', featureSets: { enabled: ['a'] } } },
    });
  });

  test('from the lists that are in force, each of the layer that gives it', () => {
    const own = { notes: { featureSets: { enabled: ['*'], disabled: ['c'] } } };
    const theirs = { notes: { featureSets: { enabled: ['a.*'] } } };
    assert.deepEqual(toggled(own, theirs, ['a.b'], false), {
      workspaceServers: { notes: { featureSets: { enabled: ['a.*'], disabled: ['c', 'a.b'] } } },
    });
  });

  test('never with what only the workspace said, as if the user had said it', () => {
    const entry = { enabled: true, command: 'y' };
    const theirs = { notes: { hooks: { order: 1 }, push: { '*': 'infer' } } };
    const layers: ServerLayers = { servers: { notes: entry }, workspaceServers: theirs };
    assert.deepEqual(withPushPolicy(layers, 'notes', 'a', 'inbox'), {
      servers: { notes: { ...entry, push: { a: 'inbox' } } },
    });
    assert.deepEqual(toggled({ notes: entry }, { notes: { featureSets: { enabled: ['*'] } } }, ['a'], false), {
      workspaceServers: { notes: { featureSets: { enabled: ['*'], disabled: ['a'] } } },
    });
  });

  test('also if there is no entry, or no usable one', () => {
    for (const nothing of [
      undefined,
      null,
      5,
      [],
      { notes: 'x' },
      { notes: { featureSets: ['a'], push: 1 } },
    ] as const) {
      const { servers } = toggled(nothing, undefined, ['a'], true);
      const { enabled } = Reflect.get(Reflect.get(servers as object, 'notes') as object, 'featureSets') as {
        enabled: unknown;
      };
      assert.deepEqual(enabled, ['a']);
    }
    const odd = withPushPolicy({ servers: {}, workspaceServers: undefined }, 'constructor', '__proto__', 'inbox');
    assert.equal(JSON.stringify(odd), '{"servers":{"constructor":{"push":{"__proto__":"inbox"}}}}');
  });

  test('so that afterwards exactly those sets are as wanted, whatever the layers said before', () => {
    const pattern = fc.constantFrom('a', 'a.b', 'a.*', 'c', '*');
    const lists = fc.record({ enabled: fc.array(pattern), disabled: fc.array(pattern) }, { requiredKeys: [] });
    const entry = fc.record({ featureSets: lists, env: fc.constant({ A: '1' }) }, { requiredKeys: [] });
    const property = fc.property(
      entry,
      fc.option(entry, { nil: undefined }),
      fc.subarray(DECLARED),
      fc.boolean(),
      (own, theirs, names, on) => {
        const layers: ServerLayers = {
          servers: { notes: { command: 'y', ...own } },
          workspaceServers: theirs && { notes: theirs },
        };
        const change = withFeatureSets(layers, 'notes', DECLARED, { names, on });
        const before = chosen(layers);
        const after = chosen({ ...layers, ...change });
        assert.deepEqual(
          after,
          DECLARED.filter((name) => (names.includes(name) ? on : before.includes(name))),
        );
        assert.equal(Object.keys(change).length, 1);
      },
    );
    fc.assert(property, { numRuns: 200 });
  });
});

/** The declared sets that these layers enable, as the host reads them. */
function chosen({ servers, workspaceServers }: ServerLayers): readonly string[] {
  const { entries } = decodeSettings([
    { scope: 'user', servers },
    { scope: 'workspace', servers: workspaceServers },
  ]);
  const settings = entries[0]?.definition?.mcpl.featureSets;
  assert.ok(settings !== undefined);
  return DECLARED.filter((name) => isChosen(settings, name));
}
