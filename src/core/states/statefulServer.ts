import type { ServerSnapshot } from '../model/server.ts';
import type { Session } from '../session/session.ts';

/** The parts of a server that states need. */
export interface StatefulServer {
  readonly id: string;
  readonly snapshot: ServerSnapshot;
  readonly session: Session | undefined;
  redact(text: string): string;
}
