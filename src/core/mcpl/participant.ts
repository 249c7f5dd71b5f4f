import type { CancellationToken } from '../base/cancellation.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/event.ts';
import type { Json } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { FeatureSet, McplDialect, McplSettings, Capability } from '../model/mcpl.ts';
import type { Session } from '../session/session.ts';
import type { UndeclaredUse } from '../wire/mcpl/mcplErrors.ts';

/** A running MCPL server, as seen by its hooks and requests. */
export interface Participant {
  /** The server's id in the settings. */
  readonly server: string;
  readonly session: Session;
  readonly dialect: McplDialect;
  /** The current settings, without parts that the workspace may not set. */
  readonly settings: McplSettings;
  readonly log: Logger;
  /** Removes secrets from stored or shown text. */
  redact(text: string): string;
  /** Removes secrets of other servers from a text for this one. */
  redactForeign(text: string): string;
  /**
   * Returns the set that a message names, if it is on (MCPL §6.6). Otherwise throws the `WireError` to answer with:
   * -32602 if no set is named, -32003 for an unknown set, -32001 for one that is off or does not declare the use.
   * `operation`: the method, if it differs from the one of the use.
   */
  requireEnabled(featureSet: Json | undefined, use: Capability | undefined, operation?: string): FeatureSet;
  /**
   * Holds an event of a set that does not declare events. Resolves if the user allows them. Otherwise rejects with the
   * problem.
   */
  holdEvent(problem: UndeclaredUse, token: CancellationToken): Promise<void>;
  /** Fires when sets may have been switched on or off, or declared differently. */
  readonly onDidChangeSets: Event<void>;
  /** Whether the set of this name is on. */
  isOn(featureSet: string): boolean;
  /**
   * The sets that are on and declare the use. Without any, the server does not take part
   * (docs/decisions/messages-of-a-set.md).
   */
  setsFor(use: Capability): readonly FeatureSet[];
  /**
   * A hook of the server is running until this is disposed. The server may not request inference meanwhile (MCPL
   * §10.7).
   */
  enterHook(): Disposable;
  readonly isInHook: boolean;
}
