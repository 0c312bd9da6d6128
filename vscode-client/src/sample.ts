import { copyFile, mkdir } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Realm } from "./server/client";

const MODULE = "text.py";
const FUNCTION = "wrap_words";
const TRANSCRIPT = "replies.jsonl";

/** The walkthrough's module: a copy in the extension's own folder, checked with recorded replies. */
export class Sample {
  private readonly folder: string;
  private readonly file: vscode.Uri;

  constructor(
    private readonly origin: string,
    storage: string,
  ) {
    this.folder = path.join(storage, "sample");
    this.file = vscode.Uri.file(path.join(this.folder, MODULE));
  }

  get realm(): Realm {
    return {
      owns: (uri) => this.owns(uri),
      settings: {
        replay: path.join(this.origin, TRANSCRIPT),
        trigger: "save",
        judge: "off",
        // It is ours, whatever the workspace is.
        trusted: true,
      },
      folder: { uri: vscode.Uri.file(this.folder), name: "Assay's sample", index: 0 },
    };
  }

  owns(uri: vscode.Uri): boolean {
    return uri.scheme === "file" && path.dirname(uri.fsPath) === this.folder;
  }

  /** A fresh copy of the module, in an editor, with the wrong function in view. */
  async open(): Promise<vscode.TextEditor> {
    await mkdir(this.folder, { recursive: true });
    await copyFile(path.join(this.origin, MODULE), this.file.fsPath);
    const document = await vscode.workspace.openTextDocument(this.file);
    const name = document.positionAt(document.getText().indexOf(`${FUNCTION}(`));
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preview: false,
      selection: new vscode.Range(name, name),
    });
    // The verdict stands above the function's first line, and belongs into view.
    const above = name.translate(-2);
    editor.revealRange(new vscode.Range(above, name), vscode.TextEditorRevealType.AtTop);
    return editor;
  }
}
