import type { CancellationToken } from '../base/cancellation.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/event.ts';
import type { Json } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { FeatureSet, McplDialect, McplSettings, McplUse } from '../model/mcpl.ts';
import type { Session } from '../session/session.ts';
import type { UndeclaredUse } from '../wire/mcpl/mcplErrors.ts';

/** A running MCPL server, as its hooks and requests need it. */
export interface McplMember {
  /** Its id in the settings. */
  readonly server: string;
  readonly session: Session;
  readonly dialect: McplDialect;
  /** As they are now, with what the workspace may not say left out. */
  readonly settings: McplSettings;
  readonly log: Logger;
  /** Takes secrets out of what is kept or shown. */
  redact(text: string): string;
  /** Takes other servers' secrets out of a text for this one. */
  redactForeign(text: string): string;
  /**
   * The set that a message names, if it is on (MCPL §6.6). Throws the `WireError` to answer with: -32602 if it names
   * none, -32003 for an unknown one, -32001 for one that is off or does not declare the use. `operation`: the method,
   * if it is not the one of the use.
   */
  admit(featureSet: Json | undefined, use: McplUse | undefined, operation?: string): FeatureSet;
  /** An event of a set that does not declare events: resolves when a person allows them, else rejects with the problem. */
  holdEvent(problem: UndeclaredUse, token: CancellationToken): Promise<void>;
  /** Fires when sets may have been switched on or off, or were declared otherwise. */
  readonly onDidChangeSets: Event<void>;
  /** Whether a set of that name is on. */
  isOn(featureSet: string): boolean;
  /** Its sets that are on and declare the use: whether it takes part at all (docs/decisions/messages-of-a-set.md). */
  setsFor(use: McplUse): readonly FeatureSet[];
  /** A hook of it is under way until this is disposed: it may not ask for inference meanwhile (MCPL §10.7). */
  enterHook(): Disposable;
  readonly isInHook: boolean;
}
