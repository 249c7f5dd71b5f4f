import * as vscode from 'vscode';
import {
  cleanLine,
  type Disposable,
  DisposableStore,
  type EventsQuestion,
  type FeatureSetView,
  isRunning,
  messageOf,
  type ServerChange,
} from '../core/index.ts';
import { registerCommand } from './commandRegistry.ts';
import { joinedChanges, stillAsShown } from './featureSetChanges.ts';
import { isOn, usableSets, usesText } from './featureSetText.ts';
import { COMMANDS } from './ids.ts';
import { plainText } from './plainText.ts';
import { targetOf, withoutIcons } from './quickPicker.ts';
import type { EditorServices } from './services.ts';

type Needs = Pick<EditorServices, 'host' | 'settings' | 'failures' | 'pick' | 'log'>;

/** More are counted. */
const MOST_NAMED = 5;

/** The command that chooses among feature sets, and the question at the first contact with a server that has some. */
export function registerFeatureSets(services: Needs, memory: vscode.Memento): Disposable {
  const owned = new DisposableStore();
  owned.add(new FirstContact(services, memory));
  owned.add(services.host.alsoEvents.onDidAsk((question) => void askEvents(services, question)));
  for (const [id, allowed] of [
    [COMMANDS.eventsAllow, true],
    [COMMANDS.eventsRefuse, false],
  ] as const)
    owned.add(
      registerCommand(services, id, { failed: vscode.l10n.t('The events were not changed') }, (argument) => {
        const { server, featureSet } = targetOf(argument) ?? {};
        if (server !== undefined && featureSet !== undefined) chooseEvents(services, { server, featureSet }, allowed);
        return Promise.resolve();
      }),
    );
  owned.add(new LaterSets(services));
  const text = { failed: vscode.l10n.t('The feature sets were not changed') };
  owned.add(
    registerCommand(services, COMMANDS.featureSetsChoose, text, async (argument) => {
      const question = vscode.l10n.t("Which server's feature sets do you want to choose?");
      const hasSome = (id: string): boolean => usableSets(services.host.server(id)).length > 0;
      const id = await services.pick.server(argument, question, hasSome);
      if (id !== undefined) await choose(services, id);
    }),
  );
  return owned;
}

/** An event waits for the answer, 60 seconds at most; a later answer is for the events after it. */
async function askEvents(services: Needs, question: EventsQuestion): Promise<void> {
  const text = vscode.l10n.t(
    '"{0}" sends events from the feature set {1}, which does not declare them. Allow its events too?',
    plainText(question.server, 64),
    quoted(cleanLine(question.featureSet, 100)),
  );
  const allow = vscode.l10n.t('Also Allow Events');
  const refuse = vscode.l10n.t('Refuse Events');
  const answer = await vscode.window.showWarningMessage(text, allow, refuse);
  if (answer !== undefined) chooseEvents(services, question, answer === allow);
}

function chooseEvents({ host }: Needs, { server, featureSet }: EventsQuestion, allowed: boolean): void {
  if (host.alsoEvents.choose(server, featureSet, allowed)) return;
  const text = vscode.l10n.t(
    'Nothing was changed: the feature set "{0}" is not on. Switch it on, then try again.',
    plainText(cleanLine(featureSet, 100)),
  );
  void vscode.window.showWarningMessage(text);
}

/** False where nothing is on afterwards. */
async function choose({ host, settings }: Needs, server: string): Promise<boolean> {
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
    void vscode.window.showInformationMessage(vscode.l10n.t('The server "{0}" offers no feature sets now.', name));
    return false;
  }
  const chosen = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: vscode.l10n.t('Feature Sets of {0}', name),
    placeHolder: vscode.l10n.t('Check what the server may do'),
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
    if (kept.length < names.length) tellOfOthers(server);
  }
  return chosen.length > 0;
}

/** A name of a server must not read as the rest of our sentence. */
function quoted(name: string): string {
  return plainText(JSON.stringify(name));
}

function tellOfOthers(server: string): void {
  const text = vscode.l10n.t(
    '"{0}" changed the declaration of some feature sets while you chose. These stay off: review them and choose again.',
    plainText(server, 64),
  );
  void vscode.window.showWarningMessage(text);
}

/** Asks about sets that a wildcard would switch on and that the server declared later. */
class LaterSets implements Disposable {
  readonly #services: Needs;
  readonly #listening: Disposable;
  readonly #told = new Set<string>();

