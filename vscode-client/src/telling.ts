import * as vscode from "vscode";
import type { Action, Trouble } from "./troubles";

// Two servers in one window may meet the same trouble.
const onScreen = new Set<string>();

/** Show a trouble with its button, once at a time. */
export async function tell({ message, button, pending }: Trouble): Promise<void> {
  if (onScreen.has(message)) {
    return;
  }
  onScreen.add(message);
  try {
    const { showErrorMessage, showInformationMessage } = vscode.window;
    const show = pending === undefined ? showErrorMessage : showInformationMessage;
    if ((await show(message, button.title)) === button.title) {
      void act(button);
    }
  } finally {
    onScreen.delete(message);
  }
}

export async function act({ command, arguments: words = [] }: Action): Promise<void> {
  await vscode.commands.executeCommand(command, ...words);
}
