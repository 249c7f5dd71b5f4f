import * as vscode from 'vscode';

/** The editor's command. Its arguments are not part of the API, so success is not assumed. */
const OPEN_CHAT = 'workbench.action.chat.open';

/** The chat treats files with these extensions as images, and silently drops images that are not on disk. */
const PICTURE = /\.(?:png|jpe?g|gif|bmp|webp)$/i;

interface ForChat {
  readonly files: readonly vscode.Uri[];
  /** Files that the chat would drop. */
  readonly pictures: readonly vscode.Uri[];
}

export function forChat(all: readonly vscode.Uri[]): ForChat {
  const isDropped = ({ scheme, path }: vscode.Uri): boolean => scheme !== 'file' && PICTURE.test(path);
  return { files: all.filter((uri) => !isDropped(uri)), pictures: all.filter(isDropped) };
}

/** Attaches files to the chat's input. Returns false if the editor has no such chat. */
export function attachToChat(files: readonly vscode.Uri[]): Promise<boolean> {
  return openChat({ attachFiles: files });
}

/** Fills the chat's input with text for the user to send. */
export function prefillChat(query: string): Promise<boolean> {
  return openChat({ query, isPartialQuery: true });
}

async function openChat(options: object): Promise<boolean> {
  if (!(await vscode.commands.getCommands(true)).includes(OPEN_CHAT)) return false;
  try {
    await vscode.commands.executeCommand(OPEN_CHAT, options);
    return true;
  } catch {
    // Disabled by the user or a policy. The caller suggests an alternative.
    return false;
  }
}
