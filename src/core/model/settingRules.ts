/**
 * Whether a workspace may change a setting without a prompt. "Narrowing" means that the server may do, see or change
 * less than with user settings; "widening" means more. A change that is neither counts as both.
 */
export type RuleAnswer =
  /** Takes effect without a question. */
  | 'free'
  /** The start prompt names it, and a consent covers exactly this value. */
  | 'start'
  /** The user's value applies until the user agrees. The server runs meanwhile. */
  | 'keeps'
  /** As `keeps`, but only for a guard: a server with `hooks.afterInference: "failClosed"`. */
  | 'keepsForGuard'
  /** The user's value always applies. */
  | 'never';

export interface SettingRule {
  readonly narrowing: RuleAnswer;
  readonly widening: RuleAnswer;
}

export type ChangeDirection = 'narrowing' | 'widening';

const rule = (narrowing: RuleAnswer, widening: RuleAnswer): SettingRule => ({ narrowing, widening });
const FREE = rule('free', 'free');
const NEVER = rule('never', 'never');
/** The consent to start is bound to the connection. */
const CONNECTION = rule('start', 'start');
const KEEPS = rule('keeps', 'keeps');

/** Every key of an entry of `mcpl.servers`. A test compares them with package.json. */
export const ENTRY_RULES = {
  enabled: rule('keepsForGuard', 'free'),
  command: CONNECTION,
  args: CONNECTION,
  env: CONNECTION,
  envFile: CONNECTION,
  cwd: CONNECTION,
  url: CONNECTION,
  headers: CONNECTION,
  transport: CONNECTION,
  auth: CONNECTION,
  // Another version or dialect can leave a server without scopes, sets or hooks.
  'protocol.era': KEEPS,
  'protocol.dialect': KEEPS,
  'protocol.mcpl': KEEPS,
  'featureSets.enabled': rule('keepsForGuard', 'start'),
  // A longer list narrows.
  'featureSets.disabled': rule('keepsForGuard', 'start'),
  toolFeatureSets: rule('start', 'start'),
  'scopes.whitelist': rule('free', 'start'),
  'scopes.blacklist': rule('free', 'never'),
  scopeAdapters: rule('start', 'start'),
  // After a guard, another server could change what was checked.
  'hooks.order': KEEPS,
  'hooks.readUserMessage': rule('keepsForGuard', 'start'),
  'hooks.positions': rule('keepsForGuard', 'start'),
  // "failOpen" narrows: the guard no longer withholds answers that it could not check.
  'hooks.afterInference': rule('keeps', 'free'),
  'hooks.beforeTimeoutMs': rule('keepsForGuard', 'free'),
  'hooks.afterTimeoutMs': rule('keeps', 'free'),
  // The order is "ignore", "inbox", "notify".
  push: KEEPS,
  'push.infer': rule('free', 'start'),
  'inference.model': rule('start', 'start'),
  'inference.requestsPerHour': rule('keepsForGuard', 'start'),
  'inference.tokensPerDay': rule('keepsForGuard', 'start'),
  // A shorter list widens: models may call more.
  'tools.hidden': rule('free', 'keeps'),
  'tools.autoApprove': rule('free', 'start'),
  // The server validates its arguments anyway.
  'tools.validateArguments': FREE,
  // A guard that is not running in time withholds every answer.
  'timeouts.start': FREE,
  'timeouts.list': FREE,
  'timeouts.call': FREE,
  'timeouts.callMax': FREE,
  restart: FREE,
  healthCheck: FREE,
} as const satisfies Readonly<Record<string, SettingRule>>;

export type EntryKey = keyof typeof ENTRY_RULES;

/** Every other setting of package.json. */
export const WINDOW_RULES = {
  // Servers from user settings use input declarations from user settings.
  'mcpl.inputs': NEVER,
  'mcpl.trace': rule('never', 'free'),
  'mcpl.push.maxPerMinute': KEEPS,
  'mcpl.events.maxCount': KEEPS,
  'mcpl.audit.retentionDays': KEEPS,
  'mcpl.inference.model': KEEPS,
  // An earlier timeout denies the request.
  'mcpl.approvals.timeoutSeconds': rule('free', 'keeps'),
  'mcpl.approvals.inChat': NEVER,
  'mcpl.state.maxCount': KEEPS,
  'mcpl.state.maxAgeDays': KEEPS,
  'mcpl.state.maxMegabytes': KEEPS,
  'mcpl.gateway.transport': rule('free', 'never'),
  'mcpl.chatHooks.enabled': NEVER,
  'mcpl.models.wrap': NEVER,
} as const satisfies Readonly<Record<string, SettingRule>>;

export type WindowKey = keyof typeof WINDOW_RULES;

const RULES: Readonly<Record<string, SettingRule>> = { ...ENTRY_RULES, ...WINDOW_RULES };

export function answerOf(key: EntryKey | WindowKey, direction: ChangeDirection): RuleAnswer {
  return RULES[key]?.[direction] ?? 'never';
}

/** Whether a workspace value applies, is asked about, or never applies. `start` belongs to the start prompt. */
export type Ruling = 'applies' | 'asks' | 'never';

/** An unordered change narrows and widens, so the stricter answer counts. */
export function rulingOn(
  key: EntryKey | WindowKey,
  direction: ChangeDirection | 'unordered',
  isGuard: boolean,
  answer = answerOf,
): Ruling {
  const answers =
    direction === 'unordered' ? [answer(key, 'narrowing'), answer(key, 'widening')] : [answer(key, direction)];
  if (answers.includes('never')) return 'never';
  return answers.includes('keeps') || (isGuard && answers.includes('keepsForGuard')) ? 'asks' : 'applies';
}

/** A workspace value that would weaken the user's value. */
export interface Weakening {
  readonly key: EntryKey | WindowKey;
  /** Path below the entry, for a diagnostic. Empty for a window setting. */
  readonly path: readonly string[];
  /** The workspace's value, and the value in effect meanwhile. */
  readonly value: string;
  readonly instead: string;
}

/** A weakening as stored with a consent. It covers exactly this pair of values. */
export function weakeningLine({ key, path, value, instead }: Weakening): string {
  return JSON.stringify([key, path, value, instead]);
}
