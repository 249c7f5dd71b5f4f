import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../../src/core/base/json.ts';
import {
  isMarkedContent,
  isSaidText,
  mayBeText,
  mayHave,
  mustBeText,
  SchemaMembers,
} from '../../../../../src/core/scopes/paths/valueTargets.ts';

const string = { type: 'string' };

suite('The schema of a member', () => {
  const kind = (name: string, schema: JsonObject): string => new SchemaMembers({}).kindOf(name, [schema]);

  test('makes a file of it by its format', () => {
    const formats = [
      'path',
      'file-path',
      'dir_path',
      'filepath',
      'xpath',
      'path2',
      'file',
      'files',
      'folder',
      'uri',
      'uri-reference',
      'iri',
      'curie',
      'URI',
      'date',
      '',
    ];
    assert.deepEqual(
      formats.filter((format) => kind('x', { format }) === 'path'),
      ['path', 'file-path', 'dir_path', 'filepath', 'file', 'folder', 'uri', 'uri-reference', 'iri', 'URI'],
    );
    assert.deepEqual(
      formats.filter((format) => kind('url', { format }) === 'path'),
      ['path', 'file-path', 'dir_path', 'filepath', 'file', 'folder'],
    );
    assert.deepEqual(
      [
        kind('x', { format: ['path'] }),
        kind('x', { items: { format: 'path' } }),
        kind('path', { type: 'number' }),
        kind('path', { type: 'object' }),
        kind('path', { type: ['number', 'array'] }),
        kind('url', { type: 'number' }),
      ],
      ['other', 'path', 'other', 'path', 'path', 'url'],
    );
  });

  test('distinguishes text from content and from anything else', () => {
    const formats = [
      'markdown',
      'html',
      'text',
      'plain',
      'multiline',
      'multi-line',
      'code',
      'xhtml',
      'texts',
      'base64',
    ];
    assert.deepEqual(
      formats.filter((format) => isMarkedContent([{ format }])),
      ['markdown', 'html', 'text', 'plain', 'multiline', 'multi-line', 'code', 'base64'],
    );
    assert.deepEqual(
      [
        { contentMediaType: 'x' },
        { contentEncoding: 'x' },
        { contentSchema: {} },
        { format: 4 },
        { format: ['code'] },
        {},
      ].map((schema) => isMarkedContent([schema])),
      [true, true, true, false, false, false],
    );
    const types: readonly JsonObject[] = [
      {},
      { type: 'string' },
      { type: 'array' },
      { type: 'object' },
      { type: 'number' },
      { type: ['string', 'null'] },
      { type: ['string', 'number'] },
      { type: 'null' },
    ];
    assert.deepEqual(
      types.map((type) => [mayBeText([type]), isSaidText([type]), mustBeText([type])].map(Number).join('')),
      ['100', '111', '100', '100', '000', '111', '110', '000'],
    );
  });

  test('declares a member of this name, or any member if it names none', () => {
    const some = { properties: { a: {} } };
    assert.deepEqual(
      [
        mayHave([], 'a'),
        mayHave([{}], 'a'),
        mayHave([{ properties: {} }], 'a'),
        mayHave([some], 'a'),
        mayHave([some], 'b'),
        mayHave([some, {}], 'b'),
        mayHave([some, { properties: { b: {} } }], 'b'),
      ],
      [true, true, true, true, false, false, true],
    );
  });

  test('is found through references, branches and lists, up to a limit', () => {
    const has = (schema: JsonObject): boolean => new SchemaMembers(schema).hasAny;
    const deep = (depth: number): JsonObject =>
      depth === 0 ? { properties: { path: string } } : { properties: { a: deep(depth - 1) } };
    const lists = (depth: number): JsonObject =>
      depth === 0 ? { properties: { path: string } } : { items: lists(depth - 1) };
    const table: readonly (readonly [JsonObject, boolean])[] = [
      [{}, false],
      [{ properties: { a: string } }, false],
      [{ properties: { path: string } }, true],
      [{ properties: { target: string } }, true],
      [{ properties: { target: { type: 'number' } } }, false],
      [{ properties: { path: { type: 'number' } } }, false],
      [{ $ref: '#/$defs/a', $defs: { a: { properties: { path: string } } } }, true],
      [{ $ref: '#', properties: {} }, false],
      [{ properties: { a: { $ref: '#/x/y' } }, x: 4 }, false],
      [{ properties: { a: { $ref: 'x#/properties/b' }, b: { properties: { c: { format: 'path' } } } } }, true],
      [{ properties: { a: { properties: { b: { $ref: 'x#/d' } } } }, d: { format: 'path' } }, false],
      [{ properties: { a: { $ref: '#/a~1b/c~0d' } }, 'a/b': { 'c~d': { format: 'path' } } }, true],
      [{ properties: { a: { $ref: '#x/d' } }, d: { format: 'path' } }, false],
      [{ properties: { a: { $ref: `#/${'x'.repeat(510)}` } }, ['x'.repeat(510)]: { format: 'path' } }, true],
      [{ properties: { a: { $ref: `#/${'x'.repeat(511)}` } }, ['x'.repeat(511)]: { format: 'path' } }, false],
      [{ prefixItems: [{ properties: { path: string } }] }, true],
      [{ properties: { a: { additionalProperties: { format: 'path' } } } }, true],
      [deep(16), true],
      [deep(17), false],
      [lists(16), true],
      [lists(17), false],
      [{ anyOf: [...Array.from({ length: 62 }, () => ({})), { properties: { path: string } }] }, true],
      [
        {
          anyOf: [
            ...Array.from({ length: 63 }, (_, index) => ({ title: String(index) })),
            { properties: { path: string } },
          ],
        },
        false,
      ],
    ];
    assert.deepEqual(
      table.map(([schema]) => has(schema)),
      table.map(([, expected]) => expected),
    );
    const defaults = (properties: JsonObject, given: JsonObject): string =>
      new SchemaMembers({}).defaults([{ properties }], given).join(';');
    assert.deepEqual(
      [
        defaults({ path: { default: 'a' } }, {}),
        defaults({ path: { default: 4 } }, {}),
        defaults({ path: { default: 'a' } }, { path: 'b' }),
        defaults({ x: { default: 'a' } }, {}),
      ],
      ['path,a', '', '', ''],
    );
  });
});
