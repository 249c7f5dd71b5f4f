import {
  type Checkpoint,
  isJsonObject,
  type Json,
  type LineageKey,
  parseJson,
  type TraceEntry,
} from '../../core/index.ts';
import { lineageText, titleText } from '../lineage/lineageText.ts';
import { plainText } from '../shared/plainText.ts';

/** Longer answers are not parsed for a row. A search in their start usually suffices. */
const MAX_PARSED = 20_000;
const CHECKPOINT = /"checkpoint"\s*:\s*"((?:[^"\\]|\\.){1,512})"/;

type Answer = Pick<TraceEntry, 'direction' | 'kind' | 'method' | 'text' | 'isCut'>;

/** The checkpoint in a tool call's answer (MCPL §8.3). */
export function checkpointIn({ direction, kind, method, text, isCut }: Answer): string | undefined {
  if (direction !== 'received' || kind !== 'result' || method !== 'tools/call') return undefined;
  if (!text.includes('"checkpoint"')) return undefined;
  if (isCut || text.length > MAX_PARSED) return text.includes('"state"') ? CHECKPOINT.exec(text)?.[1] : undefined;
  try {
    return named(parseJson(text));
  } catch {
    return undefined;
  }
}

function named(message: Json): string | undefined {
  const result = isJsonObject(message) ? message['result'] : undefined;
  const state = isJsonObject(result) ? result['state'] : undefined;
  const checkpoint = isJsonObject(state) ? state['checkpoint'] : undefined;
  return typeof checkpoint === 'string' ? checkpoint : undefined;
}

/** The outcome of a checkpoint in a few words. For duplicate names, uses the one closest in time. */
export function checkpointFate(checkpoint: string, at: number, found: readonly (Checkpoint & LineageKey)[]): string {
  const [node] = [...found].sort((one, other) => Math.abs(one.at - at) - Math.abs(other.at - at));
  if (node === undefined) return `checkpoint ${plainText(checkpoint, 60)} was not kept`;
  const of = node.featureSet === '' ? '' : ` in ${lineageText(node)}`;
  if (node.problem !== undefined)
    return `checkpoint ${titleText(node)}${of} is broken: ${plainText(node.problem, 200)}`;
  return `checkpoint ${titleText(node)} is kept${of}${node.isPruned ? ', and its server no longer has it' : ''}`;
}
