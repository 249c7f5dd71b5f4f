import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { bestOf, decodeInitialize, offeredVersions } from '../../../../src/core/wire/handshake.ts';
import { decodeProgress, decodeToolPage } from '../../../../src/core/wire/tools.ts';

suite('The answer to initialize', () => {
  test('is read with all revisions that are opened this way, and with little else than a version', () => {
    const versions = ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
    for (const protocolVersion of versions)
      assert.deepEqual(decodeInitialize({ protocolVersion }), {
        kind: 'ok',
        handshake: {
          era: 'legacy',
          isDialect: false,
          roundTripMs: 0,
          protocolVersion,
          capabilities: {},
          info: { name: '', title: undefined, version: '', instructions: undefined },
        },
      });
  });

  test('of any other format or version is recognized', () => {
    const kinds = [{ protocolVersion: '1999-01-01' }, { protocolVersion: '2026-07-28' }, {}, [], null, 'x', 7].map(
      (result) => {
        const outcome = decodeInitialize(result as Json);
        return outcome.kind === 'invalid' ? outcome.message : outcome.kind;
      },
    );
    assert.deepEqual(kinds, [
      'unsupported',
      'unsupported',
      'its answer to "initialize" names no protocolVersion',
      'its answer to "initialize" is not an object',
      'its answer to "initialize" is not an object',
      'its answer to "initialize" is not an object',
      'its answer to "initialize" is not an object',
    ]);
  });

  test('as an error may offer versions, of which the newest known is taken', () => {
    assert.deepEqual(offeredVersions({ supported: ['2024-11-05', 3, '2099-01-01'] }), ['2024-11-05', '2099-01-01']);
    assert.deepEqual(offeredVersions('nothing'), []);
    assert.equal(bestOf(['2024-11-05', '2025-03-26', '2099-01-01']), '2025-03-26');
    assert.equal(bestOf(['2099-01-01']), undefined);
  });
});

suite('A page of tools', () => {
  const plain = { outputSchema: undefined, icons: [], taskSupport: 'forbidden', headerParams: [] };

  test('keeps what can be used and says what was left out', () => {
    const page = decodeToolPage({
      tools: [
        {
          name: 'a',
          description: 'A',
          inputSchema: { type: 'object' },
          annotations: { readOnlyHint: true, title: 'T' },
        },
        { name: 'b', input_schema: { type: 'object', x: 1 }, title: 7 },
        { name: '' },
        'nonsense',
        { name: 'x'.repeat(300) },
      ],
      nextCursor: 'more',
    });
    assert.deepEqual(
      page.tools.map(({ raw: _raw, ...rest }) => rest),
      [
        {
          name: 'a',
          title: 'T',
          description: 'A',
          inputSchema: { type: 'object' },
          ...plain,
          hints: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
        },
        {
          name: 'b',
          title: undefined,
          description: undefined,
          inputSchema: { type: 'object', x: 1 },
          ...plain,
          hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
        },
      ],
    );
    assert.deepEqual(page.rejected, [
      'a tool without a name',
      'a tool that is not an object',
      'a tool whose name has 300 characters',
    ]);
    assert.equal(page.nextCursor, 'more');
  });

  test('names only a few of the invalid entries, and accepts no oversized tool', () => {
    const page = decodeToolPage({ tools: [{ name: 'big', description: 'x'.repeat(1_000_000) }, ...Array(50).fill(7)] });
    assert.equal(page.rejected.length, 11);
    assert.deepEqual([page.rejected[0], page.rejected.at(-1)], ['a tool of 1000031 characters', '41 more']);
    assert.deepEqual([page.tools, page.size], [[], 0]);
    assert.equal(decodeToolPage([{ name: 'a' }]).size, '{"name":"a"}'.length);
  });

  test('may be a bare list, and an empty cursor is the last page', () => {
    assert.deepEqual(
      decodeToolPage([{ name: 'a' }]).tools.map((tool) => tool.name),
      ['a'],
    );
    assert.equal(decodeToolPage({ tools: [], nextCursor: '' }).nextCursor, undefined);
    assert.deepEqual(decodeToolPage(null).rejected, ['the answer holds no list of tools']);
  });

  test('never throws, whatever a server says', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        decodeToolPage(value as Json);
        decodeToolPage({ tools: [value as Json] });
        decodeInitialize(value as Json);
        decodeProgress({ progressToken: 1, progress: value as Json });
      }),
    );
  });
});

suite('Progress', () => {
  test('is read without its invalid members', () => {
    const read = (params: JsonObject): string => JSON.stringify(decodeProgress(params));
    assert.equal(
      read({ progressToken: 'p', progress: 1, total: 2, message: 'm' }),
      '{"progress":1,"total":2,"message":"m"}',
    );
    assert.equal(read({ progress: 1, total: Infinity, message: 7 }), '{"progress":1}');
  });
});
