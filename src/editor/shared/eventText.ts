import {
  blockText,
  cleanLine,
  cleanText,
  type ContentBlock,
  type InboundEvent,
  isJsonObject,
  type Json,
} from '../../core/index.ts';
import { timeText } from './timeText.ts';

const MAX_TITLE = 120;
const MAX_ORIGIN = 100;

/** The start of an event's first text, on one line. */
export function eventTitle({ content }: Pick<InboundEvent, 'content'>): string {
  for (const block of content) {
    const line = block.type === 'text' ? cleanLine(block.text.trimStart(), MAX_TITLE) : '';
    if (line !== '') return line;
  }
  const [first] = content;
  return (first && cleanLine(shownBlock(first), MAX_TITLE)) || 'No text';
}

/** A block of any type as plain text. */
export function shownBlock(block: ContentBlock): string {
  return block.type === 'resource_link' ? `[resource ${block.name}] ${block.uri}` : blockText(block);
}

/** The origin in a few words. */
export function originLine({ origin }: Pick<InboundEvent, 'origin'>): string {
  const first = Object.entries(origin ?? {}).slice(0, MAX_ORIGIN);
  const parts = first.map(([name, value]) => `${name}: ${scalar(value).slice(0, MAX_ORIGIN)}`);
  return cleanLine(parts.join(', '), MAX_ORIGIN);
}

function scalar(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The model's outcome in a few words. Empty if no model was asked. */
export function outcomeLine({ outcome }: Pick<InboundEvent, 'outcome'>): string {
  switch (outcome.kind) {
    case 'none':
      return '';
    case 'asking':
      return 'A model is looking at it…';
    case 'answered':
      return cleanLine(outcome.text.trimStart(), MAX_TITLE) || 'The model answered without words.';
    case 'failed':
      return cleanLine(`No answer: ${outcome.message}`, MAX_TITLE);
  }
}

export function answerer({ model, usage }: Extract<InboundEvent['outcome'], { kind: 'answered' }>): string {
  return `${cleanLine(model, 60)}, ${usage.inputTokens} + ${usage.outputTokens} tokens`;
}

/** The event for a tooltip, as plain text. */
export function eventTooltip(event: InboundEvent): string {
  const { server, source, occurredAt, receivedAt, origin, content } = event;
  return [
    cleanText(content.map(shownBlock).join('\n'), 1_000) || 'No content',
    '',
    `Server: ${cleanLine(server, 64)}`,
    `Feature set: ${cleanLine(source.featureSet, MAX_TITLE)}`,
    `Happened: ${cleanLine(occurredAt, 60)}`,
    `Arrived: ${timeText(receivedAt)}`,
    ...(origin === undefined ? [] : [`Origin: ${originText(origin)}`]),
  ].join('\n');
}

export function originText(origin: Json): string {
  const isFlat = isJsonObject(origin) && Object.values(origin).every((value) => typeof value !== 'object');
  return cleanText(JSON.stringify(origin, undefined, isFlat ? undefined : 2));
}
