import type { Clock } from '../base/clock.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { Redact } from '../base/secrets.ts';
import type { EventsQuestion, McplSettings } from '../model/mcpl.ts';
import type { ProtocolSettings } from '../model/server.ts';
import type { InboundContext } from '../rpc/peer.ts';
import type { FormGrants } from './formGrants.ts';
import type { McplMember } from './member.ts';
import type { Recorder } from '../audit/recorder.ts';

/** Who answers what servers ask under MCPL. */
export type McplHandler = (member: McplMember, params: JsonObject, context: InboundContext) => Promise<Json> | Json;

export interface McplConnectionOptions {
  readonly server: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly grants: FormGrants;
  readonly recorder: Recorder;
  /** Asks a person whether a set may send events that it does not declare; false without a person to ask. */
  askEvents(question: EventsQuestion): boolean;
  /** By method. */
  readonly handlers: Readonly<Record<string, McplHandler>>;
  /** The settings as they are now, without what the workspace may not say. */
  settings(): McplSettings;
  protocol(): ProtocolSettings['mcpl'];
  readonly redact: Redact;
  readonly redactForeign: Redact;
  /** A pattern of a scope with its variables written out. */
  expand(pattern: string): string;
  /** What a view shows of the sets changed. */
  onChange(): void;
  /** The server was told which sets are on now; `isFirst`: for the first time over this connection. */
  onGranted(isFirst: boolean): void;
}
