import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";

// VS Code reads walkthroughs some seconds after its start, and never completes a step whose condition
// was true before.
const READ_SECONDS = 10;
const WALKTHROUGH = "assay.assay#tour";

/** The walkthrough: which of its conditions have come true. */
export class Tour {
  private readonly isRead = setTimeout(READ_SECONDS * 1000, undefined, { ref: false });
  private readonly reached = new Set<string>();

  open(): Thenable<unknown> {
    return vscode.commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH);
  }

  async reach(condition: "assay.isInstalled" | "assay.hasModel"): Promise<void> {
    if (!this.reached.has(condition)) {
      this.reached.add(condition);
      await this.isRead;
      await vscode.commands.executeCommand("setContext", condition, true);
    }
  }
}
