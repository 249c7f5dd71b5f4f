import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json } from '../../../../src/core/base/json.ts';
import { decodeCompletion, encodeCompletion } from '../../../../src/core/wire/completionMessages.ts';
import { decodeIcons } from '../../../../src/core/wire/icons.ts';
import { decodeLogMessage } from '../../../../src/core/wire/logging.ts';
import { decodeFreshness } from '../../../../src/core/wire/page.ts';
import { decodePromptPage, decodePromptResult } from '../../../../src/core/wire/prompts.ts';
import { decodeReadResult, decodeResourcePage, decodeTemplatePage } from '../../../../src/core/wire/resources.ts';
import { decodeServerInfo } from '../../../../src/core/wire/serverInfo.ts';
import { decodeToolPage } from '../../../../src/core/wire/tools.ts';

suite('A page of resources, templates or prompts', () => {
  test('keeps what can be used and says what was left out', () => {
    const page = decodeResourcePage({
      resources: [
        {
          uri: 'file:///a',
          name: 'a',
          size: 3,
          mimeType: 'text/plain',
          annotations: { audience: ['user', 'x'], priority: 7 },
        },
        { uri: 'mem://b', size: -1, later: true },
        { name: 'nameless' },
        7,
      ],
      nextCursor: 'n',
      ttlMs: 5,
      cacheScope: 'public',
    });
    assert.deepEqual(
      { ...page, items: page.items.map(({ raw: _raw, ...item }) => item) },
      {
        items: [
          {
            uri: 'file:///a',
            name: 'a',
            title: undefined,
            description: undefined,
            mimeType: 'text/plain',
            size: 3,
            annotations: { audience: ['user'], priority: 1, lastModified: undefined },
            icons: [],
          },
          {
            uri: 'mem://b',
            name: 'mem://b',
            title: undefined,
            description: undefined,
            mimeType: undefined,
            size: undefined,
            annotations: { audience: [], priority: undefined, lastModified: undefined },
            icons: [],
          },
        ],
        rejected: ['a resource without a URI', 'a resource that is not an object'],
        nextCursor: 'n',
        size: 156,
        freshness: { ttlMs: 5, scope: 'public' },
      },
    );
    assert.deepEqual(page.items[1]?.raw, { uri: 'mem://b', size: -1, later: true });
  });

  test('names templates and prompts as it names resources', () => {
    const templates = decodeTemplatePage({ resourceTemplates: [{ uriTemplate: 'a://{b}' }, { uriTemplate: '' }] });
    assert.deepEqual(
      templates.items.map(({ name }) => name),
      ['a://{b}'],
    );
    assert.deepEqual(templates.rejected, ['a resource template without a URI template']);
    const prompts = decodePromptPage([
      { name: 'p', arguments: [{ name: 'x', required: true }, { name: 'y', title: 'Y' }, { name: 7 }, null] },
      { name: 'q'.repeat(300) },
    ]);
    assert.deepEqual(prompts.items[0]?.arguments, [
      { name: 'x', title: undefined, description: undefined, required: true },
      { name: 'y', title: 'Y', description: undefined, required: false },
    ]);
    assert.deepEqual(prompts.rejected, ['a prompt whose name has 300 characters']);
    assert.deepEqual(decodePromptPage(null).rejected, ['the answer holds no list of prompts']);
  });

  test('stays good for as long as it says, and belongs to one user unless it says otherwise', () => {
    const read = [{}, { ttlMs: 'x' }, { ttlMs: -1 }, { ttlMs: 0 }, { ttlMs: 9, cacheScope: 'all' }, []].map(
      decodeFreshness,
    );
    assert.deepEqual(read, [
      undefined,
      undefined,
      undefined,
      { ttlMs: 0, scope: 'private' },
      { ttlMs: 9, scope: 'private' },
      undefined,
    ]);
  });
});

suite('An icon', () => {
  test('is taken from the web or from the message itself, and from nowhere else', () => {
    const sources = [
      'https://example.com/i.png',
      'HTTPS://example.com?x',
      'data:image/svg+xml;base64,AA==',
      'http://example.com/i.png',
      'https://user:pass@example.com/i.png',
      'https:///i.png',
      'data:text/html,x',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'command:x',
      `data:image/png;base64,${'A'.repeat(300_000)}`,
      7,
    ];
    assert.deepEqual(
      decodeIcons(sources.map((src) => ({ src }))).map(({ src }) => src),
      sources.slice(0, 3),
    );
  });

  test('says for what it is drawn', () => {
    const src = 'https://a.b/c';
    assert.deepEqual(
      decodeIcons([
        { src, sizes: '16x16 any', theme: 'dark', mimeType: 'image/png' },
        { src, sizes: ['1x1', 2], theme: 'x' },
      ]),
      [
        { src, mimeType: 'image/png', sizes: ['16x16', 'any'], theme: 'dark' },
        { src, mimeType: undefined, sizes: ['1x1'], theme: undefined },
      ],
    );
  });

  test('of a server comes with what it says of itself', () => {
    const info = decodeServerInfo(
      { name: 's', version: 1, websiteUrl: 'https://a.b', icons: [{ src: 'https://a.b/c' }] },
      'i',
    );
    assert.deepEqual(info, {
      name: 's',
      title: undefined,
      version: '',
      instructions: 'i',
      websiteUrl: 'https://a.b',
      icons: [{ src: 'https://a.b/c', mimeType: undefined, sizes: [], theme: undefined }],
    });
    assert.deepEqual(decodeServerInfo(null, 7), { name: '', title: undefined, version: '', instructions: undefined });
  });
});

