import assert from 'node:assert/strict';
import type { ScopeLists, ScopeSettings } from '../../../../src/core/index.ts';
import { featureSetsNodes } from '../../../../src/editor/featureSets/featureSetNodes.ts';
import { scopesNodes } from '../../../../src/editor/featureSets/scopeSettingNodes.ts';
import type { TreeNode } from '../../../../src/editor/shared/treeNode.ts';
import { mcpl, view } from '../../../support/featureSets.ts';
import { renderTree } from '../../../support/renderTree.ts';
import { running, snapshot } from '../../../support/serverSnapshots.ts';

function lists(whitelist: readonly string[], blacklist: readonly string[] = [], isBroken = false): ScopeLists {
  return { whitelist, blacklist, isBroken };
}

function nodes(scopes: Partial<ScopeSettings>, scoped: readonly string[] = []): readonly TreeNode[] {
  const sets = scoped.map((name) => view(name, { scoped: true }));
  const rest = sets.length === 0 ? {} : { mcpl: mcpl(sets) };
  return scopesNodes(snapshot('files', running(), { scopes: { lists: {}, adapters: {}, ...scopes }, ...rest }));
}

suite('The scopes of a server', () => {
  test('are no row if nothing of it is scoped', () => {
    assert.deepEqual(nodes({}), []);
  });

  test('are what is allowed and denied to each feature set, those without a list, and where tools have their targets', () => {
    assert.equal(
      renderTree(
        nodes(
          {
            lists: {
              'files.*': lists(['/ws/**', '/tmp/**'], ['**/.env']),
              '*': lists([], ['**/secrets/**']),
              'mail.send': lists([]),
            },
            adapters: { edit_file: ['$.path', '$.files[*].path'], ping: [], odd: [''] },
          },
          ['files.edit', 'mail.send'],
        ),
      ),
      `> Scopes (2 allowed · 2 denied) <shield> #scope
  > files.* (2 allowed · 1 denied) <filter> #scope
    /ws/** (allowed) <check> #scope
    /tmp/** (allowed) <check> #scope
    **/.env (denied) <circle-slash> #scope
  > All feature sets (1 denied) <filter> #scope
    **/secrets/** (denied) <circle-slash> #scope
  mail.send (nothing allowed or denied) <filter> #scope
  edit_file (targets at $.path, $.files[*].path) <symbol-parameter> #scope
  ping (touches nothing) <symbol-parameter> #scope
  odd (cannot be read: you are asked) <symbol-parameter> #scope`,
    );
    assert.equal(
      renderTree(nodes({}, ['files.edit'])),
      `> Scopes (nothing allowed or denied) <shield> #scope
  files.edit (no list: you are asked) <question> #scope`,
    );
  });

  test('say loudly that everything is denied where a list cannot be read', () => {
    const [node] = nodes({ lists: { 'files.edit': lists(['/ws/**'], [], true) } });
    assert.equal(
      renderTree(node === undefined ? [] : [node]),
      `v Scopes (1 broken list · 1 allowed) <error> #scope
  v files.edit (everything is denied until it is corrected) <error> #scope
    /ws/** (allowed) <check> #scope`,
    );
    assert.match(node?.children[0]?.tooltip ?? '', /part of its blacklist cannot be read, so everything is denied/);
  });

  test('lead to their setting', () => {
    const [node] = nodes({ lists: { 'a.b': lists(['/x']) }, adapters: { t: ['$.p'] } });
    const [list, adapter] = node?.children ?? [];
    assert.deepEqual(
      [node, list, list?.children[0], adapter].map((each) => [each?.command?.id, each?.setting]),
      [
        ['mcpl.server.openSettings', { scope: undefined, path: ['files', 'scopes'] }],
        ['mcpl.server.openSettings', { scope: undefined, path: ['files', 'scopes', 'a.b'] }],
        ['mcpl.server.openSettings', { scope: undefined, path: ['files', 'scopes', 'a.b', 'whitelist'] }],
        ['mcpl.server.openSettings', { scope: undefined, path: ['files', 'scopeAdapters', 't'] }],
      ],
    );
  });

  test('have ids of their own and say what icons show, however odd and many the patterns are', () => {
    const odd = ['/x', '/x', 'a\n\u202Eb'];
    const [node] = nodes({
      lists: { 'a b': lists(odd, odd), c: lists(Array.from({ length: 300 }, (_, i) => `/${i}`)) },
    });
    const flat = (node?.children ?? []).flatMap((each) => [each, ...each.children]);
    assert.equal(new Set(flat.map(({ id }) => id)).size, flat.length);
    assert.deepEqual(
      flat.slice(0, 7).map(({ spoken }) => spoken),
      [
        'Scopes of "a b", 3 allowed · 3 denied',
        '/x, allowed to "a b"',
        '/x, allowed to "a b"',
        'a‹U+000A›‹U+202E›b, allowed to "a b"',
        '/x, denied to "a b"',
        '/x, denied to "a b"',
        'a‹U+000A›‹U+202E›b, denied to "a b"',
      ],
    );
    assert.equal(flat.at(-1)?.label, '100 more in the settings');
  });
});

suite('A scoped feature set', () => {
  test('is marked as such', () => {
    const server = snapshot('files', running(), { mcpl: mcpl([view('edit', { scoped: true, uses: ['tools'] })]) });
    const [node] = featureSetsNodes(server);
    assert.equal(node?.children[0]?.description, 'scoped · tools');
    assert.match(
      node?.children[0]?.tooltip ?? '',
      /\nScoped: the scope lists in the settings allow or deny the targets/,
    );
  });
});
