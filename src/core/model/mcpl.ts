import type { Event } from '../base/event.ts';
import { canonicalJson, type Json } from '../base/json.ts';
import type { ScopeSettings } from './scope.ts';

/**
 * The capabilities that a feature set may use (MCPL §6.2; "tools" since 0.3, and in the examples of 0.2).
 * `inferenceRequest.streaming` and `modelInfo` are separate since 0.5.
 */
export const MCPL_USES = [
  'pushEvents',
  'contextHooks.beforeInference',
  'contextHooks.afterInference',
  'inferenceRequest',
  'inferenceRequest.streaming',
  'modelInfo',
  'tools',
] as const;
export type Capability = (typeof MCPL_USES)[number];

/** A feature set as its server declares it (MCPL §6.1, §7.1, §8.1). All of it is untrusted. */
export interface FeatureSet {
  readonly name: string;
  readonly description: string;
  /** Declared uses. Unknown ones are shown but have no effect. */
  readonly uses: readonly string[];
  readonly scoped: boolean;
  readonly rollback: boolean;
  readonly hostState: boolean;
  /** Why it cannot be switched on: the declaration lacks a required member. A sentence. */
  readonly problem: string | undefined;
}

const WITHOUT_RIGHTS: ReadonlySet<string> = new Set<keyof FeatureSet>(['name', 'description', 'problem']);
/** Stored forms contain these even if they are false. */
const ALWAYS_STORED: ReadonlySet<string> = new Set<keyof FeatureSet>(['uses', 'scoped', 'rollback', 'hostState']);

/**
 * The rights of a set as text: if it changes, the user's choice no longer covers the set. A new member of `FeatureSet`
 * is a right. Digests of this text are stored, so a member that is false or absent must stay out of it.
 */
export function rightsOf(set: FeatureSet): string {
  const rights = Object.entries<Json | undefined>({ ...set, uses: [...set.uses].sort() }).filter(
    ([key, value]) => ALWAYS_STORED.has(key) || (!WITHOUT_RIGHTS.has(key) && value !== undefined && value !== false),
  );
  return canonicalJson(Object.fromEntries(rights));
}

/** `0.2`. The known versions are in `wire/mcpl/revisions.ts`. */
export type McplVersion = `${number}.${number}`;

/** A version of MCPL, as the host treats servers that speak it. */
export interface McplRevision {
  readonly version: McplVersion;
  readonly traits: McplTraits;
}

/** How versions of MCPL differ. Code above the wire asks for a trait and never compares versions. */
export interface McplTraits {
  /** `{}` announces a capability, as in MCP. Otherwise only `true` does, at any depth. */
  readonly emptyObjectAnnounces: boolean;
  /** It has the hook `context/afterInference`. A server that announces the hook gets it anyway, with a remark. */
  readonly afterInference: boolean;
  /** How the host sends `featureSets/update`. */
  readonly policy: 'notification' | 'request';
  /** Where the host sends scope lists. `none`: there is no `scope/elevate` either. */
  readonly scopes: 'none' | 'handshake' | 'handshake+update';
  /** The shape of content blocks that the host sends: MCPL 0.2 has its own. */
  readonly blocks: '0.2' | 'mcp';
  /** A feature set must declare `tools` for its tools. */
  readonly toolsUse: boolean;
  /** `inferenceRequest.streaming` and `modelInfo` must be declared. Otherwise `inferenceRequest` includes streaming. */
  readonly separateInferenceUses: boolean;
  /** All possible uses (MCPL 0.5 §6.2). A feature set with any other use, or with none, is invalid. */
  readonly closedUses: ReadonlySet<string> | undefined;
  /**
   * The error for a use that a feature set does not declare. With `notEnabled`, the user may allow undeclared events;
   * `capabilityDenied` is final.
   */
  readonly undeclaredUse: 'notEnabled' | 'capabilityDenied';
  /** Any feature set may have state: a server decides with each response. Otherwise the declaration decides. */
  readonly stateByResponse: boolean;
}

/**
 * A server's variant of MCPL, computed from its announcement. Version strings are unreliable, so the shape of the
 * announcement takes precedence.
 */
