import * as vscode from 'vscode';
import { HostError, type InboundEvent, isHostError, isObject, type PushPolicy } from '../../core/index.ts';
import type { EventDocuments } from './eventDocuments.ts';
import { eventTitle } from '../shared/eventText.ts';
import { ageText } from '../shared/timeText.ts';
import { COMMANDS } from '../shared/ids.ts';
import { openInChat } from '../shared/openInChat.ts';
import { plainText } from '../shared/plainText.ts';
import { cancellableProgress } from '../shared/progress.ts';
import { commandButton, pick, startFirst, targetOf, withoutIcons } from '../shared/quickPicker.ts';
import type { EditorServices } from '../shared/services.ts';
import { notify } from '../shared/notify.ts';

type Needs = Pick<EditorServices, 'host' | 'failures' | 'settings' | 'openServerSettings'>;

/** Maximum entries in a pick list. */
const MAX_CHOICES = 200;

type EventAction = 'open' | 'ask' | 'openInChat' | 'mute' | 'markRead' | 'clear';

/** The commands for events. */
export function eventActions(
  services: Needs,
  documents: EventDocuments,
): Readonly<Record<EventAction, (argument: unknown) => Promise<void>>> {
  const { events } = services.host;
  return {
    open: async (argument) => {
      const event = await chosenEvent(services, argument, vscode.l10n.t('Which event do you want to open?'));
      if (event === undefined) return;
      const block = isObject(argument) && typeof argument['block'] === 'number' ? argument['block'] : undefined;
      await documents.open(event, block);
      await events.markRead([event.id]);
    },
    ask: async (argument) => {
      const event = await chosenEvent(services, argument, vscode.l10n.t('Which event do you want a model to read?'));
      if (event !== undefined) await askModel(services, documents, event);
    },
    openInChat: async (argument) => {
      const isSent = isObject(argument) && argument['isSent'] === true;
      const target = targetOf(argument);
      // For several events the user picks one in the chat, or asks about all.
      if (target !== undefined && target.event === undefined)
        return openInChat({ query: `@mcpl /events ${target.server} `, isSent });
      const event = await chosenEvent(services, argument, vscode.l10n.t('Which event do you want in the chat?'));
      if (event !== undefined) await openInChat({ query: `@mcpl /events ${event.id} `, isSent });
    },
    mute: (argument) => muteChosen(services, argument),
    markRead: async (argument) => {
      await events.loaded();
      await events.markRead(unreadOf(eventsOf(services, argument)).map(({ id }) => id));
    },
    clear: (argument) => clear(services, argument),
  };
}

async function askModel({ host }: Needs, documents: EventDocuments, event: InboundEvent): Promise<void> {
  const title = vscode.l10n.t('Asking a model about "{0}"', plainText(eventTitle(event)));
  const ask = (): Promise<InboundEvent> => cancellableProgress(title, (token) => host.events.ask(event.id, token));
  let answered: InboundEvent;
  try {
    answered = await ask();
  } catch (error) {
    // The user asked for a model, so request the permission now.
    if (!isHostError(error, 'NO_MODEL') || error.category !== 'no_permission') throw error;
    const isAllowed = await vscode.commands.executeCommand<boolean>(COMMANDS.modelAllow);
    // The user cancelled, or the command has reported why not.
    if (!isAllowed) return;
    answered = await ask();
  }
  await documents.open(answered);
  await host.events.markRead([event.id]);
}

async function muteChosen(services: Needs, argument: unknown): Promise<void> {
  const chosen = await chosenSet(services, argument);
  if (chosen === undefined) return;
  const { server, featureSet } = chosen;
  const { settings } = services;
  const names = [plainText(featureSet, 100), plainText(server, 64)] as const;
  const before = policyOf(services, server, featureSet) ?? 'notify';
  if (isQuiet(before)) {
    void notify({ severity: 'info', text: vscode.l10n.t('"{0}" of "{1}" is muted already.', ...names) });
    return;
  }
  await settings.setPushPolicy(server, featureSet, 'inbox');
  const text = vscode.l10n.t('Muted "{0}" of "{1}": its events still arrive in the Events view.', ...names);
  // Restoring `infer` takes more than a click in a notification.
  const title = before === 'infer' ? vscode.l10n.t('Open Settings') : vscode.l10n.t('Undo');
  const run = async (): Promise<void> => {
    try {
      if (before === 'infer') await services.openServerSettings(server);
      else await settings.setPushPolicy(server, featureSet, before);
    } catch (error) {
      services.failures.show(vscode.l10n.t('The feature set is still muted'), error, { server });
    }
  };
  void notify({ severity: 'info', text, buttons: [{ title, run }] });
}

