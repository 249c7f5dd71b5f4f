import type { ServerSnapshot } from '../model/server.ts';
import type { Session } from '../session/session.ts';

/** A server as far as its states need it. */
export interface StateUnit {
  readonly id: string;
  readonly snapshot: ServerSnapshot;
  readonly session: Session | undefined;
  redact(text: string): string;
}
