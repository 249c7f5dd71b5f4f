import {
  canStart,
  canStop,
  cleanLine,
  cleanText,
  type ConnectionDefinition,
  type HostError,
  type OfferedTool,
  type ServerSnapshot,
  type SettingsProblem,
} from '../core/index.ts';
import { joinCommandLine } from './commandLine.ts';
import { type CommandId, COMMANDS, type Facet, FACETS } from './ids.ts';
import { toolHints } from './toolHints.ts';
import { type NodeIcon, stateIcon, stateText, stateWords } from './serverStateText.ts';

/** One row of the Servers view, as data: all texts are plain, cleaned and bounded. */
export interface TreeNode {
  /** The same for the same thing at all times, so that expansion and selection survive a refresh. */
  readonly id: string;
  readonly kind: 'server' | 'tools' | 'tool' | 'log' | 'note' | 'problem';
  /** With `tool`, what commands on this row are about. Empty for a problem of no server. */
  readonly server: string;
  readonly tool: string | undefined;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly spoken: string;
  readonly icon: NodeIcon | undefined;
  readonly facets: readonly Facet[];
  readonly checkbox: NodeCheckbox | undefined;
  readonly command: NodeCommand | undefined;
  /** The member of the settings that the row is about. */
  readonly setting: SettingPlace | undefined;
  readonly expansion: 'none' | 'collapsed' | 'expanded';
  readonly children: readonly TreeNode[];
}

export interface NodeCheckbox {
  readonly checked: boolean;
  readonly tooltip: string;
  readonly spoken: string;
}

export interface NodeCommand {
  readonly id: CommandId;
  readonly title: string;
}

export type SettingPlace = Pick<SettingsProblem, 'scope' | 'path'>;

const SHOW_LOG: NodeCommand = { id: COMMANDS.serverShowLog, title: 'Show Log' };
const SHOW_QUESTION: NodeCommand = { id: COMMANDS.serverStart, title: 'Show Question' };

const MAX_LABEL = 200;
const ERROR_ICON: NodeIcon = { name: 'error', color: 'list.errorForeground' };
const WARNING_ICON: NodeIcon = { name: 'warning', color: 'list.warningForeground' };

const LEAF = {
  tool: undefined,
  description: '',
  icon: undefined,
  facets: [],
  checkbox: undefined,
  command: undefined,
  setting: undefined,
  expansion: 'none',
  children: [],
} as const;

/** The whole view: what is wrong with the settings as a whole, then the servers in the order of the settings. */
export function serverTree(
  servers: readonly ServerSnapshot[],
  problems: readonly SettingsProblem[],
): readonly TreeNode[] {
  const ids = new Set(servers.map((server) => server.id));
  const homeless = problems.filter(({ path }) => typeof path[0] !== 'string' || !ids.has(path[0]));
  return [...homeless.map((problem) => problemNode('', problem)), ...servers.map(serverNode)];
}

export function serverNode(server: ServerSnapshot): TreeNode {
  const words = stateWords(server);
  // A question that waits is shown again by starting its server: toasts hide themselves.
  const startable = server.definition !== undefined && (canStart(server.state) || server.state.kind === 'asking');
  return {
    ...LEAF,
    id: nodeId('server', server.id),
    kind: 'server',
    server: server.id,
    label: cleanLine(server.id, MAX_LABEL),
    description: words,
    tooltip: serverTooltip(server),
    spoken: `${cleanLine(server.id, MAX_LABEL)}, ${words}`,
    icon: stateIcon(server),
    facets: [
      FACETS.server,
      ...(startable ? [FACETS.startable] : []),
      ...(canStop(server.state) ? [FACETS.stoppable] : []),
      ...(server.state.kind === 'failed' ? [FACETS.failed] : []),
      ...(server.enabled ? [FACETS.enabled] : []),
    ],
    // A server that has something to say opens by itself; the others wait until they are opened.
    expansion: server.state.kind === 'failed' || hasErrors(server) ? 'expanded' : 'collapsed',
    children: [...stateNotes(server), ...problemNodes(server), ...toolsNodes(server), logNode(server.id)],
  };
}

