import { NOT_INSTALLED } from "../install/failing";
import {
  INSTALL,
  lastLine,
  OPEN_PATH_SETTING,
  RESTART,
  SHOW_LOGS,
  type Trouble,
} from "../troubles";
import type { Launch } from "./launch";

/** How a server came to nothing. */
export type Failure =
  | { readonly kind: "missing" }
  | { readonly kind: "ended"; readonly status: number | null; readonly complaint: string }
  | { readonly kind: "silent"; readonly seconds: number }
  | { readonly kind: "keeps-ending"; readonly times: number; readonly complaint: string };

const INSTALL_AGAIN = { ...INSTALL, title: "Install Again" };

export function failureTrouble(launch: Launch, failure: Failure): Trouble {
  const shown = launch.command.join(" ");
  switch (failure.kind) {
    case "missing":
      return missing(launch);
    case "ended":
      return endedAtStart(launch, shown, failure.complaint || unexplained(failure.status));
    case "silent": {
      const message =
        `Assay: "${shown}" was started and did not answer within ${failure.seconds} s, ` +
        "so it was stopped.";
      return { message, button: RESTART };
    }
    case "keeps-ending": {
      const why = lastLine(failure.complaint) || "it did not say why";
      const message =
        `Assay: the server has stopped ${failure.times} times within minutes and is not started ` +
        `again: ${why}`;
      return { message, button: SHOW_LOGS };
    }
  }
}

/** A server that answers, but is of another version than this extension. */
export function versionTrouble(launch: Launch, found: string, wanted: string): Trouble {
  const message =
    `Assay: "${launch.command.join(" ")}" is version ${found}, but this extension needs ` +
    `${wanted}. Some things will not work.`;
  return launch.origin === "setting"
    ? { message, button: OPEN_PATH_SETTING }
    : { message, button: { ...INSTALL, title: `Install ${wanted}` } };
}

function missing({ origin, command }: Launch): Trouble {
  switch (origin) {
    case "setting":
      return {
        message:
          `Assay: "${command[0]}" was not found. The setting assay.path names it; without that ` +
          "setting, Assay can be installed just for VS Code.",
        button: OPEN_PATH_SETTING,
      };
    case "own":
      return {
        message: "Assay: the Python that it was installed with is no longer there.",
        button: INSTALL_AGAIN,
      };
    case "path":
      return NOT_INSTALLED;
  }
}

function unexplained(status: number | null): string {
  return status === null ? "it was killed" : `exit status ${status}`;
}

function endedAtStart({ origin }: Launch, shown: string, complaint: string): Trouble {
  const why = lastLine(complaint);
  switch (origin) {
    case "setting":
      return {
        message:
          `Assay: "${shown}", which the setting assay.path names, stopped right after it ` +
          `was started: ${why}`,
        button: OPEN_PATH_SETTING,
      };
    case "own":
      return {
        message: `Assay: its server stopped right after it was started: ${why}`,
        button: INSTALL_AGAIN,
      };
    case "path":
      return {
        message:
          `Assay: the "${shown}" on the PATH stopped right after it was started. It may be another ` +
          `program of that name, or broken: ${why}`,
        button: INSTALL,
      };
  }
}
