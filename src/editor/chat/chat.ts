import * as vscode from 'vscode';
import { type Logger, messageOf, toHostError } from '../../core/index.ts';
import { eventQuestion, listEvents } from './chatEvents.ts';
import { followups } from './chatFollowups.ts';
import { answerLineage, isLineageCommand } from './chatLineage.ts';
import { listServers } from './chatServers.ts';
import { escaped } from './chatText.ts';
import { ToolQuestions } from './chatToolQuestion.ts';
import { answerTurn, type ChatTurn } from './chatTurn.ts';
import { ChatWriter } from './chatWriter.ts';
import { plainText } from '../shared/plainText.ts';
import type { EditorServices } from '../shared/services.ts';

export type ChatServices = Pick<EditorServices, 'host' | 'log' | 'settings'>;

/** All that `@mcpl` does: a part of its own, loaded with the first turn. */
export interface Chat {
  answer(turn: ChatTurn): Promise<vscode.ChatResult>;
  followups(result: vscode.ChatResult): readonly vscode.ChatFollowup[];
  /** A button of a question whether a tool may be called. */
  answerQuestion(id: unknown, answer: unknown): void;
}

export function openChat({ host, log, settings }: ChatServices): Chat {
  const questions = new ToolQuestions({ settings, host });
  const tools = { host, log, questions };
  return {
    answer: async (turn) => {
      const { command, prompt } = turn.request;
      // What follows the names of these is no turn of the conversation with a model.
      if (isLineageCommand(command)) return told(log, turn, () => answerLineage(tools, command, prompt, turn.response));
      if (command === 'servers')
        return told(log, turn, async () => listServers(host, prompt, new ChatWriter(turn.response)));
      if (command !== 'events') return answerTurn(tools, turn);
      await host.events.loaded();
      const question = eventQuestion(host, prompt);
      if (question === undefined)
        return told(log, turn, async () => listEvents(host, prompt, new ChatWriter(turn.response)));
      const result = await answerTurn(tools, turn, question);
      if (result.errorDetails === undefined && !turn.token.isCancellationRequested)
        await host.events.markRead(question.events.map(({ id }) => id));
      return result;
    },
    followups: (result) => followups(host, result, log),
    answerQuestion: (id, answer) => {
      if (!questions.answer(id, answer))
        void vscode.window.showInformationMessage(vscode.l10n.t('This question was answered already, or is over.'));
    },
  };
}

async function told(log: Logger, { response }: ChatTurn, answer: () => Promise<void>): Promise<vscode.ChatResult> {
  try {
    await answer();
  } catch (error) {
    const { message, suggestion = '' } = toHostError(error);
    log.log('warn', `A chat command failed: ${messageOf(error)}`);
    response.markdown(escaped(plainText(`${message} ${suggestion}`.trim(), 600)));
  }
  return {};
}
