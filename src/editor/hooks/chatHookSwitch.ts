import * as vscode from 'vscode';
import { DisposableStore, type Logger, messageOf } from '../../core/index.ts';
import { SETTINGS } from '../shared/ids.ts';
import { isAskedFor } from '../shared/settingParts.ts';
import { plainText } from '../shared/plainText.ts';
import { notify } from '../shared/notify.ts';

/** The endpoint for the chat's hook scripts. */
export interface OpenChatHooks {
  publish(folders: readonly string[]): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * `mcpl.chatHooks.enabled`: while it is on and the workspace is trusted, the scripts that the editor runs around chat
 * turns (`contributes.chatPlugins`) can reach this window. When off, there is no listener and no file, and nothing is
 * loaded.
 */
export class ChatHookSwitch {
  readonly #open: () => Promise<OpenChatHooks>;
  readonly #log: Logger;
  readonly #owned = new DisposableStore();
  #hooks: OpenChatHooks | undefined;
  /** Serializes steps, so that the last one wins. */
  #steps: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(open: () => Promise<OpenChatHooks>, log: Logger) {
    this.#open = open;
    this.#log = log;
    this.#owned.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(SETTINGS.chatHooksEnabled)) this.#look();
      }),
    );
    this.#owned.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#look()));
    this.#owned.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#look()));
    this.#look();
  }

  /** Resolves when the window's file is deleted. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#owned.dispose();
    this.#look();
    return this.#steps;
  }

  #look(): void {
    this.#steps = this.#steps.then(() => this.#follow()).catch((error: unknown) => this.#failed(error));
  }

  async #follow(): Promise<void> {
    if (this.#isClosed || !isAskedFor(SETTINGS.chatHooksEnabled)) {
      const hooks = this.#hooks;
      this.#hooks = undefined;
      await hooks?.dispose();
      return;
    }
    this.#hooks ??= await this.#open();
    await this.#hooks.publish((vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath));
  }

  #failed(error: unknown): void {
    this.#log.log('error', `Chat hooks: ${messageOf(error)}`);
    if (this.#isClosed) return;
    const text = vscode.l10n.t(
      'The hooks of servers cannot be used in the built-in chat: {0}',
      plainText(messageOf(error), 300),
    );
    void notify({ severity: 'warning', text });
  }
}
