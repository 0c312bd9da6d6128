import type * as vscode from "vscode";
import {
  DidChangeConfigurationNotification,
  LanguageClient,
  type Middleware,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";
import { serverSettings } from "./settings";
import type { Status } from "./status";

export function makeClient(
  command: readonly [string, ...string[]],
  log: vscode.LogOutputChannel,
  status: Status,
): LanguageClient {
  const [executable, ...words] = command;
  const client: LanguageClient = new Client(
    "assay",
    "Assay",
    { command: executable, args: [...words, "server"] },
    {
      documentSelector: [{ scheme: "file", language: "python" }],
      outputChannel: log,
      traceOutputChannel: log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      // The manifest keeps this extension out of untrusted workspaces: getting here means trust.
      initializationOptions: { ...serverSettings(), trusted: true },
      middleware: makeMiddleware(() => client, status),
    },
  );
  return client;
}

/** Whether a client did not start because there is no such executable. */
export function isMissing(error: unknown): boolean {
  return /\bspawn .*ENOENT/.test(String(error));
}

/** A client that leaves the message about a missing executable to us: ours says what to do. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown, show?: boolean | "force"): void {
    super.error(message, data, isMissing(data) ? false : show);
  }
}

function makeMiddleware(client: () => LanguageClient, status: Status): Middleware {
  return {
    handleWorkDoneProgress: (token, params, next) => {
      if (params.kind === "begin") {
        status.began(token);
      } else if (params.kind === "end") {
        status.ended(token);
      }
      next(token, params);
    },
    // Both would otherwise send the whole section, and the server complains about what it does not
    // know, such as its own path.
    workspace: {
      configuration: ({ items }) =>
        items.map(({ section }) => (section === "assay" ? serverSettings() : null)),
      didChangeConfiguration: () =>
        client().sendNotification(DidChangeConfigurationNotification.type, {
          settings: { assay: serverSettings() },
        }),
    },
  };
}
