/** Smaller pieces are copied together, because 64 million one-byte reads must not become as many objects. */
const SMALL = 8 * 1024;
const SLAB = 64 * 1024;

const NOTHING = new Uint8Array(0);

/**
 * Collects bytes that arrive in pieces. Large pieces are kept and joined once at the end: joining at every piece would
 * be quadratic for long lines.
 *
 * The last joined array is reused for the next long message, because touching fresh memory costs eight times the copy.
 * It is held weakly, so it can be collected unless a caller keeps it alive.
 */
export class ByteList {
  #pieces: Uint8Array[] = [];
  #slab: Uint8Array = NOTHING;
  #slabStart = 0;
  #slabEnd = 0;
  #size = 0;
  #lastJoined: WeakRef<ArrayBuffer> | undefined;

  get size(): number {
    return this.#size;
  }

  /** Appends `bytes[start, end)`. Large pieces are referenced, so they must not change afterwards. */
  append(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    if (length === 0) return;
    this.#size += length;
    const isLarge = length >= SMALL;
    // Copies a large piece only to its final place, because an intermediate copy would only create garbage.
    const fits = this.#slabEnd + length <= this.#slab.length && (!isLarge || this.#slab.length > SLAB);
    if (!fits && !this.#moveToLastJoined()) {
      this.#sealSlab();
      if (isLarge) {
        this.#pieces.push(bytes.subarray(start, end));
        return;
      }
      this.#slab = new Uint8Array(SLAB);
      this.#slabStart = this.#slabEnd = 0;
    }
    this.#slab.set(bytes.subarray(start, end), this.#slabEnd);
    this.#slabEnd += length;
  }

  /** Returns all bytes as one array. The first `append` after a `clear` may overwrite it. */
  join(): Uint8Array {
    this.#sealSlab();
    const [first] = this.#pieces;
    if (first !== undefined && this.#pieces.length === 1) return first;
    // With some room, because the next message is often a little longer.
    const joined = new Uint8Array(this.#size + SLAB);
    let at = 0;
    for (const piece of this.#pieces) {
      joined.set(piece, at);
      at += piece.length;
    }
    this.#lastJoined = new WeakRef(joined.buffer);
    return joined.subarray(0, at);
  }

  /** The first bytes, at most `length`. */
  head(length: number): Uint8Array {
    this.#sealSlab();
    const head = new Uint8Array(Math.min(length, this.#size));
    let at = 0;
    for (const piece of this.#pieces) {
      if (at === head.length) break;
      const part = piece.subarray(0, head.length - at);
      head.set(part, at);
      at += part.length;
    }
    return head;
  }

  /** The last bytes, at most `length`. */
  tail(length: number): Uint8Array {
    this.#sealSlab();
    const tail = new Uint8Array(Math.min(length, this.#size));
    let at = tail.length;
    for (let i = this.#pieces.length - 1; i >= 0 && at > 0; i--) {
      const part = this.#pieces[i]?.slice(-at) ?? tail;
      at -= part.length;
      tail.set(part, at);
    }
    return tail;
  }

  /** Clears, and frees all pieces except those that share memory with one of `kept`. */
  free(...kept: readonly Uint8Array[]): void {
    const buffers = new Set(kept.map(({ buffer }) => buffer));
    for (const piece of this.#pieces) if (!buffers.has(piece.buffer)) freeBytes(piece);
    this.clear();
  }

  clear(): void {
    this.#pieces = [];
    this.#size = 0;
    // Reuses the slab: nearly every chunk ends inside a message, and zeroing 64 KB each time has a cost.
    if (this.#slab.length > SLAB) this.#slab = NOTHING;
    this.#slabStart = this.#slabEnd = 0;
  }

  /** Continues in the last joined array if it still exists and has room. Only for long messages. */
  #moveToLastJoined(): boolean {
    if (this.#pieces.length > 0) return false;
    const joined = this.#lastJoined?.deref();
    if (joined === undefined || this.#size > joined.byteLength) return false;
    const slab = new Uint8Array(joined);
    slab.set(this.#slab.subarray(0, this.#slabEnd));
    this.#slab = slab;
    return true;
  }

  #sealSlab(): void {
    if (this.#slabEnd === this.#slabStart) return;
    this.#pieces.push(this.#slab.subarray(this.#slabStart, this.#slabEnd));
    this.#slabStart = this.#slabEnd;
  }
}

/** In the language since ES2024. In older runtimes, the collector frees the bytes later. */
interface Transferable {
  transfer?(length: number): unknown;
}

/**
 * Frees the memory of unused bytes at once. Uncollected garbage counts as used memory: for an endless message, half as
 * much again.
 */
export function freeBytes(bytes: Uint8Array): void {
  const buffer: ArrayBufferLike & Transferable = bytes.buffer;
  // Other views may share the buffer, so keep it.
  if (bytes.byteLength > 0 && bytes.byteLength === buffer.byteLength) buffer.transfer?.(0);
}
