import * as vscode from 'vscode';
import {
  type CancellationToken,
  type LanguageModel,
  messageOf,
  type ModelChoice,
  type ModelFacts,
  type ModelFailure,
  type ModelRequest,
  type ModelRunEnd,
  type ModelSelection,
} from '../../core/index.ts';
import { baseModels } from './baseModels.ts';
import { modelMessages } from './modelMessages.ts';
import type { AddedRunner } from './modelRunners.ts';
import { chooseRunner, RunnerModel } from './runnerModel.ts';

interface ModelPermission {
  readonly access: vscode.LanguageModelAccessInformation;
  /** Whether the user allowed it for servers in this workspace. */
  readonly isAllowed: boolean;
  /** Models of other extensions. */
  readonly runners: readonly AddedRunner[];
}

/** Selects the model for a server or a turn of the host. Never prompts. */
export async function chooseModel(
  { name, server }: ModelSelection,
  { access, isAllowed, runners }: ModelPermission,
  token: CancellationToken,
): Promise<ModelChoice> {
  if (server !== undefined && !isAllowed) return notPermitted();
  const found = await findModel(name, runners);
  if (found.kind === 'failed') return found;
  if (token.isCancellationRequested) return cancelled();
  if (found.model instanceof RunnerModel) return { kind: 'model', model: found.model };
  // Without a user gesture the editor would refuse or prompt unexpectedly.
  return access.canSendRequest(found.model.model) === true ? { kind: 'model', model: found.model } : notPermitted();
}

/** Lets the editor ask for its permission. Call this after a user gesture. */
export async function askEditor(
  { access, runners }: Omit<ModelPermission, 'isAllowed'>,
  token: CancellationToken,
): Promise<{ readonly kind: 'model'; readonly name: string } | ModelFailure> {
  const found = await findModel(undefined, runners);
  if (found.kind === 'failed') return found;
  if (found.model instanceof RunnerModel) return { kind: 'model', name: found.model.added.name };
  const { name } = found.model.model;
  if (access.canSendRequest(found.model.model) === true) return { kind: 'model', name };
  const justification = vscode.l10n.t('Servers with feature sets that you turned on want to use language models.');
  const question = { role: 'user', content: [{ type: 'text', text: 'Answer with OK.' }] } as const;
  const ended = await found.model.run({ messages: [question], maxTokens: 1, justification }, () => undefined, token);
  return ended.kind === 'failed' ? ended : { kind: 'model', name };
}

/** Prefers the editor's models. Those of other extensions are used if the name matches, or if there is no other. */
async function findModel(
  name: string | undefined,
  runners: readonly AddedRunner[],
): Promise<{ readonly kind: 'model'; readonly model: EditorModel | RunnerModel } | ModelFailure> {
  const models = await baseModels();
  const wanted = name?.trim().toLowerCase() ?? '';
  const named = (isMeant: (name: string) => boolean): vscode.LanguageModelChat | undefined =>
    models.find((candidate) => namesOf(candidate).some(isMeant));
  // "acme/small" is also part of "acme/small-2", so try exact matches first.
  const model =
    wanted === '' ? models[0] : (named((each) => each === wanted) ?? named((each) => each.includes(wanted)));
  if (model !== undefined) return { kind: 'model', model: new EditorModel(model) };
  const runner = chooseRunner(runners, wanted, models.length);
  if (runner !== undefined) return { kind: 'model', model: new RunnerModel(runner) };
  const message =
    models.length === 0 && runners.length === 0
      ? vscode.l10n.t('This editor has no language model now. Install or sign in to one, then try again.')
      : vscode.l10n.t('No language model is called "{0}". Change the model in the settings.', name ?? '');
  return { kind: 'failed', reason: 'no_model', message };
}

function namesOf({ id, name, family, vendor }: vscode.LanguageModelChat): readonly string[] {
  return [id, name, family, `${vendor}/${id}`].map((text) => text.toLowerCase());
}

/** A model of the editor. */
export class EditorModel implements LanguageModel {
  readonly model: vscode.LanguageModelChat;

  constructor(model: vscode.LanguageModelChat) {
    this.model = model;
  }

  /** The editor does not expose model capabilities. */
  get facts(): ModelFacts {
    const { id, vendor, maxInputTokens } = this.model;
    return { id, vendor, contextWindow: maxInputTokens, capabilities: [] };
  }

  async run(request: ModelRequest, onText: (delta: string) => void, token: CancellationToken): Promise<ModelRunEnd> {
    const source = new vscode.CancellationTokenSource();
    const cancels = token.onCancellationRequested(() => source.cancel());
    try {
      const { messages, maxTokens, temperature, justification } = request;
      const modelOptions = {
        ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
        ...(temperature === undefined ? {} : { temperature }),
      };
      const sent = modelMessages({ systemPrompt: undefined, messages });
      const response = await this.model.sendRequest(sent, { justification, modelOptions }, source.token);
      for await (const part of response.stream) {
        if (source.token.isCancellationRequested) return cancelled();
        if (part instanceof vscode.LanguageModelTextPart) onText(part.value);
      }
      return source.token.isCancellationRequested ? cancelled() : { kind: 'ended', finishReason: 'end_turn' };
    } catch (error) {
      return source.token.isCancellationRequested ? cancelled() : failureOf(error);
    } finally {
      cancels.dispose();
      source.dispose();
    }
  }

  async count(text: string, token: CancellationToken): Promise<number> {
    const source = new vscode.CancellationTokenSource();
    const cancels = token.onCancellationRequested(() => source.cancel());
    try {
      return await this.model.countTokens(text, source.token);
    } finally {
      cancels.dispose();
      source.dispose();
    }
  }
}

function notPermitted(): ModelFailure {
  const message = vscode.l10n.t('Servers may not use language models yet. Run "Allow Language Model Use".');
  return { kind: 'failed', reason: 'no_permission', message };
}

function cancelled(): ModelFailure {
  return { kind: 'failed', reason: 'cancelled', message: vscode.l10n.t('The request was cancelled.') };
}

/** Why a model did not answer, for the user. */
export function failureOf(error: unknown): ModelFailure {
  const code = error instanceof vscode.LanguageModelError ? error.code : '';
  const cause = error instanceof Error ? error.cause : undefined;
  const words = cause === undefined ? messageOf(error) : `${messageOf(error)} ${messageOf(cause)}`;
  switch (code) {
    case vscode.LanguageModelError.NoPermissions.name:
      return {
        kind: 'failed',
        reason: 'no_permission',
        message: vscode.l10n.t(
          'The editor does not let MCP Live use this language model. Ask again, and allow it when the editor asks.',
        ),
      };
    case vscode.LanguageModelError.NotFound.name:
      return {
        kind: 'failed',
        reason: 'no_model',
        message: vscode.l10n.t('The language model is no longer available. Choose another one.'),
      };
    case vscode.LanguageModelError.Blocked.name: {
      // The editor uses one code for both, so check the message.
      const reason = /quota|rate.?limit|too many/i.test(words) ? 'quota' : 'blocked';
      const message =
        reason === 'quota'
          ? vscode.l10n.t('The quota of the language model is used up. Try again later, or choose another model.')
          : vscode.l10n.t(
              'The language model refused the request, because its filter was hit. Ask in other words, or choose another model.',
            );
      return { kind: 'failed', reason, message };
    }
    default:
      return {
        kind: 'failed',
        reason: 'failed',
        message: vscode.l10n.t(
          'The language model failed: {0}. Ask again, or choose another model.',
          words.trimEnd().replace(/[.!]+$/, ''),
        ),
      };
  }
}
