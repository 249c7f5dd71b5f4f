import type { ContentBlock, InboundEvent } from '../../../../src/core/index.ts';

export const ARRIVED = new Date(2026, 10, 18, 16, 4, 21).getTime();

export const text = (value: string): ContentBlock => ({ type: 'text', text: value });

/** An event of the memory server at `ARRIVED`, with the given members. */
export const inbound = (id: string, rest: Partial<InboundEvent> = {}): InboundEvent => ({
  id,
  server: 'memory',
  source: { kind: 'push', featureSet: 'memory.reminders' },
  eventId: `server-${id}`,
  occurredAt: '2026-11-18T16:00:00Z',
  receivedAt: ARRIVED,
  origin: undefined,
  content: [text('You mentioned following up with Alice today')],
  inferenceId: undefined,
  isRead: false,
  outcome: { kind: 'none' },
  ...rest,
});
