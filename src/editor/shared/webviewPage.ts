import * as vscode from 'vscode';

export interface WebviewPage {
  /** Of its bundle; also of its style sheet, where that has no name of its own. */
  readonly name: string;
  readonly style?: string;
  readonly title: string;
}

/** An empty page that may run one script of ours and nothing else: what a server said comes later, as messages. */
export function pageHtml(webview: vscode.Webview, extensionUri: vscode.Uri, page: WebviewPage): string {
  const uri = (...path: readonly string[]): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...path)).toString();
  const nonce = crypto.randomUUID().replaceAll('-', '');
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="UTF-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="${policy(webview.cspSource, nonce)}">
    <link rel="stylesheet" href="${uri('media', `${page.style ?? page.name}.css`)}">
    <title>${page.title}</title>
  </head>
  <body>
    <script nonce="${nonce}" src="${uri('dist', 'webview', `${page.name}.js`)}"></script>
  </body>
</html>
`;
}

function policy(cspSource: string, nonce: string): string {
  return `default-src 'none'; img-src data:; style-src ${cspSource}; script-src 'nonce-${nonce}'`;
}

/** Where a page may load from: bundles and style sheets, and nothing of the workspace. */
export function pageOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  const folders = ['dist', 'media'].map((folder) => vscode.Uri.joinPath(extensionUri, folder));
  return { enableScripts: true, localResourceRoots: folders };
}

export function pageIcon(
  extensionUri: vscode.Uri,
  name: string,
): { readonly light: vscode.Uri; readonly dark: vscode.Uri } {
  const icon = (theme: string): vscode.Uri => vscode.Uri.joinPath(extensionUri, 'media', `${name}-${theme}.svg`);
  return { light: icon('light'), dark: icon('dark') };
}
