/** The HTML around the pages of our views. */

import * as vscode from "vscode";

/** Where panels open: beside the program, which keeps the focus. */
export const BESIDE = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };

/** The icon of a panel, for light and dark themes. */
export function iconOf({ extensionUri }: vscode.ExtensionContext, name: string) {
  const file = (theme: string) => vscode.Uri.joinPath(extensionUri, "media", `${name}-${theme}.svg`);
  return { light: file("light"), dark: file("dark") };
}

/** What a page may load: the folder of the bundled pages. */
export function pageOptions(context: vscode.ExtensionContext): vscode.WebviewOptions {
  return { enableScripts: true, localResourceRoots: [pagesFolder(context)] };
}

/** A page made of `dist/webviews/NAME.js` and `.css` around a body; nothing else may be loaded. */
export function pageHtml(
  context: vscode.ExtensionContext,
  webview: vscode.Webview,
  name: string,
  title: string,
  body: string,
): string {
  const nonce = crypto.randomUUID();
  const file = (extension: string) =>
    webview.asWebviewUri(vscode.Uri.joinPath(pagesFolder(context), `${name}.${extension}`));
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${file("css")}">
</head>
<body>
${body}
<script nonce="${nonce}" src="${file("js")}"></script>
</body>
</html>`;
}

/** Text as it can stand in HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function pagesFolder(context: vscode.ExtensionContext): vscode.Uri {
  return vscode.Uri.joinPath(context.extensionUri, "dist", "webviews");
}
