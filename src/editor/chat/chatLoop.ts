import * as vscode from 'vscode';
import { cancelled, type Host, isJsonObject } from '../../core/index.ts';
import { roomFor } from './chatBudget.ts';
import type { KeptContext } from './chatContext.ts';
import type { TurnPosition } from './chatHistory.ts';
import type { PromptPart } from './chatPrompt.ts';
import { type RoundResult, runRound } from './chatRound.ts';
import type { KeptCall, KeptRound } from './chatSteps.ts';
import { ChatTokens } from './chatTokens.ts';
import type { ToolQuestions } from './chatToolQuestion.ts';
import { ChatToolRun, type MadeCheckpoint, type ResourceLink, textOutcome, type ToolOutcome } from './chatToolRun.ts';
import type { ToolChoice } from './chatTools.ts';
import type { ChatWriter } from './chatWriter.ts';
import { toJson } from '../shared/settingsJson.ts';

interface LoopOptions {
  readonly host: Pick<Host, 'openInference' | 'modelUses' | 'callTool' | 'redact'>;
  readonly questions: ToolQuestions;
  readonly request: Pick<vscode.ChatRequest, 'model' | 'toolInvocationToken'>;
  readonly writer: ChatWriter;
  readonly position: TurnPosition;
  readonly choice: ToolChoice;
  /** The user's message as servers receive it. */
  readonly userMessage: string;
  /** The user's message as the model receives it. */
  readonly asked: readonly vscode.LanguageModelChatMessage[];
  /** Earlier turns and attachments. */
  readonly before: readonly PromptPart[];
  readonly token: vscode.CancellationToken;
}

/** Rounds before the user must confirm, because each round costs. */
export const MAX_ROUNDS = 15;
const MAX_CALLS = 32;
const MIN_RESULT = 2_000;

/** The rounds of a turn: the model answers, its calls run, and it continues with the results. */
export class ChatLoop {
  readonly #options: LoopOptions;
  readonly #run: ChatToolRun;
  readonly #tokens: ChatTokens;
  readonly #after: PromptPart[] = [];
  #context: readonly KeptContext[] = [];
  readonly rounds: KeptRound[] = [];
  readonly checkpoints: MadeCheckpoint[] = [];
  readonly links: ResourceLink[] = [];
  readonly results: RoundResult[] = [];

  constructor(options: LoopOptions) {
    this.#options = options;
    const { host, questions, writer, position, request, token } = options;
    this.#tokens = new ChatTokens(request.model);
    this.#run = new ChatToolRun({
      host,
      questions,
      writer,
      conversationId: position.conversationId,
      invocation: request.toolInvocationToken,
      // A quarter of the model's context, because a token is at least one character.
      longestResult: Math.max(MIN_RESULT, Math.floor(roomFor(request.model.maxInputTokens) / 4)),
      token,
    });
  }

  /** Resolves with whether the model finished. Rejects with a `HostError`; completed rounds stay visible. */
  async run(): Promise<'done' | 'unfinished'> {
    const { writer, token } = this.#options;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const result = await this.#round(round);
      if (token.isCancellationRequested) throw cancelled('The turn');
      if (result.calls.length === 0) return 'done';
      writer.separate();
      await this.#call(result);
    }
    return 'unfinished';
  }

  async #round(round: number): Promise<RoundResult> {
    const { host, request, writer, position, choice, userMessage, asked, before, token } = this.#options;
    const tools = [...choice.tools.values()].map((tool) => tool.definition);
    const result = await runRound(
      { host, model: request.model, tokens: this.#tokens, writer, position, tools, token },
      {
        userMessage: round === 0 ? userMessage : null,
        conversation: { before, user: { kind: 'kept', messages: asked }, after: this.#after },
        context: this.#context,
      },
    );
    this.#context = result.context;
    this.results.push(result);
    if (result.calls.length === 0) this.rounds.push({ text: result.text, calls: [] });
    return result;
  }

  /** One by one: each call starts from the state that the last one left, and the user gets one prompt at a time. */
  async #call({ text, calls, answer }: RoundResult): Promise<void> {
    const { choice, token } = this.#options;
    const results: vscode.LanguageModelToolResultPart[] = [];
    const kept: KeptCall[] = [];
    this.rounds.push({ text, calls: kept });
    for (const [index, { callId, name, input }] of calls.entries()) {
      if (token.isCancellationRequested) throw cancelled('The turn');
      const outcome =
        index < MAX_CALLS
          ? await this.#run.run(name, input, choice.tools)
          : textOutcome('It was not called: there are too many calls at once. Call it again.');
      this.#took(outcome);
      const json = toJson(input);
      kept.push({ id: callId, name, input: isJsonObject(json) ? json : {}, result: outcome.text });
      results.push(new vscode.LanguageModelToolResultPart(callId, outcome.content));
    }
    if (answer !== undefined) this.#after.push({ kind: 'kept', messages: [answer] });
    const left = '[The result was left out: all of it together is too much for this model.]';
    const instead = calls.map(
      ({ callId }) => new vscode.LanguageModelToolResultPart(callId, [new vscode.LanguageModelTextPart(left)]),
    );
    this.#after.push({
      kind: 'result',
      messages: [vscode.LanguageModelChatMessage.User(results)],
      instead: [vscode.LanguageModelChatMessage.User(instead)],
    });
  }

  #took({ checkpoint, links = [] }: ToolOutcome): void {
    if (checkpoint !== undefined) this.checkpoints.push(checkpoint);
    this.links.push(...links);
  }
}
