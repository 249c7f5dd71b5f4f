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
  /** The server's current checkpoint, which may differ from the requested one. */
  readonly checkpoint: string | undefined;
  /** True only if the server says so. */
  readonly success: boolean;
  readonly reason: string | undefined;
}

/** Longer than the displayed text, because secrets are removed before it is cut. */
const MAX_REASON = 10_000;

export function decodeRollback(result: Json): RolledBack {
  const answer = object(result) ?? {};
  const { reason } = answer;
  const said = typeof reason === 'string' ? cleanText(reason, MAX_REASON).trim() : '';
  return {
    checkpoint: checkpointIn(answer['checkpoint']),
    success: answer['success'] === true,
    reason: said === '' ? undefined : said,
  };
}
