import assert from 'node:assert/strict';
import type { OfferedTool, ServerSnapshot } from '../../../../src/core/index.ts';
import { serverTree } from '../../../../src/editor/servers/serverTreeNodes.ts';
import type { TreeNode } from '../../../../src/editor/shared/treeNode.ts';
import { running, snapshot } from '../../../support/serverSnapshots.ts';

suite('Long lists in the Servers view', () => {
  let described: number;

  const tool = (index: number): OfferedTool => ({
    tool: {
      name: `tool-${index}`,
      title: undefined,
      get description() {
        described++;
        return 'Does something.';
      },
      inputSchema: {},
      outputSchema: undefined,
      icons: [],
      taskSupport: 'forbidden',
      headerParams: [],
      hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
      raw: {},
    },
    offered: true,
    autoApproved: false,
  });

  const about = { title: undefined, description: undefined, icons: [], raw: {} };
  const offers = (count: number): Partial<ServerSnapshot> => ({
    tools: Array.from({ length: count }, (_, i) => tool(i + 1)),
    prompts: Array.from({ length: count }, (_, i) => ({ name: `prompt-${i + 1}`, arguments: [], ...about })),
  });

  const rowsOf = (count: number, label: string): TreeNode | undefined => {
    const [server] = serverTree([snapshot('s', running(), offers(count))], []);
    return server?.children.find((node) => node.label === label);
  };

  setup(() => (described = 0));

  test('have no rows before they are expanded', () => {
    const tools = rowsOf(10_000, 'Tools');
    assert.deepEqual([tools?.description, described], ['10000', 0]);
    const first = tools?.children[0]?.children;
    // Twice each: rows of the first part, and the first and last row of all parts, whose names are shown.
    assert.equal(described <= 2 * 540, true, `${described} were looked at`);
    assert.equal(first, tools?.children[0]?.children, 'made again');
  });

  test('are cut into parts of five hundred, each with its range and its names', () => {
    for (const [label, name] of [
      ['Tools', 'tool'],
      ['Prompts', 'prompt'],
    ]) {
      const parts = rowsOf(1_100, label ?? '')?.children ?? [];
      assert.deepEqual(
        parts.map((part) => `${part.label} ${part.description} (${part.children.length}), ${part.expansion}`),
        [
          `1 – 500 ${name}-1 … ${name}-500 (500), collapsed`,
          `501 – 1000 ${name}-501 … ${name}-1000 (500), collapsed`,
          `1001 – 1100 ${name}-1001 … ${name}-1100 (100), collapsed`,
        ],
      );
      assert.equal(new Set(parts.flatMap(({ id, children }) => [id, ...children.map((row) => row.id)])).size, 1_103);
      assert.equal(parts[1]?.spoken, `${label} 501 to 1000, ${name}-501 to ${name}-1000`);
    }
  });

  test('of five hundred stay as they are', () => {
    assert.equal(rowsOf(500, 'Tools')?.children.length, 500);
  });
});
