import { homedir } from 'node:os';
import * as vscode from 'vscode';
import {
  type CancellationToken,
  type Event,
  type InputAnswer,
  toDisposable,
  type VariableSource,
} from '../../core/index.ts';
import type { RememberedInputs } from './rememberedInputs.ts';

const MAX_FILE = 1_000_000;

/** Values of variables in an editor. */
export class EditorVariables implements VariableSource {
  readonly userHome = homedir();
  readonly onDidChangeFolders: Event<void> = (listener) => {
    const listening = vscode.workspace.onDidChangeWorkspaceFolders(() => listener());
    return toDisposable(() => {
      listening.dispose();
    });
  };
  readonly #inputs: RememberedInputs;

  constructor(inputs: RememberedInputs) {
    this.#inputs = inputs;
  }

  get folders(): readonly { readonly name: string; readonly path: string }[] {
    return (vscode.workspace.workspaceFolders ?? [])
      .filter((folder) => folder.uri.scheme === 'file')
      .map((folder) => ({ name: folder.name, path: folder.uri.fsPath }));
  }

  env(name: string): string | undefined {
    return process.env[name];
  }

  input(id: string, token: CancellationToken, definedBy: 'user' | 'workspace'): Promise<InputAnswer> {
    return this.#inputs.answer(id, token, definedBy);
  }

  async readFile(path: string): Promise<string> {
    const uri = vscode.Uri.file(path);
    const size = await sizeOf(uri);
    if (size === undefined) throw new Error(vscode.l10n.t('The file {0} cannot be read.', path));
    if (size > MAX_FILE) throw new Error(vscode.l10n.t('The file {0} is too large.', path));
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  }
}

async function sizeOf(uri: vscode.Uri): Promise<number | undefined> {
  try {
    return (await vscode.workspace.fs.stat(uri)).size;
  } catch {
    return undefined;
  }
}
