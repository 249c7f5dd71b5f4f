import assert from 'node:assert/strict';
import { HostError } from '../../../../src/core/base/errors.ts';
import { Emitter } from '../../../../src/core/base/event.ts';
import type { Json } from '../../../../src/core/base/json.ts';
import { createLinkedTransports } from '../../../../src/core/rpc/memoryTransport.ts';
import type { DroppedMessage, Transport } from '../../../../src/core/rpc/transport.ts';
import { ProtocolTrace, tap } from '../../../../src/core/trace/protocolTrace.ts';
import { ALL_MESSAGES } from '../../../../src/core/trace/traceEntry.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

const asIs = (text: string): string => text;

suite('A traced transport', () => {
  test('passes everything on as it is, and records it only while the trace is on', async () => {
    const [near, far] = createLinkedTransports();
    const trace = new ProtocolTrace({ clock: new FakeClock() });
    const traced = tap(near, { trace, redact: asIs, foreign: () => undefined });
    const heard: { readonly near: Json[]; readonly far: Json[] } = { near: [], far: [] };
    traced.start((message) => heard.near.push(message));
    far.start((message) => heard.far.push(message));
    traced.send({ method: 'unseen' });
    far.send({ method: 'unseen too' });
    await settle();
    trace.set(true);
    traced.send({ id: 1, method: 'asked' });
    await settle();
    far.send({ id: 1, result: {} });
    await settle();
    assert.deepEqual(heard, {
      near: [{ method: 'unseen too' }, { id: 1, result: {} }],
      far: [{ method: 'unseen' }, { id: 1, method: 'asked' }],
    });
    assert.deepEqual(
      trace.entries(0, 10, ALL_MESSAGES).map(({ direction, method }) => `${direction} ${method}`),
      ['sent asked', 'received asked'],
    );
    await traced.close();
    await far.close();
    trace.dispose();
  });

  test('passes messages on, reports dropped ones, and has the current details of the connection', async () => {
    const dropped = new Emitter<DroppedMessage>();
    const receivers: ((message: Json) => void)[] = [];
    const assigned: { session?: string } = {};
    const inner: Transport = {
      start: (receiver) => receivers.push(receiver),
      send: () => undefined,
      onClose: new Emitter<never>().event,
      onDropped: dropped.event,
      get details() {
        return { kind: 'http' as const, ...assigned };
      },
      close: async () => undefined,
    };
    const trace = new ProtocolTrace({ clock: new FakeClock() });
    trace.set(true);
    const traced = tap(inner, { trace, redact: asIs, foreign: () => undefined });
    const told: unknown[] = [];
    const listener = traced.onDropped?.(({ id }) => told.push(id));
    const heard: Json[] = [];
    traced.start(() => heard.push('first'));
    traced.start(() => heard.push('second'));
    receivers.at(-1)?.({ method: 'late' });
    const error = new HostError('MESSAGE_TOO_LARGE', 'It is too large.', { layer: 'transport' });
    dropped.fire({ id: 5, isRequest: false, error });
    assigned.session = 's1';
    assert.deepEqual(
      [heard, told, traced.details, trace.get(2)?.text],
      [['second'], [5], { kind: 'http', session: 's1' }, 'It is too large.'],
    );
    listener?.dispose();
    dropped.dispose();
    trace.dispose();
  });
});
