import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../../src/core/base/json.ts';
import { fakeFiles } from '../../../../support/fakeFiles.ts';
import { type Decider, decider } from './verdicts.ts';

const place = { folders: [{ name: 'ws', path: '/ws' }], userHome: '/home/me', bases: ['/ws'] };
const files = fakeFiles({
  '/ws/src/a.ts': 'file',
  '/ws/secrets/key.pem': 'file',
  '/ws/config/prod/key.pem': 'file',
  '/etc/passwd': 'file',
});
const ofFiles = decider(files, place, {
  whitelist: ['${workspaceFolder}/**'],
  blacklist: ['/ws/secrets/**', '/ws/config/prod/key.pem'],
});
const ofNames = decider(files, place, { whitelist: ['#general', '#dev-*'], blacklist: ['#admin-*'] });

const path = 'src/a.ts';
const string = { type: 'string' };

async function calls(decide: Decider, table: readonly (readonly [JsonObject, string])[]): Promise<void> {
  const found: string[] = [];
  for (const [args] of table) {
    const declared = Object.keys(args).filter((key) => typeof args[key] === 'string');
    const properties = Object.fromEntries(['path', ...declared].map((key) => [key, string]));
    const verdict = await decide.call(args, { type: 'object', properties });
    found.push(`${JSON.stringify(args)} ${verdict}`);
  }
  assert.deepEqual(
    found,
    table.map(([args, verdict]) => `${JSON.stringify(args)} ${verdict}`),
  );
}

const outside = (real: string): string => `ask unlisted, /arguments/path /ws/src/a.ts, /arguments/zorb ${real}`;

suite('Other forms of a target', () => {
  test('are denied where JSON or a program would decode the characters', () =>
    calls(ofFiles, [
      [{ path, zorb: String.raw`{"path":"\u0073ecrets/key.pem"}` }, 'deny'],
      [{ path, zorb: String.raw`{"path":"secrets\u002fkey.pem"}` }, 'deny'],
      [{ path, zorb: String.raw`"\x73ecrets/key.pem"` }, 'deny'],
      [{ path, zorb: String.raw`\u{73}ecrets/key.pem` }, 'deny'],
      [{ path, zorb: String.raw`{"path":"\u002fetc/passwd"}` }, outside('/etc/passwd')],
      [{ path, zorb: String.raw`{"path":"\u0073rc/a.ts"}` }, 'allow'],
      [{ path, zorb: String.raw`\u{ffffff}` }, 'allow'],
      [{ path, zorb: `${String.raw`x\u002c`.repeat(200)}secrets/key.pem` }, 'ask noTarget'],
    ]));

  test('are denied behind a placeholder, an alias, or the top of a repository', () =>
    calls(ofFiles, [
      [{ path, zorb: ':/secrets/key.pem' }, 'deny'],
      [{ path: ':/secrets/key.pem' }, 'deny'],
      [{ path, zorb: '@/secrets/key.pem' }, 'deny'],
      [{ path, zorb: '{{workspace}}/secrets/key.pem' }, 'deny'],
      [{ path, zorb: '<root>/secrets/key.pem' }, 'deny'],
      [{ path, zorb: 'project:///secrets/key.pem' }, 'deny'],
      [{ path, zorb: 'project://secrets/key.pem' }, 'deny'],
      [{ path, zorb: '@/src/a.ts' }, 'allow'],
      [{ path, zorb: '{{workspace}}/src/a.ts' }, 'allow'],
      [{ path, zorb: 'https://secrets/key.pem' }, 'allow'],
      [{ path, zorb: 'https://example.test/secrets/key.pem' }, 'allow'],
    ]));

  test('are asked about behind a scheme without a host, if they are there', () =>
    calls(ofFiles, [
      [{ path, zorb: 'sqlite:////etc/passwd' }, outside('/etc/passwd')],
      [{ path, zorb: 'sqlite:///../passwd' }, outside('/passwd, /arguments/zorb /passwd')],
      [{ path, zorb: 'file:///etc/passwd' }, outside('/etc/passwd')],
      [{ path, zorb: 'memory:///notes' }, 'allow'],
      [{ path, zorb: 'sqlite:///src/a.db' }, 'allow'],
    ]));

  test('are denied as a list of the names of a path', () =>
    calls(ofFiles, [
      [{ path, segments: ['config', 'prod', 'key.pem'] }, 'deny'],
      [{ path: ['config', 'prod', 'key.pem'] }, 'deny'],
      [{ path, segments: ['config', 'test', 'key.pem'] }, 'allow'],
      [{ path, words: ['a list of', 'sentences', 'key.pem'] }, 'allow'],
    ]));

  test('do not include signs that only look like a path', () =>
    calls(ofFiles, [
      [{ path, zorb: '<b>x</b>' }, 'allow'],
      [{ path, zorb: '</b>' }, 'allow'],
      [{ path, zorb: 'a / b' }, 'allow'],
      [{ path, zorb: '</etc/passwd' }, outside('/etc/passwd')],
    ]));

  test('are names that are keys or numbers of a channel', () =>
    calls(ofNames, [
      [{ channels: { '#general': 1, 'admin-x': 1 } }, 'deny'],
      [{ channels: { '#general': 1, 'dev-x': 1 } }, 'allow'],
      [{ channel: '#general', chat_id: 17 }, 'ask unlisted, /arguments/channel #general, /arguments/chat_id 17'],
      [{ channel: '#general', priority: 17 }, 'allow'],
    ]));

  test('disagree with a label wherever a payload has another name', async () => {
    const table: readonly (readonly [JsonObject, string])[] = [
      [{ channel: '#general' }, 'allow'],
      [{ channel: 'general' }, 'ask unlisted'],
      [
        {
          channel: '#general',
          text: 'hello',
          format: 'markdown',
          mode: 'post',
          priority: 'high',
          count: 3,
          urgent: true,
        },
        'allow',
      ],
      [{ channel: '#general', also: 'other' }, 'ask disagreement'],
      [{ a: '#general', x: 'C999' }, 'ask disagreement'],
      [{ a: '#general', x: ['C999'] }, 'ask disagreement'],
      [{ a: '#general', C999: 'C999' }, 'ask disagreement'],
      [{ a: '#general', x: { y: 'C999' } }, 'ask disagreement'],
      [{ a: '#general', hook: 'https://example.test/x' }, 'ask unlisted'],
      [{ channel: 5 }, 'ask disagreement'],
      [{ channel: '#general', user_id: 5 }, 'ask unlisted'],
      [{ a: '#general', x: 'admin-x' }, 'deny'],
    ];
    const found: string[] = [];
    for (const [payload] of table) {
      const [verdict = ''] = (await ofNames.elevate('#general', payload)).split(',');
      found.push(`${JSON.stringify(payload)} ${verdict}`);
    }
    assert.deepEqual(
      found,
      table.map(([payload, verdict]) => `${JSON.stringify(payload)} ${verdict}`),
    );
  });
});
