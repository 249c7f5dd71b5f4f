import * as vscode from 'vscode';

/** An empty page that may run one script of ours and nothing else: what a server said comes later, as messages. */
export function toolFormHtml(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const uri = (...path: readonly string[]): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...path)).toString();
  const nonce = crypto.randomUUID().replaceAll('-', '');
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="UTF-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="${policy(webview.cspSource, nonce)}">
    <link rel="stylesheet" href="${uri('media', 'toolForm.css')}">
    <title>Call Tool</title>
  </head>
  <body>
    <script nonce="${nonce}" src="${uri('dist', 'webview', 'toolForm.js')}"></script>
  </body>
</html>
`;
}

function policy(cspSource: string, nonce: string): string {
  return `default-src 'none'; img-src data:; style-src ${cspSource}; script-src 'nonce-${nonce}'`;
}
