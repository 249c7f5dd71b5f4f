import type { CancellationToken } from '../base/cancellation.ts';
import { redactor } from '../base/secrets.ts';
import type { ServerDefinition } from '../model/server.ts';
import type { LineageSummary } from '../model/lineage.ts';
import type { WorkspaceUse } from '../model/workspaceUse.ts';
import { startRemarks } from './startRemarks.ts';
import type { FileNames, StartQuestion, VariableSource } from '../ports.ts';
import { workspaceUses } from './workspaceFiles.ts';
import { parseEnvFile } from '../session/envFile.ts';
import {
  describeConnection,
  envFilePath,
  type ExpandedConnection,
  inOpenFolders,
  readEnvFile,
} from '../session/variables.ts';

/** The workspace files that a server would run, without secrets. */
export async function usesOf(
  { connection: definition }: ServerDefinition,
  { connection, secrets }: ExpandedConnection,
  variables: VariableSource,
  fileNames: FileNames,
  token: CancellationToken,
): Promise<readonly WorkspaceUse[]> {
  if (connection.kind !== 'stdio' || definition.kind !== 'stdio') return [];
  const envFile = definition.envFile === undefined ? undefined : envFilePath(definition.envFile, variables);
  const uses = await workspaceUses({ connection, envFile }, variables, fileNames, token);
  const redact = redactor(secrets);
  return uses.map((use) => ({ ...use, text: redact(use.text) }));
}

/** The start prompt with everything that the user must know. */
export async function startQuestion(
  definition: ServerDefinition,
  reason: StartQuestion['reason'],
  variables: VariableSource,
  uses: readonly WorkspaceUse[],
  lineages: readonly LineageSummary[],
): Promise<StartQuestion> {
  const shown = inOpenFolders(definition, variables);
  const fileVariables = parseEnvFile((await readEnvFile(definition.connection, variables)) ?? '');
  return {
    server: definition.id,
    reason,
    kind: shown.kind === 'stdio' ? 'command' : 'url',
    target: describeConnection(definition.connection, variables),
    cwd: shown.kind === 'stdio' ? shown.cwd : undefined,
    remarks: startRemarks({ definition, shown, fileVariables, uses, lineages }),
    ...(definition.definedBy === 'extension' ? { contributor: definition.contributor } : {}),
  };
}
