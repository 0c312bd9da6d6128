import * as vscode from "vscode";

/** What the server understands of the section `assay`; the rest of it is for this extension. */
export interface ServerSettings {
  readonly interpreter: string;
  readonly replay: string;
  readonly trigger: string;
  readonly judge: string;
  readonly logLevel: string;
}

export function serverSettings(): ServerSettings {
  const section = vscode.workspace.getConfiguration("assay");
  return {
    interpreter: section.get("interpreter", ""),
    replay: section.get("replay", ""),
    trigger: section.get("trigger", "save"),
    judge: section.get("judge", ""),
    logLevel: section.get("logLevel", "warning"),
  };
}

/** The words of the command that runs `assay`, the executable first. */
export function serverCommand(): readonly [string, ...string[]] {
  const path = vscode.workspace.getConfiguration("assay").get<string | string[]>("path", []);
  const words = (typeof path === "string" ? [path] : path).filter((word) => word !== "");
  const [executable = "assay", ...others] = words.map(expand);
  return [executable, ...others];
}

function expand(word: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  return folder === undefined ? word : word.replaceAll("${workspaceFolder}", folder);
}
