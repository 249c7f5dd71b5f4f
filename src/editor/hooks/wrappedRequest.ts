import * as vscode from 'vscode';
import {
  CancellationSource,
  type Clock,
  type Host,
  type Ids,
  isCancellation,
  isHostError,
  type Logger,
  messageOf,
  type OpenInference,
  toHostError,
  TokenCounter,
  type Usage,
} from '../../core/index.ts';
import { EditorModel, failureOf } from '../models/editorModel.ts';
import { EXTENSION_ID } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import { WrappedAnswer } from './wrapAnswer.ts';
import { isPart, messageKindOf, messageOf as sendable, outlineOf, type Part, withContext } from './wrapMessages.ts';
import { nameOf } from './wrapPatterns.ts';
import { outlineRequest, type TurnCounter } from './wrapTurns.ts';

export interface WrapTools {
  readonly host: Pick<Host, 'openInference' | 'modelUses'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'sha256'>;
  readonly log: Logger;
}

export interface WrappedRequest {
  readonly base: vscode.LanguageModelChat;
  readonly messages: readonly vscode.LanguageModelChatRequestMessage[];
  readonly options: vscode.ProvideLanguageModelChatResponseOptions;
  readonly progress: vscode.Progress<vscode.LanguageModelResponsePart>;
  readonly token: vscode.CancellationToken;
}

/** Runs one request on the base model with the hooks of all servers. Rejects with an error for the caller. */
export async function runWrapped(tools: WrapTools, turns: TurnCounter, request: WrappedRequest): Promise<void> {
  const { base, token } = request;
  // The extension's own requests have hooks already, or must have none.
  if (initiatorOf(request.options) === EXTENSION_ID) return stream(request, request.messages.map(sendable), report);
  const run = new HookedRequest(tools, request);
  try {
    await run.open(turns);
    await run.answer();
  } catch (error) {
    run.failed(error);
    if (token.isCancellationRequested || isCancellation(error)) throw new vscode.CancellationError();
    tools.log.log('warn', `A request to ${nameOf(base)} with hooks failed: ${messageOf(error)}`);
    throw shownError(error);
  }

  function report(part: Part): void {
    request.progress.report(part);
  }
}

/** One request with hooks. */
class HookedRequest {
  readonly #tools: WrapTools;
  readonly #request: WrappedRequest;
  readonly #startedAt: number;
  readonly #counter: TokenCounter;
  readonly #source = new CancellationSource();
  #inference: OpenInference | undefined;
  #messages: vscode.LanguageModelChatMessage[];
  #read: Promise<number> = Promise.resolve(0);
  #written = '';
  #isRecorded = false;

  constructor(tools: WrapTools, request: WrappedRequest) {
    this.#tools = tools;
    this.#request = request;
    this.#startedAt = tools.clock.now();
    this.#counter = new TokenCounter(tools.clock, new EditorModel(request.base));
    this.#messages = request.messages.map(sendable);
  }

  /** Asks servers for context. Only an impossible check fails the request (MCPL §13.3). */
  async open(turns: TurnCounter): Promise<void> {
    const { base, messages, options, token } = this.#request;
    const { host, ids, log } = this.#tools;
    const cancels = token.onCancellationRequested(() => this.#source.cancel());
    if (token.isCancellationRequested) this.#source.cancel();
    const outline = outlineRequest(messages.map(outlineOf));
    const known = ids.sha256(`${initiatorOf(options) ?? ''}\0${outline.beginning}`);
    const conversationId = `wrapped_${known.slice(0, 32)}`;
    try {
      this.#inference = await host.openInference({
        conversationId,
        turnIndex: turns.count(conversationId, outline, messages.length),
        userMessage: outline.userMessage,
        model: new EditorModel(base).facts,
        token: this.#source.token,
      });
      for (const remark of this.#inference.remarks) log.log('info', `${nameOf(base)}: ${remark}`);
      this.#messages = withContext(this.#messages, outline.anchor, this.#inference.context);
    } catch (error) {
      if (isHostError(error, 'ANSWER_WITHHELD', 'CANCELLED')) throw error;
      log.log('warn', `A request to ${nameOf(base)} goes on without hooks: ${messageOf(error)}`);
    } finally {
      cancels.dispose();
    }
  }

