import type { Clock } from '../base/clock.ts';
import { clip } from '../base/json.ts';
import type { AuditOutcome, AuditRecord } from '../model/audit.ts';
import type { InboundEvent } from '../model/event.ts';
import { PushRate } from './pushRate.ts';
import type { Recorder } from './recorder.ts';

/** Of each server in a minute. What is taken is bounded by its own rate; nothing else bounds what is turned away. */
const MOST_TURNED_AWAY = 60;
const MAX_DETAIL = 300;

export interface TurnedAway {
  readonly server: string;
  readonly featureSet: string | undefined;
  readonly outcome: AuditOutcome;
  readonly detail: string;
}

/** What the audit is told of push events (MCPL §13.2). */
export class PushRecords {
  readonly #clock: Clock;
  readonly #recorder: Recorder;
  readonly #rate = new PushRate();
  readonly #untold = new Map<string, number>();

  constructor(clock: Clock, recorder: Recorder) {
    this.#clock = clock;
    this.#recorder = recorder;
  }

  /** Of an event that is kept: it is stored together with it. */
  kept(event: InboundEvent, remark: string | undefined): AuditRecord {
    const { receivedAt: at, server, source, inferenceId } = event;
    const detail = remark === undefined ? `event ${event.eventId}` : `event ${event.eventId}: ${remark}`;
    return record({ at, server, featureSet: source.featureSet, inferenceId, outcome: 'success', detail });
  }

  turnedAway(what: TurnedAway): void {
    const at = this.#clock.now();
    const { server } = what;
    const untold = this.#untold.get(server) ?? 0;
    if (this.#rate.take(server, MOST_TURNED_AWAY, at) > 0) {
      this.#untold.set(server, untold + 1);
      return;
    }
    if (untold > 0) this.#untold.delete(server);
    const before = untold > 0 ? ` (${untold} more were turned away before it)` : '';
    const detail = clip(what.detail, MAX_DETAIL) + before;
    this.#recorder.record(record({ ...what, at, inferenceId: undefined, detail }));
  }
}

type Facts = Pick<AuditRecord, 'at' | 'server' | 'featureSet' | 'inferenceId' | 'outcome' | 'detail'>;

function record(facts: Facts): AuditRecord {
  const { at, server, featureSet, inferenceId, outcome, detail } = facts;
  return {
    at,
    server,
    operation: 'push/event',
    featureSet,
    inferenceId,
    outcome,
    durationMs: 0,
    detail: detail === undefined ? undefined : clip(detail, MAX_DETAIL * 2),
    tokens: undefined,
  };
}
