import * as vscode from "vscode";
import { commandInSettings } from "../server/settings";
import type { Servers } from "../servers";
import { tell } from "../telling";
import { OPEN_PATH_SETTING, SHOW_LOGS, type Trouble } from "../troubles";
import { NotInstalled, type OwnEnvironments } from "./environment";
import { NOT_INSTALLED } from "./failing";

const SHOWN_CHARACTERS = 60;

/** Installs the server that this extension carries, and shows how far that is. */
export class Installer {
  private underWay: Promise<boolean> | undefined;

  constructor(
    private readonly environments: OwnEnvironments,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Install because the user wants it, also over what is there. */
  async install(servers: Servers): Promise<void> {
    // It may run from the folder that is made anew.
    await servers.stop();
    servers.workspace.show({ kind: "installing" });
    try {
      if (!(await this.once("Installing Assay"))) {
        servers.workspace.show({ kind: "trouble", trouble: NOT_INSTALLED });
        return;
      }
    } catch (error) {
      servers.workspace.fail(troubleOf(error));
      return;
    }
    await servers.restart();
    if (commandInSettings() !== undefined) {
      const message =
        "Assay is installed, but the setting assay.path names another one, which is used.";
      void tell({ message, button: OPEN_PATH_SETTING });
    }
  }

  /** Install what an update of this extension has brought. The user is told if that fails. */
  async update(): Promise<void> {
    try {
      await this.once("Updating Assay");
    } catch (error) {
      void tell(troubleOf(error));
    }
  }

  /** False if the user stopped it. Whoever asks while it is under way waits for the same. */
  private once(title: string): Promise<boolean> {
    this.underWay ??= this.withProgress(title).finally(() => {
      this.underWay = undefined;
    });
    return this.underWay;
  }

  private async withProgress(title: string): Promise<boolean> {
    const stopping = new AbortController();
    return vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      async (progress, token) => {
        token.onCancellationRequested(() => stopping.abort());
        try {
          await this.environments.install({
            signal: stopping.signal,
            onLine: (line) => {
              this.log.info(line);
              progress.report({ message: shown(line) });
            },
          });
          return true;
        } catch (error) {
          if (stopping.signal.aborted) {
            return false;
          }
          throw error;
        }
      },
    );
  }
}

function troubleOf(error: unknown): Trouble {
  return error instanceof NotInstalled
    ? error.trouble
    : { message: `Assay could not be installed: ${error}`, button: SHOW_LOGS };
}

/** "Collecting click>=8.3 (from assay)" as it stands, but no long paths. */
function shown(line: string): string {
  const words = line.replace(/\S*[\\/](\S+)/g, "$1").trim();
  return words.length > SHOWN_CHARACTERS ? `${words.slice(0, SHOWN_CHARACTERS)}…` : words;
}