  async answer(): Promise<void> {
    const { progress, token } = this.#request;
    const cancels = token.onCancellationRequested(() => this.#source.cancel());
    const answer = new WrappedAnswer<Part>({
      isChecked: this.#inference?.isChecked === true,
      kindOf: messageKindOf,
      report: (part) => progress.report(part),
      textPart: (text) => new vscode.LanguageModelTextPart(text),
    });
    try {
      this.#read = this.#counter.count(this.#messages.map(textOf).join('\n'));
      await stream(this.#request, this.#messages, (part) => answer.take(part));
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      this.#written = answer.text;
      answer.release(await this.#finished(answer.text));
      this.#record('success');
    } finally {
      cancels.dispose();
    }
  }

  failed(error: unknown): void {
    this.#inference?.abandon();
    const { token } = this.#request;
    this.#record(token.isCancellationRequested || isCancellation(error) ? 'cancelled' : 'failure');
    this.#source.dispose();
  }

  /** The text to show. A failed hook has no effect unless its check is required. */
  async #finished(text: string): Promise<string> {
    if (this.#inference === undefined) return text;
    const { log } = this.#tools;
    try {
      const finished = await this.#inference.finish({ text, usage: await this.#usage() });
      for (const remark of finished.remarks) log.log('info', `${nameOf(this.#request.base)}: ${remark}`);
      return finished.text;
    } catch (error) {
      if (isHostError(error, 'ANSWER_WITHHELD', 'CANCELLED')) throw error;
      log.log('warn', `An answer was not checked: ${messageOf(error)}`);
      return text;
    }
  }

  async #usage(): Promise<Usage> {
    const outputTokens = await this.#counter.count(this.#written);
    return { inputTokens: await this.#read, outputTokens };
  }

  /** Not awaited. */
  #record(outcome: 'success' | 'failure' | 'cancelled'): void {
    if (this.#isRecorded) return;
    this.#isRecorded = true;
    const { host, clock, log } = this.#tools;
    const at = this.#startedAt;
    const use = { server: undefined, route: 'wrapped', at, durationMs: clock.now() - at, outcome } as const;
    const model = nameOf(this.#request.base);
    const inferenceId = this.#inference?.inferenceId;
    this.#usage()
      .then((usage) => host.modelUses.record({ ...use, model, usage, inferenceId }))
      .catch((error: unknown) => log.log('warn', `A use of ${model} was not recorded: ${messageOf(error)}`));
  }
}

/** Forwards everything as it arrives. Options without a place in the API are lost. */
async function stream(
  { base, options, token }: WrappedRequest,
  messages: vscode.LanguageModelChatMessage[],
  take: (part: Part) => void,
): Promise<void> {
  const { tools, toolMode, modelOptions } = options;
  const justification = vscode.l10n.t('You chose {0} with hooks of MCPL servers.', plainText(base.name, 60));
  const response = await base.sendRequest(
    messages,
    {
      justification,
      toolMode,
      ...(tools === undefined ? {} : { tools: [...tools] }),
      ...(modelOptions === undefined ? {} : { modelOptions }),
    },
    token,
  );
  for await (const part of response.stream) {
    if (token.isCancellationRequested) return;
    if (isPart(part)) take(part);
  }
}

/** The requesting extension, which is set at run time although the types lack it. */
function initiatorOf(options: vscode.ProvideLanguageModelChatResponseOptions): string | undefined {
  const asked: object = options;
  return 'requestInitiator' in asked && typeof asked.requestInitiator === 'string'
    ? asked.requestInitiator.toLowerCase()
    : undefined;
}

function textOf({ content }: vscode.LanguageModelChatMessage): string {
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

/** An error of the same kind for the caller, worded with the next step. */
function shownError(error: unknown): Error {
  if (isHostError(error, 'ANSWER_WITHHELD')) {
    const { message, suggestion = '' } = toHostError(error);
    return vscode.LanguageModelError.Blocked(plainText(`${message} ${suggestion}`.trim(), 600));
  }
  const { message } = failureOf(error);
  switch (error instanceof vscode.LanguageModelError ? error.code : '') {
    case vscode.LanguageModelError.NoPermissions.name:
      return vscode.LanguageModelError.NoPermissions(message);
    case vscode.LanguageModelError.Blocked.name:
      return vscode.LanguageModelError.Blocked(message);
    case vscode.LanguageModelError.NotFound.name:
      return vscode.LanguageModelError.NotFound(message);
    default:
      return new Error(message, { cause: error });
  }
}
