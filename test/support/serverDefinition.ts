import { DEFAULT_MCPL } from '../../src/core/model/mcplDefaults.ts';
import type { ServerDefinition } from '../../src/core/model/server.ts';
import { type StartFacts, startRemarks } from '../../src/core/consent/startRemarks.ts';

/** A server definition with defaults for everything that the test does not set. */
export function serverDefinition(extra: Partial<ServerDefinition> = {}, command = 'node'): ServerDefinition {
  return {
    id: 'a',
    enabled: false,
    connection: { kind: 'stdio', command, args: [], env: {}, envFile: undefined, cwd: undefined },
    protocol: { era: 'auto', dialect: 'auto', mcpl: 'auto' },
    hiddenTools: [],
    autoApprove: [],
    validatesArguments: true,
    checksHealth: true,
    timeouts: { start: 60, list: 30, call: 60, callMax: 60 },
    restart: 'onCrash',
    definedBy: 'user',
    workspaceAutoApprove: [],
    lentByUser: [],
    mcpl: DEFAULT_MCPL,
    workspaceGrants: [],
    ...extra,
  };
}

/** The remarks in the start prompt of a server. */
export function remarksOn(definition: ServerDefinition, facts: Partial<StartFacts> = {}): readonly string[] {
  const shown = definition.connection;
  return startRemarks({ definition, shown, fileVariables: {}, uses: [], lineages: [], ...facts });
}
