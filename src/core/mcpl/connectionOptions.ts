import type { Clock } from '../base/clock.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { Redact } from '../base/secrets.ts';
import type { EventsQuestion, McplSettings } from '../model/mcpl.ts';
import type { ProtocolSettings } from '../model/server.ts';
import type { InboundContext } from '../rpc/peer.ts';
import type { FormGrants } from './formGrants.ts';
import type { Participant } from './participant.ts';
import type { Recorder } from '../audit/auditLog.ts';

/** Answers a server's requests under MCPL. */
export type McplHandler = (member: Participant, params: JsonObject, context: InboundContext) => Promise<Json> | Json;

export interface McplConnectionOptions {
  readonly server: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly grants: FormGrants;
  readonly recorder: Recorder;
  /** Asks the user whether a set may send events that it does not declare. Returns false if no user can be asked. */
  askEvents(question: EventsQuestion): boolean;
  /** By method. */
  readonly handlers: Readonly<Record<string, McplHandler>>;
  /** The current settings, without parts that the workspace may not set. */
  settings(): McplSettings;
  protocol(): ProtocolSettings['mcpl'];
  readonly redact: Redact;
  readonly redactForeign: Redact;
  /** Expands the variables in a scope pattern. */
  expand(pattern: string): string;
  /** The view of the sets has changed. */
  onChange(): void;
  /** The server got the list of sets that are on. `isFirst`: for the first time over this connection. */
  onGranted(isFirst: boolean): void;
}
