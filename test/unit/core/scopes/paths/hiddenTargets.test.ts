import assert from 'node:assert/strict';
import { NO_CANCELLATION } from '../../../../../src/core/base/cancellation.ts';
import { type JsonObject, parseJson } from '../../../../../src/core/base/json.ts';
import type { Tool } from '../../../../../src/core/model/catalog.ts';
import type { FileNames } from '../../../../../src/core/ports.ts';
import { targetsOfCall } from '../../../../../src/core/scopes/paths/targets.ts';
import { fakeFiles } from '../../../../support/fakeFiles.ts';
import { reader } from './renderScope.ts';

const place = { folders: [{ name: 'ws', path: '/home/me/ws' }], userHome: '/home/me', bases: ['/home/me/ws'] };
const read = reader(fakeFiles({}), place);
const text = { type: 'string' };
const path = { type: 'string', format: 'path' };

/** Arguments with one harmless member, for a schema that declares it. */
async function assertCall(schema: JsonObject, args: JsonObject, expected: readonly string[]): Promise<void> {
  const properties = { safe_path: text, ...(schema['properties'] as JsonObject | undefined) };
  const found = await read.call({ ...schema, properties }, { safe_path: 'a', ...args });
  assert.deepEqual(found, ['/arguments/safe_path: /home/me/ws/a', ...expected]);
}

suite('A target of a call besides an allowed argument', () => {
  test('is found where any branch of its schema says that it is a file', async () => {
    const found = ['/arguments/log: /home/me/ws/b'];
    const args = { log: 'b' };
    const properties = { log: path };
    await assertCall({ patternProperties: { '^lo(g+)+$': path } }, args, found);
    await assertCall({ if: { properties }, then: {} }, args, found);
    await assertCall({ if: {}, then: { properties } }, args, found);
    await assertCall({ if: {}, else: { oneOf: [{ properties }] } }, args, found);
    await assertCall({ dependentSchemas: { safe_path: { properties } } }, args, found);
    await assertCall({ unevaluatedProperties: path }, args, found);
    await assertCall({ additionalProperties: path }, args, found);
  });

  test('is found where its schema says nothing, or nothing that can be read', async () => {
    await assertCall({}, { backup: '/etc/x', note: 'words' }, ['/arguments/backup: /etc/x']);
    await assertCall({ properties: { log: { $ref: '#log' } } }, { log: '/etc/x' }, ['/arguments/log: /etc/x']);
    await assertCall({ properties: { log: {} } }, { log: '../../x' }, ['/arguments/log: /home/x']);
    const inherited = parseJson('{"__proto__":{"path":"/etc/x"}}') as JsonObject;
    const args = Object.defineProperty({ safe_path: 'a' }, '__proto__', {
      value: inherited['__proto__'],
      enumerable: true,
    });
    assert.deepEqual(await read.call({ properties: { safe_path: text } }, args), [
      '/arguments/safe_path: /home/me/ws/a',
      '/arguments/__proto__/path: /etc/x',
    ]);
  });

  test('is no text that its schema calls something else', async () => {
    await assertCall({ properties: { content: text } }, { content: '/etc/x' }, []);
  });

  test('is found in the parts of what names files, whatever they are called', async () => {
    const files = { type: 'array', items: { properties: { name: text, content: text } } };
    await assertCall({ properties: { files } }, { files: [{ name: '../../x', content: 'words' }] }, [
      '/arguments/files/0/name: /home/x',
    ]);
  });

  test('is read as a text although its schema declares a number, and refused as another type if it declares a text', async () => {
    await assertCall({ properties: { path: { type: 'integer' } } }, { path: '/etc/x' }, ['/arguments/path: /etc/x']);
    for (const odd of [4, false, { raw: '/etc/x' }])
      assert.deepEqual(await read.call({ properties: { path: text } }, { path: odd }), [
        'REFUSED The value at /arguments/path is not a text, which its schema requires.',
      ]);
  });

  test('is also an omitted member with a default, which alone is no target', async () => {
    const properties = { path: { type: 'string', default: '/etc' }, mode: { type: 'string', default: '/x' } };
    await assertCall({ properties }, {}, ['/arguments/path: /etc']);
    await assertCall({ properties }, { path: 'b' }, ['/arguments/path: /home/me/ws/b']);
    assert.deepEqual(await read.call({ properties }, {}), []);
  });

  test('may be anything if it carries out a text, except with an adapter in settings', async () => {
    const ANYTHING = 'AND WHATEVER IT WANTS';
    const cwd = '/arguments/cwd: /home/me/ws/src';
    for (const action of [{ command: 'rm -rf ~' }, { shellCommand: 'x' }, { args: ['/etc/x'] }, { code: 'x' }])
      assert.deepEqual((await read.call({ properties: { cwd: text } }, { cwd: 'src', ...action })).at(-1), ANYTHING);
    assert.deepEqual(await read.call({}, { cwd: 'src', steps: [{ cmd: 'x' }] }), [cwd, ANYTHING]);
    assert.deepEqual(await read.call({}, { cwd: 'src', command: '' }), [cwd]);
    assert.deepEqual(await read.call({}, { cwd: 'src', command: 'x' }, ['$.cwd']), [cwd]);
    assert.deepEqual(await read.claim('src', { cwd: 'src', command: 'x' }), [
      'label: /home/me/ws/src',
      '/payload/cwd: /home/me/ws/src',
      ANYTHING,
    ]);
  });
});

suite('A text beside one that names a folder', () => {
  const forms = async (args: JsonObject, adapter?: readonly string[]): Promise<readonly string[]> => {
    const tool = { inputSchema: {} } as unknown as Tool;
    const { targets, refusal } = await targetsOfCall({ tool, args, adapter }, place, fakeFiles({}), NO_CANCELLATION);
    return refusal === undefined ? targets.map(({ from, reals }) => `${from}: ${reals.join(' or ')}`) : [refusal];
  };

  test('may be meant from there', async () => {
    const passwd = '/arguments/path: /home/etc/passwd or /etc/passwd';
    assert.deepEqual(await forms({ cwd: '/tmp', path: '../../etc/passwd' }), ['/arguments/cwd: /tmp', passwd]);
    assert.deepEqual(await forms({ cwd: '/tmp', path: '../../etc/passwd' }, ['$.cwd', '$.path']), [
      '/arguments/cwd: /tmp',
      passwd,
    ]);
    assert.deepEqual(await forms({ repo_path: 'config', file: '.env' }), [
      '/arguments/repo_path: /home/me/ws/config',
      '/arguments/file: /home/me/ws/.env or /home/me/ws/config/.env',
    ]);
  });

  test('is not meant from the folders of its own list, however many these are', async () => {
    const dirs = Array.from({ length: 60 }, (_, index) => `d${index}`);
    const found = await forms({ dirs, file: '/x' });
    assert.equal(found.length, 61);
    assert.equal(found[0], '/arguments/dirs/0: /home/me/ws/d0');
  });
});

suite('A file system that says nothing', () => {
  test('is not asked of all that a call may mean', async () => {
    const asked: string[] = [];
    const dead: FileNames = {
      style: 'posix',
      ignoresCase: false,
      real: (name) => {
        asked.push(name);
        return Promise.resolve({ kind: 'unknown', why: 'Late.' });
      },
    };
    const paths = Array.from({ length: 64 }, (_, index) => `/net/${index} /net/x${index}`);
    assert.deepEqual(await reader(dead, place).call({}, { paths }), [
      'REFUSED The value at /arguments/paths/0 cannot be judged. Late.',
    ]);
    assert.ok(asked.length < 64, `${asked.length} of them`);
  });
});
