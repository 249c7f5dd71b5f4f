import * as vscode from 'vscode';
import { type Logger, messageOf } from '../../core/index.ts';

/** Something that only a setting brings to life, and that follows its changes from then on. */
export interface LatePart {
  readonly setting: string;
  load(): Promise<{ close(): Promise<void> }>;
}

/** Nothing of these is loaded, and nothing runs, before their setting asks for it in a trusted workspace. */
export class LateParts implements vscode.Disposable {
  readonly #parts: readonly LatePart[];
  readonly #log: Logger;
  readonly #loaded = new Map<LatePart, ReturnType<LatePart['load']>>();
  readonly #listeners: vscode.Disposable;

  constructor(parts: readonly LatePart[], log: Logger) {
    this.#parts = parts;
    this.#log = log;
    this.#listeners = vscode.Disposable.from(
      vscode.workspace.onDidChangeConfiguration(() => this.#look()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#look()),
    );
    this.#look();
  }

  dispose(): void {
    void this.close();
  }

  async close(): Promise<void> {
    this.#listeners.dispose();
    await Promise.allSettled([...this.#loaded.values()].map(async (part) => (await part).close()));
  }

  #look(): void {
    for (const part of this.#parts) {
      if (this.#loaded.has(part) || !isAskedFor(part.setting)) continue;
      const loaded = part.load();
      this.#loaded.set(part, loaded);
      loaded.catch((error: unknown) => this.#log.log('error', `"${part.setting}" has no effect: ${messageOf(error)}`));
    }
  }
}

/** It is true, or a list that is not empty. */
export function isAskedFor(setting: string): boolean {
  const value: unknown = vscode.workspace.getConfiguration().get(setting);
  return vscode.workspace.isTrusted && (value === true || (Array.isArray(value) && value.length > 0));
}
