import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { type Host, type HostError, isHostError, type Logger, messageOf, toHostError } from '../../core/index.ts';
import { modelMessages } from '../models/modelMessages.ts';
import { COMMANDS } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import { noteOn, offerRollbacks, showLinks } from './chatAfter.ts';
import { sessionOf } from './chatConversation.ts';
import { metadataOf, positionIn, turnsOf } from './chatHistory.ts';
import { ChatLoop } from './chatLoop.ts';
import type { PromptPart } from './chatPrompt.ts';
import { readReferences } from './chatReferences.ts';
import type { ToolQuestions } from './chatToolQuestion.ts';
import { chooseTools } from './chatTools.ts';
import { ChatWriter } from './chatWriter.ts';

interface ChatTurnTools {
  readonly host: Host;
  readonly log: Logger;
  readonly questions: ToolQuestions;
}

export interface ChatTurn {
  readonly request: vscode.ChatRequest;
  readonly context: vscode.ChatContext;
  readonly response: vscode.ChatResponseStream;
  readonly token: vscode.CancellationToken;
}

/** The question to the model, if it differs from the user's text. */
export interface Asked {
  /** The text that servers receive. */
  readonly userMessage: string;
  readonly messages: readonly vscode.LanguageModelChatMessage[];
  /** The text for later turns. */
  readonly text: string;
}

/** One turn of `@mcpl`: as many model rounds as tool calls need, with hooks around each. */
export async function answerTurn(tools: ChatTurnTools, turn: ChatTurn, given?: Asked): Promise<vscode.ChatResult> {
  const { host, log, questions } = tools;
  const { request, context, response, token } = turn;
  const position = positionIn(context.history, sessionOf(request.toolInvocationToken), randomUUID);
  const writer = new ChatWriter(response);
  const choice = chooseTools(
    host,
    request.toolReferences.map(({ name }) => name),
    vscode.lm.tools,
  );
  const attached = await readReferences(request.references, token);
  for (const used of attached.used) response.reference(used);
  const asked = given?.messages ?? [vscode.LanguageModelChatMessage.User(request.prompt)];
  const before = [...earlier(context, choice.tools.size > 0), ...attached.parts];
  const userMessage = given?.userMessage ?? request.prompt;
  const loop = new ChatLoop({ host, questions, request, writer, position, choice, userMessage, asked, before, token });
  let end: 'done' | 'unfinished' = 'done';
  let failure: HostError | undefined;
  try {
    end = await loop.run();
  } catch (thrown) {
    failure = toHostError(thrown);
  }
  // The editor shows that the user stopped the turn.
  const isStopped = token.isCancellationRequested || isHostError(failure, 'CANCELLED');
  const note = isStopped ? undefined : noteOn({ results: loop.results, choice, remarks: attached.remarks, end });
  if (note !== undefined) writer.own(note);
  const checkpoints = await offerRollbacks(host, loop.checkpoints, response, log);
  showLinks(loop.links, response);
  const isUnfinished = end === 'unfinished';
  const metadata = metadataOf(position, { note, asked: given?.text, rounds: loop.rounds, isUnfinished, checkpoints });
  if (failure === undefined || isStopped) return { metadata };
  log.log('warn', `A turn failed: ${messageOf(failure)}`);
  offerStep(failure, response);
  return { errorDetails: { message: plainText(failureText(failure), 600) }, metadata };
}

/** Complete turns, oldest first. */
function earlier({ history }: vscode.ChatContext, hasTools: boolean): readonly PromptPart[] {
  return turnsOf(history, hasTools).map((messages) => ({
    kind: 'turn',
    messages: modelMessages({ systemPrompt: undefined, messages }),
  }));
}

/** Errors of models contain the next step already. */
function failureText({ code, message, suggestion }: HostError): string {
  return code === 'NO_MODEL' || suggestion === undefined ? message : `${message} ${suggestion}`;
}

/** Shows the next step as a button, if there is one. */
function offerStep({ code, category }: HostError, response: vscode.ChatResponseStream): void {
  if (code === 'NO_MODEL' && category === 'no_permission')
    response.button({ command: COMMANDS.modelAllow, title: vscode.l10n.t('Allow Language Model Use') });
}
