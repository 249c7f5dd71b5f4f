import type { Clock } from '../base/clock.ts';
import { clip } from '../base/json.ts';
import type { AuditOutcome, AuditRecord } from '../model/audit.ts';
import type { InboundEvent } from '../model/event.ts';
import type { Recorder } from '../audit/recorder.ts';

const MAX_DETAIL = 300;

export interface TurnedAway {
  readonly server: string;
  readonly featureSet: string | undefined;
  readonly outcome: AuditOutcome;
  readonly detail: string;
}

/** Audit records of push events (MCPL §13.2). */
export class PushRecords {
  readonly #clock: Clock;
  readonly #recorder: Recorder;

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
    this.#recorder.record(record({ ...what, at, inferenceId: undefined, detail: clip(what.detail, MAX_DETAIL) }));
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
