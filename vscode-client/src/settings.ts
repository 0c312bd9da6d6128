import * as vscode from "vscode";

/** What the server is started with. Keys are not here: the server reads them from its environment. */
export interface Settings {
  readonly command: readonly string[];
  readonly initializationOptions: {
    readonly interpreter: string;
    readonly replay: string;
    readonly trigger: string;
    readonly logLevel: string;
    readonly trusted: true;
  };
}

export function readSettings(): Settings {
  const section = vscode.workspace.getConfiguration("assay");
  const path = section.get<string | string[]>("path", ["assay"]);
  const words = (typeof path === "string" ? [path] : path).filter((word) => word !== "");
  return {
    command: (words.length > 0 ? words : ["assay"]).map(expand),
    initializationOptions: {
      interpreter: expand(section.get("interpreter", "")),
      replay: expand(section.get("replay", "")),
      trigger: section.get("trigger", "save"),
      logLevel: section.get("logLevel", "info"),
      // The manifest keeps this extension out of untrusted workspaces, so whoever gets here is trusted.
      trusted: true,
    },
  };
}

function expand(text: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  return folder === undefined ? text : text.replaceAll("${workspaceFolder}", folder);
}
