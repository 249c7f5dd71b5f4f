import { createInterface, type Interface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { type CancellationToken, Deferred } from '../core/index.ts';
import { plain } from './terminal.ts';

/** Where a command asks the person who typed it. */
export interface Dialog {
  /** Whether there is a person to ask. */
  readonly isInteractive: boolean;
  /** A line for the person. Nothing in it is acted on by a terminal. */
  say(text: string): void;
  /** One line of the person; `undefined` at the end of the input, and when the question is void. */
  ask(prompt: string, token: CancellationToken, which?: WhichLine): Promise<string | undefined>;
}

/** `any`: also a line that was typed before it was asked for. */
export type WhichLine = 'any' | 'typedNow';

export interface DialogStreams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean | undefined };
}

/** Time enough for what was typed before to arrive. */
const UNREAD_MS = 50;

/** Asks on standard error, so that what a command prints stays free of questions. */
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
      // An input that is read from keeps the process alive.
      if (!this.#isOver) reader.pause();
    }
  }

  /** A terminal keeps lines until they are read. */
  async #forgetTyped(): Promise<void> {
    if (!this.#isOver) this.#read().resume();
    await pause(UNREAD_MS);
    if (!this.#isOver) this.#read().pause();
    this.#early.length = 0;
  }

  #read(): Interface {
    // Without a terminal of its own the reader leaves editing, and Ctrl+C, to the one that the person has.
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
