import { isHostError } from '../../../src/core/index.ts';

/** What a person is told when something fails; what it gives, otherwise. */
export async function told(promise: Promise<unknown>): Promise<string> {
  try {
    return String(await promise);
  } catch (error) {
    return isHostError(error) ? `${error.code} ${error.message} | ${error.suggestion}` : String(error);
  }
}
