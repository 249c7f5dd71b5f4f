import * as vscode from 'vscode';
import { baseModels } from '../models/baseModels.ts';
import { plainText } from '../shared/plainText.ts';
import { TurnCounter } from './wrapTurns.ts';
import { matchesModel, nameOf } from './wrapPatterns.ts';
import { type WrappedRequest, runWrapped, type WrapTools } from './wrappedRequest.ts';
import { messageOf as sendable } from './wrapMessages.ts';

const MAX_MODELS = 100;
/** Base models do not state their output limit. This is the value that the editor's chat assumes. */
const OUTPUT_TOKENS = 8_192;

/** The editor's models that are offered a second time with hooks, and the requests to them. */
export class WrappedModels {
  readonly #tools: WrapTools;
  readonly #turns = new TurnCounter();
  readonly #missing = new Set<string>();
  /** By offered id. */
  #bases: ReadonlyMap<string, vscode.LanguageModelChat> = new Map();

  constructor(tools: WrapTools) {
    this.#tools = tools;
  }

  /**
   * Reads the available models. Returns whether the offer changed. Must not be called while the editor waits for this
   * extension's list: it asks all vendors, including this one, and would deadlock.
   */
  async refresh(patterns: readonly string[]): Promise<boolean> {
    const models = await baseModels();
    this.#noteMissing(patterns, models);
    const chosen = models.filter((model) => patterns.some((pattern) => matchesModel(pattern, model)));
    const bases = new Map(chosen.slice(0, MAX_MODELS).map((model) => [nameOf(model), model]));
    const isSame = linesOf(bases.values()) === linesOf(this.#bases.values());
    // Always keeps the newest objects, because the editor may have dropped older ones.
    this.#bases = bases;
    return !isSame;
  }

  information(): vscode.LanguageModelChatInformation[] {
    return [...this.#bases].map(([id, base]) => ({
      id,
      name: vscode.l10n.t('{0} (MCPL)', plainText(base.name, 100)),
      family: base.family,
      version: base.version,
      detail: vscode.l10n.t('with hooks of MCPL servers'),
      tooltip: vscode.l10n.t(
        'The hooks of MCPL servers apply to every request to {0}. Each step of an agent may count as a separate request.',
        nameOf(base),
      ),
      maxInputTokens: base.maxInputTokens,
      maxOutputTokens: Math.min(OUTPUT_TOKENS, base.maxInputTokens),
      // Model capabilities are unknown, so claim all. The model rejects what it cannot do.
      capabilities: { toolCalling: true, imageInput: true },
    }));
  }

  async respond(id: string, request: Omit<WrappedRequest, 'base'>): Promise<void> {
    await runWrapped(this.#tools, this.#turns, { ...request, base: this.#base(id) });
  }

  async count(
    id: string,
    text: string | vscode.LanguageModelChatRequestMessage,
    token: vscode.CancellationToken,
  ): Promise<number> {
    return this.#base(id).countTokens(typeof text === 'string' ? text : sendable(text), token);
  }

  #base(id: string): vscode.LanguageModelChat {
    const base = this.#bases.get(id);
    if (base !== undefined) return base;
    const words = vscode.l10n.t(
      'The language model "{0}" is no longer available. Choose another one.',
      plainText(id, 100),
    );
    throw vscode.LanguageModelError.NotFound(words);
  }

  #noteMissing(patterns: readonly string[], models: readonly vscode.LanguageModelChat[]): void {
    for (const pattern of patterns) {
      const isThere = models.some((model) => matchesModel(pattern, model));
      if (isThere) this.#missing.delete(pattern);
      if (isThere || this.#missing.has(pattern)) continue;
      this.#missing.add(pattern);
      const where = 'Only models of extensions that run on the same machine as MCP Live can be seen here.';
      this.#tools.log.log('info', `No language model is called "${plainText(pattern, 200)}" now. ${where}`);
    }
  }
}

function linesOf(models: Iterable<vscode.LanguageModelChat>): string {
  return JSON.stringify(
    [...models].map(({ vendor, id, name, family, version, maxInputTokens }) => [
      vendor,
      id,
      name,
      family,
      version,
      maxInputTokens,
    ]),
  );
}
