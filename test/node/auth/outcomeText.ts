import { isHostError } from '../../../src/core/index.ts';

/** The shown error if the promise rejects, otherwise its result. */
export async function outcomeText(promise: Promise<unknown>): Promise<string> {
  try {
    return String(await promise);
  } catch (error) {
    return isHostError(error) ? `${error.code} ${error.message} | ${error.suggestion}` : String(error);
  }
}
