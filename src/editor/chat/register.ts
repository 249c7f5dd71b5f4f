import * as vscode from 'vscode';
import { asyncLazy } from '../../core/index.ts';
import type { ChatServices } from './lazy.ts';
import { ANSWER_TOOL_QUESTION, CHAT_PARTICIPANT } from '../shared/ids.ts';

/** Registers `@mcpl` in the chat view. Its implementation is loaded with the first turn. */
export function registerChatParticipant(
  services: ChatServices & { readonly extensionUri: vscode.Uri },
): vscode.Disposable {
  const chat = asyncLazy(
    () => import('./lazy.ts'),
    ({ openChat }) => openChat(services),
  );
  const participant = vscode.chat.createChatParticipant(CHAT_PARTICIPANT, async (request, context, response, token) =>
    (await chat.get()).answer({ request, context, response, token }),
  );
  participant.iconPath = vscode.Uri.joinPath(services.extensionUri, 'media', 'mcpl.svg');
  participant.followupProvider = {
    provideFollowups: async (result) => [...(await chat.get()).followups(result)],
  };
  return vscode.Disposable.from(
    participant,
    vscode.commands.registerCommand(ANSWER_TOOL_QUESTION, async (id: unknown, answer: unknown) =>
      (await chat.get()).answerQuestion(id, answer),
    ),
  );
}
