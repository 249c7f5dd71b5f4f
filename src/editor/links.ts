import * as vscode from 'vscode';

/**
 * Opens a page in the person's browser. The editor takes the address as text too, and then opens it as it is: made a
 * `Uri`, what is escaped in its query would be opened unescaped, which makes another address of it.
 */
export async function openLink(url: string): Promise<boolean> {
  const opened: unknown = await Reflect.apply(vscode.env.openExternal, vscode.env, [url]);
  return opened === true;
}
