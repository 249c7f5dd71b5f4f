import {
  canStart,
  canStop,
  cleanLine,
  cleanText,
  type ConnectionDefinition,
  type ConnectionFacts,
  type HostError,
  isRunning,
  type LineageSummary,
  type ModelBudget,
  plural,
  type ServerSnapshot,
  type SettingsProblem,
  type StopReason,
} from '../../core/index.ts';
import { featureSetsNodes } from '../featureSets/featureSetNodes.ts';
import { mcplLines, mcplWords } from '../featureSets/featureSetText.ts';
import { scopesNodes } from '../featureSets/scopeSettingNodes.ts';
import { strayCheckpointsNodes } from '../lineage/lineageNodes.ts';
import { modelUseNodes } from '../models/modelUseNodes.ts';
import { contributorText } from '../shared/contributorText.ts';
import { COMMANDS, FACETS } from '../shared/ids.ts';
import { type NodeIcon, stateIcon, stateText, stateWords } from '../shared/serverStateText.ts';
import type { WaitingQuestion } from '../shared/services.ts';
import {
  ERROR_ICON,
  LEAF,
  lines,
  MAX_LABEL,
  type NodeCommand,
  nodeId,
  type TreeNode,
  WARNING_ICON,
} from '../shared/treeNode.ts';
import { offerNodes } from './serverOfferNodes.ts';
import { toolsNodes } from './serverToolNodes.ts';
import { joinCommandLine } from './shellCommand.ts';

const MAX_CONTRIBUTOR = 40;
const SHOW_LOG: NodeCommand = { id: COMMANDS.serverShowLog, title: 'Show Log' };
const RESTART: NodeCommand = { id: COMMANDS.serverRestart, title: 'Restart Server' };
const CANCEL_CALL: NodeCommand = { id: COMMANDS.serverCancelCall, title: 'Cancel Call' };
const SHOW_QUESTION: NodeCommand = { id: COMMANDS.serverStart, title: 'Show Question' };

/** The whole view: general settings problems, then servers in the order of settings. */
export function serverTree(
  servers: readonly ServerSnapshot[],
  problems: readonly SettingsProblem[],
  waiting: readonly WaitingQuestion[] = [],
  lineages: readonly LineageSummary[] = [],
  budgets: readonly ModelBudget[] = [],
): readonly TreeNode[] {
  const ids = new Set(servers.map((server) => server.id));
  const homeless = problems.filter(({ path }) => typeof path[0] !== 'string' || !ids.has(path[0]));
  return [
    ...homeless.map((problem) => problemNode('', problem)),
    ...servers.map((server) =>
      serverNode(
        server,
        waiting.filter((question) => question.server === server.id),
        lineages.filter((lineage) => lineage.server === server.id),
        budgets.find((budget) => budget.server === server.id),
      ),
    ),
  ];
}

export function serverNode(
  server: ServerSnapshot,
  waiting: readonly WaitingQuestion[] = [],
  lineages: readonly LineageSummary[] = [],
  budget?: ModelBudget,
): TreeNode {
  const words = [
    ...countWords(waiting.length),
    stateWords(server),
    ...mcplWords(server),
    ...contributorWords(server),
  ].join(' · ');
  // Starting a server with an open question shows it again, because notifications disappear.
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
    facets: facetsOf(server, startable),
    // Expands servers with errors.
    expansion: server.state.kind === 'failed' || hasErrors(server) ? 'expanded' : 'collapsed',
    children: [
      ...questionNodes(waiting),
      ...stateNotes(server),
      ...problemNodes(server),
      ...featureSetsNodes(server, lineages),
      ...strayCheckpointsNodes(lineages, server.mcpl?.sets ?? []),
      ...scopesNodes(server),
      ...modelUseNodes(budget),
      ...toolsNodes(server),
      ...offerNodes(server),
      logNode(server.id),
    ],
  };
}

function facetsOf(server: ServerSnapshot, startable: boolean): TreeNode['facets'] {
  const { state, definition } = server;
  return [
    FACETS.server,
    ...(startable ? [FACETS.startable] : []),
    ...(canStop(state) ? [FACETS.stoppable] : []),
    ...(state.kind === 'asking' ? [FACETS.asking] : []),
    ...(state.kind === 'failed' ? [FACETS.failed] : []),
    ...(server.health?.kind === 'busy' ? [FACETS.busy] : []),
    ...(server.enabled ? [FACETS.enabled] : []),
    ...(definition?.connection.kind === 'remote' ? [FACETS.remote] : []),
    ...(state.kind === 'running' && server.capabilities['logging'] !== undefined ? [FACETS.logs] : []),
    ...(server.mcpl === undefined ? [] : [FACETS.mcpl]),
  ];
}

