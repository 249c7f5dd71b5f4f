import type {
  OfferedTool,
  ServerDefinition,
  ServerSnapshot,
  ServerState,
  SettingsProblem,
} from '../../src/core/index.ts';
import { DEFAULT_MCPL } from '../../src/core/model/mcplDefaults.ts';

/** A server snapshot with the given members, and defaults for the rest. */
export function snapshot(id: string, state: ServerState, rest: Partial<ServerSnapshot> = {}): ServerSnapshot {
  return {
    id,
    definedBy: 'workspace',
    enabled: true,
    state,
    tools: [],
    problems: [],
    definition: definition(id),
    capabilities: {},
    mcpl: undefined,
    scopes: { lists: {}, adapters: {} },
    listing: { kind: 'read' },
    resources: [],
    templates: [],
    prompts: [],
    listings: { resources: { kind: 'read' }, prompts: { kind: 'read' } },
    ...rest,
  };
}

export function definition(id: string): ServerDefinition {
  return {
    id,
    enabled: true,
    connection: {
      kind: 'stdio',
      command: 'node',
      args: ['my server.js', '--token=${input:key}'],
      env: {},
      envFile: undefined,
      cwd: undefined,
    },
    protocol: { era: 'auto', dialect: 'auto', mcpl: 'auto' },
    hiddenTools: [],
    validatesArguments: true,
    checksHealth: true,
    autoApprove: [],
    timeouts: { start: 30, list: 30, call: 60, callMax: 600 },
    restart: 'onCrash',
    definedBy: 'workspace',
    workspaceAutoApprove: [],
    lentByUser: [],
    mcpl: DEFAULT_MCPL,
    workspaceGrants: [],
  };
}

export function running(instructions?: string): ServerState {
  return {
    kind: 'running',
    info: { name: 'files-server', title: 'Files', version: '1.2', instructions },
    protocolVersion: '2025-06-18',
    connection: { era: 'legacy', isDialect: false, roundTripMs: 3, transport: 'stdio', session: undefined },
    pid: 4711,
    since: 0,
  };
}

export function tool(name: string, rest: Partial<Omit<OfferedTool, 'tool'> & OfferedTool['tool']> = {}): OfferedTool {
  const { offered = true, autoApproved = false, ...given } = rest;
  return {
    offered,
    autoApproved,
    tool: {
      name,
      title: undefined,
      description: undefined,
      inputSchema: { type: 'object' },
      outputSchema: undefined,
      icons: [],
      taskSupport: 'forbidden',
      headerParams: [],
      hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
      raw: { name },
      ...given,
    },
  };
}

export function problem(
  path: SettingsProblem['path'],
  message: string,
  rest: Partial<SettingsProblem> = {},
): SettingsProblem {
  return { path, scope: 'workspace', severity: 'error', message, ...rest };
}
