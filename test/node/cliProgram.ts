import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export type Message = Readonly<Record<string, unknown>>;

export function startProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [main, ...args], { env });
}

export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

/** Runs the program `mcpl` to its end. */
export function mcpl(...args: readonly string[]): Promise<Ended> {
  return ended(startProgram(args));
}

/** `mcpl host --control`, driven by a test. */
export class DrivenHost {
  readonly child: ChildProcessWithoutNullStreams;
  readonly #messages: Message[] = [];
  readonly #arrivals = new EventEmitter();
  #lastId = 1_000;

  constructor(...args: readonly string[]) {
    this.child = startProgram(['host', '--control', ...args]);
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      this.#messages.push(JSON.parse(line) as Message);
      this.#arrivals.emit('message');
    });
  }

  /** Waits for the first message with these members, and removes it. */
  async hear(members: object): Promise<Message> {
    for (;;) {
      const index = this.#messages.findIndex((message) =>
        Object.entries(members).every(([name, value]) => message[name] === value),
      );
      const [found] = index < 0 ? [] : this.#messages.splice(index, 1);
      if (found !== undefined) return found;
      await once(this.#arrivals, 'message');
    }
  }

  /** The result of a command, or its error. */
  async ask(id: number, command: string, members: object = {}): Promise<unknown> {
    this.child.stdin.write(`${JSON.stringify({ id, command, ...members })}\n`);
    const { ok, result, error } = await this.hear({ id });
    return ok === true ? result : error;
  }

  /** Waits for a question of this kind, answers it, and returns it without its id. */
  async answer(kind: string, answer: unknown): Promise<Message> {
    const { event: _event, question, ...details } = await this.hear({ event: 'question', kind });
    const problem = await this.ask(++this.#lastId, 'answer', { question, answer });
    if (problem !== null) throw new Error(JSON.stringify(problem));
    return details;
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.stdin.end();
    await once(this.child, 'close');
  }
}
