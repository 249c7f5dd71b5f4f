import { cleanLine, type EventInbox, type InboundEvent, type JsonObject, textForModels } from '../../core/index.ts';
import { type EventsRequest, InputProblem } from './controlInputs.ts';
import { type ControlResult, controlNote, tagged } from './controlResult.ts';
import { originText, shownBlock } from '../shared/eventText.ts';

const MAX_EVENT = 4_000;
const MAX_ORIGIN = 500;
const MAX_NAME = 256;

/** The requested events within the limits. Marks them as read if requested. */
export async function readEvents(
  inbox: Pick<EventInbox, 'list' | 'loaded' | 'markRead'>,
  wanted: EventsRequest,
  mostCharacters: number,
): Promise<ControlResult> {
  await inbox.loaded();
  const all = inbox.list();
  const begin = wanted.before === undefined ? 0 : all.findIndex(({ id }) => id === wanted.before) + 1;
  if (wanted.before !== undefined && begin === 0)
    throw new InputProblem('The event of "before" is not kept any more. Begin again without "before".');
  const found = all.slice(begin).filter((event) => isWanted(event, wanted));
  const texts: string[] = [];
  let left = mostCharacters;
  for (const event of found.slice(0, wanted.limit)) {
    const text = eventForModel(event);
    // Always includes the first one, so that paging advances.
    if (texts.length > 0 && text.length > left) break;
    left -= text.length;
    texts.push(text);
  }
  const shown = found.slice(0, texts.length);
  const next = shown.length < found.length ? shown.at(-1)?.id : undefined;
  if (wanted.markRead) await inbox.markRead(shown.map(({ id }) => id));
  return {
    text: [
      headText(shown.length, found.length, wanted.markRead),
      ...texts,
      ...(next === undefined ? [] : [`There are older ones: ask again with "before": ${JSON.stringify(next)}.`]),
    ].join('\n\n'),
    data: { events: shown.map(eventData), ...(next === undefined ? {} : { next }), left: found.length - shown.length },
  };
}

function isWanted({ server, source, isRead }: InboundEvent, wanted: EventsRequest): boolean {
  if (wanted.unreadOnly && isRead) return false;
  if (wanted.server !== undefined && wanted.server !== server) return false;
  return wanted.featureSet === undefined || wanted.featureSet === source.featureSet;
}

function headText(shown: number, found: number, isMarked: boolean): string {
  if (shown === 0) return 'There are no such events.';
  const many = shown === found ? (shown === 1 ? 'One event' : `${shown} events`) : `${shown} of ${found} events`;
  return `${many}, the newest first${isMarked ? ', marked as read now' : ''}. ${controlNote('event')}`;
}

function eventForModel(event: InboundEvent): string {
  const { id, server, source, occurredAt, origin, isRead, content } = event;
  const forModels = content.filter((block) => !('audience' in block && block.audience === 'user'));
  const body = textForModels(forModels.map(shownBlock).join('\n'), MAX_EVENT) || '[It has no content for a model.]';
  const from = origin === undefined ? '' : `origin: ${cleanLine(originText(origin), MAX_ORIGIN)}\n`;
  const facts = { server, featureSet: source.featureSet, id, time: occurredAt, read: isRead ? 'yes' : 'no' };
  return tagged('event', facts, `${from}${body}`);
}

/** Metadata only: long server text is in the text result, where it is marked. */
function eventData({ id, server, source, eventId, occurredAt, receivedAt, isRead, outcome }: InboundEvent): JsonObject {
  return {
    id,
    server,
    featureSet: source.featureSet,
    eventId: cleanLine(eventId, MAX_NAME),
    occurredAt: cleanLine(occurredAt, MAX_NAME),
    receivedAt: new Date(receivedAt).toISOString(),
    wasRead: isRead,
    wasAnswered: outcome.kind === 'answered',
  };
}