function hasErrors(server: ServerSnapshot): boolean {
  return server.problems.some((problem) => problem.severity === 'error');
}

function stateNotes(server: ServerSnapshot): readonly TreeNode[] {
  const { state } = server;
  switch (state.kind) {
    case 'failed':
    case 'restarting':
      return errorNotes(server.id, state.error, state.kind === 'failed' ? ERROR_ICON : WARNING_ICON);
    case 'stopped': {
      const note = state.reason === 'notApproved' ? NOT_APPROVED : state.reason === 'restrictedMode' ? RESTRICTED : '';
      return note === '' ? [] : [noteNode(server.id, 'stopped', note, { name: 'info' })];
    }
    case 'asking':
      return [noteNode(server.id, 'asking', ASKING, { name: 'info' }, SHOW_QUESTION)];
    default:
      return [];
  }
}

const ASKING = 'Select to see the question again.';
const NOT_APPROVED = 'It was not allowed to start, or not given what it asked for. Start it to be asked again.';
const RESTRICTED = 'This window is in Restricted Mode. Trust the workspace to start servers.';

function errorNotes(server: string, error: HostError, icon: NodeIcon): readonly TreeNode[] {
  const reason = noteNode(server, 'reason', error.message, icon, SHOW_LOG);
  if (error.suggestion === undefined) return [reason];
  return [reason, noteNode(server, 'next', error.suggestion, { name: 'lightbulb' })];
}

function noteNode(server: string, part: string, text: string, icon: NodeIcon, command?: NodeCommand): TreeNode {
  const label = cleanLine(text, MAX_LABEL);
  return {
    ...LEAF,
    id: nodeId('note', server, part),
    kind: 'note',
    server,
    label,
    tooltip: cleanText(text),
    spoken: label,
    icon,
    command,
  };
}

function problemNodes(server: ServerSnapshot): readonly TreeNode[] {
  return server.problems.map((problem) => problemNode(server.id, problem));
}

function problemNode(server: string, problem: SettingsProblem): TreeNode {
  const { path, message, scope, severity } = problem;
  const member = path.slice(server === '' ? 0 : 1).join('.');
  const label = cleanLine(member === '' ? message : `${member}: ${message}`, MAX_LABEL);
  return {
    ...LEAF,
    id: nodeId('problem', server, scope, path.join('.'), message),
    kind: 'problem',
    server,
    label,
    description: `${scope} settings`,
    tooltip: cleanText(
      `${['mcpl.servers', ...path].join('.')} (${scope} settings)\n${message}\nSelect to open the settings.`,
    ),
    spoken: `${severity === 'error' ? 'Error' : 'Warning'} in ${scope} settings: ${label}`,
    icon: severity === 'error' ? ERROR_ICON : WARNING_ICON,
    facets: [FACETS.problem],
    command: { id: COMMANDS.serverOpenSettings, title: 'Open Settings' },
    setting: { scope, path },
  };
}

function toolsNodes(server: ServerSnapshot): readonly TreeNode[] {
  // A list with the same name twice would give two rows one identity, which the editor refuses to show.
  const byName = new Map([...server.tools].reverse().map((offered) => [offered.tool.name, offered]));
  const tools = [...byName.values()].reverse();
  if (tools.length === 0) return [];
  const offered = tools.filter((tool) => tool.offered).length;
  const count = offered === tools.length ? String(tools.length) : `${offered} of ${tools.length} offered to models`;
  const node: TreeNode = {
    ...LEAF,
    id: nodeId('tools', server.id),
    kind: 'tools',
    server: server.id,
    label: 'Tools',
    description: count,
    tooltip: 'Checked tools are offered to models. A tool with a shield asks before a model may call it.',
    spoken: `Tools, ${count}`,
    icon: { name: 'tools' },
    expansion: 'collapsed',
    children: tools.map((tool) => toolNode(server.id, tool)),
  };
  return [node];
}

