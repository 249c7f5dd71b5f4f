import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { encodeHeaderValue, nameHeaderOf, paramHeaders, routingHeaders } from '../../../../src/core/wire/headers.ts';
import { decodeHeaderParams } from '../../../../src/core/wire/toolHeaders.ts';
import { decodeToolPage } from '../../../../src/core/wire/tools.ts';

const marked = (type: Json, header: Json = 'Region'): JsonObject => ({ type, 'x-mcp-header': header });
const ofObject = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

suite('The headers that a tool wants', () => {
  test('are those of plain arguments, at any depth of objects', () => {
    const schema = ofObject({
      region: marked('string'),
      'x-mcp-header': { type: 'string', default: { 'x-mcp-header': 7 } },
      deep: ofObject({ flag: marked('boolean', 'Flag'), count: marked(['integer', 'null'], 'Count') }),
    });
    assert.deepEqual(decodeHeaderParams(schema), [
      { path: ['region'], header: 'Region' },
      { path: ['deep', 'flag'], header: 'Flag' },
      { path: ['deep', 'count'], header: 'Count' },
    ]);
  });

  test('that cannot be honoured cost the tool its place, with the reason', () => {
    const schemas: Readonly<Record<string, JsonObject>> = {
      empty: ofObject({ a: marked('string', '') }),
      space: ofObject({ a: marked('string', 'a b') }),
      newline: ofObject({ a: marked('string', 'a\nb') }),
      number: ofObject({ a: marked('number') }),
      object: ofObject({ a: marked('object') }),
      untyped: ofObject({ a: { 'x-mcp-header': 'Region' } }),
      noText: ofObject({ a: marked('string', 7) }),
      twice: ofObject({ a: marked('string'), b: marked('string', 'REGION') }),
      root: ofObject({}, { 'x-mcp-header': 'Region' }),
      inList: ofObject({ a: { type: 'array', items: marked('string') } }),
      inChoice: ofObject({ a: { oneOf: [marked('string')] } }),
      inCondition: ofObject({}, { if: ofObject({ a: marked('string') }) }),
      behindRef: ofObject({ a: { $ref: '#/$defs/a' } }, { $defs: { a: marked('string') } }),
    };
    const reasons = Object.entries(schemas).map(([name, schema]) => `${name}: ${String(decodeHeaderParams(schema))}`);
    assert.deepEqual(reasons, [
      'empty: its x-mcp-header is no name of a header',
      'space: its x-mcp-header is no name of a header',
      'newline: its x-mcp-header is no name of a header',
      'number: its x-mcp-header "Region" is on an argument that is no text, integer or flag',
      'object: its x-mcp-header "Region" is on an argument that is no text, integer or flag',
      'untyped: its x-mcp-header "Region" is on an argument that is no text, integer or flag',
      'noText: its x-mcp-header is no name of a header',
      'twice: two of its arguments have the same x-mcp-header',
      'root: its x-mcp-header "Region" is not on a plain argument',
      'inList: its x-mcp-header "Region" is not on a plain argument',
      'inChoice: its x-mcp-header "Region" is not on a plain argument',
      'inCondition: its x-mcp-header "Region" is not on a plain argument',
      'behindRef: its x-mcp-header "Region" is not on a plain argument',
    ]);
  });

  test('mean nothing where requests have no such headers: the tool is kept', () => {
    const tools = [
      { name: 'good', inputSchema: ofObject({ a: marked('string') }) },
      { name: 'bad', inputSchema: ofObject({ a: marked('number') }) },
    ];
    const shown = (era: 'legacy' | 'modern'): unknown => {
      const page = decodeToolPage({ tools }, era);
      return [page.tools.map(({ name, headerParams }) => `${name} ${headerParams.length}`), page.rejected];
    };
    assert.deepEqual(shown('legacy'), [['good 0', 'bad 0'], []]);
    assert.deepEqual(shown('modern'), [
      ['good 1'],
      ['the tool "bad": its x-mcp-header "Region" is on an argument that is no text, integer or flag'],
    ]);
  });

  test('are filled from the arguments, and left out for what is absent, null or no such value', () => {
    const paths = [['a'], ['b', 'c'], ['d'], ['e'], ['f'], ['g'], ['constructor']];
    const tool = { headerParams: paths.map((path) => ({ path, header: path.join('-') })) };
    const args = { a: 'héllo', b: { c: 42 }, d: null, e: false, f: 1.5, g: { h: 1 } };
    assert.deepEqual(paramHeaders(tool, args), {
      'Mcp-Param-a': '=?base64?aMOpbGxv?=',
      'Mcp-Param-b-c': '42',
      'Mcp-Param-e': 'false',
    });
  });
});

suite('The value of a header', () => {
  test('is plain if possible, otherwise base64 as specified', () => {
    const values = [
      'us-west1',
      '',
      'a b',
      'Hello, 世界',
      ' padded ',
      'line1\nline2',
      'a\tb',
      '=?base64?literal?=',
      '=?base64?',
      '\ud83d',
    ];
    assert.deepEqual(values.map(encodeHeaderValue), [
      'us-west1',
      '',
      'a b',
      '=?base64?SGVsbG8sIOS4lueVjA==?=',
      '=?base64?IHBhZGRlZCA=?=',
      '=?base64?bGluZTEKbGluZTI=?=',
      '=?base64?YQli?=',
      '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=',
      '=?base64?',
      '=?base64?77+9?=',
    ]);
  });

  test('always travels, and always comes back as it was', () => {
    const back = (value: string): string => {
      const match = /^=\?base64\?(.*)\?=$/.exec(value);
      return match?.[1] === undefined ? value : Buffer.from(match[1], 'base64').toString('utf8');
    };
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const encoded = encodeHeaderValue(value);
        assert.match(encoded, /^[\x20-\x7e]*$/);
        assert.equal(encoded.trim(), encoded);
        assert.equal(back(encoded), value);
      }),
    );
  });

  test('names what a request is about', () => {
    const names = [
      nameHeaderOf('tools/call', { name: 'ask' }),
      nameHeaderOf('prompts/get', { name: 'é' }),
      nameHeaderOf('resources/read', { uri: 'file:///a', name: 'b' }),
      nameHeaderOf('tasks/update', { taskId: 't' }),
      nameHeaderOf('tools/list', { name: 'x' }),
      nameHeaderOf('tools/call', { name: 7 }),
    ];
    assert.deepEqual(names, ['ask', '=?base64?w6k=?=', 'file:///a', 't', undefined, undefined]);
    assert.deepEqual(routingHeaders('tools/list', {}), { 'Mcp-Method': 'tools/list' });
    assert.deepEqual(routingHeaders('tools/call', { name: 'a' }), { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'a' });
  });
});
