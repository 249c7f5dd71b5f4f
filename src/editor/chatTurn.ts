import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import {
  CancellationSource,
  type Host,
  type HostError,
  isHostError,
  type Logger,
  messageOf,
  type ModelMessage,
  toHostError,
  type TurnResult,
} from '../core/index.ts';
import { historyOf, placeIn, type TurnMetadata, type TurnPlace } from './chatHistory.ts';
import { answerLineage, isLineageCommand } from './chatLineage.ts';
import { escaped } from './chatText.ts';
import { EditorModel } from './editorModel.ts';
import { plainText } from './plainText.ts';

export interface ChatTools {
  readonly host: Host;
  readonly log: Logger;
}

export interface ChatTurn {
  readonly request: vscode.ChatRequest;
  readonly context: vscode.ChatContext;
  readonly response: vscode.ChatResponseStream;
  readonly token: vscode.CancellationToken;
}

/** One turn of `@mcpl`: one round with the model of the chat, with the hooks of all servers around it. */
export async function answerChat({ host, log }: ChatTools, turn: ChatTurn): Promise<vscode.ChatResult> {
  const { request, context, response, token } = turn;
  const place = placeIn(context.history, randomUUID);
  if (isLineageCommand(request.command)) {
    await answerLineage({ host, log }, request.command, request.prompt, response);
    // It is no turn of the conversation with a model.
    return {};
  }
  const source = new CancellationSource();
  const cancels = token.onCancellationRequested(() => source.cancel());
  const asked: ModelMessage = { role: 'user', content: [{ type: 'text', text: request.prompt }] };
  if (request.references.length > 0)
    response.progress(vscode.l10n.t('What is attached is not passed on yet: only what you wrote is.'));
  try {
    const result = await host.runTurn({
      ...place,
      userMessage: request.prompt,
      messages: [...historyOf(context.history), asked],
      model: new EditorModel(request.model),
      justification: vscode.l10n.t('You asked @mcpl.'),
      onText: (delta) => response.markdown(delta),
      onStep: (step) => response.progress(plainText(step, 200)),
      token: source.token,
    });
    const words = noteOn(result);
    const note = words === undefined ? undefined : `\n\n---\n${words}`;
    // With another right than the answer's, the editor keeps it apart: no comment or fence that a server left open in the
    // answer can hide who changed it.
    if (note !== undefined) response.markdown(new vscode.MarkdownString(note, true));
    return { metadata: metadataOf(place, note) };
  } catch (thrown) {
    // Stopped by the person: the editor says so by itself.
    if (isHostError(thrown, 'CANCELLED') || source.isCancelled) return { metadata: metadataOf(place) };
    const error = toHostError(thrown);
    log.log('warn', `A turn failed: ${messageOf(error)}`);
    return { errorDetails: { message: plainText(toldOf(error), 600) }, metadata: metadataOf(place) };
  } finally {
    cancels.dispose();
    source.dispose();
  }
}

/** What a model says that failed has the next step in it. */
function toldOf({ code, message, suggestion }: HostError): string {
  return code === 'NO_MODEL' || suggestion === undefined ? message : `${message} ${suggestion}`;
}

function metadataOf({ conversationId, turnIndex }: TurnPlace, note?: string): TurnMetadata {
  return { mcpl: { conversationId, turnIndex, ...(note === undefined ? {} : { note }) } };
}

/** Who had a hand in the answer. Names are the person's own, out of the settings. */
function noteOn({ injectedBy, modifiedBy, remarks }: TurnResult): string | undefined {
  const names = (servers: readonly string[]): string => [...new Set(servers)].map((name) => `\`${name}\``).join(', ');
  const lines = [
    ...(injectedBy.length === 0
      ? []
      : [vscode.l10n.t('Context from {0}.', names(injectedBy.map(({ server }) => server)))]),
    ...(modifiedBy.length === 0 ? [] : [vscode.l10n.t('Changed by {0}.', names(modifiedBy))]),
    // A remark may quote what a server said.
    ...remarks.map((remark) => escaped(plainText(remark, 300))),
  ];
  return lines.length === 0 ? undefined : lines.map((line) => `*${line}*`).join('  \n');
}