async function clear(services: Needs, argument: unknown): Promise<void> {
  const { events } = services.host;
  await events.loaded();
  const server = targetOf(argument)?.server;
  const all = events.list().filter((event) => server === undefined || event.server === server);
  const unread = unreadOf(all).length;
  if (unread > 0) {
    const text =
      server === undefined
        ? vscode.l10n.t('Remove all {0} events?', all.length)
        : vscode.l10n.t('Remove all {0} events of "{1}"?', all.length, plainText(server, 64));
    const modalDetail = vscode.l10n.t('{0} of them you have not read.', unread);
    const remove = { title: vscode.l10n.t('Remove') };
    if ((await notify({ severity: 'warning', text, modalDetail, buttons: [remove] })) !== remove) return;
  }
  await events.clear(server);
}

async function chosenEvent({ host }: Needs, argument: unknown, placeHolder: string): Promise<InboundEvent | undefined> {
  await host.events.loaded();
  const given = targetOf(argument)?.event;
  if (given !== undefined) {
    const event = host.events.find(given);
    if (event !== undefined) return event;
    throw new HostError('INVALID_ARGUMENTS', vscode.l10n.t('The event is no longer there.'), { layer: 'host' });
  }
  const now = Date.now();
  const items = host.events
    .list()
    .slice(0, MAX_CHOICES)
    .map((event) => ({
      label: withoutIcons(plainText(eventTitle(event))),
      description: withoutIcons(`${plainText(event.server, 64)} · ${ageText(event.receivedAt, now)}`),
      event,
    }));
  const nothing = {
    text: vscode.l10n.t('No event has arrived yet. Turn on a feature set that sends events.'),
    action: commandButton(vscode.l10n.t('Choose Feature Sets…'), COMMANDS.featureSetsChoose),
  };
  return (await pick(items, placeHolder, nothing))?.event;
}

async function chosenSet(
  services: Needs,
  argument: unknown,
): Promise<{ readonly server: string; readonly featureSet: string } | undefined> {
  const { host } = services;
  const target = targetOf(argument);
  if (target?.featureSet !== undefined) return { server: target.server, featureSet: target.featureSet };
  const event = target?.event === undefined ? undefined : host.events.find(target.event);
  if (event !== undefined) return { server: event.server, featureSet: event.source.featureSet };
  const items = host
    .servers()
    .filter(({ id }) => target === undefined || id === target.server)
    .flatMap(({ id, mcpl }) =>
      (mcpl?.sets ?? [])
        .filter(({ push, set, undeclared }) => !isQuiet(push) && [...set.uses, ...undeclared].includes('pushEvents'))
        .map(({ set }) => ({
          label: withoutIcons(plainText(set.name, 100)),
          description: withoutIcons(plainText(id, 64)),
          server: id,
          featureSet: set.name,
        })),
    );
  const placeHolder = vscode.l10n.t('Which feature set do you want to mute?');
  const nothing = vscode.l10n.t('No running server has a feature set that shows notifications.');
  return pick(items, placeHolder, startFirst(host, nothing));
}

function isQuiet(policy: PushPolicy): policy is 'ignore' | 'inbox' {
  return policy === 'ignore' || policy === 'inbox';
}

function policyOf({ host }: Needs, server: string, name: string): PushPolicy | undefined {
  return host.server(server)?.mcpl?.sets.find(({ set }) => set.name === name)?.push;
}

function eventsOf({ host }: Needs, argument: unknown): readonly InboundEvent[] {
  const target = targetOf(argument);
  return host.events
    .list()
    .filter(
      ({ id, server }) =>
        target === undefined || (target.event === undefined ? server === target.server : id === target.event),
    );
}

function unreadOf(events: readonly InboundEvent[]): readonly InboundEvent[] {
  return events.filter(({ isRead }) => !isRead);
}
