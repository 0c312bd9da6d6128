import * as vscode from "vscode";
import { registerCommands } from "./commands";
import { Server } from "./server";
import { Status } from "./status";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("Assay", { log: true });
  const status = new Status();
  const started = new Server(log, status);
  server = started;
  context.subscriptions.push(
    log,
    status,
    ...registerCommands(started, log),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("assay") && started.isOutdated) {
        void started.restart();
      }
    }),
  );
  await started.restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
