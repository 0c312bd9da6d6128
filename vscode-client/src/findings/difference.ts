import * as vscode from "vscode";
import { CELLS } from "../server/client";
import type { Server } from "../server/server";
import { changeBetween } from "./change";

const SCHEME = "assay-difference";

interface Proposal {
  readonly title: string;
  readonly text: string;
}

/** Shows what a replacement would change in VS Code's own diff editor, and makes the change there. */
export class Differences implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly proposals = new Map<
    string,
    Proposal & { readonly original: vscode.TextDocument; readonly version: number }
  >();
  private readonly subscriptions: vscode.Disposable[];

  constructor() {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.proposals.delete(uri.toString())),
    ];
  }

  /** `words` are those of the server's command: document, qualified name, number of the fix. */
  async open(server: Server, words: readonly unknown[]): Promise<void> {
    const original = await vscode.workspace.openTextDocument(vscode.Uri.parse(String(words[0])));
    const { version } = original;
    const proposal = await server.execute<Proposal | null>("assay.server.difference", words);
    if (!proposal) {
      return;
    }
    // A path of its own for each text: an editor that is open on another keeps showing that.
    const query = `${words[1]} ${words[2]} ${version}`;
    // By its name it would be a notebook, which is JSON.
    const path = `${original.uri.path}${isCell(original) ? ".py" : ""}`;
    const proposed = original.uri.with({ scheme: SCHEME, path, query });
    this.proposals.set(proposed.toString(), { ...proposal, original, version });
    await vscode.commands.executeCommand("vscode.diff", original.uri, proposed, proposal.title);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.proposals.get(uri.toString())?.text ?? "";
  }

  /** Make the change that the diff editor of `uri` shows. */
  async accept(uri: vscode.Uri | undefined): Promise<void> {
    const proposal = uri && this.proposals.get(uri.toString());
    if (proposal === undefined) {
      return;
    }
    const { original, version, text } = proposal;
    if (original.version !== version) {
      void vscode.window.showWarningMessage(
        "Assay: the function has changed since this difference was made. Check it again.",
      );
      return;
    }
    const { start, end, inserted } = changeBetween(original.getText(), text);
    const edit = new vscode.WorkspaceEdit();
    const range = new vscode.Range(original.positionAt(start), original.positionAt(end));
    edit.replace(original.uri, range, inserted);
    if (await vscode.workspace.applyEdit(edit)) {
      await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
      if (!isCell(original)) {
        // A cell alone would get an editor of its own.
        await vscode.window.showTextDocument(original);
      }
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}

function isCell({ uri }: vscode.TextDocument): boolean {
  return uri.scheme === CELLS;
}
