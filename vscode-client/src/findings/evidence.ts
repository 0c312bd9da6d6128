import * as vscode from "vscode";
import type { Server } from "../server/server";

interface Page {
  readonly title: string;
  readonly html: string;
}

/** Show the server's page about a function beside its text. `words`: document, qualified name. */
export async function showEvidence(server: Server, words: readonly unknown[]): Promise<void> {
  const page = await server.execute<Page | null>("assay.server.evidence", words);
  if (!page) {
    const text = "Assay: nothing is known of this function any more. Check it again.";
    void vscode.window.showInformationMessage(text);
    return;
  }
  const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: false };
  const panel = vscode.window.createWebviewPanel("assay.evidence", page.title, where, {
    // The page holds what a model and user code said. Its own policy forbids the rest.
    enableScripts: false,
    enableFindWidget: true,
    localResourceRoots: [],
  });
  panel.webview.html = page.html;
}
