import { cleanLine, cleanText, type InboundEvent, plural } from '../../core/index.ts';
import { answerer, eventTitle, eventTooltip, originLine, originText, outcomeLine } from '../shared/eventText.ts';
import { ageText } from '../shared/timeText.ts';
import { COMMANDS, FACETS, SHOW_MORE_EVENTS } from '../shared/ids.ts';
import type { NodeIcon } from '../shared/serverStateText.ts';
import { nodeId } from '../shared/treeNode.ts';
import type { ViewRow } from '../shared/viewRow.ts';
import { attachmentsOf } from './eventAttachments.ts';

/** Rows per server and page. */
export const EVENTS_PAGE = 50;
/** Maximum rows for blocks of an event, because all are rebuilt with each event. */
const MAX_PARTS = 30;

/** A row of the Events view, as data. Commands take it as their target. */
export interface EventNode extends ViewRow {
  readonly server: string;
  readonly event?: string;
  readonly featureSet?: string;
  /** Index of a block that can be opened. */
  readonly block?: number;
  readonly children: readonly EventNode[];
}

/** The whole view: servers by newest event, their newest events, and a row for more. */
export function eventTree(
  events: readonly InboundEvent[],
  now: number,
  pages: ReadonlyMap<string, number> = new Map(),
): readonly EventNode[] {
  const groups = new Map<string, InboundEvent[]>();
  for (const event of events) {
    const group = groups.get(event.server);
    if (group === undefined) groups.set(event.server, [event]);
    else group.push(event);
  }
  return [...groups].map(([server, group]) => serverGroup(server, group, now, pages.get(server) ?? 1));
}

function serverGroup(server: string, events: readonly InboundEvent[], now: number, pages: number): EventNode {
  const shown = events.slice(0, pages * EVENTS_PAGE);
  const unread = events.filter(({ isRead }) => !isRead).length;
  const label = cleanLine(server, 64);
  const count = plural(events.length, 'event');
  const description = unread === 0 ? count : `${count} · ${unread} unread`;
  return {
    id: nodeId('inbox', server),
    server,
    label,
    description,
    tooltip: `${label}: ${description}`,
    spoken: `${label}, ${description}`,
    icon: { name: 'server' },
    context: 'inbox',
    expansion: 'expanded',
    children: [
      ...shown.map((event) => eventNode(event, now)),
      ...(shown.length < events.length ? [moreNode(server, events.length - shown.length)] : []),
    ],
  };
}

function moreNode(server: string, left: number): EventNode {
  const label = `Show more (${left} older)`;
  return {
    ...leaf(nodeId('more', server), server, label, 'ellipsis'),
    command: { id: SHOW_MORE_EVENTS, title: 'Show More' },
  };
}

function eventNode(event: InboundEvent, now: number): EventNode {
  const { id, server, source, isRead, receivedAt } = event;
  const label = eventTitle(event);
  const age = ageText(receivedAt, now);
  const origin = originLine(event);
  const children = partsOf(event);
  return {
    id: nodeId('event', id),
    server,
    event: id,
    featureSet: source.featureSet,
    label,
    description: origin === '' ? age : `${age} · ${origin}`,
    tooltip: eventTooltip(event),
    spoken: [
      `${isRead ? '' : 'Unread: '}${label}`,
      cleanLine(source.featureSet, 100),
      age === 'now' ? 'just now' : `${age} ago`,
      ...(event.outcome.kind === 'none' ? [] : [event.outcome.kind]),
    ].join(', '),
    icon: eventIcon(event),
    context: isRead ? FACETS.event : `${FACETS.event}+${FACETS.unread}`,
    command: { id: COMMANDS.eventOpen, title: 'Open Event' },
    expansion: children.length === 0 ? 'none' : 'collapsed',
    children,
  };
}

function eventIcon({ isRead, outcome }: InboundEvent): NodeIcon {
  if (outcome.kind === 'asking') return { name: 'loading~spin' };
  if (!isRead) return { name: 'circle-filled', color: 'notificationsInfoIcon.foreground' };
  if (outcome.kind === 'failed') return { name: 'warning', color: 'list.warningForeground' };
  return { name: outcome.kind === 'answered' ? 'sparkle' : 'mail-read' };
}

function partsOf(event: InboundEvent): readonly EventNode[] {
  const { id, server, origin, outcome, content } = event;
  const parts: EventNode[] = [];
  if (outcome.kind !== 'none') {
    const node = leaf(
      nodeId('outcome', id),
      server,
      outcomeLine(event),
      outcome.kind === 'failed' ? 'warning' : 'sparkle',
    );
    if (outcome.kind !== 'answered') parts.push(node);
    else parts.push({ ...node, description: answerer(outcome), tooltip: cleanText(outcome.text), ...opens(id) });
  }
  if (origin !== undefined && originLine(event) !== '') {
    const node = leaf(nodeId('origin', id), server, 'Origin', 'location');
    const description = originLine(event);
    parts.push({ ...node, description, tooltip: originText(origin), spoken: `Origin: ${description}` });
  }
  for (const { block, label } of attachmentsOf({ content: content.slice(0, MAX_PARTS) }))
    parts.push({ ...leaf(nodeId('part', id, String(block)), server, label, 'file'), block, ...opens(id) });
  if (content.length > MAX_PARTS)
    parts.push({
      ...leaf(nodeId('rest', id), server, 'The rest is in the document of the event', 'ellipsis'),
      ...opens(id),
    });
  return parts;
}

function opens(event: string): Pick<EventNode, 'event' | 'command'> {
  return { event, command: { id: COMMANDS.eventOpen, title: 'Open' } };
}

function leaf(id: string, server: string, label: string, icon: string): EventNode {
  const expansion = 'none';
  return {
    id,
    server,
    label,
    description: '',
    tooltip: label,
    spoken: label,
    icon: { name: icon },
    context: 'part',
    expansion,
    children: [],
  };
}
