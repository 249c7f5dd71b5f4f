import type * as vscode from 'vscode';
import { type Host, isHostError, type OpenInference, type PlacedContext, type Usage } from '../../core/index.ts';
import { type Conversation, type KeptContext, keptContext, placed } from './chatContext.ts';
import type { TurnPosition } from './chatHistory.ts';
import { fitted, type Prompt, type PromptPart } from './chatPrompt.ts';
import { toolsWithoutSecrets, withoutSecrets } from './chatRedaction.ts';
import { answerMessage, askModel, type Streamed } from './chatStream.ts';
import type { ChatTokens } from './chatTokens.ts';
import type { ChatWriter } from './chatWriter.ts';
import { EditorModel } from '../models/editorModel.ts';
import { modelMessages } from '../models/modelMessages.ts';

/** Constant for all rounds of a turn. */
interface RoundTools {
  readonly host: Pick<Host, 'openInference' | 'modelUses' | 'redact'>;
  readonly model: vscode.LanguageModelChat;
  readonly tokens: ChatTokens;
  readonly writer: ChatWriter;
  readonly position: TurnPosition;
  readonly tools: vscode.LanguageModelChatTool[];
  readonly token: vscode.CancellationToken;
}

interface RoundInput {
  /** The user's text. Null if the model continues without one (MCPL §10.1). */
  readonly userMessage: string | null;
  readonly conversation: Conversation<PromptPart>;
  /** Context from earlier rounds of the turn. */
  readonly context: readonly KeptContext[];
}

export interface RoundResult extends Pick<OpenInference, 'injectedBy' | 'remarks'> {
  /** The text as shown. */
  readonly text: string;
  readonly calls: Streamed['calls'];
  readonly unshown: readonly string[];
  /** The answer as a message for the next round. */
  readonly answer: vscode.LanguageModelChatMessage | undefined;
  readonly context: readonly KeptContext[];
  readonly modifiedBy: readonly string[];
  readonly left: Prompt['left'];
}

/** Runs one inference with the hooks of all servers. Rejects with a `HostError`. */
export async function runRound(tools: RoundTools, input: RoundInput): Promise<RoundResult> {
  const { host, model, writer, position, token } = tools;
  const open = await host.openInference({
    ...position,
    userMessage: input.userMessage,
    model: new EditorModel(model).facts,
    onStep: (step) => writer.step(step),
    token,
  });
  try {
    const context = keptContext(input.context, open);
    const parts = placed(input.conversation, context, contextPart);
    const prompt = await fitted(parts, tools.tools, model, tools.tokens);
    const { streamed, usage } = await answered(tools, open, prompt);
    const finished = await open.finish({ text: streamed.text, usage });
    // Shown before `finish` only if no server may change it (docs/decisions/changeable-answers.md).
    if (open.isChecked) writer.text(finished.text);
    return {
      text: finished.text,
      calls: streamed.calls,
      unshown: streamed.unshown,
      answer: answerMessage(streamed, finished.text),
      context,
      injectedBy: open.injectedBy,
      modifiedBy: finished.modifiedBy,
      remarks: [...open.remarks, ...finished.remarks],
      left: prompt.left,
    };
  } catch (error) {
    open.abandon();
    throw error;
  }
}

async function answered(
  tools: RoundTools,
  { inferenceId, isChecked }: OpenInference,
  { messages, inputTokens }: Prompt,
): Promise<{ readonly streamed: Streamed; readonly usage: Usage }> {
  const { host, model, tokens, writer, token } = tools;
  const at = Date.now();
  let said = '';
  const record = async (outcome: 'success' | 'failure' | 'cancelled', calls: Streamed['calls']): Promise<Usage> => {
    const written = [said, ...calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`)].join('\n').trim();
    const usage = { inputTokens, outputTokens: await tokens.count(written) };
    const durationMs = Date.now() - at;
    const name = `${model.vendor}/${model.id}`;
    host.modelUses.record({
      route: 'chat',
      server: undefined,
      at,
      durationMs,
      model: name,
      usage,
      outcome,
      inferenceId,
    });
    return usage;
  };
  const onText = (delta: string): void => {
    said += delta;
    if (!isChecked) writer.text(delta);
  };
  try {
    const redact = (text: string): string => host.redact(text);
    const given = withoutSecrets(messages, redact);
    const streamed = await askModel(model, given, toolsWithoutSecrets(tools.tools, redact), onText, token);
    return { streamed, usage: await record('success', streamed.calls) };
  } catch (error) {
    void record(isHostError(error, 'CANCELLED') ? 'cancelled' : 'failure', []);
    throw error;
  }
}

function contextPart({ message }: PlacedContext): PromptPart {
  return { kind: 'kept', messages: modelMessages({ systemPrompt: undefined, messages: [message] }) };
}
