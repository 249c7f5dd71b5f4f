import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** What a gate needs to see: the sources, and what configures the gates. */
const PARTS = [
  'src',
  'package.json',
  'tsconfig.json',
  'eslint.config.mjs',
  '.dependency-cruiser.cjs',
  '.dependency-cruiser.folders.cjs',
  'esbuild.mjs',
  'bundles.cjs',
];

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A copy of the project in which a test may do what is forbidden. It lies below the project so that packages are
 * found by the usual walk upwards.
 */
export class Overlay {
  readonly root = join(ROOT, 'out', `overlay-${randomUUID()}`);

  static async create(parts: readonly string[] = PARTS): Promise<Overlay> {
    const overlay = new Overlay();
    await mkdir(overlay.root, { recursive: true });
    for (const part of parts) await cp(join(ROOT, part), join(overlay.root, part), { recursive: true });
    return overlay;
  }

  /** Adds text at the end of a file, which is made where there is none. */
  async append(path: string, text: string): Promise<void> {
    const file = join(this.root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${text}\n`, { flag: 'a' });
  }

  async replace(path: string, edit: (text: string) => string): Promise<void> {
    const file = join(this.root, path);
    await writeFile(file, edit(await readFile(file, 'utf8')));
  }

  /** Runs one of the project's own tools in the copy, as its script does in the project. */
  async run(tool: string, ...args: readonly string[]): Promise<Outcome> {
    return runNode(join(ROOT, tool), args, this.root);
  }

  async dispose(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

export function runNode(script: string, args: readonly string[], cwd: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { cwd, maxBuffer: 64 * 1024 * 1024, timeout: 120_000 };
    const child = execFile(process.execPath, [script, ...args], options, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
  });
}
