import { assertNever, isRunning, plural, type ServerSnapshot, type StopReason } from '../../core/index.ts';

/** A codicon with a theme color. */
export interface NodeIcon {
  readonly name: string;
  readonly color?: string;
}

/** A server's state in a few words: `running · 5 tools · 2025-06-18`. */
export function stateWords(server: ServerSnapshot): string {
  if (!isRunning(server.state)) return stateText(server);
  const { protocolVersion, connection } = server.state;
  const tools = counted(server.tools.length, 'tool');
  // Short, because side bars are narrow. Other counts only appear without tools.
  const others = [...counted(server.resources.length, 'resource'), ...counted(server.prompts.length, 'prompt')];
  const counts = tools.length > 0 ? tools : others;
  return [healthText(server), ...counts, protocolVersion, ...(connection.isDialect ? ['short dialect'] : [])].join(
    ' · ',
  );
}

function healthText({ health }: ServerSnapshot): string {
  if (health === undefined) return 'running';
  return health.kind === 'busy' ? `busy for ${health.minutes} min` : 'not responding';
}

function counted(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [plural(count, what)];
}

export function stateText(server: ServerSnapshot): string {
  const { state } = server;
  if (server.definition === undefined && state.kind === 'stopped') return 'error in settings';
  switch (state.kind) {
    case 'stopped':
      return stopText(state.reason, server.enabled);
    case 'asking':
      return 'waiting for your answer';
    case 'restarting':
      return 'stopped unexpectedly, starts again soon';
    case 'starting':
    case 'stopping':
      return `${state.kind}…`;
    case 'running':
      return healthText(server);
    case 'failed':
      return state.kind;
    default:
      return assertNever(state);
  }
}

function stopText(reason: StopReason, enabled: boolean): string {
  switch (reason) {
    case 'notStarted':
    case 'byUser':
      return enabled ? 'stopped' : 'off';
    case 'notApproved':
      return 'not allowed to start';
    case 'notAllowed':
      return 'not allowed by your organisation';
    case 'restrictedMode':
      return 'off in Restricted Mode';
    default:
      return assertNever(reason);
  }
}

export function stateIcon(server: ServerSnapshot): NodeIcon {
  const { state } = server;
  if (server.definition === undefined && state.kind === 'stopped')
    return { name: 'error', color: 'list.errorForeground' };
  switch (state.kind) {
    case 'running':
      if (server.health !== undefined) return { name: 'warning', color: 'list.warningForeground' };
      return { name: 'circle-filled', color: 'testing.iconPassed' };
    case 'starting':
    case 'stopping':
      return { name: 'loading~spin' };
    case 'asking':
      return { name: 'question', color: 'list.warningForeground' };
    case 'restarting':
      return { name: 'sync', color: 'list.warningForeground' };
    case 'failed':
      return { name: 'error', color: 'list.errorForeground' };
    case 'stopped':
      return { name: 'circle-outline', color: 'disabledForeground' };
    default:
      return assertNever(state);
  }
}
