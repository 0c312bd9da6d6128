import * as path from "node:path";
import * as vscode from "vscode";

/** The diagnostic with its code as a link to the page about it. */
export function linked(diagnostic: vscode.Diagnostic): vscode.Diagnostic {
  const { code } = diagnostic;
  const value = typeof code === "object" ? code.value : code;
  if (diagnostic.source === "assay" && value !== undefined) {
    const argument = encodeURIComponent(JSON.stringify([String(value)]));
    diagnostic.code = { value, target: vscode.Uri.parse(`command:assay.explain?${argument}`) };
  }
  return diagnostic;
}

/** Show the page about a code, which comes with the extension. */
export async function explain(carried: string, code: unknown): Promise<void> {
  if (typeof code === "string" && /^ASY\d+$/.test(code)) {
    const page = path.join(carried, "docs", "findings", `${code}.md`);
    await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.file(page));
  }
}