  constructor(services: Needs) {
    this.#services = services;
    this.#listening = services.host.onDidChangeServer(({ server }) => this.#look(server));
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #look(server: string): void {
    const keyOf = ({ set }: FeatureSetView): string => JSON.stringify([server, set.name]);
    const now = usableSets(this.#services.host.server(server));
    // One that was answered for and comes back as new, after it was gone, is asked about again.
    for (const view of now) if (view.state !== 'new') this.#told.delete(keyOf(view));
    const fresh = now.filter((view) => view.state === 'new' && !this.#told.has(keyOf(view)));
    if (fresh.length === 0) return;
    for (const view of fresh) this.#told.add(keyOf(view));
    this.#ask(server, fresh).catch((error: unknown) => failedChoice(this.#services, server, error));
  }

  async #ask(server: string, shown: readonly FeatureSetView[]): Promise<void> {
    const named = shown.slice(0, MOST_NAMED).map((view) => {
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
    // Nothing is turned on that was not shown.
    const on = isWhole ? vscode.l10n.t('Turn On') : vscode.l10n.t('Choose…');
    const off = vscode.l10n.t('Leave Off');
    const answer = await vscode.window.showInformationMessage(text, on, off);
    if (answer === undefined) return;
    if (answer === on && !isWhole) {
      await choose(this.#services, server);
      return;
    }
    const { settings, host } = this.#services;
    const names = stillAsShown(shown, usableSets(host.server(server)));
    if (names.length > 0) await settings.setFeatureSets(server, names, answer === on);
    if (answer === on && names.length < shown.length) tellOfOthers(server);
  }
}

function failedChoice({ failures }: Needs, server: string, error: unknown): void {
  failures.show(vscode.l10n.t('The feature sets of "{0}" were not changed', plainText(server, 64)), error, { server });
}

/** In the workspace's memory: the servers whose feature sets a person did not want to decide on. */
const TURNED_DOWN = 'mcpl.featureSets.turnedDown';

/** Says once, of each server, that it offers feature sets and that all are off: nobody looks for what is not known. */
class FirstContact implements Disposable {
  readonly #services: Needs;
  readonly #memory: vscode.Memento;
  readonly #owned = new DisposableStore();
  readonly #told = new Set<string>();

  constructor(services: Needs, memory: vscode.Memento) {
    this.#services = services;
    this.#memory = memory;
    this.#owned.add(services.host.onDidChangeServer((change) => this.#look(change)));
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #look({ server, what }: ServerChange): void {
    // Whoever adds it again meets it for the first time.
    if (what === 'removed') {
      this.#told.delete(server);
      if (this.#turnedDown().includes(server)) this.#remember(server, false);
      return;
    }
    const now = this.#services.host.server(server);
    if (now?.mcpl?.isUndecided !== true || !isRunning(now.state)) return;
    const shown = usableSets(now);
    if (shown.length === 0 || this.#told.has(server) || this.#turnedDown().includes(server)) return;
    this.#told.add(server);
    this.#tell(server, shown).catch((error: unknown) => this.#fail(server, error));
  }

  async #tell(server: string, shown: readonly FeatureSetView[]): Promise<void> {
    const count = shown.length;
    const name = plainText(server, 64);
    const text =
      count === 1
        ? vscode.l10n.t('"{0}" offers a feature set, which is off.', name)
        : vscode.l10n.t('"{0}" offers {1} feature sets, all off.', name, count);
    const all = count === 1 ? vscode.l10n.t('Enable') : vscode.l10n.t('Enable All');
    const some = vscode.l10n.t('Choose…');
    const none = vscode.l10n.t('Not Now');
    const answer = await vscode.window.showInformationMessage(text, all, some, none);
    if (answer === all) await this.#enableAll(server, shown);
    else if (answer !== some || !(await choose(this.#services, server))) this.#turnDown(server);
  }

  async #enableAll(server: string, shown: readonly FeatureSetView[]): Promise<void> {
    const names = stillAsShown(shown, usableSets(this.#services.host.server(server)));
    if (names.length > 0) await this.#services.settings.setFeatureSets(server, names, true);
    if (names.length < shown.length) tellOfOthers(server);
  }

  #turnDown(server: string): void {
    // A server that left the settings meanwhile is not turned down: the message went with it.
    if (this.#services.host.server(server) !== undefined) this.#remember(server, true);
  }

  #turnedDown(): readonly string[] {
    return this.#memory.get<readonly string[]>(TURNED_DOWN, []);
  }

  #remember(server: string, turnedDown: boolean): void {
    const others = this.#turnedDown().filter((id) => id !== server);
    this.#memory.update(TURNED_DOWN, turnedDown ? [...others, server] : others).then(undefined, (error: unknown) => {
      this.#services.log.log('warn', `An answer could not be remembered: ${messageOf(error)}`);
    });
  }

  #fail(server: string, error: unknown): void {
    failedChoice(this.#services, server, error);
  }
}
