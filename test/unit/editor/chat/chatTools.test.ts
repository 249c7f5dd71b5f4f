import assert from 'node:assert/strict';
import type { ServerSnapshot } from '../../../../src/core/index.ts';
import { chooseTools, isAsAnnounced } from '../../../../src/editor/chat/chatTools.ts';
import { running, snapshot, tool } from '../../../support/serverSnapshots.ts';

const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };

function choice(
  servers: readonly ServerSnapshot[],
  attached: readonly string[],
  ofEditor: readonly string[],
): readonly string[] {
  const editorTools = ofEditor.map((name) => ({
    name,
    description: 'Adds.',
    inputSchema,
    tags: [],
  }));
  const { tools, missing } = chooseTools({ servers: () => servers }, attached, editorTools);
  const chosen = [...tools].map(([name, each]) =>
    each.kind === 'attached' ? `${name} of the editor` : `${name} of ${each.target.server}`,
  );
  return [...chosen, ...missing.map((name) => `${name} is missing`)];
}

suite('The tools of a turn', () => {
  const add = tool('add', {
    description: 'Adds.',
    inputSchema,
    raw: { name: 'add', description: 'Adds.', inputSchema },
  });
  const files = snapshot('files', running(), { tools: [add] });
  const other = snapshot('other', running(), { tools: [add] });

  test('keep an attached tool though a server has a tool with the same name and schema', () => {
    assert.deepEqual(choice([files, other], ['mcp_files_add'], ['mcp_files_add']), [
      'mcp_files_add of the editor',
      'files_add of files',
      'other_add of other',
    ]);
  });

  test('never put a tool of a server under the name of an attached one, there or gone, or of any other of the editor', () => {
    const mcp = snapshot('mcp_files', running(), { tools: [add] });
    const [there, ours, ...none] = choice([mcp], ['mcp_files_add'], ['mcp_files_add']);
    assert.deepEqual([there, none], ['mcp_files_add of the editor', []]);
    assert.match(ours ?? '', /^mcp_files_add_[0-9a-f]{8} of mcp_files$/);
    assert.deepEqual(choice([mcp], ['mcp_files_add'], []), [ours, 'mcp_files_add is missing']);
    assert.deepEqual(choice([mcp], [], ['mcp_files_add']), [ours]);
    assert.deepEqual(choice([mcp], [], []), ['mcp_files_add of mcp_files']);
  });

  test('refuse an attached tool whose definition changed before it runs', () => {
    const now = { name: 'add', description: 'Adds.', inputSchema, tags: [] };
    const attached = chooseTools({ servers: () => [] }, ['add'], [now]).tools.get('add');
    assert.ok(attached !== undefined);
    const other = { type: 'object', properties: { text: { type: 'number' } } };
    assert.deepEqual(
      {
        same: isAsAnnounced(attached.definition, { ...now }),
        'in another order': isAsAnnounced(attached.definition, {
          ...now,
          inputSchema: { properties: { text: { type: 'string' } }, type: 'object' },
        }),
        'with other tags': isAsAnnounced(attached.definition, { ...now, tags: ['new'] }),
        description: isAsAnnounced(attached.definition, { ...now, description: 'Deletes.' }),
        schema: isAsAnnounced(attached.definition, { ...now, inputSchema: other }),
        'without a schema': isAsAnnounced(attached.definition, { ...now, inputSchema: undefined }),
        gone: isAsAnnounced(attached.definition, undefined),
      },
      {
        same: true,
        'in another order': true,
        'with other tags': true,
        description: false,
        schema: false,
        'without a schema': false,
        gone: false,
      },
    );
  });

  test('are not those that are for apps only, or whose feature set is off', () => {
    const apps = snapshot('files', running(), {
      tools: [
        { ...tool('apps', { offered: false }), forApps: true },
        { ...tool('off', { offered: false }), setOff: 'memory' },
        tool('add'),
      ],
    });
    assert.deepEqual(choice([apps], [], []), ['files_add of files']);
  });
});
