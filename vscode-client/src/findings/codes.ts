import * as vscode from "vscode";

/** The diagnostic with its code as a link to the server's page about it, rendered. */
export function linked(diagnostic: vscode.Diagnostic): vscode.Diagnostic {
  const { code } = diagnostic;
  if (typeof code === "object" && code.target.scheme === "file") {
    const argument = encodeURIComponent(JSON.stringify([code.target.toString()]));
    const target = vscode.Uri.parse(`command:assay.explain?${argument}`);
    diagnostic.code = { value: code.value, target };
  }
  return diagnostic;
}

/** Show a page that comes with the server. */
export async function explain(page: unknown): Promise<void> {
  await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.parse(String(page)));
}
