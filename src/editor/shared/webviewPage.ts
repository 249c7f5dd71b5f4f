import * as vscode from 'vscode';

interface WebviewPage {
  /** Name of the bundle, and of the style sheet unless that is given. */
  readonly name: string;
  readonly style?: string;
  readonly title: string;
}

/** An empty page that may only run one bundled script. Server content arrives later as messages. */
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

/** Allowed resources of a page: bundles and style sheets, but no workspace files. */
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
