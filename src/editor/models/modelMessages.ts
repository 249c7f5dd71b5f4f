import * as vscode from 'vscode';
import {
  blockText,
  type ContentBlock,
  type SamplingContent,
  type SamplingMessage,
  type SamplingRequest,
} from '../../core/index.ts';

type UserPart = vscode.LanguageModelTextPart | vscode.LanguageModelDataPart | vscode.LanguageModelToolResultPart;
type AssistantPart = vscode.LanguageModelTextPart | vscode.LanguageModelDataPart | vscode.LanguageModelToolCallPart;

/** Converts sampling messages for the editor's models, which have no system role. */
export function modelMessages({
  systemPrompt,
  messages,
}: Pick<SamplingRequest, 'systemPrompt' | 'messages'>): vscode.LanguageModelChatMessage[] {
  const system = systemPrompt === undefined ? [] : [vscode.LanguageModelChatMessage.User(systemPrompt)];
  return [...system, ...messages.map(modelMessage)];
}

function modelMessage({ role, content }: SamplingMessage): vscode.LanguageModelChatMessage {
  return role === 'user'
    ? vscode.LanguageModelChatMessage.User(content.map(userPart))
    : vscode.LanguageModelChatMessage.Assistant(content.map(assistantPart));
}

function userPart(part: SamplingContent): UserPart {
  if (part.type === 'tool_result')
    return new vscode.LanguageModelToolResultPart(part.toolUseId, part.content.map(blockPart));
  // A call by someone else than the model becomes text.
  if (part.type === 'tool_use') return new vscode.LanguageModelTextPart(JSON.stringify(part));
  return blockPart(part);
}

function assistantPart(part: SamplingContent): AssistantPart {
  if (part.type === 'tool_use') return new vscode.LanguageModelToolCallPart(part.id, part.name, part.input);
  if (part.type === 'tool_result') return new vscode.LanguageModelTextPart(part.content.map(blockText).join('\n'));
  return blockPart(part);
}

function blockPart(block: ContentBlock): vscode.LanguageModelTextPart | vscode.LanguageModelDataPart {
  if (block.type === 'image' || block.type === 'audio')
    return new vscode.LanguageModelDataPart(Buffer.from(block.data, 'base64'), block.mimeType);
  return new vscode.LanguageModelTextPart(blockText(block));
}
