import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const LISTEN = `require('node:net').createServer().listen(process.argv[1], () => console.log('listens'))`;

/** Leaves the socket of a killed process in the folder. Resolves with the socket's path. */
export const abandonSocket = async (folder: string): Promise<string> => {
  mkdirSync(folder);
  const path = join(folder, 's');
  const child = spawn(process.execPath, ['-e', LISTEN, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  return path;
};
