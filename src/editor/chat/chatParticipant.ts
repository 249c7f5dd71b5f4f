import * as vscode from 'vscode';
import { ANSWER_TOOL_QUESTION, CHAT_PARTICIPANT } from '../shared/ids.ts';
import type { Chat, ChatServices } from './chat.ts';

/** `@mcpl` in the chat view. What a turn needs is loaded with the first one. */
export function registerChatParticipant(
  services: ChatServices & { readonly extensionUri: vscode.Uri },
): vscode.Disposable {
  let loading: Promise<Chat> | undefined;
  const load = (): Promise<Chat> =>
    (loading ??= import('../conversation.ts').then(({ openChat }) => openChat(services)));
  const participant = vscode.chat.createChatParticipant(CHAT_PARTICIPANT, async (request, context, response, token) =>
    (await load()).answer({ request, context, response, token }),
  );
  participant.iconPath = vscode.Uri.joinPath(services.extensionUri, 'media', 'mcpl.svg');
  participant.followupProvider = {
    provideFollowups: async (result) => [...(await load()).followups(result)],
  };
  return vscode.Disposable.from(
    participant,
    vscode.commands.registerCommand(ANSWER_TOOL_QUESTION, async (id: unknown, answer: unknown) =>
      (await load()).answerQuestion(id, answer),
    ),
  );
}
