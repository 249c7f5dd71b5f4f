import * as vscode from 'vscode';
import { Emitter, type Event } from '../../core/index.ts';
import { COMMANDS } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import { notify } from '../shared/notify.ts';

const ALLOWED = 'mcpl.modelUse';

/**
 * Whether servers may use the editor's language models in this workspace. The first use needs a user gesture, because
 * the editor requires it and it may cost. Feature sets and budgets then decide per server.
 */
export class ModelUse implements vscode.Disposable {
  readonly #state: vscode.Memento;
  readonly #changed = new Emitter<void>();
  /** Servers that were refused since the window opened. */
  readonly #asking = new Set<string>();
  #isShown = false;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get onDidChange(): Event<void> {
    return this.#changed.event;
  }

  get isAllowed(): boolean {
    return this.#state.get(ALLOWED) === true;
  }

  get asking(): readonly string[] {
    return [...this.#asking];
  }

  async allow(): Promise<void> {
    await this.#state.update(ALLOWED, true);
    this.#asking.clear();
    this.#changed.fire();
  }

  async forbid(): Promise<void> {
    await this.#state.update(ALLOWED, undefined);
    this.#changed.fire();
  }

  /** A server needs the permission. Prompts once for all servers that ask meanwhile. */
  refused(server: string): void {
    if (this.#asking.has(server)) return;
    this.#asking.add(server);
    if (this.#isShown) return;
    this.#isShown = true;
    const allow = { title: vscode.l10n.t('Allow Language Model Use') };
    const text = vscode.l10n.t('The server "{0}" wants to use a language model.', plainText(server, 64));
    notify({ severity: 'info', text, buttons: [allow, { title: vscode.l10n.t('Not Now') }] }).then(
      (chosen) => {
        this.#isShown = false;
        if (chosen === allow) void vscode.commands.executeCommand(COMMANDS.modelAllow);
      },
      () => (this.#isShown = false),
    );
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