/** The contributing extension, which settings do not show. */
function contributorWords({ contributor }: ServerSnapshot): readonly string[] {
  return contributor === undefined ? [] : [`from ${cleanLine(contributor.name, MAX_CONTRIBUTOR)}`];
}

function countWords(questions: number): readonly string[] {
  return questions === 0 ? [] : [plural(questions, 'question')];
}

/** Open questions of the server, because notifications disappear. */
function questionNodes(waiting: readonly WaitingQuestion[]): readonly TreeNode[] {
  return waiting.map(({ server, label }, index) => ({
    ...LEAF,
    id: nodeId('question', server, String(index)),
    kind: 'question',
    server,
    label: cleanLine(label, MAX_LABEL),
    tooltip: `${cleanText(label)}\nSelect to see the question again.`,
    spoken: `Question: ${cleanLine(label, MAX_LABEL)}`,
    icon: { name: 'question', color: 'list.warningForeground' },
    command: { id: COMMANDS.questionShow, title: 'Show Question' },
  }));
}

function hasErrors(server: ServerSnapshot): boolean {
  return server.problems.some((problem) => problem.severity === 'error');
}

function stateNotes(server: ServerSnapshot): readonly TreeNode[] {
  const { id, state } = server;
  if (state.kind === 'failed' || state.kind === 'restarting')
    return errorNotes(id, state.error, state.kind === 'failed' ? ERROR_ICON : WARNING_ICON);
  const step = nextStep(server);
  return step === undefined ? [] : [stepNode(id, step)];
}

/** The user's next step for a waiting server. */
interface NextStep {
  readonly part: string;
  /** Short and with the verb first, because side bars are narrow. */
  readonly label: string;
  readonly description: string;
  /** Cause and step in full sentences. */
  readonly text: string;
  readonly icon: NodeIcon;
  readonly command?: NodeCommand;
}

function nextStep({ state, health }: ServerSnapshot): NextStep | undefined {
  switch (state.kind) {
    case 'stopped':
      return state.reason === 'notStarted' || state.reason === 'byUser' ? undefined : STOPPED_STEPS[state.reason];
    case 'asking':
      return ANSWER;
    case 'running':
      if (health === undefined) return undefined;
      return health.kind === 'busy' ? cancelStep(health.minutes) : RESTART_STEP;
    default:
      return undefined;
  }
}

const STOPPED_STEPS: Readonly<Record<Exclude<StopReason, 'notStarted' | 'byUser'>, NextStep>> = {
  notApproved: {
    part: 'stopped',
    label: 'Start Server',
    description: 'to be asked again',
    text: 'You did not allow the server to start, or did not give a value that it needs. Select to be asked again.',
    icon: { name: 'info' },
    command: { id: COMMANDS.serverStart, title: 'Start Server' },
  },
  notAllowed: {
    part: 'stopped',
    label: 'Ask your administrator',
    description: 'to allow the server',
    text: 'The editor does not allow the server. Ask your administrator to allow it, or change the setting if it is yours.',
    icon: { name: 'info' },
  },
  restrictedMode: {
    part: 'stopped',
    label: 'Trust the workspace',
    description: 'to start servers',
    text: 'This window is in Restricted Mode, where no server starts. Trust the workspace to start servers.',
    icon: { name: 'info' },
  },
};

const ANSWER: NextStep = {
  part: 'asking',
  label: 'Show Question',
  description: 'to start the server',
  text: 'The server waits for your answer. Select to see the question again.',
  icon: { name: 'info' },
  command: SHOW_QUESTION,
};

/** The user decides about a restart, because the server may only be slow. */
const RESTART_STEP: NextStep = {
  part: 'health',
  label: 'Restart Server',
  description: 'no answer to 3 pings',
  text: 'The server did not answer three pings. Select to restart it.',
  icon: WARNING_ICON,
  command: RESTART,
};

function cancelStep(minutes: number): NextStep {
  return {
    part: 'health',
    label: 'Cancel Call',
    description: `running for ${minutes} min`,
    text: `A call has been running for ${minutes} min, and the server answers nothing else. Select to cancel the call.`,
    icon: WARNING_ICON,
    command: CANCEL_CALL,
  };
}

