import type { Decoded } from '../wire/decoded.ts';

/** What was decoded. Throws where that was not possible: inside of a request this is how the request then fails. */
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
