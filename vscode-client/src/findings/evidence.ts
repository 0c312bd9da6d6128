import * as vscode from "vscode";
import { Postponed } from "../postponed";
import type { Server } from "../server/server";

interface Page {
  readonly title: string;
  readonly html: string;
  /** The digest of the report that it shows. */
  readonly report?: string;
}

interface Subject {
  readonly server: Server;
  readonly uri: string;
  readonly name: string;
  readonly report: string;
}

// What the page's links may run.
const COMMANDS = ["place", "showDifference", "applyFix", "saveTest", "checkFunction"];

/** The one place beside the text where the server's pages about functions are shown. It follows the
 * function: renewed after each check, and marked while the code is another than what was checked. */
export class Evidence implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private subject: Subject | undefined;
  private following: vscode.Disposable | undefined;
  private readonly renewal = new Postponed(() => this.renew());

  /** `words` are those of the server's command: document and qualified name. */
  async show(server: Server, words: readonly unknown[]): Promise<void> {
    const page = await server.execute<Page | null>("assay.server.evidence", words);
    if (page) {
      const [uri = "", name = ""] = words.map(String);
      if (this.subject?.uri !== uri || this.subject.name !== name) {
        // A panel keeps its place on the page; that of another function is read from its top.
        const former = this.panel;
        this.panel = undefined;
        former?.dispose();
      }
      this.panel ??= this.open();
      this.put(page);
      this.panel.reveal(undefined, true);
      this.follow({ server, uri, name, report: page.report ?? "" });
    }
  }

  dispose(): void {
    this.panel?.dispose();
    this.following?.dispose();
    this.renewal.dispose();
  }

  private put({ title, html }: Page): void {
    // The same page once more would lose the place that is being read.
    const bare = (text: string) => text.replaceAll(/nonce(="|-)[\w-]+/g, "");
    if (this.panel !== undefined && bare(this.panel.webview.html) !== bare(html)) {
      this.panel.title = title;
      this.panel.webview.html = html;
    }
  }

  private follow(subject: Subject): void {
    this.subject = subject;
    this.following?.dispose();
    this.following = vscode.Disposable.from(
      // The server says so whenever something that it shows is another.
      subject.server.onDidChange(() => this.renewal.soon()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.toString() === vscode.Uri.parse(subject.uri).toString()) {
          this.renewal.soon();
        }
      }),
    );
  }

  private async renew(): Promise<void> {
    const { subject } = this;
    if (subject === undefined || this.panel === undefined) {
      return;
    }
    const { server, uri, name, report } = subject;
    const page = await server.execute<Page | null>("assay.server.evidence", [uri, name, report]);
    if (page && subject === this.subject) {
      this.put(page);
      this.subject = { ...subject, report: page.report ?? report };
    }
  }

  private open(): vscode.WebviewPanel {
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel("assay.evidence", "Evidence", where, {
      // The page holds what a model and user code said. Its own policy forbids the rest.
      enableScripts: false,
      enableCommandUris: COMMANDS.map((each) => `assay.server.${each}`),
      enableFindWidget: true,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => {
      if (this.panel === panel) {
        this.panel = undefined;
        this.subject = undefined;
        this.following?.dispose();
      }
    });
    return panel;
  }
}

/** Show where a function stands, in the editor that has its file, if there is one. */
export async function showPlace(server: Server, words: readonly unknown[]): Promise<void> {
  const found = await server.execute<Location | null>("assay.server.place", words);
  if (!found) {
    return;
  }
  const uri = vscode.Uri.parse(found.uri);
  const { start } = found.range;
  const name = new vscode.Position(start.line, start.character);
  const shown = vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.toString() === uri.toString(),
  );
  await vscode.window.showTextDocument(uri, {
    viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One,
    selection: new vscode.Range(name, name),
  });
}

interface Location {
  readonly uri: string;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
}
