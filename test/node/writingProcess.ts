import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

/** The line of a process that is about to open its store. */
export const OPENING = '# opening';

/** A process that writes to a store, and its acknowledged writes. */
export class WritingProcess {
  readonly #process: ChildProcess;
  #output = '';
  /** The output that a user would see in the terminal, especially runtime warnings. */
  stderr = '';
  readonly ended: Promise<unknown>;

  constructor(script: string, args: readonly string[]) {
    this.#process = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#process.stdout?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
    this.#process.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = once(this.#process, 'close');
  }

  /** Only complete lines, because the kill may have cut the last one. */
  get acknowledged(): readonly string[] {
    return this.#lines.filter((line) => line !== OPENING);
  }

  async opening(): Promise<void> {
    while (this.#lines.length === 0 && this.#process.exitCode === null) await wait(1);
  }

  get #lines(): readonly string[] {
    return this.#output.split('\n').slice(0, -1);
  }

  async writing(): Promise<void> {
    while (this.acknowledged.length === 0 && this.#process.exitCode === null) await wait(5);
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.ended;
  }
}
