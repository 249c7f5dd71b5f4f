import { constants } from 'node:fs';
import { copyFile, type FileHandle, lstat, open, unlink } from 'node:fs/promises';
import { codeOf, FileProblem } from './realPath.ts';

export const MAX_READ = 65_536;
const MAX_BYTES = 1_048_576;
/** Refuses a link that replaced the file after the check, and does not wait for a pipe. */
const AS_IT_IS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

interface TextRead {
  readonly text: string;
  /** Size of the whole file. */
  readonly bytes: number;
  readonly isCut: boolean;
}

export async function readText(path: string): Promise<TextRead> {
  return withFile(path, constants.O_RDONLY, async (file, bytes) => {
    const buffer = Buffer.alloc(Math.min(bytes, MAX_READ));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const text = decoded(buffer.subarray(0, bytesRead), bytes > MAX_READ);
    if (text === undefined) throw new FileProblem(`${path} is no text in UTF-8. Read another file.`);
    return { text, bytes, isCut: bytes > MAX_READ };
  });
}

/** Creates the file if it is missing. Its folder must exist. */
export async function appendLine(path: string, line: string): Promise<void> {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
  await withFile(path, flags, async (file, bytes) => {
    const last = Buffer.alloc(1);
    if (bytes > 0) await file.read(last, 0, 1, bytes - 1);
    const isOpen = bytes > 0 && last[0] !== 0x0a;
    await file.writeFile(`${isOpen ? '\n' : ''}${line}\n`);
  });
}

/** Never overwrites a file, and removes the source only after a complete copy. */
export async function moveFile(from: string, to: string): Promise<void> {
  await withFile(from, constants.O_RDONLY, () => Promise.resolve());
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
    await unlink(from);
  } catch (error) {
    throw problem(error, to);
  }
}

async function withFile<T>(
  path: string,
  flags: number,
  work: (file: FileHandle, bytes: number) => Promise<T>,
): Promise<T> {
  let file: FileHandle | undefined;
  try {
    await refuseOther(path);
    file = await open(path, flags | AS_IT_IS, 0o644);
    const stats = await file.stat();
    if (!stats.isFile()) throw new FileProblem(`${path} is no file. Name a file.`);
    if (stats.size > MAX_BYTES) throw new FileProblem(`${path} has more than ${MAX_BYTES} bytes. Name a smaller file.`);
    return await work(file, stats.size);
  } catch (error) {
    throw problem(error, path);
  } finally {
    await file?.close();
  }
}

/** Opening a device can have side effects. */
async function refuseOther(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats !== undefined && !stats.isFile()) throw new FileProblem(`${path} is no file. Name a file.`);
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file or folder. Check the path.',
  ENOTDIR: 'Something on the way there is no folder. Check the path.',
  EEXIST: 'There is something already. Choose another name.',
  EISDIR: 'It is a folder. Name a file.',
  ELOOP: 'It is a link. Name the file itself.',
  EACCES: 'The system does not allow it to this server.',
  EPERM: 'The system does not allow it to this server.',
  EROFS: 'It cannot be written to.',
  ENOSPC: 'The disk is full.',
};

function problem(error: unknown, path: string): FileProblem {
  if (error instanceof FileProblem) return error;
  const code = codeOf(error);
  const sentence = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined;
  return new FileProblem(`${path}: ${sentence ?? `It did not work (${code}).`}`);
}

/** Returns `undefined` for binary data. A cut text may end inside a character. */
function decoded(bytes: Buffer, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
