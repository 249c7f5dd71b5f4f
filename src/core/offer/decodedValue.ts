import type { Decoded } from '../wire/members.ts';

/** The decoded value. Throws if decoding failed: a request then fails with this error. */
export function valueOf<T>(decoded: Decoded<T>): T {
  switch (decoded.kind) {
    case 'ok':
      return decoded.value;
    case 'invalid':
      throw new Error(`${decoded.why}.`);
    case 'notInRevision':
      throw new Error('it is not part of this revision.');
  }
}
