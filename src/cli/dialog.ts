import { createInterface, type Interface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { type CancellationToken, Deferred } from '../core/index.ts';
import { plain } from './terminal.ts';

/** Questions to the user of the terminal. */
export interface Dialog {
  /** Whether a user can be asked. */
  readonly isInteractive: boolean;
  /** Shows a line, without control characters. */
  say(text: string): void;
  /** Reads one line. `undefined` at the end of the input, or if the question becomes void. */
  ask(prompt: string, token: CancellationToken, which?: WhichLine): Promise<string | undefined>;
}

/** `any` accepts a line that was typed before the question. */
export type WhichLine = 'any' | 'typedNow';

interface DialogStreams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean | undefined };
}

/** Long enough for earlier input to arrive. */
const UNREAD_MS = 50;

/** Asks on standard error, so that standard output has only the result. */
export class TerminalDialog implements Dialog {
  readonly #streams: DialogStreams;
  readonly #early: string[] = [];
  #reader: Interface | undefined;
  #waiting: Deferred<string | undefined> | undefined;
  #isOver = false;

  constructor(streams: DialogStreams) {
    this.#streams = streams;
  }

  get isInteractive(): boolean {
    return this.#streams.input.isTTY === true && this.#streams.output.isTTY === true;
  }

  say(text: string): void {
    this.#streams.output.write(`${plain(text)}\n`);
  }

  async ask(prompt: string, token: CancellationToken, which: WhichLine = 'any'): Promise<string | undefined> {
    if (which === 'typedNow') await this.#forgetTyped();
    if (token.isCancellationRequested) return undefined;

    this.#streams.output.write(plain(prompt));
    const early = this.#early.shift();
    if (early !== undefined || this.#isOver) return early;
    const answered = new Deferred<string | undefined>();
    this.#waiting = answered;
    const listening = token.onCancellationRequested(() => {
      this.#streams.output.write('\n');
      answered.resolve(undefined);
    });
    const reader = this.#read();
    reader.resume();
    try {
      return await answered.promise;
    } finally {
      listening.dispose();
      this.#waiting = undefined;
      // A stream that is being read keeps the process alive.
      if (!this.#isOver) reader.pause();
    }
  }

  /** Drops earlier input: a terminal keeps lines until they are read. */
  async #forgetTyped(): Promise<void> {
    if (!this.#isOver) this.#read().resume();
    await pause(UNREAD_MS);
    if (!this.#isOver) this.#read().pause();
    this.#early.length = 0;
  }

  #read(): Interface {
    // Without terminal mode, the user's terminal handles editing and Ctrl+C.
    this.#reader ??= createInterface({ input: this.#streams.input, terminal: false })
      .on('line', (line) => this.#take(line))
      .on('close', () => {
        this.#isOver = true;
        this.#waiting?.resolve(undefined);
      });
    return this.#reader;
  }

  #take(line: string): void {
    if (this.#waiting === undefined) this.#early.push(line);
    else {
      this.#waiting.resolve(line);
      this.#waiting = undefined;
    }
  }
}
