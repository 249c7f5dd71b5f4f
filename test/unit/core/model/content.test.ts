import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Json } from '../../../../src/core/base/json.ts';
import { blockText, decodeResult } from '../../../../src/core/model/content.ts';

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

suite('A tool result', () => {
  test('of every known kind of content is decoded, its unknown fields kept in the raw form', () => {
    const raw: Json = {
      content: [
        { type: 'text', text: 'hello', extra: 1 },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'audio', data: 'AAAAAAAA', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'note:1', text: 'inside' } },
        { type: 'resource', resource: { uri: 'note:2', blob: 'AAAA' } },
        { type: 'resource_link', uri: 'note:3', name: 'third' },
        { type: 'resource_link', uri: 'note:4' },
      ],
      structuredContent: { a: 1 },
      _meta: { trace: 'x' },
    };
    const { modelText, blocks, structured, isError, raw: kept } = decodeResult(raw);
    const view = { modelText, blocks, structured, isError, raw: kept };
    assert.deepEqual(view, {
      modelText: [
        'hello',
        '[image image/png, 3 bytes]',
        '[audio audio/wav, 6 bytes]',
        'inside',
        '[resource note:2]',
        '[third](note:3)',
        '[note:4](note:4)',
      ].join('\n'),
      blocks: [
        { type: 'text', text: 'hello' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'audio', data: 'AAAAAAAA', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'note:1', text: 'inside' } },
        { type: 'resource', resource: { uri: 'note:2', blob: 'AAAA' } },
        { type: 'resource_link', uri: 'note:3', name: 'third' },
        { type: 'resource_link', uri: 'note:4', name: 'note:4' },
      ],
      structured: { a: 1 },
      isError: false,
      raw,
    });
  });

  test('keeps what is for the user alone from the model', () => {
    const audience = (...who: readonly Json[]): Json => ({ audience: who });
    const view = decodeResult({
      content: [
        { type: 'text', text: 'both', annotations: audience('user', 'assistant') },
        { type: 'text', text: 'user', annotations: audience('user') },
        { type: 'text', text: 'model', annotations: audience('assistant') },
        { type: 'text', text: 'nobody known', annotations: audience('admin') },
        { type: 'text', text: 'malformed', annotations: ['user'] },
      ],
    });
    assert.equal(view.modelText, 'both\nmodel\nnobody known\nmalformed');
    assert.deepEqual(
      view.blocks.map((block) => ('audience' in block ? block.audience : 'absent')),
      ['absent', 'user', 'assistant', 'absent', 'absent'],
    );
  });

  test('of malformed blocks keeps each as unknown', () => {
    const blocks: readonly Json[] = [
      null,
      'bare',
      7,
      [],
      {},
      { type: 'text' },
      { type: 'text', text: 5 },
      { type: 'image', data: 'AAAA' },
      { type: 'resource', resource: 'note:1' },
      { type: 'resource_link', uri: 1 },
      { type: '__proto__', text: 'x' },
      { type: 'video', url: 'v' },
    ];
    const view = decodeResult({ content: blocks });
    assert.deepEqual(
      view.blocks,
      blocks.map((value) => ({ type: 'unknown', value })),
    );
    assert.equal(view.modelText, blocks.map((value) => JSON.stringify(value)).join('\n'));
  });

  const shapes: readonly (readonly [name: string, value: Json, modelText: string])[] = [
    ['of a bare string', 'done', 'done'],
    ['of a bare number', 42, '42'],
    ['of null', null, 'null'],
    ['of a bare array of blocks', [{ type: 'text', text: 'a' }, 'b'], 'a\n"b"'],
    ['with text as its content', { content: 'done' }, 'done'],
    ['with one block as its content', { content: { type: 'text', text: 'one' } }, 'one'],
    ['with null as its content', { content: null, toolResult: 1 }, '{"toolResult":1}'],
    ['of 2024 without content', { toolResult: { ok: true } }, '{"toolResult":{"ok":true}}'],
    ['with structure only', { content: [], structuredContent: { n: 1 } }, '{"n":1}'],
    ['with metadata only', { _meta: { a: 1 } }, ''],
    ['that is empty', {}, ''],
    [
      'with a prototype for a member',
      JSON.parse('{"__proto__":{"isError":true}}') as Json,
      '{"__proto__":{"isError":true}}',
    ],
  ];
  for (const [name, value, modelText] of shapes) {
    test(`${name} is still read`, () => {
      const view = decodeResult(value);
      assert.deepEqual({ modelText: view.modelText, isError: view.isError }, { modelText, isError: false });
    });
  }

  test('is an error only if it says so', () => {
    const said: readonly Json[] = [true, false, 'true', 1, null];
    assert.deepEqual(
      said.map((isError) => decodeResult({ content: [], isError }).isError),
      [true, false, false, false, false],
    );
  });

  test('that is not understood is bounded where text is made of it', () => {
    const huge = 'x'.repeat(3_000_000);
    const results: readonly Json[] = [
      { content: [{ type: 'image', data: huge }] },
      { structuredContent: huge },
      { other: huge },
    ];
    assert.deepEqual(
      results.map((result) => decodeResult(result).modelText.length),
      [1_000_000, 1_000_000, 1_000_000],
    );
  });

  test('of any JSON at all is read without a throw, nothing of it lost', () => {
    const block = fc.record({
      type: fc.constantFrom('text', 'image', 'resource', 'resource_link'),
      text: json,
      annotations: json,
    });
    const result = fc.oneof(
      json,
      fc.record({ content: fc.oneof(json, fc.array(fc.oneof(block, json))), isError: json }),
    ) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(result, (value) => {
        const view = decodeResult(value);
        assert.equal(typeof view.modelText, 'string');
        for (const each of view.blocks) assert.equal(typeof blockText(each), 'string');
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) assert.equal(view.raw, value);
      }),
    );
  });
});
