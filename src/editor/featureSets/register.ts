import * as vscode from 'vscode';
import {
  type Disposable,
  DisposableStore,
  type FeatureSetView,
  isRunning,
  messageOf,
  type ServerChange,
} from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import type { FeatureSetServices } from './featureSetDialogs.ts';
import { usableSets } from './featureSetText.ts';
import { COMMANDS } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import { startFirst, targetOf } from '../shared/quickPicker.ts';

/** Registers the command for feature sets, and the prompt at the first contact with a server. */
export function registerFeatureSets(services: FeatureSetServices, memory: vscode.Memento): Disposable {
  const owned = new DisposableStore();
  owned.add(new FirstContact(services, memory));
  owned.add(
    services.host.alsoEvents.onDidAsk((question) => {
      import('./featureSetDialogs.ts')
        .then(({ askEvents }) => askEvents(services, question))
        .catch((error: unknown) => failedChoice(services, question.server, error));
    }),
  );
  for (const [id, allowed] of [
    [COMMANDS.eventsAllow, true],
    [COMMANDS.eventsRefuse, false],
  ] as const)
    owned.add(
      registerCommand(services, id, { failed: vscode.l10n.t('The events were not changed') }, async (argument) => {
        const { server, featureSet } = targetOf(argument) ?? {};
        if (server === undefined || featureSet === undefined) return;
        const { chooseEvents } = await import('./featureSetDialogs.ts');
        chooseEvents(services, { server, featureSet }, allowed);
      }),
    );
  owned.add(new LaterSets(services));
  const text = { failed: vscode.l10n.t('The feature sets were not changed') };
  owned.add(
    registerCommand(services, COMMANDS.featureSetsChoose, text, async (argument) => {
      const question = vscode.l10n.t("Which server's feature sets do you want to choose?");
      const hasSome = (id: string): boolean => usableSets(services.host.server(id)).length > 0;
      const nothing = startFirst(services.host, vscode.l10n.t('No running server offers feature sets.'));
      const id = await services.pick.server(argument, question, hasSome, nothing);
      if (id !== undefined) await (await import('./featureSetDialogs.ts')).chooseFeatureSets(services, id);
    }),
  );
  const turning = { failed: vscode.l10n.t('The feature set was not turned on') };
  owned.add(
    registerCommand(services, COMMANDS.toolTurnOnSet, turning, async (argument) => {
      const { server, tool } = targetOf(argument) ?? {};
      const known = server === undefined ? undefined : services.host.server(server);
      const set = known?.tools.find((offered) => offered.tool.name === tool)?.setOff;
      if (known === undefined || set === undefined) return;
      await (await import('./featureSetDialogs.ts')).turnOnSet(services, known.id, set);
    }),
  );
  return owned;
}

/** Asks about sets that were declared later and match a wildcard. */
class LaterSets implements Disposable {
  readonly #services: FeatureSetServices;
  readonly #listening: Disposable;
  readonly #announced = new Set<string>();

  constructor(services: FeatureSetServices) {
    this.#services = services;
    this.#listening = services.host.onDidChangeServer(({ server }) => this.#look(server));
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #look(server: string): void {
    const keyOf = ({ set }: FeatureSetView): string => JSON.stringify([server, set.name]);
    const now = usableSets(this.#services.host.server(server));
    // A set that disappears and returns as new is asked about again.
    for (const view of now) if (view.state !== 'new') this.#announced.delete(keyOf(view));
    const fresh = now.filter((view) => view.state === 'new' && !this.#announced.has(keyOf(view)));
    if (fresh.length === 0) return;
    for (const view of fresh) this.#announced.add(keyOf(view));
    import('./featureSetDialogs.ts')
      .then(({ askLaterSets }) => askLaterSets(this.#services, server, fresh))
      .catch((error: unknown) => failedChoice(this.#services, server, error));
  }
}

function failedChoice({ failures }: FeatureSetServices, server: string, error: unknown): void {
  failures.show(vscode.l10n.t('The feature sets of "{0}" were not changed', plainText(server, 64)), error, { server });
}

/** Workspace state: servers whose feature sets the user did not want to decide on. */
const TURNED_DOWN = 'mcpl.featureSets.turnedDown';

/** Announces once per server that it offers feature sets and all are off, because users would not look for them. */
class FirstContact implements Disposable {
  readonly #services: FeatureSetServices;
  readonly #memory: vscode.Memento;
  readonly #owned = new DisposableStore();
  readonly #announced = new Set<string>();

  constructor(services: FeatureSetServices, memory: vscode.Memento) {
    this.#services = services;
    this.#memory = memory;
    this.#owned.add(services.host.onDidChangeServer((change) => this.#look(change)));
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #look({ server, what }: ServerChange): void {
    // A server that is added again is announced again.
    if (what === 'removed') {
      this.#announced.delete(server);
      if (this.#turnedDown().includes(server)) this.#remember(server, false);
      return;
    }
    const now = this.#services.host.server(server);
    if (now?.mcpl?.isUndecided !== true || !isRunning(now.state)) return;
    const shown = usableSets(now);
    if (shown.length === 0 || this.#announced.has(server) || this.#turnedDown().includes(server)) return;
    this.#announced.add(server);
    this.#ask(server, shown).catch((error: unknown) => this.#fail(server, error));
  }

  async #ask(server: string, shown: readonly FeatureSetView[]): Promise<void> {
    const { askFirstSets } = await import('./featureSetDialogs.ts');
    if (!(await askFirstSets(this.#services, server, shown))) this.#turnDown(server);
  }

  #turnDown(server: string): void {
    // A server removed in the meantime was not declined: its message disappeared.
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
