import { isRunning, type ModelBudget, plural, type ServerSnapshot, type SettingsProblem } from '../../core/index.ts';
import { budgetText, isSpent } from '../models/modelBudgetText.ts';
import { stateText } from '../shared/serverStateText.ts';

/** The content of the status bar item. */
interface StatusText {
  readonly visible: boolean;
  readonly text: string;
  readonly tooltip: string;
  /** The label for screen readers. */
  readonly spoken: string;
  readonly isUrgent: boolean;
}

/** Maximum servers in the tooltip. The quick pick has all. */
const MAX_LINES = 12;

/** Counts besides servers and settings. */
interface StatusCounts {
  /** Open questions of running servers, without start prompts. */
  readonly questions?: number;
  /** Unread push events. */
  readonly unread?: number;
  /** Pending approvals. */
  readonly approvals?: number;
  /** Feature sets whose calls are blocked. */
  readonly blocked?: number;
  /** Budgets of servers that use models. */
  readonly budgets?: readonly ModelBudget[];
}

export function statusText(
  servers: readonly ServerSnapshot[],
  problems: readonly SettingsProblem[],
  { questions = 0, unread = 0, approvals = 0, blocked = 0, budgets = [] }: StatusCounts = {},
): StatusText {
  const running = servers.filter((server) => isRunning(server.state)).length;
  const failed = servers.filter((server) => server.state.kind === 'failed').length;
  const asking = servers.filter((server) => server.state.kind === 'asking').length + questions;
  const wrong = failed + blocked + problems.filter((problem) => problem.severity === 'error').length;
  const busy = servers.some((server) => server.state.kind === 'starting' || server.state.kind === 'restarting');
  const icon = busy ? '$(loading~spin)' : '$(mcp)';
  const counts = [
    { count: unread, icon: 'bell-dot', fact: unreadText(unread) },
    { count: approvals, icon: 'shield', fact: approvalsText(approvals) },
    { count: asking, icon: 'question', fact: `${asking} waiting for your answer` },
    { count: budgets.filter(isSpent).length, icon: 'sparkle', fact: spentText(budgets.filter(isSpent).length) },
    { count: wrong, icon: 'warning', fact: plural(wrong, 'problem') },
  ].filter(({ count }) => count > 0);
  const parts = [`${icon} ${running}`, ...counts.map((part) => `$(${part.icon}) ${part.count}`)];
  const some = `${running} of ${plural(servers.length, 'server')} running`;
  const facts = [some, ...counts.map(({ fact }) => fact)];
  const lines = servers.slice(0, MAX_LINES).map((server) => `${server.id}: ${stateText(server)}`);
  const rest = servers.length - lines.length;
  const models = budgets.slice(0, MAX_LINES).map((budget) => `${budget.server} and models: ${budgetText(budget)}`);
  return {
    visible: servers.length > 0 || problems.length > 0 || unread + approvals > 0,
    text: parts.join(' '),
    tooltip: [`MCP Live: ${facts.join(', ')}`, ...lines, ...(rest > 0 ? [`and ${rest} more`] : []), ...models].join(
      '\n',
    ),
    spoken: `MCP Live: ${facts.join(', ')}`,
    isUrgent: wrong + asking + approvals > 0,
  };
}

function spentText(spent: number): string {
  return plural(spent, 'model budget used up', 'model budgets used up');
}

export function unreadText(unread: number): string {
  return plural(unread, 'unread event');
}

export function approvalsText(approvals: number): string {
  return plural(approvals, 'request waits for your approval', 'requests wait for your approval');
}

export function blockedStatusText(blocked: number): string {
  return plural(
    blocked,
    'feature set waits for you to choose a checkpoint',
    'feature sets wait for you to choose a checkpoint',
  );
}
