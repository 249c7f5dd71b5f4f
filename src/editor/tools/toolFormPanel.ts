import * as vscode from 'vscode';
import { type Disposable, DisposableStore, schemaForm, type Tool, type ToolForm } from '../../core/index.ts';
import { decodeFromPage, decodePageState, type FromPage, type ToPage } from '../../webview/form/formMessages.ts';
import { COMMANDS, TOOL_FORM } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import type { EditorServices, ToolTarget } from '../shared/services.ts';
import { hasSecrets, readArguments, refusal, switched } from './toolArguments.ts';
import { ToolRun } from './toolRun.ts';
import { toolView } from './toolView.ts';
import { pageHtml, pageIcon, pageOptions } from '../shared/webviewPage.ts';

type Needs = Pick<EditorServices, 'host' | 'clock' | 'logs' | 'failures' | 'extensionUri'>;

/** A tool in an editor tab. The page gets the complete state each time, so it can be hidden and shown. */
class ToolFormPanel implements Disposable {
  readonly #services: Needs;
  readonly #panel: vscode.WebviewPanel;
  readonly #target: ToolTarget;
  readonly #store = new DisposableStore();
  readonly #run: ToolRun;
  #tool: Tool | undefined;
  #form: ToolForm = { fields: [], complete: true };
  #shown = '';

  constructor(services: Needs, panel: vscode.WebviewPanel, target: ToolTarget) {
    this.#services = services;
    this.#panel = panel;
    this.#target = target;
    this.#run = this.#store.add(new ToolRun(services, target, () => this.#sendRun()));
    panel.title = `${plainText(target.tool, 60)} (${plainText(target.server, 60)})`;
    panel.iconPath = pageIcon(services.extensionUri, 'tool');
    panel.webview.options = pageOptions(services.extensionUri);
    this.#store.add(panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(decodeFromPage(message))));
    this.#store.add(
      services.host.onDidChangeServer((change) => {
        if (change.server === target.server) this.#sendTool();
      }),
    );
    panel.webview.html = pageHtml(panel.webview, services.extensionUri, { name: 'toolForm', title: 'Call Tool' });
  }

  reveal(): void {
    this.#panel.reveal();
  }

  /** Removes the panel's listeners. The editor owns the tab. */
  dispose(): void {
    this.#store.dispose();
  }

  #receive(message: FromPage | undefined): void {
    if (message === undefined) return;
    switch (message.type) {
      case 'ready':
        // A page that was hidden starts empty.
        this.#shown = '';
        this.#sendTool();
        return this.#sendRun();
      case 'run':
        return this.#start(message);
      case 'cancel':
        return this.#run.cancel();
      case 'sendAnyway':
        void this.#run.sendAnyway();
        return;
      case 'switch':
        return this.#send(switched(this.#form, message.entered));
      case 'copy':
      case 'open':
        return this.#take(message.type);
      case 'start':
        void vscode.commands.executeCommand(COMMANDS.serverStart, { server: this.#target.server });
        return;
      case 'log':
        return this.#services.logs.showServer(this.#target.server);
    }
  }

  #start({ entered, anyway }: Extract<FromPage, { type: 'run' }>): void {
    if (this.#run.isRunning) return;
    const read = readArguments(this.#form, entered);
    if (read.kind === 'unsendable' || (read.kind === 'misfit' && !anyway)) return this.#send(refusal(read));
    if (!hasSecrets(this.#form.fields)) this.#send({ type: 'sent', json: JSON.stringify(read.args, null, 2) });
    void (anyway ? this.#run.startUnchecked(read.args) : this.#run.start(read.args));
  }

  #take(how: 'copy' | 'open'): void {
    const result = this.#run.text;
    if (result === undefined) return;
    const done = how === 'copy' ? copy(result.text) : open(result.text, result.isJson);
    done.catch((error: unknown) => {
      this.#services.failures.show(vscode.l10n.t('The result cannot be shown'), error, { server: this.#target.server });
    });
  }

  #sendTool(): void {
    const { server: id, tool: name } = this.#target;
    const server = this.#services.host.server(id);
    const tool = server?.tools.find((offered) => offered.tool.name === name)?.tool;
    // When the server stops, the form keeps its tool and input.
    if (tool !== undefined && tool !== this.#tool) {
      this.#tool = tool;
      this.#form = schemaForm(tool.inputSchema);
    }
    const view = toolView(this.#target, server, { tool: this.#tool, offered: tool !== undefined }, this.#form);
    // Skips unchanged views, because rebuilding the page would lose the cursor.
    const whole = JSON.stringify(view);
    if (whole === this.#shown) return;
    this.#shown = whole;
    this.#send({ type: 'tool', tool: view });
  }

  #sendRun(): void {
    this.#send({ type: 'run', run: this.#run.view });
  }

  /** Sends nothing to a hidden page, which requests everything when shown. */
  #send(message: ToPage): void {
    if (!this.#store.isDisposed && this.#panel.visible) void this.#panel.webview.postMessage(message);
  }
}

/** The open tabs: one for each tool. */
export class ToolFormPanels implements Disposable {
  readonly #services: Needs;
  readonly #open = new Map<string, ToolFormPanel>();

  constructor(services: Needs) {
    this.#services = services;
  }

  show(target: ToolTarget): void {
    const there = this.#open.get(keyOf(target));
    if (there !== undefined) return there.reveal();
    const options = pageOptions(this.#services.extensionUri);
    const panel = vscode.window.createWebviewPanel(TOOL_FORM, target.tool, vscode.ViewColumn.Active, options);
    this.#adopt(target, panel, new ToolFormPanel(this.#services, panel, target));
  }

  /** Restores a tab after a window reload, with the page's stored state. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
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

async function copy(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(vscode.l10n.t('Copied the result.'), 2_000);
}

async function open(content: string, isJson: boolean): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ content, language: isJson ? 'json' : 'plaintext' });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside });
}

function keyOf({ server, tool }: ToolTarget): string {
  return JSON.stringify([server, tool]);
}
