import * as vscode from "vscode";
import {
  type CancellationToken,
  type LanguageClient,
  LSPErrorCodes,
  ResponseError,
} from "vscode-languageclient/node";
import { type EditorError, refusalReason, vendorAndId } from "./refusals";

// The server drops what is longer.
const CHARACTERS_MAX = 1_000_000;
const JUSTIFICATION =
  "Assay asks for other implementations of your functions. It sends their signatures and docstrings, what they " +
  "refer to in your project and, for a function in doubt, what it does on a few inputs; never the body of the " +
  "function that is checked.";

interface CompleteParams {
  readonly model: string;
  readonly messages: readonly { readonly content: string }[];
}

/** All that VS Code has just now; none in an editor that knows of none. */
export async function editorModels(): Promise<readonly vscode.LanguageModelChat[]> {
  return (await vscode.lm?.selectChatModels()) ?? [];
}

/** What a model is called in the settings, and to the server. */
export function nameOf({ vendor, id }: vscode.LanguageModelChat): string {
  return `${vendor}/${id}`;
}

/** What the user has chosen: only that is announced. The setting has a scope that no workspace reaches. */
export function chosenModel(): string {
  return vscode.workspace.getConfiguration("assay").get("editorModel", "");
}

/** Answer the server's requests to a model. VS Code asks its user for consent. */
export function answerRequests(client: LanguageClient): void {
  client.onRequest("assay/complete", async (params: CompleteParams, token) => {
    try {
      const [model] = await vscode.lm.selectChatModels(vendorAndId(params.model));
      if (model === undefined || params.model !== chosenModel()) {
        throw vscode.LanguageModelError.NotFound(`VS Code has no ${params.model} now`);
      }
      const messages = params.messages.map(({ content }) => content);
      const text = await ask(model, messages, token);
      return { text, usage: null };
    } catch (error) {
      const refusal = error as EditorError;
      throw new ResponseError(LSPErrorCodes.RequestFailed, refusal.message, {
        reason: refusalReason(refusal),
      });
    }
  });
}

/** The whole reply. There are no system messages, and nothing is said of temperature and length. */
export async function ask(
  model: vscode.LanguageModelChat,
  messages: readonly string[],
  token?: CancellationToken,
): Promise<string> {
  const { text } = await model.sendRequest(
    messages.map((each) => vscode.LanguageModelChatMessage.User(each)),
    { justification: JUSTIFICATION },
    token,
  );
  let reply = "";
  for await (const part of text) {
    reply += part;
    if (reply.length > CHARACTERS_MAX) {
      break;
    }
  }
  return reply;
}
