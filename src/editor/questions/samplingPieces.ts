import { cleanLine, cleanText, type SamplingContent, type SamplingRequest } from '../../core/index.ts';
import type { BlockView } from '../../webview/form/formMessages.ts';
import { blockView } from '../tools/toolView.ts';

/** Maximum characters of one piece. */
const MAX_JSON = 20_000;

/** Image types that the editor's models accept. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/i;

/** Views of non-text content for the review. */
export function pieceViews(pieces: readonly SamplingContent[]): readonly BlockView[] {
  return pieces.flatMap((piece) => (piece.type === 'text' ? [] : [pieceView(piece)]));
}

function pieceView(piece: SamplingContent): BlockView {
  if (piece.type === 'tool_use') return json(`Use of the tool ${cleanLine(piece.name, 100)}`, piece.input);
  if (piece.type === 'tool_result') return json('Result of a tool', { ...piece });
  return blockView(piece);
}

/** Views of the tools offered to the model. */
export function toolViews(tools: SamplingRequest['tools']): readonly BlockView[] {
  return tools.map(({ name, description, inputSchema }) =>
    json(`Tool ${cleanLine(name, 100)} of the server`, { description, inputSchema }),
  );
}

function json(note: string, value: object): BlockView {
  return { kind: 'text', text: cleanText(JSON.stringify(value, null, 2), MAX_JSON), note };
}

/** Why no model of the editor accepts this content. Undefined if one does. */
export function unsendable({ messages }: Pick<SamplingRequest, 'messages'>): string | undefined {
  for (const piece of messages.flatMap(({ content }) => content)) {
    if (piece.type === 'audio') return 'The language models of this editor take text and pictures, and no sound.';
    if (piece.type === 'image' && !PICTURES.test(piece.mimeType))
      return `The language models of this editor take no pictures of the type ${cleanLine(piece.mimeType, 60)}.`;
  }
  return undefined;
}
