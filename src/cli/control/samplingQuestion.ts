import {
  decodeResult,
  isJsonArray,
  isJsonObject,
  type Json,
  type SamplingOutcome,
  type SamplingQuestion,
  type SamplingResult,
} from '../../core/index.ts';
import { Malformed } from './members.ts';
import type { Question } from './questions.ts';

type Piece = SamplingResult['content'][number];

/** A prompt for a program to run: the request and its result as they are in MCP, which drivers know. */
export function samplingQuestion({ server, request, remarks }: SamplingQuestion): Question<SamplingOutcome> {
  return {
    details: { kind: 'sampling', server, request: request.raw, remarks },
    dismissed: { kind: 'declined' },
    decode: (answer) => {
      if (answer === null || answer === 'declined') return { kind: 'declined' };
      if (!isJsonObject(answer)) return undefined;
      const { result, unavailable } = answer;
      if (typeof unavailable === 'string') return { kind: 'unavailable', reason: unavailable };
      return result === undefined ? undefined : { kind: 'answered', result: decodeSampled(result) };
    },
  };
}

function decodeSampled(value: Json): SamplingResult {
  if (!isJsonObject(value)) throw new Malformed('"result" must be an object: {"content": …, "model": "…"}.');
  const { content, model, stopReason } = value;
  if (typeof model !== 'string') throw new Malformed('"model" in "result" must be a text: the name of the model.');
  if (content === undefined) throw new Malformed('"content" in "result" is missing: what the model said.');
  if (stopReason !== undefined && typeof stopReason !== 'string')
    throw new Malformed('"stopReason" in "result" must be a text.');
  const pieces = isJsonArray(content) ? content.map(decodePiece) : [decodePiece(content)];
  return { content: pieces, model, stopReason };
}

function decodePiece(value: Json): Piece {
  if (isJsonObject(value) && value['type'] === 'tool_use') {
    const { id, name, input } = value;
    if (typeof id === 'string' && typeof name === 'string' && isJsonObject(input))
      return { type: 'tool_use', id, name, input };
  }
  const [block] = decodeResult({ content: [value] }).blocks;
  const isSayable = block?.type === 'text' || block?.type === 'image' || block?.type === 'audio';
  if (block === undefined || !isSayable)
    throw new Malformed('"content" in "result" must hold texts, pictures, sounds or uses of tools.');
  return block;
}
