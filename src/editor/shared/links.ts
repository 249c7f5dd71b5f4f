import * as vscode from 'vscode';
import { webAddress } from '../../core/index.ts';

/**
 * Opens a web page in the person's browser; `false` for any other address. The editor gets the address as text and opens
 * it unchanged: a `Uri` would unescape its query, which makes another address of it.
 */
export async function openLink(address: string): Promise<boolean> {
  const url = webAddress(address);
  if (url === undefined) return false;
  const opened: unknown = await Reflect.apply(vscode.env.openExternal, vscode.env, [url.href]);
  return opened === true;
}
