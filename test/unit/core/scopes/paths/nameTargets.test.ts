import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../../src/core/base/json.ts';
import { fakeFiles } from '../../../../support/fakeFiles.ts';
import { decider } from './verdicts.ts';

const place = { folders: [{ name: 'ws', path: '/ws' }], userHome: '/home/me', bases: ['/ws'] };
const files = fakeFiles({ '/ws': 'folder' });
const discord = decider(files, place, { whitelist: ['#general', '#dev-*'], blacklist: ['#admin-*'] });
const string = { type: 'string' };
const POST = { type: 'object', properties: { channel: string, text: string, reaction: string } };

async function assertCalls(schema: JsonObject, table: readonly (readonly [JsonObject, string])[]): Promise<void> {
  const found = await Promise.all(table.map(async ([args]) => [args, await discord.call(args, schema)] as const));
  assert.deepEqual(found, table);
}

suite('Names of channels and people in calls', () => {
  test('decide the call of the specification: denied, approved, and asked about otherwise', () =>
    assertCalls(POST, [
      [{ channel: '#admin-secret', text: 'Hello' }, 'deny'],
      [{ channel: '#general', text: 'Hello' }, 'allow'],
      [{ channel: '#general', text: 'Hello', reaction: 'tada' }, 'allow'],
      [{ channel: '#dev-x' }, 'allow'],
      [{ channel: '#other' }, 'ask unlisted, /arguments/channel #other'],
      [{ channel: 'other' }, 'ask unlisted, /arguments/channel other'],
      [{ channel: '#general', text: '#admin-secret is a channel' }, 'allow'],
      [{ channel: '#general', reaction: '#admin-secret' }, 'deny'],
      [{ channel: '#general', extra: '#admin-secret' }, 'deny'],
    ]));

  test('are denied under any member, in lists and objects, as keys, and however they are written', () =>
    assertCalls(POST, [
      [{ channel: '#general', zorb: { deep: [['x', '#admin-a']] } }, 'deny'],
      [{ channel: '#general', zorb: { '#admin-a': true } }, 'deny'],
      [{ channel: '#ADMIN-a' }, 'deny'],
      [{ channel: '%23admin-a' }, 'deny'],
      [{ channel: ' #admin-a ' }, 'deny'],
      [{ channel: '"#admin-a"' }, 'deny'],
      [{ channel: '\uff03admin-a' }, 'deny'],
      [{ channel: 'admin-a' }, 'deny'],
      [{ channel: '@admin-a' }, 'ask unlisted, /arguments/channel @admin-a'],
      [{ channel: '#general,#admin-a' }, 'deny'],
      [{ channel: '#general #admin-a' }, 'deny'],
      [{ channel: '#general', zorb: 'to=#admin-a' }, 'deny'],
      [{ channel: '#general', zorb: '<#C123|admin-a>' }, 'deny'],
      [
        { channel: '#ad\u200bmin-a' },
        'deny: The value at /arguments/channel cannot be judged. It has characters that cannot be seen, or that change what is seen.',
      ],
    ]));

  test('are approved only where a member is about them, or where every word is', () =>
    assertCalls({ type: 'object', properties: { where: string, text: string } }, [
      [{ where: '#general', text: 'Hello' }, 'allow'],
      [{ where: '#general', mode: 'fast' }, 'ask unlisted, /arguments/where #general'],
      [{ where: 'secret', channel: '#general' }, 'ask unlisted, /arguments/channel #general'],
      [{ where: 'secret', decoy: '#general' }, 'ask unlisted, /arguments/decoy #general'],
      [{ where: '#general', count: '12', at: '2026-01-02T03:04:05Z', all: 'true' }, 'allow'],
      [{ where: '#general,#other' }, 'ask unlisted, /arguments/where #general, /arguments/where #other'],
      [{ where: 'words of a sentence' }, 'ask noTarget'],
    ]));

  test('are as well names of other kinds, and plain words', async () => {
    const lists = { whitelist: ['discord:acme/*', 'general', '@team'], blacklist: ['discord:acme/admin', 'secret-*'] };
    const decide = decider(files, place, lists);
    const cases: readonly JsonObject[] = [
      { target: 'discord:acme/general' },
      { target: 'discord:acme/admin' },
      { target: 'discord:other/general' },
      { room: 'general' },
      { room: 'secret-plans' },
      { room: '#secret-plans' },
      { where: 'general' },
      { where: 'general', other: 'unknown' },
      { to: '@team' },
      { to: 'stranger' },
    ];
    const found = await Promise.all(cases.map(async (args) => `${JSON.stringify(args)} ${await decide.call(args)}`));
    assert.deepEqual(found, [
      '{"target":"discord:acme/general"} allow',
      '{"target":"discord:acme/admin"} deny',
      '{"target":"discord:other/general"} ask unlisted, /arguments/target discord:other/general',
      '{"room":"general"} allow',
      '{"room":"secret-plans"} deny',
      '{"room":"#secret-plans"} deny',
      '{"where":"general"} allow',
      '{"where":"general","other":"unknown"} ask noTarget',
      '{"to":"@team"} allow',
      '{"to":"stranger"} ask unlisted, /arguments/to stranger',
    ]);
  });

  test('are asked about beside a file where no list is about names, but for words that only look like them', async () => {
    const decide = decider(files, place, { whitelist: ['/ws/**'], blacklist: ['**/.env'] });
    const cases: readonly JsonObject[] = [
      { path: 'a.ts', query: '@types/node' },
      { path: 'a.ts', url: 'https://example.org/x' },
      { path: 'a.ts', channel: '#random' },
      { path: 'a.ts', channel: 'random' },
    ];
    const properties = { path: string, query: string, url: { ...string, format: 'uri' }, channel: string };
    const found = await Promise.all(cases.map((args) => decide.call(args, { properties })));
    assert.deepEqual(found, [
      'allow',
      'allow',
      'ask unlisted, /arguments/path /ws/a.ts, /arguments/channel #random',
      'allow',
    ]);
  });
});

suite('A label and a payload with names other than files', () => {
  const table: readonly (readonly [string, JsonObject, string])[] = [
    ['#general', { channel: '#general' }, 'allow'],
    ['#general', { channel: '#admin-x' }, 'deny'],
    ['#admin-x', { channel: '#general' }, 'deny'],
    ['#general', { channel: '#other' }, 'ask disagreement, label #general, /payload/channel #other'],
    ['#general', { channel: '#dev-x' }, 'ask disagreement, label #general, /payload/channel #dev-x'],
    ['#general', { in: [{ deep: '#dev-x' }] }, 'ask disagreement, label #general, /payload/in/0/deep #dev-x'],
    ['#general', { id: 'C0123' }, 'ask disagreement, label #general'],
    ['#general', { where: 'secrets' }, 'ask disagreement, label #general'],
    [
      '#general',
      { channel: '#general', also: '#other' },
      'ask unlisted, label #general, /payload/channel #general, /payload/also #other',
    ],
    ['#general', { mode: 'append' }, 'allow'],
    ['#general', {}, 'allow'],
    ['#general', { channel: '#general', count: 3, text: 'Hello, all of you' }, 'allow'],
    ['#general', { path: '/ws/a' }, 'ask disagreement, label #general, /payload/path /ws/a'],
  ];

  test('are approved only if they agree', async () => {
    const found = await Promise.all(
      table.map(async ([label, payload]) => [label, payload, await discord.elevate(label, payload)] as const),
    );
    assert.deepEqual(found, table);
  });
});
