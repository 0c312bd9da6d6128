import * as vscode from "vscode";
import type { Server } from "../server/server";

interface Page {
  readonly title: string;
  readonly html: string;
}

/** The one place beside the text where the server's pages about functions are shown. */
export class Evidence implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  /** `words` are those of the server's command: document and qualified name. */
  async show(server: Server, words: readonly unknown[]): Promise<void> {
    const page = await server.execute<Page | null>("assay.server.evidence", words);
    if (page) {
      this.panel ??= this.open();
      this.panel.title = page.title;
      this.panel.webview.html = page.html;
      this.panel.reveal(undefined, true);
    }
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private open(): vscode.WebviewPanel {
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel("assay.evidence", "Evidence", where, {
      // The page holds what a model and user code said. Its own policy forbids the rest.
      enableScripts: false,
      enableFindWidget: true,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    return panel;
  }
}