function stepNode(server: string, { part, label, description, text, icon, command }: NextStep): TreeNode {
  return {
    ...LEAF,
    id: nodeId('note', server, part),
    kind: 'note',
    server,
    label,
    description,
    tooltip: text,
    spoken: `${label}: ${text}`,
    icon,
    command,
  };
}

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
  const { path, message, scope, severity, contributor } = problem;
  const where = contributor === undefined ? `${scope} settings` : `the extension ${contributorText(contributor)}`;
  const member = path.slice(server === '' ? 0 : 1).join('.');
  const label = cleanLine(member === '' ? message : `${member}: ${message}`, MAX_LABEL);
  return {
    ...LEAF,
    id: nodeId('problem', server, contributor?.id ?? scope, path.join('.'), message),
    kind: 'problem',
    server,
    label,
    description: contributor === undefined ? where : `from ${cleanLine(contributor.name, MAX_CONTRIBUTOR)}`,
    tooltip: cleanText(
      `${['mcpl.servers', ...path].join('.')} (${where})\n${message}\n${
        contributor === undefined ? 'Select to open the settings.' : 'The author of the extension can correct it.'
      }`,
    ),
    spoken: `${severity === 'error' ? 'Error' : 'Warning'} in ${where}: ${label}`,
    icon: severity === 'error' ? ERROR_ICON : WARNING_ICON,
    facets: [FACETS.problem],
    command: { id: COMMANDS.serverOpenSettings, title: 'Open Settings' },
    setting: { scope, path },
  };
}

function logNode(server: string): TreeNode {
  return {
    ...LEAF,
    id: nodeId('log', server),
    kind: 'log',
    server,
    label: 'Log',
    tooltip: 'Error output of the server, and its starts and stops.',
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
    nextStep(server)?.text,
    info === undefined ? undefined : `Server: ${cleanLine(`${info.title ?? info.name} ${info.version}`, MAX_LABEL)}`,
    ...connectionLines(server),
    ...mcplLines(server),
    state.kind === 'running' && state.pid !== undefined ? `Process: ${state.pid}` : undefined,
    definerText(server),
    info?.instructions === undefined ? undefined : `\nThe server says:\n${cleanText(info.instructions)}`,
  );
}

function definerText({ definedBy, contributor, label, enabled }: ServerSnapshot): string {
  const state = enabled ? 'enabled' : 'not enabled';
  if (contributor === undefined) return `Defined in ${definedBy} settings, ${state}`;
  const changed = definedBy === 'workspace' ? ', changed by workspace settings' : '';
  const called = label === undefined ? '' : ` as "${cleanLine(label, MAX_LABEL)}"`;
  return `Contributed by the extension ${contributorText(contributor)}${called}${changed}, ${state}`;
}

/** The command line or address as in settings. Variables are not expanded, so no secret is shown. */
function targetText(connection: ConnectionDefinition): string {
  if (connection.kind === 'remote') return connection.url;
  const line = joinCommandLine([connection.command, ...connection.args]);
  return connection.cwd === undefined ? line : `${line}\nin ${connection.cwd}`;
}

const TRANSPORTS: Readonly<Record<ConnectionFacts['transport'], string>> = {
  stdio: 'standard input and output',
  http: 'Streamable HTTP',
  sse: 'HTTP with server-sent events',
  websocket: 'WebSocket',
};

/** Enough to distinguish sessions. The full id would give access to this one. */
const SHOWN_OF_SESSION = 8;
const MAX_CAPABILITIES = 12;

/** Facts about a running server's connection, one per line. */
export function connectionLines({ state, capabilities }: ServerSnapshot): readonly string[] {
  if (!isRunning(state)) return [];
  const { connection, protocolVersion } = state;
  const names = Object.keys(capabilities).map((name) => cleanLine(name, 40));
  const more = names.length > MAX_CAPABILITIES ? [`and ${names.length - MAX_CAPABILITIES} more`] : [];
  return [
    `Protocol: MCP ${cleanLine(protocolVersion, 40)}, ${eraText(connection)}`,
    `Transport: ${TRANSPORTS[connection.transport]}`,
    ...(connection.session === undefined ? [] : [`Session: ${shortened(connection.session)}`]),
    `First answer after ${Math.round(connection.roundTripMs)} ms`,
    ...(names.length === 0 ? [] : [`Capabilities: ${[...names.slice(0, MAX_CAPABILITIES), ...more].join(', ')}`]),
  ];
}

function eraText({ era, isDialect }: ConnectionFacts): string {
  if (isDialect) return 'the short dialect';
  return era === 'modern' ? 'stateless' : 'opened with initialize';
}

function shortened(session: string): string {
  const line = cleanLine(session, 200);
  return line.length > 2 * SHOWN_OF_SESSION ? `${line.slice(0, SHOWN_OF_SESSION)}…` : '(assigned)';
}
