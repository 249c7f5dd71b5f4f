import * as vscode from 'vscode';
import { cleanLine, type EventsQuestion, type FeatureSetView, type McplDialect } from '../../core/index.ts';
import { joinedChanges, stillAsShown } from './featureSetChanges.ts';
import { isOn, permissionsOf, usableSets, usesText } from './featureSetText.ts';
import { plainText } from '../shared/plainText.ts';
import { withoutIcons } from '../shared/quickPicker.ts';
import type { EditorServices } from '../shared/services.ts';
import { notify } from '../shared/notify.ts';

export type FeatureSetServices = Pick<EditorServices, 'host' | 'settings' | 'failures' | 'pick' | 'log'>;

/** Maximum names before the rest is counted. */
const MAX_NAMED_COUNT = 5;

/** The event waits at most 60 seconds. A later answer applies to later events. */
export async function askEvents(services: FeatureSetServices, question: EventsQuestion): Promise<void> {
  const text = vscode.l10n.t(
    '"{0}" sends events from the feature set {1}, which does not declare them. Allow its events too?',
    plainText(question.server, 64),
    quoted(cleanLine(question.featureSet, 100)),
  );
  const allow = { title: vscode.l10n.t('Also Allow Events') };
  const refuse = { title: vscode.l10n.t('Refuse Events') };
  const answer = await notify({ severity: 'warning', text, buttons: [allow, refuse] });
  if (answer !== undefined) chooseEvents(services, question, answer === allow);
}

export function chooseEvents(
  { host }: FeatureSetServices,
  { server, featureSet }: EventsQuestion,
  allowed: boolean,
): void {
  if (host.alsoEvents.choose(server, featureSet, allowed)) return;
  const text = vscode.l10n.t(
    'Nothing was changed: the feature set "{0}" is off. Turn it on, then try again.',
    plainText(cleanLine(featureSet, 100)),
  );
  void notify({ severity: 'warning', text });
}

/** Returns false if no set is on afterwards. */
export async function chooseFeatureSets({ host, settings }: FeatureSetServices, server: string): Promise<boolean> {
  const name = plainText(server, 64);
  const shown = usableSets(host.server(server));
  const items = shown.map((view) => ({
    label: withoutIcons(plainText(cleanLine(view.set.name, 100))),
    description: withoutIcons(plainText(usesText(view))),
    detail: withoutIcons(plainText(cleanLine(view.set.description, 200))),
    picked: isOn(view),
    set: view.set.name,
  }));
  if (items.length === 0) {
    void notify({ severity: 'info', text: vscode.l10n.t('The server "{0}" offers no feature sets now.', name) });
    return false;
  }
  const chosen = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: vscode.l10n.t('Feature Sets of {0}', name),
    placeHolder: vscode.l10n.t('Select what the server may do'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen === undefined) return false;
  const changes = items
    .filter((item) => item.picked !== chosen.includes(item))
    .map(({ set, picked }) => ({ server, names: [set], on: !picked }));
  for (const { names, on } of joinedChanges(changes)) {
    const asShown = on ? stillAsShown(shown, usableSets(host.server(server))) : names;
    const kept = names.filter((name) => asShown.includes(name));
    if (kept.length > 0) await settings.setFeatureSets(server, kept, on);
    if (kept.length < names.length) warnOfChanges(server);
  }
  return chosen.length > 0;
}

/** Turns on a set as its checkbox does. Offers Undo, because the row of a tool cannot turn its set off again. */
export async function turnOnSet(services: FeatureSetServices, server: string, set: string): Promise<void> {
  const { settings, failures } = services;
  await settings.setFeatureSets(server, [set], true);
  const [name, of] = [plainText(cleanLine(set, 100)), plainText(server, 64)];
  const undo = async (): Promise<void> => {
    try {
      await settings.setFeatureSets(server, [set], false);
    } catch (error) {
      failures.show(vscode.l10n.t('The feature set "{0}" was not turned off', name), error, { server });
    }
  };
  const text = vscode.l10n.t('Turned on the feature set "{0}" of "{1}".', name, of);
  void notify({ severity: 'info', text, buttons: [{ title: vscode.l10n.t('Undo'), run: undo }] });
}

