import type { Deferred } from '../../../../src/core/base/async.ts';
import type { AuditRecord } from '../../../../src/core/model/audit.ts';
import type { InboundEvent } from '../../../../src/core/model/inboundEvent.ts';
import type { Admission, EventChange, EventStore } from '../../../../src/core/ports.ts';

/** An event store that records its requests, and that can fail or wait. */
export class MemoryEvents implements EventStore {
  readonly requests: string[] = [];
  readonly records: AuditRecord[] = [];
  /** Oldest first. */
  kept: InboundEvent[] = [];
  failure: string | undefined;
  /** While set, requests wait. */
  gate: Deferred<void> | undefined;

  /** Like a new host with these stored events. */
  static of(...kept: readonly InboundEvent[]): MemoryEvents {
    const events = new MemoryEvents();
    events.kept = [...kept];
    return events;
  }

  async admit(event: InboundEvent, record: AuditRecord): Promise<Admission> {
    await this.#begin(`admit ${event.server} ${event.eventId}`);
    const known = this.kept.find(({ server, eventId }) => server === event.server && eventId === event.eventId);
    if (known !== undefined) return { kind: 'known', inferenceId: known.inferenceId };
    this.kept.push(event);
    this.records.push(record);
    return { kind: 'kept' };
  }

  async list(limit: number): Promise<readonly InboundEvent[]> {
    await this.#begin(`list ${limit}`);
    return this.kept.slice(-limit).reverse();
  }

  async change(id: string, change: EventChange): Promise<void> {
    await this.#begin(`change ${id} ${change.outcome.kind}`);
    this.kept = this.kept.map((event) => (event.id === id ? { ...event, outcome: change.outcome } : event));
  }

  async markRead(ids: readonly string[]): Promise<void> {
    await this.#begin(`markRead ${ids.join(' ')}`);
    this.kept = this.kept.map((event) => (ids.includes(event.id) ? { ...event, isRead: true } : event));
  }

  async clear(server: string | undefined): Promise<void> {
    await this.#begin(`clear ${server ?? 'all'}`);
    this.kept = this.kept.filter((event) => server !== undefined && event.server !== server);
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.#begin(`remove ${ids.join(' ')}`);
    this.kept = this.kept.filter(({ id }) => !ids.includes(id));
  }

  async trim(keep: number): Promise<void> {
    await this.#begin(`trim ${keep}`);
    this.kept = this.kept.slice(-keep);
  }

  async #begin(request: string): Promise<void> {
    this.requests.push(request);
    if (this.gate !== undefined) await this.gate.promise;
    if (this.failure !== undefined) throw new Error(this.failure);
  }
}

export function inboundEvent(id: string, extra: Partial<InboundEvent> = {}): InboundEvent {
  return {
    id,
    server: 'gitlab',
    source: { kind: 'push', featureSet: 'gitlab.notes' },
    eventId: `evt_${id}`,
    occurredAt: '2026-01-23T10:30:00Z',
    receivedAt: 1_000_000,
    origin: undefined,
    content: [{ type: 'text', text: `Text of ${id}` }],
    inferenceId: undefined,
    isRead: false,
    outcome: { kind: 'none' },
    ...extra,
  };
}
