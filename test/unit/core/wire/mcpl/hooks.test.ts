import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../../src/core/base/json.ts';
import { decodeAdvert } from '../../../../../src/core/wire/mcpl/advert.ts';
import { decodeBlocks } from '../../../../../src/core/wire/mcpl/blocks.ts';
import {
  decodeInjections,
  decodeModified,
  encodeAfter,
  encodeBefore,
} from '../../../../../src/core/wire/mcpl/hooks.ts';
import { decodeInferenceRequest } from '../../../../../src/core/wire/mcpl/inferenceMessages.ts';
import { decodePush } from '../../../../../src/core/wire/mcpl/pushEvent.ts';

const model = { id: 'm', vendor: 'v', contextWindow: 200_000, capabilities: ['vision', 'tools'] };
const turn = { inferenceId: 'inf', conversationId: 'conv', turnIndex: 7, userMessage: null, model };

suite('A hook', () => {
  test('gets the turn in the members of MCPL, without a feature set', () => {
    const before = { ...turn, featureSet: 'a', secret: 's', model: { ...model, secret: 's' } };
    assert.deepEqual(encodeBefore(before), turn);
    assert.deepEqual(encodeBefore({ ...turn, userMessage: '' })['userMessage'], '');
    const usage = { inputTokens: 1250, outputTokens: 340 };
    assert.deepEqual(encodeAfter({ ...before, userMessage: 'u', assistantMessage: 'a', usage }), {
      ...turn,
      userMessage: 'u',
      assistantMessage: 'a',
      usage,
    });
  });
});

suite('What a hook injects', () => {
  const injection = { namespace: 'memory', position: 'system', content: [{ type: 'text', text: 't' }] };

  test('is its content at a position, a plain text like a block', () => {
    const metadata = { memoryIds: ['mem_a1'] };
    const result = {
      featureSet: 'memory.retrieval',
      contextInjections: [
        { ...injection, metadata },
        { namespace: 'n', position: 'afterUser', content: 't', later: 1 },
      ],
    };
    assert.deepEqual(decodeInjections(result), {
      featureSet: 'memory.retrieval',
      injections: [
        { ...injection, metadata },
        { namespace: 'n', position: 'afterUser', content: injection.content, metadata: undefined },
      ],
      remarks: [],
    });
  });

  test('may be nothing at all', () => {
    const results: readonly Json[] = [
      null,
      {},
      { featureSet: 'a' },
      { featureSet: 7, contextInjections: null },
      'x',
      [],
    ];
    assert.deepEqual(
      results.map((result) => {
        const { featureSet, injections, remarks } = decodeInjections(result);
        return [featureSet, injections.length, ...remarks];
      }),
      [
        [undefined, 0],
        [undefined, 0],
        ['a', 0],
        [undefined, 0],
        [undefined, 0, 'Its answer is not an object.'],
        [undefined, 0, 'Its answer is not an object.'],
      ],
    );
    assert.deepEqual(decodeInjections({ contextInjections: 'x' }).remarks, ['Its "contextInjections" are not a list.']);
  });

  test('is left out with a remark if it cannot be placed or is empty', () => {
    const { injections, remarks } = decodeInjections({
      featureSet: 'a',
      contextInjections: [
        7,
        { ...injection, position: 'top' },
        { ...injection, position: 'constructor' },
        { ...injection, content: undefined },
        { ...injection, content: 7 },
        { ...injection, namespace: undefined },
        { ...injection, namespace: `x\u202e\n${'y'.repeat(500)}`, metadata: { a: 'z'.repeat(20_000) } },
      ],
    });
    assert.deepEqual(remarks, [
      'Injection 1 is not an object.',
      'Injection 2 names no position of system, beforeUser, afterUser.',
      'Injection 3 names no position of system, beforeUser, afterUser.',
      'Injection 4 has no content.',
      'Injection 5 has no content.',
    ]);
    assert.deepEqual(
      injections.map(({ namespace, metadata }) => [namespace.slice(0, 3), namespace.length, metadata]),
      [
        ['a', 1, undefined],
        ['x y', 128, undefined],
      ],
    );
  });

  test('is bounded in number, and so is what is said of it', () => {
    const many = decodeInjections({ contextInjections: Array.from({ length: 100 }, () => injection) });
    assert.deepEqual([many.injections.length, many.remarks], [64, ['36 more injections were not read.']]);
    assert.equal(decodeInjections({ contextInjections: Array(100).fill(null) }).remarks.length, 11);
    assert.equal(decodeInjections({ contextInjections: injection }).injections.length, 1);
  });
});

