import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import { type LanguageClient, State } from "vscode-languageclient/node";
import { isMissing, makeClient } from "./client";
import { serverCommand } from "./settings";
import type { Status } from "./status";

const START_SECONDS = 30;

/** The one `assay server` of this window. */
export class Server {
  private client: LanguageClient | undefined;
  private command = serverCommand();
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

  /** Whether the settings now name another command. All others reach the server while it runs. */
  get isOutdated(): boolean {
    return !isDeepStrictEqual(serverCommand(), this.command);
  }

  /** Start, or start again. One restart waits behind the one under way; more would only repeat it. */
  restart(): Promise<void> {
    this.waiting ??= this.enqueue(async () => {
      this.waiting = undefined;
      await this.discard();
      await this.start();
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

  private async start(): Promise<void> {
    this.command = serverCommand();
    this.status.starting();
    this.log.info(`starting ${this.command.join(" ")} server`);
    const client = makeClient(this.command, this.log, this.status);
    client.onDidChangeState(({ newState }) => this.follow(client, newState));
    this.client = client;
    try {
      await withDeadline(client.start(), START_SECONDS);
    } catch (error) {
      this.reportFailure(error);
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

  private reportFailure(error: unknown): void {
    if (isMissing(error)) {
      this.status.failed(`${this.command[0]} was not found`);
      void offerToInstall(this.command[0]);
    } else {
      this.status.failed(String(error));
      this.log.error(String(error));
    }
  }
}

async function offerToInstall(command: string): Promise<void> {
  const settings = "Open Settings";
  const restart = "Restart Server";
  const choice = await vscode.window.showErrorMessage(
    `Assay: "${command}" was not found. Install it from a clone of its repository, with ` +
      `"uv tool install ." or "pip install .", or say where it is in the setting assay.path.`,
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
