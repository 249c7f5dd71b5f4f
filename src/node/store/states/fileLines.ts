import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { fileFailed, MOST_LINE_BYTES } from './lineageFile.ts';

const CHUNK = 1_048_576;
const NEWLINE = 0x0a;

/** The lines of a file one by one, however large it is. The last of them needs no newline. */
export function* linesOf(file: string): Generator<Buffer> {
  const handle = attempt(`The file ${file} cannot be read`, () => openSync(file, 'r'));
  try {
    let pending: Buffer[] = [];
    for (let chunk = read(file, handle); chunk.length > 0; chunk = read(file, handle)) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        yield Buffer.concat([...pending, chunk.subarray(start, end)]);
        pending = [];
        start = end + 1;
      }
      if (start < chunk.length) pending.push(chunk.subarray(start));
      if (pending.length * CHUNK > MOST_LINE_BYTES + CHUNK)
        throw fileFailed(`The file ${file} cannot be read`, `A line has more than ${MOST_LINE_BYTES} bytes.`);
    }
    if (pending.length > 0) yield Buffer.concat(pending);
  } finally {
    closeSync(handle);
  }
}

function read(file: string, handle: number): Buffer {
  const chunk = Buffer.allocUnsafe(CHUNK);
  return chunk.subarray(
    0,
    attempt(`The file ${file} cannot be read`, () => readSync(handle, chunk)),
  );
}

/** What was written so far tells whether all of it was read. */
export class LineDigest {
  readonly #hash = createHash('sha256');

  add(line: string | Buffer): void {
    this.#hash.update(line).update('\n');
  }

  get hex(): string {
    return this.#hash.copy().digest('hex');
  }
}

/** Writes a file that is there whole, or not at all. */
export function writeLines(file: string, lines: Iterable<string>): void {
  const temporary = `${file}.${randomUUID()}.tmp`;
  attempt(`The file ${file} cannot be written`, () => {
    const handle = openSync(temporary, 'wx');
    try {
      try {
        for (const part of parts(lines)) writeWhole(handle, part);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      renameSync(temporary, file);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  });
}

/** Many short lines as one, a long one by itself. */
function* parts(lines: Iterable<string>): Generator<Buffer> {
  let waiting: string[] = [];
  let length = 0;
  for (const line of lines) {
    waiting.push(line, '\n');
    length += line.length;
    if (length < CHUNK) continue;
    yield Buffer.from(waiting.join(''));
    waiting = [];
    length = 0;
  }
  if (waiting.length > 0) yield Buffer.from(waiting.join(''));
}

function writeWhole(handle: number, part: Buffer): void {
  for (let written = 0; written < part.length;) written += writeSync(handle, part, written);
}

/** What goes wrong here is the file's fault, and not the database's. */
function attempt<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileFailed(what, error);
  }
}
