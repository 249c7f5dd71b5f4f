import * as vscode from 'vscode';
import { type Disposable, DisposableStore, type Host, type Logger, messageOf } from '../../core/index.ts';
import { EXTENSION_NAME } from '../shared/ids.ts';
import { isSettingsFile, type SettingsFiles } from './settingsFiles.ts';
import type { SettingsWatch } from './settings.ts';

/** Each one is located in the settings files after every change. */
const MAX_SHOWN = 100;

/** Shows settings problems at their lines. */
export class SettingsDiagnostics implements Disposable {
  readonly #host: Host;
  readonly #files: SettingsFiles;
  readonly #log: Logger;
  readonly #owned = new DisposableStore();
  readonly #collection = this.#owned.add(vscode.languages.createDiagnosticCollection('mcpl'));
  #working = false;
  #outdated = false;

  constructor(host: Host, watch: SettingsWatch, files: SettingsFiles, log: Logger) {
    this.#host = host;
    this.#files = files;
    this.#log = log;
    this.#owned.add(watch.onDidApply(() => this.refresh()));
    const follow = (uri: vscode.Uri): void => {
      if (isSettingsFile(uri) && host.problems().length > 0) this.refresh();
    };
    this.#owned.add(vscode.workspace.onDidOpenTextDocument((document) => follow(document.uri)));
    this.#owned.add(vscode.workspace.onDidChangeTextDocument((change) => follow(change.document.uri)));
  }

  refresh(): void {
    this.#outdated = true;
    if (this.#working) return;
    this.#working = true;
    void this.#publishUntilCurrent();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #publishUntilCurrent(): Promise<void> {
    try {
      while (this.#outdated && !this.#owned.isDisposed) {
        this.#outdated = false;
        await this.#publish();
      }
    } catch (error) {
      this.#log.log('error', `Problems of the settings could not be shown: ${messageOf(error)}`);
    } finally {
      this.#working = false;
    }
  }

  async #publish(): Promise<void> {
    const byFile = new Map<string, [vscode.Uri, vscode.Diagnostic[]]>();
    for (const problem of this.#host.problems().slice(0, MAX_SHOWN)) {
      const found = await this.#files.find(problem.scope, problem.path, problem.at);
      if (found === undefined) continue;
      const key = found.uri.toString();
      const entry = byFile.get(key) ?? [found.uri, []];
      byFile.set(key, entry);
      const severity =
        problem.severity === 'error' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
      const diagnostic = new vscode.Diagnostic(found.range, problem.message, severity);
      diagnostic.source = EXTENSION_NAME;
      entry[1].push(diagnostic);
    }
    if (this.#owned.isDisposed) return;
    this.#collection.clear();
    this.#collection.set([...byFile.values()]);
  }
}
