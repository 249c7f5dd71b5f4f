import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json } from '../../../../../src/core/base/json.ts';
import { type ContentBlock, sizeOf } from '../../../../../src/core/model/content.ts';
import { decodeBlocks, encodeBlock } from '../../../../../src/core/wire/mcpl/blocks.ts';

function one(block: Json): Json {
  const blocks = decodeBlocks([block]);
  assert.equal(blocks?.length, 1);
  return blocks[0] as Json;
}

suite('A content block', () => {
  test('is read in the shape of MCPL 0.2', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
    assert.deepEqual(
      [
        { type: 'text', text: 't' },
        { type: 'image', source },
        { type: 'audio', source: { ...source, media_type: 'audio/wav' } },
        { type: 'resource_link', uri: 'memory://facts/12345' },
        { type: 'image', source: { type: 'url', url: 'https://example.com/i.png' } },
      ].map(one),
      [
        { type: 'text', text: 't' },
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        { type: 'audio', data: 'iVBORw0KGgo=', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'memory://facts/12345', name: 'memory://facts/12345' },
        { type: 'resource_link', uri: 'https://example.com/i.png', name: 'https://example.com/i.png' },
      ],
    );
  });

  test('is read in the shapes of MCPL 0.3 and of MCP', () => {
    assert.deepEqual(
      [
        { type: 'image', data: 'AA==', mimeType: 'image/png', annotations: { audience: ['user'] } },
        { type: 'image', uri: 'https://example.com/i.png' },
        { type: 'resource', uri: 'a:b', name: 'n' },
        { type: 'resource', uri: 'a:b', text: 'flat' },
        { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 't', _meta: { x: [[[]]] } } },
        { type: 'resource', resource: { uri: 'a:b', blob: 'AA==' } },
        { type: 'resource_link', uri: 'a:b', name: 'n\u202e\nm', description: 'd' },
      ].map(one),
      [
        { type: 'image', data: 'AA==', mimeType: 'image/png', audience: 'user' },
        { type: 'resource_link', uri: 'https://example.com/i.png', name: 'https://example.com/i.png' },
        { type: 'resource_link', uri: 'a:b', name: 'n' },
        { type: 'resource', resource: { uri: 'a:b', text: 'flat' } },
        { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 't' } },
        { type: 'resource', resource: { uri: 'a:b', blob: 'AA==' } },
        { type: 'resource_link', uri: 'a:b', name: 'n m' },
      ],
    );
  });

  test('that is not understood becomes a text that says so, without what it brings', () => {
    const data = 'A'.repeat(100_000);
    assert.deepEqual(
      [
        { type: 'video', data },
        { type: 'note', text: 'read me' },
        { type: `x${'y'.repeat(500)}`, data },
        { type: 'text' },
        { type: 'image', data },
        { type: 'image', data, mimeType: 'image/png" onload="x' },
        { type: 'image', source: { type: 'base64', media_type: 7, data } },
        { type: 'resource_link', uri: `a:${data}` },
        { type: 'resource', resource: { uri: 'a:b' } },
        { data },
        null,
        'text',
        [[]],
        7,
      ].map((block) => (one(block) as { readonly text: string }).text),
      [
        '[video, not understood]',
        '[note, not understood] read me',
        `[x${'y'.repeat(62)}…, not understood]`,
        '[text, not understood]',
        '[image, not understood]',
        '[image, not understood]',
        '[image, not understood]',
        '[resource_link, not understood]',
        '[resource, not understood]',
        '[content, not understood]',
        '[content, not understood]',
        '[content, not understood]',
        '[content, not understood]',
        '[content, not understood]',
      ],
    );
  });

  test('is in a list; a text or a single block only if allowed', () => {
    const text = { type: 'text', text: 't' };
    const values: readonly Json[] = ['t', text, [text], [], '', 7, null, true];
    assert.deepEqual(
      values.map((value) => decodeBlocks(value)),
      [undefined, undefined, [text], [], undefined, undefined, undefined, undefined],
    );
    assert.deepEqual(
      values.map((value) => decodeBlocks(value, { allowText: true })),
      [[text], [text], [text], [], [{ type: 'text', text: '' }], undefined, undefined, undefined],
    );
    assert.equal(decodeBlocks(undefined, { allowText: true }), undefined);
  });

  test('is one of 256 at most, and the rest is counted', () => {
    const blocks = decodeBlocks(Array.from({ length: 300 }, () => ({ type: 'text', text: 't' })));
    assert.deepEqual([blocks?.length, blocks?.[256]], [257, { type: 'text', text: '[44 more blocks, left out]' }]);
    assert.equal(decodeBlocks(Array.from({ length: 256 }, () => null))?.length, 256);
  });

  test('has the size of its text and data', () => {
    const blocks: readonly ContentBlock[] = [
      { type: 'text', text: 'abc' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'a:b', blob: 'AAAAA' } },
      { type: 'resource', resource: { uri: 'a:b', text: 'xy' } },
      { type: 'resource_link', uri: 'a:b', name: 'n' },
    ];
    assert.deepEqual([...blocks.map((block) => sizeOf([block])), sizeOf(blocks)], [3, 4, 28, 25, 4, 64]);
  });
});

suite('A content block on its way to a server', () => {
  test('of MCPL 0.2 has one of four types', () => {
    const blocks: readonly ContentBlock[] = [
      { type: 'text', text: 't', audience: 'user' },
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'a:b', name: 'n' },
      { type: 'resource', resource: { uri: 'a:b', text: 't' } },
      { type: 'resource', resource: { uri: 'a:b', blob: 'AA==' } },
      { type: 'resource', resource: { blob: 'AA==' } },
      { type: 'unknown', value: { type: 'video' } },
    ];
    assert.deepEqual(
      blocks.map((block) => encodeBlock(block, '0.2')),
      [
        { type: 'text', text: 't' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
        { type: 'resource_link', uri: 'a:b' },
        { type: 'text', text: 't' },
        { type: 'resource_link', uri: 'a:b' },
        { type: 'text', text: '[resource without URI]' },
        { type: 'text', text: '{"type":"video"}' },
      ],
    );
  });

  // Decoders create plain objects, which `deepEqual` distinguishes from those without a prototype.
  const record = <T extends object>(of: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
    fc.record<T>(of, { noNullPrototype: true });
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const data = fc.base64String();
  const audience = fc.constantFrom({}, { audience: 'user' as const }, { audience: 'assistant' as const });
  const media = record({
    type: fc.constantFrom('image' as const, 'audio' as const),
    data,
    mimeType: fc.constant('a/b'),
  });

  test('in the shape of MCP comes back as it was', () => {
    const block: fc.Arbitrary<ContentBlock> = fc
      .tuple(
        fc.oneof(
          record({ type: fc.constant('text' as const), text: fc.string() }),
          media,
          record({ type: fc.constant('resource_link' as const), uri: word, name: word }),
          record({ type: fc.constant('resource' as const), resource: record({ uri: word, text: fc.string() }) }),
        ),
        audience,
      )
      .map(([plain, meant]) => ({ ...plain, ...meant }));
    fc.assert(
      fc.property(block, (given) => {
        assert.deepEqual(decodeBlocks([encodeBlock(given, 'mcp')]), [given]);
      }),
    );
  });

  test('in the shape of 0.2 comes back as it was, where 0.2 has it', () => {
    const block = fc.oneof(record({ type: fc.constant('text' as const), text: fc.string() }), media);
    fc.assert(
      fc.property(block, (given) => {
        assert.deepEqual(decodeBlocks([encodeBlock(given, '0.2')]), [given]);
      }),
    );
  });
});
