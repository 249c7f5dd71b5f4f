import { access, constants, open, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { clip, HostError, messageOf } from '../../core/index.ts';

interface CommandContext {
  readonly command: string;
  readonly cwd: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** The system reports a missing folder as a missing command, so check it before the start. */
export async function checkFolder(cwd: string | undefined): Promise<void> {
  if (cwd === undefined) return;
  const info = await stat(cwd).catch(() => undefined);
  if (info?.isDirectory() === true) return;
  const what = info === undefined ? 'does not exist' : 'is a file';
  throw new HostError('FOLDER_NOT_FOUND', `The working folder ${cwd} ${what}.`, {
    layer: 'process',
    effect: 'none',
    suggestion: 'Correct "cwd" in the settings of this server, or create the folder.',
  });
}

/** Converts an error of `spawn` to a `HostError`. */
export async function spawnError(context: CommandContext, error: unknown): Promise<HostError> {
  const { command } = context;
  switch (codeOf(error)) {
    case 'ENOENT':
      return notFound(context);
    case 'EACCES':
    case 'EPERM':
      return new HostError('COMMAND_NOT_EXECUTABLE', `The command ${command} is not executable.`, {
        layer: 'process',
        effect: 'none',
        suggestion: `Make the file executable (chmod +x), or name the program that runs it in front of it.`,
        cause: error,
      });
    default:
      return new HostError('SPAWN_FAILED', `The command ${command} could not be started: ${messageOf(error)}`, {
        layer: 'process',
        effect: 'none',
        suggestion: 'Check the command and its arguments in the settings of this server.',
        cause: error,
      });
  }
}

export async function notFound(context: CommandContext): Promise<HostError> {
  const { command } = context;
  const found = await findCommand(context);
  const interpreter = found === undefined ? undefined : await interpreterOf(found);
  if (found !== undefined && interpreter !== undefined) {
    const message = `The command ${command} was found at ${found}, but not ${interpreter}, which it says runs it.`;
    return new HostError('COMMAND_NOT_FOUND', message, {
      layer: 'process',
      effect: 'none',
      suggestion: `Install ${interpreter}, or correct the first line of ${found}.`,
    });
  }
  return new HostError('COMMAND_NOT_FOUND', `The command ${command} was not found.`, {
    layer: 'process',
    effect: 'none',
    suggestion: hasFolder(command)
      ? `There is no such file. Correct "command" in the settings of this server.`
      : `Install it, or give its full path. Searched: ${searched(pathOf(context.env))}.`,
  });
}

/** Finds a command by path or in the folders of PATH. */
export async function findCommand({ command, cwd, env }: CommandContext): Promise<string | undefined> {
  const folders = hasFolder(command) ? [''] : pathOf(env).split(delimiter);
  for (const folder of folders) {
    for (const extension of extensions(command, env)) {
      const file = resolve(cwd ?? '.', isAbsolute(command) ? command : join(folder, command)) + extension;
      if (await isFile(file)) return file;
    }
  }
  return undefined;
}

function extensions(command: string, env: NodeJS.ProcessEnv): readonly string[] {
  if (process.platform !== 'win32') return [''];
  const known = (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';');
  return known.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase())) ? [''] : ['', ...known];
}

async function isFile(file: string): Promise<boolean> {
  try {
    await access(file, constants.F_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** The interpreter in a script's first line. */
async function interpreterOf(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(256), 0, 256, 0);
    return /^#!\s*(\S+)/.exec(buffer.toString('utf8', 0, bytesRead))?.[1];
  } finally {
    await handle.close();
  }
}

function hasFolder(command: string): boolean {
  return command.includes('/') || (process.platform === 'win32' && command.includes('\\'));
}

/** On Windows the variable is usually called `Path`. */
function pathOf(env: NodeJS.ProcessEnv): string {
  const key = Object.keys(env).find((name) => name.toUpperCase() === 'PATH');
  return (key === undefined ? undefined : env[key]) ?? '';
}

function searched(path: string): string {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  if (folders.length === 0) return 'nothing, since PATH is empty';
  const rest = folders.length > 6 ? `, and ${folders.length - 6} more folders` : '';
  return clip(folders.slice(0, 6).join(', '), 400) + rest;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