suite('What a blocking hook makes of an answer', () => {
  test('is another text, or nothing', () => {
    const results: readonly Json[] = [
      { featureSet: 'compliance.redaction', modifiedResponse: 'The API key is [REDACTED]', metadata: {} },
      { featureSet: 'a', modifiedResponse: '' },
      { featureSet: 'a', modifiedResponse: null },
      { featureSet: 'f'.repeat(257) },
      null,
    ];
    assert.deepEqual(results.map(decodeModified), [
      { featureSet: 'compliance.redaction', modifiedResponse: 'The API key is [REDACTED]', problem: undefined },
      { featureSet: 'a', modifiedResponse: '', problem: undefined },
      { featureSet: 'a', modifiedResponse: undefined, problem: undefined },
      { featureSet: undefined, modifiedResponse: undefined, problem: undefined },
      { featureSet: undefined, modifiedResponse: undefined, problem: undefined },
    ]);
  });

  test('is a failure, and not silence, if it cannot be read', () => {
    const results: readonly Json[] = [
      { modifiedResponse: [{ type: 'text', text: 'x' }] },
      { modifiedResponse: false },
      { modifiedResponse: 'x'.repeat(4 * 1024 * 1024 + 1) },
      'redacted',
      [],
    ];
    assert.deepEqual(
      results.map((result) => [decodeModified(result).modifiedResponse, decodeModified(result).problem]),
      [
        [undefined, 'Its "modifiedResponse" is not a text.'],
        [undefined, 'Its "modifiedResponse" is not a text.'],
        [undefined, 'Its "modifiedResponse" is larger than 4 MB.'],
        [undefined, 'Its answer is not an object.'],
        [undefined, 'Its answer is not an object.'],
      ],
    );
  });
});

suite('A decoder of MCPL', () => {
  /** Objects with known members and any values. */
  const KEYS = [
    ...['version', 'contextHooks', 'beforeInference', 'afterInference', 'observe', 'inject', 'featureSets', 'blocking'],
    ...['inferenceRequest', 'streaming', 'pushEvents', 'eventId', 'timestamp', 'origin', 'payload', 'content', 'type'],
    ...['source', 'data', 'mimeType', 'media_type', 'uri', 'name', 'resource', 'text', 'annotations', 'audience'],
    ...[
      'contextInjections',
      'position',
      'namespace',
      'metadata',
      'modifiedResponse',
      'messages',
      'role',
      'preferences',
    ],
    ...['maxTokens', 'temperature', 'featureSet', '__proto__', 'constructor'],
  ] as const;
  const word = fc.constantFrom('text', 'image', 'audio', 'resource', 'resource_link', 'system', 'user', '0.5', 'a/b');
  const { tree } = fc.letrec<{ tree: unknown; leaf: unknown; node: unknown; items: unknown }>((tie) => ({
    tree: fc.oneof({ depthSize: 'small', maxDepth: 5 }, tie('leaf'), tie('node'), tie('items')),
    leaf: fc.oneof(word, fc.jsonValue({ maxDepth: 1 }), fc.double()),
    node: fc.dictionary(fc.constantFrom(...KEYS), tie('tree'), { maxKeys: 8 }),
    items: fc.array(tie('tree'), { maxLength: 4 }),
  }));

  test('never throws, whatever a server says', () => {
    fc.assert(
      fc.property(tree, fc.dictionary(fc.constantFrom(...KEYS), tree), (value, members) => {
        const any = value as Json;
        const params = members as JsonObject;
        decodeAdvert(params);
        decodeAdvert({ experimental: { mcpl: params } });
        decodePush(params);
        decodePush({ eventId: 'e', timestamp: 't', origin: any, payload: { content: [any, params] } });
        decodeInferenceRequest(params);
        decodeInferenceRequest({ messages: [{ role: 'user', content: any }], preferences: params });
        decodeInjections(any);
        decodeInjections({ contextInjections: [any, { position: 'system', content: any, metadata: params }] });
        decodeModified(any);
        decodeModified(params);
        // Unknown data reaches neither a model nor a store unchanged.
        const blocks = decodeBlocks([any, params], { allowText: true }) ?? [];
        assert.equal(blocks.filter(({ type }) => type === 'unknown').length, 0);
      }),
      { numRuns: 300 },
    );
  });

  test('is not slowed down by what it does not read', () => {
    let deep: Json = {};
    for (let i = 0; i < 500; i++) deep = i % 2 === 0 ? [deep] : { observe: deep };
    const mcpl = { contextHooks: { beforeInference: deep, afterInference: deep }, featureSets: deep, extra: deep };
    assert.equal(decodeAdvert({ experimental: { mcpl } })?.dialect.before, false);
    assert.equal(
      decodePush({ eventId: 'e', timestamp: 't', origin: { deep }, payload: { content: [deep] } }).kind,
      'invalid',
    );
    assert.deepEqual(decodeBlocks([{ type: 'video', deep }]), [{ type: 'text', text: '[video, not understood]' }]);
    assert.equal(
      decodeInjections({ contextInjections: [{ position: 'system', content: '', metadata: { deep } }] }).injections[0]
        ?.metadata,
      undefined,
    );
  });
});
