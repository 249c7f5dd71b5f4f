import * as vscode from 'vscode';
import type { Host, Logger } from '../core/index.ts';
import { CHAT_PARTICIPANT } from './ids.ts';

/** `@mcpl` in the chat view. What a turn needs is loaded with the first one. */
export function registerChatParticipant(host: Host, log: Logger, extensionUri: vscode.Uri): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant(CHAT_PARTICIPANT, async (request, context, response, token) => {
    const { answerChat } = await import('./conversation.ts');
    return answerChat({ host, log }, { request, context, response, token });
  });
  participant.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'mcpl.svg');
  return participant;
}
