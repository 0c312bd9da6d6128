/** What keeps Assay from working, in words, and the one button that mends or explains it. */
export interface Trouble {
  readonly message: string;
  readonly button: Action;
  /** Nothing is broken: something has only not been done yet. These are its words in the status. */
  readonly pending?: string;
}

/** A command under the name that a button or a menu shows. */
export interface Action {
  readonly title: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

export const INSTALL: Action = { title: "Install", command: "assay.install" };
export const TRY_AGAIN: Action = { title: "Try Again", command: "assay.install" };
export const RESTART: Action = { title: "Restart Server", command: "assay.restart" };
export const SHOW_LOGS: Action = { title: "Show Logs", command: "assay.showLogs" };
export const TRUST: Action = { title: "Manage Workspace Trust", command: "workbench.trust.manage" };
export const OPEN_PATH_SETTING: Action = {
  title: "Open Setting",
  command: "assay.openPathSetting",
};

/** The last line that says something: where programs put what it was that ended them. */
export function lastLine(output: string): string {
  const lines = output.split(/\r?\n/).map((line) => line.trim());
  return lines.findLast((line) => line !== "") ?? "";
}
