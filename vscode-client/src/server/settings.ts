import { homedir } from "node:os";
import * as vscode from "vscode";
import { expanded } from "./words";

/** The section `assay` without what is only for this extension: the server complains about that. */
export type ServerSettings = Readonly<Record<(typeof OF_THE_SERVER)[number], unknown>>;

const OF_THE_SERVER = [
  "interpreter",
  "replay",
  "trigger",
  "askAbove",
  "codeLens",
  "judge",
  "budget",
  "sampling",
  "logLevel",
] as const;

/** The server's settings, as they hold for a file or folder. */
export function serverSettings(scope?: vscode.Uri): ServerSettings {
  const section = vscode.workspace.getConfiguration("assay", scope);
  return Object.fromEntries(
    OF_THE_SERVER.map((name) => [name, section.get(name)]),
  ) as ServerSettings;
}

/** The words of the command in `assay.path`, the executable first; none if it is not set. */
export function commandInSettings(): readonly [string, ...string[]] | undefined {
  const path = vscode.workspace.getConfiguration("assay").get<string | string[]>("path", []);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const [executable, ...others] = (typeof path === "string" ? [path] : path)
    .filter((word) => word !== "")
    .map((word) => expanded(word, homedir(), folder));
  return executable === undefined ? undefined : [executable, ...others];
}

/** Open the setting `assay.path` where it is set. */
export async function openPathSetting(): Promise<void> {
  const set = vscode.workspace.getConfiguration("assay").inspect("path");
  const isOfWorkspace =
    set?.workspaceValue !== undefined || set?.workspaceFolderValue !== undefined;
  const where = isOfWorkspace ? "openWorkspaceSettings" : "openSettings";
  await vscode.commands.executeCommand(`workbench.action.${where}`, { query: "@id:assay.path" });
}
