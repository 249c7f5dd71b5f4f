import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type CancellationToken, NO_CANCELLATION } from '../../../../../src/core/base/cancellation.ts';
import { cleanLine } from '../../../../../src/core/base/cleanText.ts';
import { type Json, type JsonObject, parseJson } from '../../../../../src/core/base/json.ts';
import type { RealName } from '../../../../../src/core/ports.ts';
import { targetsOfClaim } from '../../../../../src/core/scopes/paths/targets.ts';
import { fakeFiles } from '../../../../support/fakeFiles.ts';
import { reader } from './renderScope.ts';
import { cpuTime } from '../../../../support/cpuTime.ts';

const files = fakeFiles({ '/ws/src/a.ts': 'file' });
const place = { folders: [{ name: 'ws', path: '/ws' }], userHome: '/home/me', bases: ['/ws'] };
const read = reader(files, place);

suite('A hostile claim', () => {
  test('is answered at once, however large it is', async () => {
    const LONG = 100_000;
    const soup = [
      '/',
      '../',
      '%25',
      '%2e',
      '\\',
      ' /',
      '"',
      "'",
      ':1',
      '~/',
      'file:',
      '. ',
      '\u00e9',
      '\ufb01',
      '$HOME/',
      '#L1',
      '\u{1f469}\u200d',
    ];
    const started = cpuTime();
    for (const piece of soup) {
      await read.claim(piece.repeat(LONG), {});
      const near = piece.repeat(Math.floor(4_096 / piece.length));
      await read.claim(near, { path: `x${near}`, any: Array.from({ length: 2_000 }, () => near) });
      await read.call({}, { [near]: near, path: piece.repeat(LONG), other: near });
    }
    assert.deepEqual(await read.claim('a', { path: 'x'.repeat(LONG) }), [
      'REFUSED The value at /payload/path cannot be judged. It is longer than 4096 characters.',
    ]);
    assert.ok(cpuTime() - started < 10_000);
  }).timeout(20_000);

  test('may be as deep and as wide as it likes, and is refused from some point on', async () => {
    const nested = (depth: number): Json => parseJson(`${'[{"a":'.repeat(depth)}"/etc/x"${'}]'.repeat(depth)}`);
    const TOO_LARGE = ['REFUSED The payload cannot be judged. It is too large to check.'];
    assert.equal((await read.claim('/etc/x', { in: nested(15) })).length, 2);
    assert.deepEqual(await read.claim('/etc/x', { in: nested(16) }), TOO_LARGE);
    assert.deepEqual(await read.claim('/etc/x', { in: Array.from({ length: 30_000 }, () => 1) }), TOO_LARGE);
    const keys = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`k${index}`, 'x']));
    assert.deepEqual(await read.claim('/etc/x', keys), TOO_LARGE);
  });

  test('is read by its own members, whatever these are called', async () => {
    const payload = parseJson('{"__proto__": {"path": "/etc/x"}, "constructor": {"path": "/etc/y"}, "toString": 1}');
    assert.deepEqual(await read.claim('/etc/x', { in: payload }), [
      'label: /etc/x',
      '/payload/in/__proto__/path: /etc/x',
      '/payload/in/constructor/path: /etc/y',
    ]);
    assert.deepEqual(await read.call({}, {}, ['$.toString', '$.__proto__.path', '$.constructor.name']), []);
    const schema: JsonObject = {
      properties: { a: { $ref: '#/constructor/prototype' }, b: { $ref: '#/properties/b' } },
    };
    assert.deepEqual(await read.call(schema, { a: '/etc/x', b: 'y' }), ['/arguments/a: /etc/x']);
  });

  test('meets schemas that lead in circles or are endless', async () => {
    const circle: JsonObject = { allOf: [{ $ref: '#' }], properties: { a: { $ref: '#' } }, items: { $ref: '#' } };
    assert.deepEqual(await read.call(circle, { a: { a: [{ a: '/etc/x' }] } }), ['/arguments/a/a/0/a: /etc/x']);
    let deep: JsonObject = { properties: { path: { type: 'string' } } };
    for (let depth = 0; depth < 400; depth++) deep = { properties: { a: deep } };
    assert.deepEqual(await read.call(deep, { b: '/etc/x' }), ['/arguments/b: /etc/x']);
    const wide = { properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`p${index}`, {}])) };
    assert.deepEqual(
      await read.call({ ...wide, anyOf: Array.from({ length: 200_000 }, () => wide) }, { p1: '/etc/x' }),
      ['/arguments/p1: /etc/x'],
    );
  }).timeout(20_000);

  test('shows people nothing that deceives them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
        fc.string({ unit: 'binary' }),
        async (text, key) => {
          const claim = { label: text, payload: { [key]: { path: text } } };
          const { targets } = await targetsOfClaim(claim, place, files, NO_CANCELLATION);
          for (const { from, written, real, forms } of targets)
            for (const shown of [
              from,
              written,
              real.replaceAll(/\s+/g, ' ').trim(),
              ...forms.map((form) => form.replaceAll(/\s+/g, ' ').trim()),
            ])
              assert.equal(cleanLine(shown), shown);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('has no more than a few lookups waiting at a time, and each path is asked for once', async () => {
    let waiting = 0;
    let most = 0;
    const asked: string[] = [];
    const slow = {
      ...files,
      real: async (path: string, _token: CancellationToken): Promise<RealName> => {
        asked.push(path);
        most = Math.max(most, ++waiting);
        await Promise.resolve();
        waiting--;
        return { kind: 'real', path, exists: true };
      },
    };
    const paths = Array.from({ length: 60 }, (_, index) => `x/../${index % 40}`);
    await targetsOfClaim({ label: '1', payload: { paths } }, place, slow, NO_CANCELLATION);
    assert.equal(most, 16);
    assert.equal(asked.length, new Set(asked).size);
  });
});
