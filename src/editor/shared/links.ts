import * as vscode from 'vscode';
import { webAddress } from '../../core/index.ts';

/**
 * Opens a web page in the browser. Returns false for other addresses. Passes the address as text, because a `Uri` would
 * unescape the query and change it.
 */
export async function openLink(address: string): Promise<boolean> {
  const url = webAddress(address);
  if (url === undefined) return false;
  const opened: unknown = await Reflect.apply(vscode.env.openExternal, vscode.env, [url.href]);
  return opened === true;
}
