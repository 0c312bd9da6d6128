import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import { LanguageClient, RevealOutputChannelOn, State } from "vscode-languageclient/node";
import { readSettings, type Settings } from "./settings";
import type { Status } from "./status";

const START_SECONDS = 30;

/** The one `assay server` of this window. */
export class Server {
  private client: LanguageClient | undefined;
  private startedWith: Settings | undefined;
  private tail: Promise<void> = Promise.resolve();
  private waiting: Promise<void> | undefined;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly status: Status,
  ) {}

  /** The client, while its server answers. */
  get running(): LanguageClient | undefined {
    return this.client?.isRunning() === true ? this.client : undefined;
  }

  isOutdated(settings: Settings): boolean {
    return !isDeepStrictEqual(settings, this.startedWith);
  }

  /** Start, or start again. One restart waits behind the one under way; more would only repeat it. */
  restart(): Promise<void> {
    this.waiting ??= this.enqueue(async () => {
      this.waiting = undefined;
      await this.discard();
      await this.start(readSettings());
    });
    return this.waiting;
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.discard());
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.tail = this.tail.then(step).catch((error: unknown) => this.log.error(String(error)));
    return this.tail;
  }

  private async start(settings: Settings): Promise<void> {
    this.startedWith = settings;
    this.status.starting();
    const client = this.makeClient(settings);
    this.client = client;
    try {
      await withDeadline(client.start(), START_SECONDS);
    } catch (error) {
      this.reportFailure(error, settings);
    }
  }

  private async discard(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      // A client that never got to run cannot be stopped politely; its process is ended all the same.
      this.log.debug(String(error));
    }
  }

  private makeClient(settings: Settings): LanguageClient {
    const [command = "assay", ...words] = settings.command;
    const client = new Client(
      "assay",
      "Assay",
      { command, args: [...words, "server"] },
      {
        documentSelector: [{ scheme: "file", language: "python" }],
        outputChannel: this.log,
        traceOutputChannel: this.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        initializationOptions: settings.initializationOptions,
        middleware: {
          handleWorkDoneProgress: (token, params, next) => {
            if (params.kind === "begin") {
              this.status.began(token);
            } else if (params.kind === "end") {
              this.status.ended(token);
            }
            next(token, params);
          },
        },
      },
    );
    client.onDidChangeState(({ newState }) => this.follow(client, newState));
    return client;
  }

  private follow(client: LanguageClient, state: State): void {
    if (client !== this.client) {
      return;
    }
    if (state === State.Running) {
      this.status.ready();
    } else if (state === State.Starting) {
      this.status.starting();
    } else {
      this.status.failed("The server has stopped. Restart it, or read the log.");
    }
  }

  private reportFailure(error: unknown, settings: Settings): void {
    if (isMissing(error)) {
      this.status.failed(`${settings.command[0]} was not found`);
      void offerToInstall(settings.command[0] ?? "assay");
    } else {
      this.status.failed(String(error));
      this.log.error(String(error));
    }
  }
}

/** A client that leaves the message about a missing executable to us: ours says what to do. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown, show?: boolean | "force"): void {
    super.error(message, data, isMissing(data) ? false : show);
  }
}

function isMissing(error: unknown): boolean {
  return /\bspawn .*ENOENT/.test(String(error));
}

async function offerToInstall(command: string): Promise<void> {
  const settings = "Open Settings";
  const restart = "Restart Server";
  const choice = await vscode.window.showErrorMessage(
    `Assay: "${command}" was not found. Install it with "pipx install assay" or ` +
      `"uv tool install assay", or say where it is in the setting assay.path.`,
    restart,
    settings,
  );
  if (choice === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "assay.path");
  } else if (choice === restart) {
    await vscode.commands.executeCommand("assay.restart");
  }
}

async function withDeadline(work: Promise<void>, seconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const complaint = new Error(`no answer to "initialize" within ${seconds} s`);
    timer = setTimeout(() => reject(complaint), seconds * 1000);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
