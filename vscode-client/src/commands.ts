import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { ExecuteCommandRequest } from "vscode-languageclient/node";
import type { Server } from "./server";

type Arguments = (client: LanguageClient, editor: vscode.TextEditor) => unknown[];

export function registerCommands(server: Server, log: vscode.OutputChannel): vscode.Disposable[] {
  const register = vscode.commands.registerCommand;
  return [
    register("assay.restart", () => server.restart()),
    register("assay.showLogs", () => log.show()),
    register("assay.checkFile", () => onEditor(server, "assay.server.checkFile", fileOf)),
    register("assay.checkFunction", () =>
      onEditor(server, "assay.server.checkFunction", positionOf),
    ),
    register("assay.triangulateFunction", () =>
      onEditor(server, "assay.server.triangulateFunction", positionOf),
    ),
    register("assay.cancelAll", () => execute(server, "assay.server.cancelAll", () => [])),
  ];
}

const fileOf: Arguments = (client, editor) => [
  client.code2ProtocolConverter.asUri(editor.document.uri),
];

const positionOf: Arguments = (client, editor) => [
  client.code2ProtocolConverter.asUri(editor.document.uri),
  client.code2ProtocolConverter.asPosition(editor.selection.active),
];

async function onEditor(server: Server, command: string, make: Arguments): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== "python") {
    void vscode.window.showInformationMessage("Assay checks Python files: open one and try again.");
    return;
  }
  await execute(server, command, (client) => make(client, editor));
}

async function execute(
  server: Server,
  command: string,
  makeArguments: (client: LanguageClient) => unknown[],
): Promise<void> {
  const client = server.running;
  if (client === undefined) {
    const restart = "Restart Server";
    const choice = await vscode.window.showWarningMessage("Assay's server is not running.", restart);
    if (choice === restart) {
      await server.restart();
    }
    return;
  }
  await client.sendRequest(ExecuteCommandRequest.type, {
    command,
    arguments: makeArguments(client),
  });
}
