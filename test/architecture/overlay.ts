import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** The files that a gate needs: the sources, and the configuration of the gates. */
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

/** A copy of the project in which a test may break rules. It is inside the project, so that packages are found. */
export class Overlay {
  readonly root = join(ROOT, 'out', `overlay-${randomUUID()}`);

  static async create(parts: readonly string[] = PARTS): Promise<Overlay> {
    const overlay = new Overlay();
    await mkdir(overlay.root, { recursive: true });
    for (const part of parts) await cp(join(ROOT, part), join(overlay.root, part), { recursive: true });
    return overlay;
  }

  /** Appends text to a file. Creates the file if necessary. */
  async append(path: string, text: string): Promise<void> {
    const file = join(this.root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${text}\n`, { flag: 'a' });
  }

  async replace(path: string, edit: (text: string) => string): Promise<void> {
    const file = join(this.root, path);
    await writeFile(file, edit(await readFile(file, 'utf8')));
  }

  /** Runs one of the project's tools in the copy, like its script in the project. */
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
