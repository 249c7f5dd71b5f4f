import * as vscode from 'vscode';

/** Shows a notification with a cancel button while the work runs. */
export async function cancellableProgress<T>(
  title: string,
  work: (token: vscode.CancellationToken) => Promise<T>,
): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, (_, token) => work(token));
}
