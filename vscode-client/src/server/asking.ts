import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { act } from "../telling";
import { OWN_ANSWERS, type Question, shownAs } from "./questions";

/** Put the server's questions to the user. */
export function answerQuestions(client: LanguageClient): void {
  client.onRequest("assay/ask", async (question: Question) => {
    const { level, message, options, items } = shownAs(question);
    const { showErrorMessage, showInformationMessage, showWarningMessage } = vscode.window;
    const show = {
      error: showErrorMessage,
      warning: showWarningMessage,
      information: showInformationMessage,
    }[level];
    const chosen = await show(message, options, ...items);
    const own = chosen && OWN_ANSWERS.get(chosen.id);
    await (own && act(own));
    return chosen === undefined ? null : { id: chosen.id };
  });
}
