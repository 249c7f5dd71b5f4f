import * as vscode from 'vscode';
import { type CancellationToken, type InputAnswer, KeyedQueue } from '../../core/index.ts';
import { SETTINGS } from '../shared/ids.ts';
import { type DefinedBy, findInput, type InputDefinition } from './inputDefinitions.ts';
import { plainText } from '../shared/plainText.ts';
import { layersOf } from './settings.ts';

const PREFIX = 'mcpl.input:';

/**
 * Answers to `${input:id}`, stored per workspace after the first prompt, with secrets only in secret storage. Answers
 * for user servers are not given to workspace servers.
 */
export class RememberedInputs {
  readonly #memory: vscode.Memento;
  readonly #secrets: vscode.SecretStorage;
  /** One prompt per input, whatever the number of servers. */
  readonly #queue = new KeyedQueue();

  constructor(memory: vscode.Memento, secrets: vscode.SecretStorage) {
    this.#memory = memory;
    this.#secrets = secrets;
  }

  answer(id: string, token: CancellationToken, definedBy: DefinedBy): Promise<InputAnswer> {
    return this.#queue.run(JSON.stringify([definedBy, id]), async () => {
      const definition = findInput(layersOf(SETTINGS.inputs), id, definedBy);
      if (definition === undefined) return { kind: 'undeclared' };
      const known = await this.#recall(definition, definedBy);
      if (known !== undefined) return { kind: 'value', value: known, secret: definition.secret };
      const value = token.isCancellationRequested ? undefined : await ask(definition, token);
      if (value === undefined) return { kind: 'declined' };
      await this.#remember(definition, value, definedBy);
      return { kind: 'value', value, secret: definition.secret };
    });
  }

  /** Ids of all stored inputs of this workspace. */
  async remembered(): Promise<readonly string[]> {
    const keys = [...this.#memory.keys(), ...(await this.#secrets.keys())];
    const own = DEFINERS.flatMap((definedBy) => [plainKey(definedBy, ''), secretKey(definedBy, '')]);
    const ids = own.flatMap((prefix) =>
      keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)),
    );
    return [...new Set(ids)].sort();
  }

  async forget(id: string): Promise<void> {
    for (const definedBy of DEFINERS) {
      await this.#secrets.delete(secretKey(definedBy, id));
      await this.#memory.update(plainKey(definedBy, id), undefined);
    }
  }

  async #recall(definition: InputDefinition, definedBy: DefinedBy): Promise<string | undefined> {
    const value = definition.secret
      ? await this.#secrets.get(secretKey(definedBy, definition.id))
      : this.#memory.get<unknown>(plainKey(definedBy, definition.id));
    if (typeof value !== 'string') return undefined;
    // Asks again if the value is no longer an option.
    return definition.options?.includes(value) === false ? undefined : value;
  }

  async #remember(definition: InputDefinition, value: string, definedBy: DefinedBy): Promise<void> {
    if (definition.secret) await this.#secrets.store(secretKey(definedBy, definition.id), value);
    else await this.#memory.update(plainKey(definedBy, definition.id), value);
  }
}

const DEFINERS: readonly DefinedBy[] = ['user', 'workspace'];

function plainKey(definedBy: DefinedBy, id: string): string {
  return `${PREFIX}${definedBy}:plain:${id}`;
}

/** Secret storage is shared by all workspaces, so the key includes the workspace. */
function secretKey(definedBy: DefinedBy, id: string): string {
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  const workspace = workspaceFile?.toString() ?? workspaceFolders?.[0]?.uri.toString() ?? '';
  return `${PREFIX}${definedBy}:${JSON.stringify(workspace)}:${id}`;
}

async function ask(definition: InputDefinition, token: CancellationToken): Promise<string | undefined> {
  const title = vscode.l10n.t('Input "{0}" for Servers', plainText(definition.id, 100));
  const prompt = plainText(definition.description ?? vscode.l10n.t('A server in the settings needs this value.'), 300);
  if (definition.options !== undefined) {
    const preset = definition.default;
    const items = definition.options.map((option) => ({
      label: plainText(option, Infinity),
      value: option,
      ...(option === preset ? { description: vscode.l10n.t('default') } : {}),
    }));
    const options = { title, placeHolder: prompt, ignoreFocusOut: true };
    return (await vscode.window.showQuickPick(items, options, token))?.value;
  }
  const value = definition.default === undefined ? {} : { value: definition.default };
  return vscode.window.showInputBox(
    { title, prompt, password: definition.secret, ignoreFocusOut: true, ...value },
    token,
  );
}
