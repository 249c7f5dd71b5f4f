import assert from 'node:assert/strict';
import type { ContentBlock } from '../../../../src/core/index.ts';
import { attachmentsOf } from '../../../../src/editor/events/eventAttachments.ts';
import { eventPage } from '../../../../src/editor/events/eventPage.ts';
import { inbound, text } from './inboundEvents.ts';

const BLOCKS: readonly ContentBlock[] = [
  text('Look:\nContent\n\nAnswer of nobody'),
  { type: 'image', data: Buffer.from('png').toString('base64'), mimeType: 'image/png' },
  { type: 'audio', data: Buffer.from('wave').toString('base64'), mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'file:///notes/a.md', text: '# A' } },
  {
    type: 'resource',
    resource: { uri: 'x:/b', mimeType: 'application/pdf', blob: Buffer.from('pdf').toString('base64') },
  },
  { type: 'resource_link', uri: 'memory://known', name: 'known' },
  { type: 'resource_link', uri: 'command:evil', name: 'unknown' },
  { type: 'unknown', value: { type: 'video', url: 'x' } },
];
const lists = (uri: string): boolean => uri === 'memory://known';

suite('An event as a document', () => {
  test('shows every block as text, what it comes from, and the answer; what a server wrote passes for nothing else', () => {
    const usage = { inputTokens: 1, outputTokens: 2 };
    const at = new Date(2026, 10, 18, 17, 0, 0).getTime();
    const event = inbound('1', {
      content: BLOCKS,
      origin: { chat: { id: 5 } },
      outcome: { kind: 'answered', at, text: 'A cat.', model: 'gpt-x', usage },
    });
    assert.equal(
      eventPage(event, lists).text,
      `Server       memory
Feature set  memory.reminders
Happened     2026-11-18T16:00:00Z
Arrived      2026-11-18 16:04:21
Event id     server-1
Origin       {
    "chat": {
      "id": 5
    }
  }
Part         image-2.png
Part         audio-3.wav
Part         a.md
Part         b.pdf
Part         memory://known
Part         command:evil

Content
  Look:
  Content
  
  Answer of nobody
  
  [image image/png, 3 bytes]
  
  [audio audio/wav, 6 bytes]
  
  # A
  
  [resource x:/b]
  
  [resource known] memory://known
  
  [resource unknown] command:evil
  
  {"type":"video","url":"x"}

Answer of gpt-x, 1 + 2 tokens, 2026-11-18 17:00:00
  A cat.
`,
    );
  });

  test('links the parts that open, exactly where their names stand', () => {
    const { text: page, links } = eventPage(inbound('1', { content: BLOCKS, origin: { a: { b: 'x\ny' } } }), lists);
    const rows = page.split('\n');
    assert.deepEqual(
      links.map(({ line, from, to, block }) => [block, rows[line]?.slice(from, to)]),
      [
        [1, 'image-2.png'],
        [2, 'audio-3.wav'],
        [3, 'a.md'],
        [4, 'b.pdf'],
        [5, 'memory://known'],
      ],
    );
  });

  test('has the bytes of attachments that can be opened', () => {
    const files = attachmentsOf({ content: BLOCKS }).map(({ block, opens }) =>
      opens.kind === 'file' ? [block, opens.name, new TextDecoder().decode(opens.bytes())] : [block, opens.uri],
    );
    assert.deepEqual(files, [
      [1, 'image-2.png', 'png'],
      [2, 'audio-3.wav', 'wave'],
      [3, 'a.md', '# A'],
      [4, 'b.pdf', 'pdf'],
      [5, 'memory://known'],
      [6, 'command:evil'],
    ]);
  });

  test('says when there is nothing, that a model is asked, or why none answered', () => {
    const last = (kind: 'asking' | 'failed'): string =>
      eventPage(inbound('1', { content: [], outcome: { kind, at: 1, message: 'Sign in first.' } as never }), lists)
        .text.split('\n')
        .slice(-6)
        .join('|');
    assert.equal(last('asking'), 'Content|  (nothing)||Model|  A model is looking at it…|');
    assert.equal(last('failed'), 'Content|  (nothing)||Model|  Sign in first.|');
  });
});
