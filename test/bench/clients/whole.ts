import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchClient, type OpenClient, serverCommand } from './client.ts';
import { hostTo } from './host.ts';
import { storeIn, withFolder } from './withFolder.ts';

const SET = 'bench.calls';
const FILES = 100;

/** Scopes as a user of the manual would write them. */
const SCOPES = {
  '*': { blacklist: ['**/.env', '**/secrets/**', '~/.ssh/**'] },
  [SET]: { whitelist: ['${workspaceFolder}/src/**', '${workspaceFolder}/*.md'] },
};

const entry = (more: object): object => ({
  ...serverCommand,
  args: [...serverCommand.args, 'mcpl'],
  featureSets: { enabled: [SET] },
  ...more,
});

const writeFiles = (folder: string): readonly string[] => {
  const source = join(folder, 'src');
  mkdirSync(source);
  const paths = Array.from({ length: FILES }, (_, index) => join(source, `module${index}.ts`));
  for (const path of paths) writeFileSync(path, '');
  return paths;
};

/** The shipped host with a tool of an enabled feature set. Each call is audited on disk. */
export const openAudited: OpenClient = withFolder((folder) => hostTo(entry({}), { storageFile: storeIn(folder) }));

/**
 * All checks of a call: as above, and the scope lists allow it. It touches an existing file, so each call resolves its
 * real path, the home folder and the open folder.
 */
export const openWhole: OpenClient = withFolder(async (folder): Promise<BenchClient> => {
  const paths = writeFiles(folder);
  const options = { folders: [folder], storageFile: storeIn(folder) };
  const client = await hostTo(entry({ scopes: SCOPES, scopeAdapters: { echo: '$.path' } }), options);
  let last = 0;
  return {
    call: (tool, args, onProgress) => client.call(tool, { ...args, path: paths[last++ % FILES] ?? '' }, onProgress),
    close: client.close,
  };
});
