import type { Event } from '../base/event.ts';
import type { ScopeSettings } from './scope.ts';

/**
 * What a feature set may use (MCPL §6.2; "tools" since 0.3, and in the examples of 0.2). `inferenceRequest.streaming` and
 * `modelInfo` are uses of their own since 0.5.
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
export type McplUse = (typeof MCPL_USES)[number];

/** A feature set as its server declares it (MCPL §6.1, §7.1, §8.1). All of it is a claim. */
export interface FeatureSet {
  readonly name: string;
  readonly description: string;
  /** Its declared uses, including unknown ones: shown, without effect. */
  readonly uses: readonly string[];
  readonly scoped: boolean;
  readonly rollback: boolean;
  readonly hostState: boolean;
  /** Why it cannot be switched on: what a declaration must have is missing. A sentence. */
  readonly problem: string | undefined;
}

export const MCPL_VERSIONS = ['0.2', '0.3', '0.4', '0.5'] as const;
export type McplVersion = (typeof MCPL_VERSIONS)[number];

/**
 * How one server speaks MCPL, computed from what it says and how it says it. Version strings lie: where the shape says
 * otherwise, the shape counts.
 */
export interface McplDialect {
  /** The known version nearest to the claimed one; the oldest if the claim is unreadable. */
  readonly version: McplVersion;
  /** What it wrote, bounded; for people. */
  readonly claimed: string;
  /** It said so in its handshake; what it does not announce may come all the same. */
  readonly pushEvents: boolean;
  readonly before: boolean;
  /** `notify`: it reads answers; `blocking`: it may change them (MCPL §10.5). */
  readonly after: 'none' | 'notify' | 'blocking';
  readonly inference: 'none' | 'plain' | 'streaming';
  readonly modelInfo: boolean;
  /** How it is told which sets are on: a notification, from 0.5 on a request. */
  readonly policy: 'notification' | 'request';
  readonly scopes: boolean;
  /** In which shape content blocks are written to it: MCPL 0.2 has its own. */
  readonly blocks: '0.2' | 'mcp';
  /** Sets came as a list instead of an object. */
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
  /** Lower comes first; servers of the same order follow that of the settings. */
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
  /** Part of the name or the id of a model of the editor; absent for the host's choice. */
  readonly model: string | undefined;
  readonly requestsPerHour: number;
  readonly tokensPerDay: number;
}

/** All that settings say about MCPL of one server. Names are patterns with wildcards, which never go on the wire. */
export interface McplSettings {
  readonly featureSets: FeatureSetSettings;
  /** Tool → feature set, where the server does not say. */
  readonly toolFeatureSets: Readonly<Record<string, string>>;
  readonly hooks: HookSettings;
  /** Feature set (or pattern) → policy. */
  readonly push: Readonly<Record<string, PushPolicy>>;
  readonly inference: InferenceSettings;
  /** Of any server, whether it speaks MCPL or not. */
  readonly scopes: ScopeSettings;
}

export interface FeatureSetSettings {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

/** Where a declared set stands. */
export type FeatureSetState =
  | 'enabled'
  | 'disabled'
  /** Its declaration is not one. */
  | 'invalid'
  /** Switched on once, and declared otherwise since then: it is off until a person switches it on again. */
  | 'changed'
  /** Declared after the wildcard that would switch it on was first used: it is off until a person keeps it. */
  | 'new';

/** A question about events that a feature set does not declare. */
export interface EventsQuestion {
  readonly server: string;
  readonly featureSet: string;
}

/** Events of feature sets that do not declare them: refused, unless a person allows them. */
export interface AlsoEvents {
  /** The first such event waits for `choose`, 60 seconds at most. */
  readonly onDidAsk: Event<EventsQuestion>;
  /** A person's choice, kept with the form of the set. False where the set is not on. */
  choose(server: string, featureSet: string, allowed: boolean): boolean;
}

export type AlsoEventsState = 'allowed' | 'refused' | 'asking' | 'open';

export interface FeatureSetView {
  readonly set: FeatureSet;
  readonly state: FeatureSetState;
  readonly push: PushPolicy;
  /** Uses that it tried without declaring them. */
  readonly undeclared: readonly McplUse[];
  /**
   * Whether it may send events although it does not declare them: a person's choice, `asking` while one is asked, or
   * `open` if it tried without a choice. Absent if it declares them, never tried, or can never be allowed.
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
  /** Sets that the server declared earlier on this connection and withdrew, or now declares without `tools`. */
  readonly withdrawn: readonly FeatureSet[];
  /** None of its sets has been decided yet. */
  readonly isUndecided: boolean;
}
