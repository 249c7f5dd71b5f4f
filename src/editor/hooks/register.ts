import * as vscode from 'vscode';
import type { OpenChatHooks } from './chatHookSwitch.ts';
import { COMMANDS, SETTINGS } from '../shared/ids.ts';
import { SettingParts } from '../shared/settingParts.ts';
import type { WrapTools } from './wrappedRequest.ts';

interface Hooks extends vscode.Disposable {
  /** Resolves when everything that the settings started has ended. */
  close(): Promise<void>;
}

/** `mcpl.models.wrap` with its command, and `mcpl.chatHooks.enabled`. `openChatHooks` starts the server for its scripts. */
export function registerHooks(
  tools: WrapTools,
  state: vscode.Memento,
  openChatHooks: () => Promise<OpenChatHooks>,
): Hooks {
  const parts = new SettingParts(
    [
      {
        setting: SETTINGS.chatHooksEnabled,
        load: async () => new (await import('./lazy.ts')).ChatHookSwitch(openChatHooks, tools.log),
      },
      {
        setting: SETTINGS.modelsWrap,
        load: async () => new (await import('./lazy.ts')).WrappedVendor(tools, state),
      },
    ],
    tools.log,
  );
  const command = vscode.commands.registerCommand(COMMANDS.modelsWrap, async () =>
    (await import('./lazy.ts')).chooseWrapped(),
  );
  return {
    close: () => parts.close(),
    dispose: () => {
      parts.dispose();
      command.dispose();
    },
  };
}
