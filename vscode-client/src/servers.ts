import * as vscode from "vscode";
import { editorInView } from "./editors";
import type { Server } from "./server/server";
import type { State } from "./status/state";

/** The servers of this window: that of the workspace, and one for the walkthrough's sample. */
export class Servers {
  constructor(
    readonly workspace: Server,
    readonly sample: Server,
  ) {}

  /** The one that knows a document. */
  of(uri: vscode.Uri | undefined): Server {
    return uri !== undefined && this.sample.owns(uri) ? this.sample : this.workspace;
  }

  /** The one that knows what the user looks at. */
  get active(): Server {
    return this.of(editorInView()?.document.uri);
  }

  /** Start anew whatever has been started. */
  async restart(): Promise<void> {
    const wasUsed = this.sample.state.kind !== "stopped";
    await Promise.all([this.workspace.restart(), ...(wasUsed ? [this.sample.restart()] : [])]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.workspace.stop(), this.sample.stop()]);
  }

  /** Call `look` with the state that the status should show, whenever that may be another. */
  follow(look: (state: State) => void): vscode.Disposable {
    const show = () => look(this.active.state);
    show();
    return vscode.Disposable.from(
      this.workspace.onDidChange(show),
      this.sample.onDidChange(show),
      vscode.window.onDidChangeActiveTextEditor(show),
      vscode.window.onDidChangeVisibleTextEditors(show),
    );
  }
}