function toolNode(server: string, { tool, offered, autoApproved }: OfferedTool): TreeNode {
  const name = cleanLine(tool.name, MAX_LABEL);
  const how = autoApproved ? 'auto-approved' : 'asks first';
  const description = offered ? how : 'not offered';
  return {
    ...LEAF,
    id: nodeId('tool', server, tool.name),
    kind: 'tool',
    server,
    tool: tool.name,
    label: name,
    description,
    tooltip: toolTooltip(tool, offered, autoApproved),
    spoken: `${name}, ${description}`,
    icon: autoApproved ? { name: 'pass' } : { name: 'shield' },
    facets: [
      FACETS.tool,
      autoApproved ? FACETS.autoApproved : FACETS.asks,
      // For the menu: the editor offers no key for a checkbox.
      offered ? FACETS.offered : FACETS.hidden,
    ],
    checkbox: {
      checked: offered,
      tooltip: offered ? 'Offered to models. Clear to hide it from them.' : 'Hidden from models. Check to offer it.',
      spoken: `Offer ${name} to models`,
    },
  };
}

function toolTooltip(tool: OfferedTool['tool'], offered: boolean, autoApproved: boolean): string {
  const hints = toolHints(tool);
  const approval = autoApproved ? 'Models may call it without asking you.' : 'Asks you before a model calls it.';
  return lines(
    cleanLine(tool.title ?? tool.name, MAX_LABEL),
    // Ours first: what the server says may be longer than the tooltip shows.
    offered ? `Offered to models. ${approval}` : 'Not offered to models.',
    hints.length === 0 ? undefined : `The server says: ${hints.join(', ')}.`,
    tool.description === undefined ? undefined : `\n${cleanText(tool.description)}`,
  );
}

function logNode(server: string): TreeNode {
  return {
    ...LEAF,
    id: nodeId('log', server),
    kind: 'log',
    server,
    label: 'Log',
    tooltip: 'What the server writes to its error output, and what happens to it.',
    spoken: 'Log',
    icon: { name: 'output' },
    command: SHOW_LOG,
  };
}

function serverTooltip(server: ServerSnapshot): string {
  const { state, definition } = server;
  const error = state.kind === 'failed' || state.kind === 'restarting' ? state.error : undefined;
  const info = state.kind === 'running' ? state.info : undefined;
  return lines(
    cleanLine(server.id, MAX_LABEL),
    definition === undefined ? undefined : cleanText(targetText(definition.connection)),
    `State: ${stateText(server)}`,
    error === undefined ? undefined : `Reason: ${cleanText(error.message)}`,
    error?.suggestion === undefined ? undefined : `Next step: ${cleanText(error.suggestion)}`,
    info === undefined ? undefined : `Server: ${cleanLine(`${info.title ?? info.name} ${info.version}`, MAX_LABEL)}`,
    state.kind === 'running' && state.pid !== undefined ? `Process: ${state.pid}` : undefined,
    `Defined in ${server.definedBy} settings, ${server.enabled ? 'enabled' : 'not enabled'}`,
    info?.instructions === undefined ? undefined : `\nThe server says:\n${cleanText(info.instructions)}`,
  );
}

/** The command line or the address, as written in the settings: no variable is expanded, so no secret is shown. */
function targetText(connection: ConnectionDefinition): string {
  if (connection.kind === 'remote') return connection.url;
  const line = joinCommandLine([connection.command, ...connection.args]);
  return connection.cwd === undefined ? line : `${line}\nin ${connection.cwd}`;
}

function lines(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n');
}

/** Names may contain anything, so they are quoted: no two things share an id. */
function nodeId(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
