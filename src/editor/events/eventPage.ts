import { cleanLine, cleanText, type InboundEvent } from '../../core/index.ts';
import { attachmentsOf } from './eventAttachments.ts';
import { answerer, originText, outcomeLine, shownBlock } from '../shared/eventText.ts';
import { timeText } from '../shared/timeText.ts';

const MAX_BLOCK = 1_000_000;

/** An event as text. */
export interface EventPage {
  readonly text: string;
  /** Lines, from 0, with links to its parts. */
  readonly links: readonly {
    readonly line: number;
    readonly from: number;
    readonly to: number;
    readonly block: number;
  }[];
}

/**
 * Server text is indented or follows a label, so that it cannot pass for the host's words. `lists` says whether the
 * server lists a resource; others are not linked.
 */
export function eventPage(event: InboundEvent, lists: (uri: string) => boolean): EventPage {
  const lines: string[] = [];
  const links: EventPage['links'][number][] = [];
  const fact = (name: string, value: string): number => lines.push(`${name.padEnd(12)} ${value}`);
  fact('Server', cleanLine(event.server, 64));
  fact('Feature set', cleanLine(event.source.featureSet));
  fact('Happened', cleanLine(event.occurredAt, 100));
  fact('Arrived', timeText(event.receivedAt));
  fact('Event id', cleanLine(event.eventId, 600));
  if (event.origin !== undefined) fact('Origin', originText(event.origin).replaceAll('\n', '\n  '));
  // The text so far may contain line breaks.
  let line = lines.join('\n').split('\n').length;
  for (const { block, label, opens } of attachmentsOf(event)) {
    fact('Part', label);
    if (opens.kind === 'file' || lists(opens.uri)) links.push({ line, from: 13, to: 13 + label.length, block });
    line++;
  }
  section(lines, 'Content', event.content.map((block) => cleanText(shownBlock(block), MAX_BLOCK)).join('\n\n'));
  const { outcome } = event;
  if (outcome.kind === 'answered')
    section(lines, `Answer of ${answerer(outcome)}, ${timeText(outcome.at)}`, cleanText(outcome.text, MAX_BLOCK));
  else if (outcome.kind !== 'none')
    section(lines, 'Model', outcome.kind === 'failed' ? cleanText(outcome.message) : outcomeLine(event));
  return { text: `${lines.join('\n')}\n`, links };
}

function section(lines: string[], title: string, text: string): void {
  lines.push('', title, `  ${(text === '' ? '(nothing)' : text).replaceAll('\n', '\n  ')}`);
}
