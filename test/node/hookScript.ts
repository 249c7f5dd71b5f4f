import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const PLUGIN = fileURLToPath(new URL('../../media/chatHooks', import.meta.url));

interface Hooks {
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
}

/** The command of an event, as in the plugin's file. */
export function hookCommand(event: string): string {
  const { hooks } = JSON.parse(readFileSync(`${PLUGIN}/hooks/hooks.json`, 'utf8')) as Hooks;
  const command = hooks[event]?.[0]?.hooks[0]?.command;
  if (command === undefined) throw new Error(`The plugin has no hook for ${event}.`);
  return command;
}

export interface HookRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HookRunOptions {
  readonly event?: string;
  readonly cwd: string;
  readonly home: string;
  readonly input: string | Buffer;
  readonly plugin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it runs as a child of the window's process, like in the editor. */
  readonly isChild?: boolean;
}

/** Runs a hook like the editor's chat: in a shell, with its input on standard input. */
export async function runHook(options: HookRunOptions): Promise<HookRun> {
  const { event = 'UserPromptSubmit', cwd, home, input, plugin = PLUGIN, env = {}, isChild = true } = options;
  const command = hookCommand(event);
  const all = { ...process.env, HOME: home, PLUGIN_ROOT: plugin, ...env };
  const child = spawn(isChild ? command : `sh -c '${command.replaceAll("'", `'\\''`)}'; exit $?`, [], {
    stdio: 'pipe',
    shell: true,
    cwd,
    env: all,
  });
  const out: string[] = [];
  const err: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text));
  // Writing to a script that has ended must not fail, because the editor has no error listener.
  const broken: string[] = [];
  child.stdin.on('error', (error) => broken.push(error.message));
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, stdout: out.join(''), stderr: [...err, ...broken].join('\n') };
}
