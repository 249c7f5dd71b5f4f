import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const MAX_TAIL = 2 * 1024 * 1024;

/** Reads the end of a regular file as text. Returns undefined if that fails. Does not follow links. */
export async function readTail(path: string): Promise<string | undefined> {
  // Windows has neither flag. Opening another program's pipe would block.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return undefined;
    const length = Math.min(stats.size, MAX_TAIL);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, stats.size - length);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
