import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { fileFailed, MAX_LINE_BYTES } from './lineageFile.ts';

const CHUNK = 1_048_576;
const NEWLINE = 0x0a;

/**
 * Reads a file line by line. The last line needs no newline. The file is opened once: replacing it has no effect, and
 * changes during the read are detected.
 */
export function* linesOf(file: string): Generator<Buffer> {
  const what = `The file ${file} cannot be read`;
  const [handle, size] = attempt(what, () => opened(file));
  try {
    let pending: Buffer[] = [];
    let length = 0;
    for (let chunk = read(what, handle); chunk.length > 0; chunk = read(what, handle)) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        yield Buffer.concat([...pending, chunk.subarray(start, end)]);
        pending = [];
        start = end + 1;
      }
      if (start < chunk.length) pending.push(chunk.subarray(start));
      if (pending.length * CHUNK > MAX_LINE_BYTES + CHUNK)
        throw fileFailed(what, `A line has more than ${MAX_LINE_BYTES} bytes.`);
      length += chunk.length;
      if (length > size) break;
    }
    if (length !== size) throw fileFailed(what, 'It was changed meanwhile.');
    if (pending.length > 0) yield Buffer.concat(pending);
  } finally {
    closeSync(handle);
  }
}

/** Checked first, because opening a pipe waits for its other end. */
function opened(file: string): readonly [number, number] {
  const stats = statSync(file);
  if (!stats.isFile() && !stats.isDirectory()) throw new TypeError('It is no file.');
  const handle = openSync(file, 'r');
  return [handle, fstatSync(handle).size];
}

function read(what: string, handle: number): Buffer {
  const chunk = Buffer.allocUnsafe(CHUNK);
  return chunk.subarray(
    0,
    attempt(what, () => readSync(handle, chunk)),
  );
}

/** A digest that shows whether a file is complete. */
export class LineDigest {
  readonly #hash = createHash('sha256');

  add(line: string | Buffer): void {
    this.#hash.update(line).update('\n');
  }

  get hex(): string {
    return this.#hash.copy().digest('hex');
  }
}

/** Writes a file atomically: completely or not at all. */
export class LineWriter {
  readonly #file: string;
  readonly #temporary: string;
  /** Cleared on close, because the descriptor may be reused. */
  #handle: number | undefined;
  #waiting: string[] = [];
  #length = 0;

  constructor(file: string) {
    this.#file = file;
    this.#temporary = `${file}.${randomUUID()}.tmp`;
    this.#handle = attempt(this.#failure, () => openSync(this.#temporary, 'wx'));
  }

  /** Merges short lines into larger writes. */
  write(line: string): void {
    this.#waiting.push(line, '\n');
    this.#length += line.length;
    if (this.#length >= CHUNK) this.#flush();
  }

  /** Call this after each step, so that little is left to sync at the end. */
  save(): void {
    this.#flush();
    const handle = this.#handle;
    if (handle !== undefined) attempt(this.#failure, () => fdatasyncSync(handle));
  }

  finish(): void {
    this.save();
    this.#close();
    attempt(this.#failure, () => renameSync(this.#temporary, this.#file));
  }

  /** Deletes the temporary file. */
  discard(): void {
    this.#close();
    rmSync(this.#temporary, { force: true });
  }

  #close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
  }

  get #failure(): string {
    return `The file ${this.#file} cannot be written`;
  }

  #flush(): void {
    const part = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#length = 0;
    const handle = this.#handle;
    if (handle !== undefined) attempt(this.#failure, () => writeWhole(handle, part));
  }
}

function writeWhole(handle: number, part: Buffer): void {
  for (let written = 0; written < part.length;) written += writeSync(handle, part, written);
}

/** Attributes errors to the file instead of the database. */
function attempt<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileFailed(what, error);
  }
}
