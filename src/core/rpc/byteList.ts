import { freeBytes } from './freedBytes.ts';

/** Pieces under this are copied together: 64 million one-byte reads must not become as many objects. */
const SMALL = 8 * 1024;
const SLAB = 64 * 1024;

const NOTHING = new Uint8Array(0);

/**
 * Bytes that arrive in pieces and are wanted as one. Large pieces are kept as they are and joined once at the end:
 * joining at every piece is what makes a long line quadratic.
 *
 * What was joined last is filled again by the next long message while it is still there: to touch fresh memory for the
 * first time costs eight times what the copy does. It is held weakly, so that it stays no longer than any garbage does
 * unless somebody else holds it.
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

  /** Takes `bytes[start, end)`. Large pieces are referenced, so they must not change afterwards. */
  append(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    if (length === 0) return;
    this.#size += length;
    const isLarge = length >= SMALL;
    // A large piece is copied only to where it stays: a copy in passing would leave the piece to the collector.
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

  /** All bytes as one array, which may be overwritten by the first `append` after a `clear`. */
  join(): Uint8Array {
    this.#sealSlab();
    const [first] = this.#pieces;
    if (first !== undefined && this.#pieces.length === 1) return first;
    // With room for the next one, which is often a little longer.
    const joined = new Uint8Array(this.#size + SLAB);
    let at = 0;
    for (const piece of this.#pieces) {
      joined.set(piece, at);
      at += piece.length;
    }
    this.#lastJoined = new WeakRef(joined.buffer);
    return joined.subarray(0, at);
  }

  /** The first bytes, up to `length` of them. */
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

  /** The last bytes, up to `length` of them. */
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

  /** Clears, and gives back the memory of all pieces but those that are a part of one of `kept`. */
  free(...kept: readonly Uint8Array[]): void {
    const buffers = new Set(kept.map(({ buffer }) => buffer));
    for (const piece of this.#pieces) if (!buffers.has(piece.buffer)) freeBytes(piece);
    this.clear();
  }

  clear(): void {
    this.#pieces = [];
    this.#size = 0;
    // A slab is used again: nearly every chunk ends inside a message, and 64 KB of zeros each time is not free.
    if (this.#slab.length > SLAB) this.#slab = NOTHING;
    this.#slabStart = this.#slabEnd = 0;
  }

  /** Goes on in what was joined last, where it is still there and has room; only for what has become long. */
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
