import * as vscode from 'vscode';
import { type Logger, messageOf } from '../../core/index.ts';

/** A part that is activated by a setting and then follows it. */
interface SettingPart {
  readonly setting: string;
  load(): Promise<{ close(): Promise<void> }>;
}

/** Loads each part only when its setting enables it in a trusted workspace. */
export class SettingParts implements vscode.Disposable {
  readonly #parts: readonly SettingPart[];
  readonly #log: Logger;
  readonly #loaded = new Map<SettingPart, ReturnType<SettingPart['load']>>();
  readonly #listeners: vscode.Disposable;

  constructor(parts: readonly SettingPart[], log: Logger) {
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

/** Whether the setting is true or a non-empty list. */
export function isAskedFor(setting: string): boolean {
  const value: unknown = vscode.workspace.getConfiguration().get(setting);
  return vscode.workspace.isTrusted && (value === true || (Array.isArray(value) && value.length > 0));
}
