import { cleanText } from '../../base/cleanText.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { object } from '../members.ts';
import { checkpointIn } from './stateResult.ts';

/** The params of `state/rollback` (MCPL §8.5). */
export function rollbackParams(featureSet: string, checkpoint: string): JsonObject {
  return { featureSet, checkpoint };
}

/** The answer to `state/rollback` (MCPL §8.5, §8.6): a claim of the server. */
export interface RolledBack {
  /** Where the server says it is now; it need not be what was asked for. */
  readonly checkpoint: string | undefined;
  /** Only where it says so. */
  readonly success: boolean;
  readonly reason: string | undefined;
}

/** Longer than what is shown: secrets are looked for before it is cut to that. */
const LONGEST_REASON = 10_000;

export function decodeRollback(result: Json): RolledBack {
  const answer = object(result) ?? {};
  const { reason } = answer;
  const said = typeof reason === 'string' ? cleanText(reason, LONGEST_REASON).trim() : '';
  return {
    checkpoint: checkpointIn(answer['checkpoint']),
    success: answer['success'] === true,
    reason: said === '' ? undefined : said,
  };
}