suite('A decoded list', () => {
  test('of a resource is text or data, with or without a type', () => {
    const raw = {
      contents: [{ uri: 'a:1', text: '' }, { blob: 'AA==', mimeType: 'x/y' }, { uri: 'a:2' }, 7],
      ttlMs: 1,
    };
    assert.deepEqual(decodeReadResult(raw, 'a:0'), {
      kind: 'ok',
      value: {
        contents: [
          { kind: 'text', uri: 'a:1', mimeType: undefined, text: '' },
          { kind: 'blob', uri: 'a:0', mimeType: 'x/y', blob: 'AA==' },
        ],
        rejected: ['2 of 4 contents, which hold neither text nor data'],
        freshness: { ttlMs: 1, scope: 'private' },
        raw,
      },
    });
    assert.deepEqual(decodeReadResult({}, 'a:0'), { kind: 'invalid', why: 'the answer holds no contents' });
  });

  test('of a prompt is its messages, one for each content', () => {
    const messages = [
      { role: 'assistant', content: { type: 'text', text: 'a' } },
      { role: 'system', content: 'b' },
      { role: 'user', content: [{ type: 'text', text: 'c' }, { type: 'new' }] },
      'no message',
    ];
    const decoded = decodePromptResult({ messages, description: 'd' });
    assert.ok(decoded.kind === 'ok');
    assert.deepEqual(decoded.value.messages, [
      { role: 'assistant', content: { type: 'text', text: 'a' } },
      { role: 'user', content: { type: 'text', text: 'b' } },
      { role: 'user', content: { type: 'text', text: 'c' } },
      { role: 'user', content: { type: 'unknown', value: { type: 'new' } } },
    ]);
  });

  test('as completions is at most a hundred values, and says whether there are more', () => {
    const read = (completion: Json): unknown => {
      const decoded = decodeCompletion({ completion });
      return decoded.kind === 'ok'
        ? [decoded.value.values.length, decoded.value.total, decoded.value.hasMore]
        : decoded;
    };
    assert.deepEqual(read({ values: ['a', 7] }), [1, undefined, false]);
    assert.deepEqual(read({ values: ['a'], total: 5 }), [1, 5, true]);
    assert.deepEqual(read({ values: Array(150).fill('a') }), [100, undefined, true]);
    assert.deepEqual(read([]), { kind: 'invalid', why: 'the answer holds no values to choose from' });
  });

  test('is asked for with what is settled, by those who know that word', () => {
    const reference = { kind: 'template', uriTemplate: 'a://{b}' } as const;
    const request = { reference, argument: { name: 'b', value: 'x' }, settled: { c: '1' } };
    const plain = { ref: { type: 'ref/resource', uri: 'a://{b}' }, argument: { name: 'b', value: 'x' } };
    assert.deepEqual(encodeCompletion(request, { context: true }), { ...plain, context: { arguments: { c: '1' } } });
    assert.deepEqual(encodeCompletion(request, { context: false }), plain);
    assert.deepEqual(
      encodeCompletion({ ...request, reference: { kind: 'prompt', name: 'p' }, settled: {} }, { context: true }),
      {
        ...plain,
        ref: { type: 'ref/prompt', name: 'p' },
      },
    );
  });

  test('of a log has a level of syslog, whatever the server calls it', () => {
    const levels = ['warn', 'FATAL', 'notice', 'toString', '7'].map((level) => {
      const decoded = decodeLogMessage({ level });
      return decoded.kind === 'ok' ? `${decoded.value.level} ${JSON.stringify(decoded.value.data)}` : decoded.kind;
    });
    assert.deepEqual(levels, ['warning null', 'critical null', 'notice null', 'info null', 'info null']);
  });

  test('never throws, whatever a server says', () => {
    const item = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(
        fc.constantFrom(
          'name',
          'uri',
          'uriTemplate',
          'icons',
          'annotations',
          'arguments',
          'inputSchema',
          'content',
          'taskId',
          'status',
        ),
        fc.jsonValue(),
      ),
    );
    fc.assert(
      fc.property(item, (given) => {
        const value = given as Json;
        const members = [
          'resources',
          'resourceTemplates',
          'prompts',
          'tools',
          'tasks',
          'contents',
          'messages',
          'icons',
        ];
        const result = Object.fromEntries(members.map((member) => [member, [value]]));
        for (const answer of [value, result]) {
          for (const page of [decodeResourcePage, decodeTemplatePage, decodePromptPage]) page(answer);
          decodeToolPage(answer, 'modern');
          decodeReadResult(answer, 'a:b');
          decodePromptResult(answer);
          decodeCompletion(answer);
        }
        decodeServerInfo(value, value);
      }),
    );
  });
});
