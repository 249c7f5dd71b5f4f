import * as vscode from 'vscode';
import { isJsonObject, mapTexts, type Redact } from '../../core/index.ts';
import { toJson } from '../shared/settingsJson.ts';

type Message = vscode.LanguageModelChatMessage;

/** Removes secrets from the model's input. Messages without any are passed unchanged. */
export function withoutSecrets(messages: readonly Message[], redact: Redact): Message[] {
  return messages.map((message) => {
    const content = message.content.map((part) => cleanPart(part, redact));
    if (content.every((part, index) => part === message.content[index])) return message;
    return new vscode.LanguageModelChatMessage(message.role, content, message.name);
  });
}

/** The same for offered tools. */
export function toolsWithoutSecrets(
  tools: readonly vscode.LanguageModelChatTool[],
  redact: Redact,
): vscode.LanguageModelChatTool[] {
  return tools.map((tool) => {
    const { name, description, inputSchema } = tool;
    const schema = toJson(inputSchema ?? {}) ?? {};
    const clean = mapTexts(schema, redact);
    const text = redact(description);
    if (text === description && clean === schema) return tool;
    return { name, description: text, inputSchema: isJsonObject(clean) ? clean : {} };
  });
}

function cleanPart(part: Message['content'][number], redact: Redact): Message['content'][number] {
  if (part instanceof vscode.LanguageModelTextPart) {
    const text = redact(part.value);
    return text === part.value ? part : new vscode.LanguageModelTextPart(text);
  }
  if (part instanceof vscode.LanguageModelToolCallPart) {
    const input = toJson(part.input) ?? {};
    const clean = mapTexts(input, redact);
    if (clean === input || !isJsonObject(clean)) return part;
    return new vscode.LanguageModelToolCallPart(part.callId, part.name, clean);
  }
  if (!(part instanceof vscode.LanguageModelToolResultPart)) return part;
  const content = part.content.map((each) => {
    if (!(each instanceof vscode.LanguageModelTextPart)) return each;
    const text = redact(each.value);
    return text === each.value ? each : new vscode.LanguageModelTextPart(text);
  });
  const isSame = content.every((each, index) => each === part.content[index]);
  return isSame ? part : new vscode.LanguageModelToolResultPart(part.callId, content);
}
