import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";

// VS Code reads walkthroughs some time after its start, or when one is opened, and never completes a
// step whose condition was true before.
const READ_SECONDS = 60;
const OPENED_SECONDS = 5;
const WALKTHROUGH = "assay.assay#tour";

/** The walkthrough: which of its conditions have come true. */
export class Tour {
  private whenOpened = () => {};
  private readonly isRead = Promise.race([
    setTimeout(READ_SECONDS * 1000, undefined, { ref: false }),
    new Promise<void>((resolve) => {
      this.whenOpened = resolve;
    }),
  ]);
  private readonly reached = new Set<string>();

  async open(): Promise<void> {
    await vscode.commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH);
    void setTimeout(OPENED_SECONDS * 1000).then(this.whenOpened);
  }

  async reach(condition: "assay.isInstalled" | "assay.hasModel"): Promise<void> {
    if (!this.reached.has(condition)) {
      this.reached.add(condition);
      await this.isRead;
      await vscode.commands.executeCommand("setContext", condition, true);
    }
  }
}
