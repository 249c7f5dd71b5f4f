import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS } from '../shared/ids.ts';
import type { EditorServices, ToolTarget } from '../shared/services.ts';
import type { ToolFormPanel } from './toolFormPanel.ts';

const TOOL_FORM = 'mcpl.toolForm';

type Needs = Pick<EditorServices, 'host' | 'logs' | 'failures' | 'pick' | 'extensionUri'>;

/** `mcpl.tool.call`, and the tabs that it opens: one for each tool. */
export function registerCallTool(services: Needs): Disposable {
  const store = new DisposableStore();
  const panels = store.add(new ToolFormPanels(services));
  store.add(vscode.window.registerWebviewPanelSerializer(TOOL_FORM, panels));
  const text = { failed: vscode.l10n.t('The tool cannot be called') };
  store.add(
    registerCommand(services, COMMANDS.toolCall, text, async (argument) => {
      const target = await services.pick.tool(argument, vscode.l10n.t('Which tool do you want to call?'));
      if (target !== undefined) await panels.show(target);
    }),
  );
  return store;
}

class ToolFormPanels implements vscode.WebviewPanelSerializer, Disposable {
  readonly #services: Needs;
  readonly #open = new Map<string, ToolFormPanel>();

  constructor(services: Needs) {
    this.#services = services;
  }

  async show(target: ToolTarget): Promise<void> {
    const { pageOptions, ToolFormPanel } = await import('../pages.ts');
    const there = this.#open.get(keyOf(target));
    if (there !== undefined) return there.reveal();
    const options = pageOptions(this.#services.extensionUri);
    const panel = vscode.window.createWebviewPanel(TOOL_FORM, target.tool, vscode.ViewColumn.Active, options);
    this.#adopt(target, panel, new ToolFormPanel(this.#services, panel, target));
  }

  /** After a reload of the window the editor brings the tab back, with what its page kept. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { decodePageState, ToolFormPanel } = await import('../pages.ts');
    const kept = decodePageState(state);
    if (kept === undefined || this.#open.has(keyOf(kept))) {
      panel.dispose();
      return;
    }
    const target = { server: kept.server, tool: kept.tool };
    this.#adopt(target, panel, new ToolFormPanel(this.#services, panel, target));
  }

  dispose(): void {
    for (const panel of this.#open.values()) panel.dispose();
    this.#open.clear();
  }

  #adopt(target: ToolTarget, panel: vscode.WebviewPanel, form: ToolFormPanel): void {
    this.#open.set(keyOf(target), form);
    panel.onDidDispose(() => {
      this.#open.delete(keyOf(target));
      form.dispose();
    });
  }
}

function keyOf({ server, tool }: ToolTarget): string {
  return JSON.stringify([server, tool]);
}