/** Quotes a server's name, so that it cannot pass for the sentence around it. */
function quoted(name: string): string {
  return plainText(`"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\u{22}')}"`);
}

function warnOfChanges(server: string): void {
  const text = vscode.l10n.t(
    '"{0}" changed the declaration of some feature sets while you chose. These stay off: review them and choose again.',
    plainText(server, 64),
  );
  void notify({ severity: 'warning', text });
}

/** Asks about sets that were declared later and match a wildcard in settings. */
export async function askLaterSets(
  services: FeatureSetServices,
  server: string,
  shown: readonly FeatureSetView[],
): Promise<void> {
  const named = shown.slice(0, MAX_NAMED_COUNT).map((view) => {
    const uses = usesText(view);
    const name = quoted(cleanLine(view.set.name, 60));
    return uses === '' ? name : `${name} (${plainText(uses)})`;
  });
  const more = shown.length - named.length;
  const isWhole = more === 0 && shown.every(({ set }) => set.name.length <= 60);
  const text = vscode.l10n.t(
    '"{0}" declared feature sets that your settings would turn on by a wildcard: {1}. They are off until you turn them on.',
    plainText(server, 64),
    [...named, ...(more > 0 ? [`${more} more`] : [])].join(', '),
  );
  // Only sets that were shown can be turned on.
  const on = { title: isWhole ? vscode.l10n.t('Turn On') : vscode.l10n.t('Choose…') };
  const off = { title: vscode.l10n.t('Leave Off') };
  const answer = await notify({ severity: 'info', text, buttons: [on, off] });
  if (answer === undefined) return;
  if (answer === on && !isWhole) {
    await chooseFeatureSets(services, server);
    return;
  }
  const { settings, host } = services;
  const names = stillAsShown(shown, usableSets(host.server(server)));
  if (names.length > 0) await settings.setFeatureSets(server, names, answer === on);
  if (answer === on && names.length < shown.length) warnOfChanges(server);
}

/** Names what the sets ask for together. They all are off. */
function firstContactText(
  name: string,
  shown: readonly FeatureSetView[],
  after: McplDialect['after'] | undefined,
): string {
  const asked = permissionsOf(shown, after);
  const isOne = shown.length === 1;
  if (asked.length === 0)
    return isOne
      ? vscode.l10n.t('"{0}" offers a feature set that asks for no permission. It is off.', name)
      : vscode.l10n.t('"{0}" offers {1} feature sets that ask for no permission. All are off.', name, shown.length);
  // Complete: there are few distinct permissions, and none of them may be hidden behind a count.
  const list = asked.join(', ');
  return asked.length === 1
    ? vscode.l10n.t('"{0}" asks for 1 permission: {1}. It is off.', name, list)
    : vscode.l10n.t('"{0}" asks for {1} permissions: {2}. All are off.', name, asked.length, list);
}

/** Announces that a server offers feature sets. Returns false if the user declined to decide. */
export async function askFirstSets(
  services: FeatureSetServices,
  server: string,
  shown: readonly FeatureSetView[],
): Promise<boolean> {
  const text = firstContactText(plainText(server, 64), shown, services.host.server(server)?.mcpl?.dialect.after);
  const review = { title: vscode.l10n.t('Review…') };
  const all = { title: shown.length === 1 ? vscode.l10n.t('Enable') : vscode.l10n.t('Enable All') };
  const none = { title: vscode.l10n.t('Not Now') };
  const answer = await notify({ severity: 'info', text, buttons: [review, all, none] });
  if (answer !== all) return answer === review && (await chooseFeatureSets(services, server));
  await enableAll(services, server, shown);
  return true;
}

async function enableAll(
  services: FeatureSetServices,
  server: string,
  shown: readonly FeatureSetView[],
): Promise<void> {
  const names = stillAsShown(shown, usableSets(services.host.server(server)));
  if (names.length > 0) await services.settings.setFeatureSets(server, names, true);
  if (names.length < shown.length) warnOfChanges(server);
}
