import { cleanLine, cleanText, type SamplingContent, type SamplingRequest } from '../../core/index.ts';
import type { BlockView } from '../../webview/form/formMessages.ts';
import { blockView } from '../tools/toolView.ts';

/** Shown of one piece; more tells nobody anything. */
const MAX_JSON = 20_000;

/** What the editor's models take as a picture. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/i;

/** What is no text, as it is shown before it goes anywhere. */
export function pieceViews(pieces: readonly SamplingContent[]): readonly BlockView[] {
  return pieces.flatMap((piece) => (piece.type === 'text' ? [] : [pieceView(piece)]));
}

function pieceView(piece: SamplingContent): BlockView {
  if (piece.type === 'tool_use') return json(`Use of the tool ${cleanLine(piece.name, 100)}`, piece.input);
  if (piece.type === 'tool_result') return json('Result of a tool', { ...piece });
  return blockView(piece);
}

/** Tools that the model may ask for, as it is told of them. */
export function toolViews(tools: SamplingRequest['tools']): readonly BlockView[] {
  return tools.map(({ name, description, inputSchema }) =>
    json(`Tool ${cleanLine(name, 100)} of the server`, { description, inputSchema }),
  );
}

function json(note: string, value: object): BlockView {
  return { kind: 'text', text: cleanText(JSON.stringify(value, null, 2), MAX_JSON), note };
}

/** Why no model of the editor can be given this, as a sentence; nothing where one can. */
export function unsendable({ messages }: Pick<SamplingRequest, 'messages'>): string | undefined {
  for (const piece of messages.flatMap(({ content }) => content)) {
    if (piece.type === 'audio') return 'The language models of this editor take text and pictures, and no sound.';
    if (piece.type === 'image' && !PICTURES.test(piece.mimeType))
      return `The language models of this editor take no pictures of the type ${cleanLine(piece.mimeType, 60)}.`;
  }
  return undefined;
}
