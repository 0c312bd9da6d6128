import * as vscode from "vscode";
import { editorInView } from "../editors";
import { act } from "../telling";
import { actionsFor } from "./menu";
import type { State } from "./state";
import { wordsFor } from "./words";

// Left of the language's own entries, which are about a hundred.
const PRIORITY = 101;
const COLORS = {
  normal: undefined,
  warning: new vscode.ThemeColor("statusBarItem.warningBackground"),
  error: new vscode.ThemeColor("statusBarItem.errorBackground"),
};

/** Assay's entry in the status bar: what it is doing, and behind it what can be done. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    "assay.status",
    vscode.StatusBarAlignment.Right,
    PRIORITY,
  );

  constructor() {
    this.item.name = "Assay";
    this.item.command = "assay.showMenu";
  }

  /** Show a state; beside files that are not Python only if it wants something done. */
  show(state: State): void {
    const { icon, text, level, details } = wordsFor(state);
    this.item.text = `$(${icon}) Assay: ${text}`;
    this.item.tooltip = details.join("\n");
    this.item.accessibilityInformation = { label: details.join(". "), role: "button" };
    this.item.backgroundColor = COLORS[level];
    const isAsking = state.kind === "running" && state.status?.question != null;
    const isUrgent = isAsking || state.kind === "trouble" || state.kind === "installing";
    if (editorInView() !== undefined || isUrgent) {
      this.item.show();
    } else {
      this.item.hide();
    }
  }

  dispose(): void {
    this.item.dispose();
  }
}

/** The menu behind the entry: what is the case, then what can be done. */
export async function showMenu(state: State): Promise<void> {
  const { details } = wordsFor(state);
  const entries = actionsFor(state).map((action) => ({ label: action.title, action }));
  const chosen = await vscode.window.showQuickPick(entries, {
    title: details[0] ?? "Assay",
    placeHolder: details.slice(1).join(" · "),
  });
  await (chosen && act(chosen.action));
}
