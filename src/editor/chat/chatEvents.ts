import * as vscode from 'vscode';
import { eventMessages, type Host, type InboundEvent } from '../../core/index.ts';
import { countText } from '../lineage/lineageText.ts';
import { modelMessages } from '../models/modelMessages.ts';
import { eventTitle } from '../shared/eventText.ts';
import { ageText } from '../shared/timeText.ts';
import { COMMANDS } from '../shared/ids.ts';
import { escaped, plainText } from '../shared/plainText.ts';
import type { Asked } from './chatTurn.ts';
import type { ChatWriter } from './chatWriter.ts';

/** Maximum events in an answer. The view has all. */
const MAX_LISTED = 5;
/** Maximum events of one server in a turn. */
const MAX_ASKED = 5;

interface EventQuestion extends Asked {
  readonly events: readonly InboundEvent[];
}

/** `@mcpl /events <id or server> <question>` as a question for the model. `undefined` if it names no event. */
export function eventQuestion({ events }: Pick<Host, 'events'>, prompt: string): EventQuestion | undefined {
  const [wanted = '', ...words] = prompt.trim().split(/\s+/);
  const found = eventsNamed(events.list(), wanted);
  if (found.length === 0) return undefined;
  const asked = words.join(' ');
  const userMessage = asked === '' ? titlesText(found) : asked;
  const eventMessagesOf = found.flatMap(eventMessages);
  const question = asked === '' ? [] : [vscode.LanguageModelChatMessage.User(asked)];
  const messages = [...modelMessages({ systemPrompt: undefined, messages: eventMessagesOf }), ...question];
  const text = [
    ...eventMessagesOf.flatMap(({ content }) =>
      content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)),
    ),
    ...(asked === '' ? [] : [asked]),
  ].join('\n');
  return { events: found, userMessage, messages, text };
}

/** An event by the host's or server's id, or the unread events of a server, or its newest one. */
function eventsNamed(all: readonly InboundEvent[], wanted: string): readonly InboundEvent[] {
  if (wanted === '') return [];
  const one = all.find(({ id }) => id === wanted) ?? all.find(({ eventId }) => eventId === wanted);
  if (one !== undefined) return [one];
  const name = wanted.toLowerCase();
  const ofServer = all.filter(({ server }) => server.toLowerCase() === name);
  const unread = ofServer.filter(({ isRead }) => !isRead);
  // In order of arrival.
  return (unread.length > 0 ? unread : ofServer.slice(0, 1)).slice(0, MAX_ASKED).reverse();
}

function titlesText(events: readonly InboundEvent[]): string {
  return events.map((event) => `What does this mean for me: ${eventTitle(event)}`).join('\n');
}

/** `@mcpl /events`: lists events, unread ones first. Uses no model. */
export function listEvents({ events }: Pick<Host, 'events'>, prompt: string, writer: ChatWriter): void {
  const { stream } = writer;
  const wanted = prompt.trim().split(/\s+/)[0] ?? '';
  const all = events.list();
  if (wanted !== '') stream.markdown(`${escaped(plainText(`There is no event of "${wanted}".`, 200))}\n\n`);
  if (all.length === 0) {
    stream.markdown(
      vscode.l10n.t(
        'No event has arrived yet. MCPL servers send events once you turn on a feature set that can send them.',
      ),
    );
    return;
  }
  const unread = all.filter(({ isRead }) => !isRead);
  const shown = [...unread, ...all.filter(({ isRead }) => isRead)].slice(0, MAX_LISTED);
  stream.markdown(`${countText(all.length, 'event')}, ${unread.length} unread.`);
  const now = Date.now();
  for (const event of shown) {
    const { id, server, isRead, receivedAt } = event;
    const facts = [plainText(server, 64), ageText(receivedAt, now), ...(isRead ? [] : [vscode.l10n.t('unread')])];
    const title = `**${escaped(plainText(eventTitle(event), 200))}**`;
    stream.markdown(`\n\n${title}  \n${escaped(facts.join(' · '))}\n\n`);
    const target = { server, event: id };
    writer.links([
      { command: COMMANDS.eventOpen, title: vscode.l10n.t('Open'), arguments: [target] },
      {
        command: COMMANDS.eventOpenInChat,
        title: vscode.l10n.t('Ask Model'),
        arguments: [{ ...target, isSent: true }],
      },
      ...(isRead ? [] : [{ command: COMMANDS.eventsMarkRead, title: vscode.l10n.t('Mark Read'), arguments: [target] }]),
    ]);
  }
  if (all.length > shown.length) stream.markdown(`\n\n${vscode.l10n.t('The Events view has all of them.')}`);
}
