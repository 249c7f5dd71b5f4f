import {
  clip,
  isJsonObject,
  isObject,
  type JsonObject,
  type SamplingContent,
  type SamplingMessage,
} from '../../core/index.ts';
import { toJson } from '../shared/settingsJson.ts';

/** A tool call as stored with its turn. */
export interface KeptCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly result: string;
}

/** The model's text before its tool calls, or at the end, as shown. */
export interface KeptRound {
  readonly text: string;
  readonly calls: readonly KeptCall[];
}

const MAX_ROUNDS = 50;
const MAX_CALLS = 50;
const MAX_TEXT = 40_000;
const MAX_RESULT = 4_000;
const MAX_INPUT = 4_000;
/** Maximum characters stored with one turn, because the editor writes them to disk with every chat message. */
const MAX_TURN = 60_000;
const CUT = '[Not kept: it was too long.]';

/** Bounds what is stored of a turn: all rounds, but with limited texts, and less of early results than of late ones. */
export function boundedRounds(rounds: readonly KeptRound[]): readonly KeptRound[] {
  let left = MAX_TURN;
  const spend = (text: string, most: number): string => {
    const fits = Math.min(most, left);
    const kept = text.length <= fits ? text : fits > CUT.length * 2 ? clip(text, fits) : CUT;
    left = Math.max(0, left - kept.length);
    return kept;
  };
  // Newest first, because the next turn continues from there.
  return rounds
    .slice(-MAX_ROUNDS)
    .reverse()
    .map(({ text, calls }): KeptRound => {
      const said = spend(text, MAX_TEXT);
      const kept = calls
        .slice(0, MAX_CALLS)
        .reverse()
        .map(({ id, name, input, result }): KeptCall => {
          const size = JSON.stringify(input).length;
          const isKept = size <= Math.min(MAX_INPUT, left);
          left = Math.max(0, left - (isKept ? size : 0));
          return { id, name, input: isKept ? input : {}, result: spend(result, MAX_RESULT) };
        });
      return { text: said, calls: kept.reverse() };
    })
    .reverse();
}

/** Decodes stored rounds, because the editor's file may contain anything. */
export function roundsIn(value: unknown): readonly KeptRound[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_ROUNDS).flatMap((round: unknown): readonly KeptRound[] => {
    if (!isObject(round) || typeof round['text'] !== 'string' || !Array.isArray(round['calls'])) return [];
    return [{ text: clip(round['text'], MAX_TEXT), calls: round['calls'].slice(0, MAX_CALLS).flatMap(callIn) }];
  });
}

function callIn(value: unknown): readonly KeptCall[] {
  if (!isObject(value)) return [];
  const { id, name, input, result } = value;
  if (typeof id !== 'string' || typeof name !== 'string' || typeof result !== 'string') return [];
  const json = toJson(input);
  return [{ id, name, input: isJsonObject(json) ? json : {}, result: clip(result, MAX_RESULT) }];
}

/** The rounds as messages. Without tools, calls are described as text. */
export function roundMessages(rounds: readonly KeptRound[], hasTools: boolean): readonly SamplingMessage[] {
  return rounds.flatMap(({ text, calls }): readonly SamplingMessage[] => {
    const said = text === '' ? [] : [{ type: 'text', text } as const];
    if (calls.length === 0 || !hasTools) {
      const callTexts = calls.map(({ name, input, result }) => `[Called ${name} ${JSON.stringify(input)}: ${result}]`);
      const content = [...said, ...callTexts.map((words) => ({ type: 'text', text: words }) as const)];
      return content.length === 0 ? [] : [{ role: 'assistant', content }];
    }
    const uses = calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }) as const);
    const results = calls.map(({ id, result }): SamplingContent => {
      const content = [{ type: 'text', text: result } as const];
      return { type: 'tool_result', toolUseId: id, content, structured: undefined, isError: false };
    });
    return [
      { role: 'assistant', content: [...said, ...uses] },
      { role: 'user', content: results },
    ];
  });
}
