import * as vscode from "vscode";

/** The Python file that the user looks at, be it beside something else: a log, say, is an editor, too. */
export function editorInView(): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const editors = [activeTextEditor, ...visibleTextEditors];
  return editors.find((each) => each?.document.languageId === "python");
}

/** Done when the user looks at a Python file. */
export async function pythonInView(): Promise<void> {
  const { onDidChangeVisibleTextEditors } = vscode.window;
  while (editorInView() === undefined) {
    await new Promise((resolve) => {
      const listening = onDidChangeVisibleTextEditors(() => {
        listening.dispose();
        resolve(undefined);
      });
    });
  }
}
