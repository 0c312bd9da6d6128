import * as vscode from "vscode";

/** Assay's entry in the language status: what the server is doing, and the way to its log. */
export class Status implements vscode.Disposable {
  private readonly item: vscode.LanguageStatusItem;
  private readonly underWay = new Set<string | number>();

  constructor() {
    this.item = vscode.languages.createLanguageStatusItem("assay.status", { language: "python" });
    this.item.name = "Assay";
    this.item.command = { command: "assay.showLogs", title: "Show Logs" };
  }

  starting(): void {
    this.underWay.clear();
    this.show("Assay: starting", true);
  }

  ready(): void {
    this.underWay.clear();
    this.show("Assay: ready", false);
  }

  began(token: string | number): void {
    this.underWay.add(token);
    this.show("Assay: checking", true);
  }

  ended(token: string | number): void {
    // A token of a server that has since been replaced says nothing about this one.
    if (this.underWay.delete(token) && this.underWay.size === 0) {
      this.show("Assay: ready", false);
    }
  }

  failed(reason: string): void {
    this.underWay.clear();
    this.show("Assay: not running", false, reason);
  }

  dispose(): void {
    this.item.dispose();
  }

  private show(text: string, busy: boolean, problem?: string): void {
    this.item.text = text;
    this.item.busy = busy;
    this.item.detail = problem;
    this.item.severity =
      problem === undefined
        ? vscode.LanguageStatusSeverity.Information
        : vscode.LanguageStatusSeverity.Error;
  }
}
