import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Differences } from "./findings/difference";
import { type Evidence, showPlace } from "./findings/evidence";
import type { Server } from "./server/server";
import type { Servers } from "./servers";
import { tell } from "./telling";
import { RESTART } from "./troubles";

type Words = (client: LanguageClient, editor: vscode.TextEditor) => unknown[];
type Handler = (server: Server, words: readonly unknown[]) => unknown;

const fileOf: Words = (client, { document }) => [client.code2ProtocolConverter.asUri(document.uri)];

const positionOf: Words = (client, { document, selection }) => [
  client.code2ProtocolConverter.asUri(document.uri),
  client.code2ProtocolConverter.asPosition(selection.active),
];

/** The commands about the file or function that the cursor is in. */
export function checkingCommands(servers: Servers): vscode.Disposable[] {
  const onEditor = (name: string, words: Words) =>
    vscode.commands.registerCommand(`assay.${name}`, async () => {
      const editor = vscode.window.activeTextEditor;
      if (editor?.document.languageId !== "python") {
        const text = "Assay checks Python files: open one and try again.";
        void vscode.window.showInformationMessage(text);
        return;
      }
      const server = servers.active;
      const check = () => ask(server, `assay.server.${name}`, (client) => words(client, editor));
      if (!vscode.workspace.isTrusted) {
        untilTrusted = check;
      }
      await check();
    });
  const onAll = (name: string) =>
    vscode.commands.registerCommand(`assay.${name}`, () =>
      ask(servers.active, `assay.server.${name}`, () => []),
    );
  // What was asked for before the workspace was trusted, and refused.
  let untilTrusted: (() => Promise<unknown>) | undefined;
  return [
    servers.workspace.onDidChange((state) => {
      // The server starts anew when that has changed.
      if (state.kind === "running" && (state.status?.state ?? "restricted") !== "restricted") {
        void untilTrusted?.();
        untilTrusted = undefined;
      }
    }),
    onEditor("checkFile", fileOf),
    onEditor("checkFunction", positionOf),
    onEditor("triangulateFunction", positionOf),
    onEditor("compareFunction", positionOf),
    onAll("cancelAll"),
    onAll("askConsent"),
  ];
}

/** The server's own commands, which actions and lenses name, registered as servers announce them. */
export class ServerCommands implements vscode.Disposable {
  private readonly registered = new Map<string, vscode.Disposable>();

  constructor(
    private readonly servers: Servers,
    private readonly differences: Differences,
    private readonly evidence: Evidence,
  ) {}

  announce(client: LanguageClient): void {
    const { executeCommandProvider } = client.initializeResult?.capabilities ?? {};
    for (const command of executeCommandProvider?.commands ?? []) {
      if (!this.registered.has(command)) {
        this.registered.set(command, this.register(command));
      }
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.registered.values()).dispose();
  }

  private register(command: string): vscode.Disposable {
    const handle = this.handlerOf(command);
    return vscode.commands.registerCommand(command, (...words: unknown[]) => {
      const [uri] = words;
      const about = typeof uri === "string" ? vscode.Uri.parse(uri) : undefined;
      return handle(this.servers.of(about), words);
    });
  }

  /** What VS Code has a place of its own for is shown there. */
  private handlerOf(command: string): Handler {
    switch (command) {
      case "assay.server.showEvidence":
        return (server, words) => this.evidence.show(server, words);
      case "assay.server.place":
        return showPlace;
      case "assay.server.showDifference":
        return (server, words) => this.differences.open(server, words);
      default:
        return (server, words) => ask(server, command, () => [...words]);
    }
  }
}

/** Have the server do something, or say why it cannot. */
async function ask(
  server: Server,
  command: string,
  words: (client: LanguageClient) => unknown[],
): Promise<unknown> {
  await server.settled;
  const { state, running } = server;
  if (running === undefined) {
    const notRunning = { message: "Assay's server is not running.", button: RESTART };
    void tell(state.kind === "trouble" ? state.trouble : notRunning);
    return undefined;
  }
  return server.execute(command, words(running));
}
