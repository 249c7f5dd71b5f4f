import assert from 'node:assert/strict';
import { eventTitle, eventTooltip, originLine } from '../../../../src/editor/shared/eventText.ts';
import { ageText } from '../../../../src/editor/shared/timeText.ts';
import { type EventNode, EVENTS_PAGE, eventTree } from '../../../../src/editor/events/eventNodes.ts';
import { ARRIVED, inbound, text } from './inboundEvents.ts';

const MINUTE = 60_000;

function render(nodes: readonly EventNode[], indent = ''): string {
  return nodes
    .flatMap(({ expansion, label, description, icon, context, children }) => {
      const mark = { none: '', collapsed: '> ', expanded: 'v ' }[expansion];
      const said = description === '' ? '' : ` (${description})`;
      const line = `${indent}${mark}${label}${said} <${icon.name}> #${context}`;
      return children.length === 0 ? [line] : [line, render(children, `${indent}  `)];
    })
    .join('\n');
}

suite('The rows of the Events view', () => {
  test('are below their server, newest first, with unread marks and the model’s results', () => {
    const usage = { inputTokens: 120, outputTokens: 45 };
    const events = [
      inbound('1', { receivedAt: ARRIVED + 10 * MINUTE, origin: { source: 'conversation', turn: 3 } }),
      inbound('2', { server: 'mail', content: [text('New mail')], receivedAt: ARRIVED + 9 * MINUTE, isRead: true }),
      inbound('3', {
        isRead: true,
        content: [text('Look at this'), { type: 'image', data: 'AAAA', mimeType: 'image/png' }],
        outcome: { kind: 'answered', at: 1, text: 'It is a cat.\nMore.', model: 'gpt-x', usage },
      }),
      inbound('4', { outcome: { kind: 'asking', at: 1 } }),
      inbound('5', { isRead: true, outcome: { kind: 'failed', at: 1, message: 'The quota is used up.' } }),
    ];
    assert.equal(
      render(eventTree(events, ARRIVED + 10 * MINUTE)),
      `v memory (4 events · 2 unread) <server> #inbox
  > You mentioned following up with Alice today (now · source: conversation, turn: 3) <circle-filled> #event+unread
    Origin (source: conversation, turn: 3) <location> #part
  > Look at this (10 min) <sparkle> #event
    It is a cat. More. (gpt-x, 120 + 45 tokens) <sparkle> #part
    image-2.png <file> #part
  > You mentioned following up with Alice today (10 min) <loading~spin> #event+unread
    A model is looking at it… <sparkle> #part
  > You mentioned following up with Alice today (10 min) <warning> #event
    No answer: The quota is used up. <warning> #part
v mail (1 event) <server> #inbox
  New mail (1 min) <mail-read> #event`,
    );
  });

  test('are a page of each server, and more of one that is asked for', () => {
    const many = Array.from({ length: 2 * EVENTS_PAGE + 1 }, (_, i) => inbound(String(i)));
    const rows = (pages: number): readonly EventNode[] =>
      eventTree(many, ARRIVED, new Map([['memory', pages]]))[0]?.children ?? [];
    assert.deepEqual(
      [1, 2, 3].map((pages) => [rows(pages).length, rows(pages).at(-1)?.label]),
      [
        [51, 'Show more (51 older)'],
        [101, 'Show more (1 older)'],
        [101, 'You mentioned following up with Alice today'],
      ],
    );
    assert.equal(rows(1).at(-1)?.server, 'memory');
  });

  test('have ids of their own, whatever servers call themselves, and say what they are to who cannot see', () => {
    const [group] = eventTree([inbound('","'), inbound('b', { isRead: true })], ARRIVED + MINUTE);
    const ids = [group, ...(group?.children ?? [])].map((node) => node?.id);
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual(
      [group, ...(group?.children ?? [])].map((node) => node?.spoken),
      [
        'memory, 2 events · 1 unread',
        'Unread: You mentioned following up with Alice today, memory.reminders, 1 min ago',
        'You mentioned following up with Alice today, memory.reminders, 1 min ago',
      ],
    );
  });
});

suite('The texts of an event', () => {
  test('are one line of its first text, or of what else there is', () => {
    const titles = [
      [text('\n\n  First\nsecond')],
      [text(' '), { type: 'image', data: 'AAAA', mimeType: 'image/png' }] as const,
      [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] as const,
      [{ type: 'resource_link', uri: 'x:y', name: 'a' }] as const,
      [{ type: 'unknown', value: { odd: true } }] as const,
      [],
      [text('safe\u202Etxt.exe')],
    ].map((content) => eventTitle({ content }));
    assert.deepEqual(titles, [
      'First second',
      'No text',
      '[image image/png, 3 bytes]',
      '[resource a] x:y',
      '{"odd":true}',
      'No text',
      'safetxt.exe',
    ]);
    assert.ok(eventTitle({ content: [text('long '.repeat(1_000))] }).length <= 120);
  });

  test('of what an event brings are no more than the user looks at: the rest is in its document', () => {
    const content = Array.from(
      { length: 256 },
      () => ({ type: 'image', data: 'AAAA', mimeType: 'image/png' }) as const,
    );
    const parts = eventTree([inbound('1', { content })], ARRIVED)[0]?.children[0]?.children ?? [];
    assert.deepEqual(
      [parts.length, parts[29]?.label, parts[30]?.label],
      [31, 'image-30.png', 'The rest is in the document of the event'],
    );
    const origin = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));
    assert.ok(originLine({ origin }).length <= 100);
  });

  test('show its age and its origin', () => {
    const ages = [-5, 59_999, MINUTE, 59 * MINUTE, 60 * MINUTE, 23 * 60 * MINUTE, 49 * 60 * MINUTE];
    assert.deepEqual(
      ages.map((age) => ageText(ARRIVED, ARRIVED + age)),
      ['now', 'now', '1 min', '59 min', '1 h', '23 h', '2 d'],
    );
    assert.equal(originLine({ origin: { a: { b: [1] }, c: null } }), 'a: {"b":[1]}, c: null');
    assert.equal(originLine({ origin: undefined }), '');
  });

  test('show the whole of it above a row, as plain text', () => {
    assert.equal(
      eventTooltip(inbound('1', { origin: { from: 'Alice\n# Not a heading' } })),
      `You mentioned following up with Alice today

Server: memory
Feature set: memory.reminders
Happened: 2026-11-18T16:00:00Z
Arrived: 2026-11-18 16:04:21
Origin: {"from":"Alice\\n# Not a heading"}`,
    );
  });
});
