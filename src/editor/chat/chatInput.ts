import * as vscode from 'vscode';

/** The editor's own command; its arguments are not part of its API, so whatever it does with them is not taken for granted. */
const OPEN_CHAT = 'workbench.action.chat.open';

/** The chat takes a file of such a name for a picture, and a picture from files on disk alone: any other it drops without a word. */
const PICTURE = /\.(?:png|jpe?g|gif|bmp|webp)$/i;

export interface ForChat {
  readonly files: readonly vscode.Uri[];
  /** Those that the chat would drop. */
  readonly pictures: readonly vscode.Uri[];
}

export function forChat(all: readonly vscode.Uri[]): ForChat {
  const isDropped = ({ scheme, path }: vscode.Uri): boolean => scheme !== 'file' && PICTURE.test(path);
  return { files: all.filter((uri) => !isDropped(uri)), pictures: all.filter(isDropped) };
}

/** Puts files into the chat's input, beside what stands there; false where this editor has no chat that takes any. */
export function attachToChat(files: readonly vscode.Uri[]): Promise<boolean> {
  return openChat({ attachFiles: files });
}

/** Puts a text into the chat's input, to be sent by the person. */
export function prefillChat(query: string): Promise<boolean> {
  return openChat({ query, isPartialQuery: true });
}

async function openChat(options: object): Promise<boolean> {
  if (!(await vscode.commands.getCommands(true)).includes(OPEN_CHAT)) return false;
  try {
    await vscode.commands.executeCommand(OPEN_CHAT, options);
    return true;
  } catch {
    // Switched off, or by a rule of an organisation: the person is told what to do instead.
    return false;
  }
}
