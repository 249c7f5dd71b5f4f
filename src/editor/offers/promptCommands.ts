import * as vscode from 'vscode';
import { cleanLine, type Host, type PromptResult, type ServerSnapshot } from '../../core/index.ts';
import { prefillChat } from '../chat/chatInput.ts';
import { notify } from '../shared/notify.ts';
import { plainText } from '../shared/plainText.ts';
import { cancellableProgress } from '../shared/progress.ts';
import { pick, startFirst, targetOf, withoutIcons } from '../shared/quickPicker.ts';
import type { TextDocuments } from '../shared/textDocuments.ts';
import { askArguments } from './askedArguments.ts';
import { asChatInput, type ChatChoice, chatText, promptText, withoutHeading } from './promptText.ts';

interface FilledPrompt {
  readonly name: string;
  readonly result: PromptResult;
}

/** Shows a prompt with its arguments filled in by the user. */
export async function showPrompt(host: Host, texts: TextDocuments, argument: unknown): Promise<void> {
  const filled = await fillPrompt(host, argument);
  if (filled !== undefined) await texts.show(filled.name.replace(/[^\w.-]+/g, '-'), promptText(filled.result), 'md');
}

/** *Use Prompt in Chat*: sends it where the user chooses. */
export async function usePrompt(host: Host, argument: unknown): Promise<void> {
  const filled = await fillPrompt(host, argument);
  if (filled !== undefined) await sendText(chatText(filled.result));
}

/** Sends the prompt in the active editor where the user chooses. */
export async function sendShownPrompt(document: vscode.TextDocument): Promise<void> {
  await sendText(withoutHeading(document.getText()));
}

async function fillPrompt(host: Host, argument: unknown): Promise<FilledPrompt | undefined> {
  const target = await promptTarget(host, argument);
  if (target === undefined) return undefined;
  const { server, prompt: name } = target;
  const prompt = host.server(server)?.prompts.find((each) => each.name === name);
  const values = await askArguments(host, {
    server,
    title: prompt?.title ?? name,
    reference: { kind: 'prompt', name },
    args: (prompt?.arguments ?? []).map((each) => ({
      name: each.name,
      description: each.description ?? '',
      isRequired: each.required,
    })),
  });
  if (values === undefined) return undefined;
  const result = await cancellableProgress(vscode.l10n.t('Getting {0}', plainText(name, 100)), (token) =>
    host.getPrompt(server, name, values, { token }),
  );
  return { name, result };
}

/** Only fills the chat's input, which the user can edit before sending. */
async function sendText(text: string): Promise<void> {
  const choice = async (): Promise<ChatChoice | undefined> => {
    const item = (label: string, detail: string, icon: string, value: ChatChoice): ChoiceItem => {
      return { label, detail, iconPath: new vscode.ThemeIcon(icon), value };
    };
    const items = [
      item(
        vscode.l10n.t('Chat'),
        vscode.l10n.t('With the current agent and model of the chat'),
        'comment-discussion',
        'chat',
      ),
      item('@mcpl', vscode.l10n.t('With the hooks of your servers around each answer'), 'mention', 'mcpl'),
      item(vscode.l10n.t('Copy'), vscode.l10n.t('To paste it somewhere else'), 'copy', 'copy'),
    ];
    const placeHolder = vscode.l10n.t('Where do you want to put the prompt? It is not sent until you send it.');
    return (await vscode.window.showQuickPick(items, { placeHolder }))?.value;
  };
  const chosen = await choice();
  if (chosen === undefined) return;
  if (chosen !== 'copy' && (await prefillChat(asChatInput(text, chosen)))) return;
  await vscode.env.clipboard.writeText(text);
  if (chosen === 'copy') {
    vscode.window.setStatusBarMessage(vscode.l10n.t('Copied the prompt.'), 2_000);
    return;
  }
  const instead = vscode.l10n.t(
    'The chat of this editor cannot be opened now. The prompt was copied instead: paste it there.',
  );
  void notify({ severity: 'warning', text: instead });
}

type ChoiceItem = vscode.QuickPickItem & { readonly value: ChatChoice };

interface PromptTarget {
  readonly server: string;
  readonly prompt: string;
}

/** The item in a command's argument, or one that the user picks. `undefined` if the user cancelled. */
async function promptTarget(host: Host, argument: unknown): Promise<PromptTarget | undefined> {
  const given = targetOf(argument);
  if (given?.prompt !== undefined) return { server: given.server, prompt: given.prompt };
  const items = chosenServers(host, given?.server).flatMap((server) =>
    server.prompts.map(({ name, title, description }) => ({
      ...texts(server, title ?? name, description ?? ''),
      target: { server: server.id, prompt: name },
    })),
  );
  const nothing = startFirst(host, vscode.l10n.t('No running server offers prompts.'));
  return (await pick(items, vscode.l10n.t('Which prompt do you want to see?'), nothing))?.target;
}

function chosenServers(host: Host, id: string | undefined): readonly ServerSnapshot[] {
  return host.servers().filter((server) => id === undefined || server.id === id);
}

function texts(
  { id }: ServerSnapshot,
  label: string,
  detail: string,
): { readonly label: string; readonly description: string; readonly detail: string } {
  return {
    label: withoutIcons(plainText(label, 100)),
    description: withoutIcons(plainText(id, 64)),
    detail: withoutIcons(plainText(cleanLine(detail, 200))),
  };
}