export interface McplDialect {
  /** The known version closest to the claimed one. The oldest if the claim is unreadable. */
  readonly version: McplVersion;
  /** Of that version. */
  readonly traits: McplTraits;
  /** The claimed version, bounded, for display. */
  readonly claimed: string;
  /** Announced in the handshake. Servers may send events without announcing them. */
  readonly pushEvents: boolean;
  readonly before: boolean;
  /** `notify`: it reads answers; `blocking`: it may change them (MCPL §10.5). */
  readonly after: 'none' | 'notify' | 'blocking';
  readonly inference: 'none' | 'plain' | 'streaming';
  readonly modelInfo: boolean;
  /** The sets were declared as a list instead of an object. */
  readonly listsSets: boolean;
  /** Announced features that this host does not support, a sentence each. */
  readonly remarks: readonly string[];
}

/** The policy for push events of a set. */
export const PUSH_POLICIES = ['ignore', 'inbox', 'notify', 'infer'] as const;
export type PushPolicy = (typeof PUSH_POLICIES)[number];

export const INJECTION_POSITIONS = ['system', 'beforeUser', 'afterUser'] as const;
export type InjectionPosition = (typeof INJECTION_POSITIONS)[number];

/** `hooks` of a server's settings. */
export interface HookSettings {
  /** Lower values run first. Equal values run in the order of the settings. */
  readonly order: number;
  /** Whether it may read what the user wrote. */
  readonly readUserMessage: boolean;
  /** The allowed positions of its injections. */
  readonly positions: readonly InjectionPosition[];
  /** What happens to an answer whose blocking hook fails (MCPL §13.3). */
  readonly afterInference: 'failOpen' | 'failClosed';
  readonly beforeTimeoutMs: number;
  readonly afterTimeoutMs: number;
}

/** `inference` of a server's settings. */
export interface InferenceSettings {
  /** Part of a model's name or id. Absent for the host's choice. */
  readonly model: string | undefined;
  readonly requestsPerHour: number;
  readonly tokensPerDay: number;
}

/** All settings about MCPL for one server. Names are patterns with wildcards, which are never sent. */
export interface McplSettings {
  readonly featureSets: FeatureSetSettings;
  /** Tool → feature set, for tools whose server names none. */
  readonly toolFeatureSets: Readonly<Record<string, string>>;
  readonly hooks: HookSettings;
  /** Feature set (or pattern) → policy. */
  readonly push: Readonly<Record<string, PushPolicy>>;
  readonly inference: InferenceSettings;
  /** Applies to every server, with or without MCPL. */
  readonly scopes: ScopeSettings;
}

export interface FeatureSetSettings {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

/** The status of a declared set. */
export type FeatureSetState =
  | 'enabled'
  | 'disabled'
  /** The declaration is invalid. */
  | 'invalid'
  /** The declaration changed after the set was switched on. It stays off until the user switches it on again. */
  | 'changed'
  /** Declared after the wildcard that would switch it on was first used. It stays off until the user accepts it. */
  | 'new';

/** Asks about events that a feature set does not declare. */
export interface EventsQuestion {
  readonly server: string;
  readonly featureSet: string;
}

/** Events of feature sets that do not declare them. Refused unless the user allows them. */
export interface AlsoEvents {
  /** The first such event waits at most 60 seconds for `choose`. */
  readonly onDidAsk: Event<EventsQuestion>;
  /** Stores the user's choice for this declaration of the set. Returns false if the set is not on. */
  choose(server: string, featureSet: string, allowed: boolean): boolean;
}

export type AlsoEventsState = 'allowed' | 'refused' | 'asking' | 'open';

export interface FeatureSetView {
  readonly set: FeatureSet;
  readonly state: FeatureSetState;
  readonly push: PushPolicy;
  /** Undeclared uses that the server tried. */
  readonly undeclared: readonly Capability[];
  /**
   * Whether it may send undeclared events: the user's choice, `asking` during the prompt, or `open` if it tried without
   * a choice. Absent if it declares events, never tried, or can never be allowed.
   */
  readonly alsoEvents?: AlsoEventsState | undefined;
  /** The tools that belong to it. */
  readonly tools: readonly string[];
}

/** The MCPL state of one server; absent for a plain MCP server. */
export interface McplSnapshot {
  readonly dialect: McplDialect;
  /** In the order of their declaration. */
  readonly sets: readonly FeatureSetView[];
  /** Sets that the server withdrew on this connection, or now declares without `tools`. */
  readonly withdrawn: readonly FeatureSet[];
  /** The user has not decided about any of the sets yet. */
  readonly isUndecided: boolean;
}
