import * as vscode from 'vscode';
import { asyncLazy, type Disposable, DisposableStore } from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS, TOOL_FORM } from '../shared/ids.ts';
import { targetOf } from '../shared/quickPicker.ts';
import type { EditorServices } from '../shared/services.ts';

type Needs = Pick<EditorServices, 'host' | 'clock' | 'logs' | 'failures' | 'pick' | 'extensionUri'>;

/** Registers `mcpl.tool.call` and its tabs, one per tool. */
export function registerCallTool(services: Needs): Disposable {
  const store = new DisposableStore();
  const panels = asyncLazy(
    () => import('./lazy.ts'),
    ({ ToolFormPanels }) => store.add(new ToolFormPanels(services)),
  );
  store.add(
    vscode.window.registerWebviewPanelSerializer(TOOL_FORM, {
      deserializeWebviewPanel: async (panel, state: unknown) => (await panels.get()).restore(panel, state),
    }),
  );
  const text = { failed: vscode.l10n.t('The tool cannot be called') };
  store.add(
    registerCommand(services, COMMANDS.toolCall, text, async (argument) => {
      const target = await services.pick.tool(argument, vscode.l10n.t('Which tool do you want to call?'));
      if (target !== undefined) (await panels.get()).show(target);
    }),
  );
  return store;
}

/** Watches for changed tool definitions. The review is loaded with the first one. */
export function registerDefinitionChanges(
  services: Pick<EditorServices, 'host' | 'clock' | 'failures' | 'pick'>,
): Disposable {
  const store = new DisposableStore();
  const { host, clock, failures, pick } = services;
  const review = asyncLazy(
    () => import('./lazy.ts'),
    ({ DefinitionReview }) => store.add(new DefinitionReview({ host, failures, clock })),
  );
  const failed = vscode.l10n.t('The changed definitions were not shown');
  const isChanged = (server: string, name?: string): boolean =>
    host.server(server)?.tools.some(({ tool, change }) => change !== undefined && (name ?? tool.name) === tool.name) ===
    true;
  store.add(
    host.onDidChangeServer(({ server }) => {
      if (!isChanged(server)) return;
      review.get().then(
        (loaded) => loaded.look(),
        (error: unknown) => failures.show(failed, error, { server }),
      );
    }),
  );
  store.add(
    registerCommand(services, COMMANDS.toolReview, { failed }, async (argument) => {
      const loaded = await review.get();
      if (targetOf(argument)?.server === undefined && !host.servers().some(({ id }) => isChanged(id)))
        return loaded.review(undefined);
      const question = vscode.l10n.t('Which changed definition do you want to review?');
      const nothing = { text: vscode.l10n.t('No tool definition has changed since you approved it.') };
      const target = await pick.tool(argument, question, isChanged, nothing);
      if (target !== undefined) await loaded.review(target);
    }),
  );
  return store;
}
