import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";
import {
  DidSaveTextDocumentNotification,
  ExecuteCommandRequest,
  type LanguageClient,
  State as ClientState,
} from "vscode-languageclient/node";
import { pythonInView } from "../editors";
import { Postponed } from "../postponed";
import type { Outcome, ServerStatus, State } from "../status/state";
import { tell } from "../telling";
import { SHOW_LOGS, type Trouble } from "../troubles";
import { makeClient, type Realm } from "./client";
import { type Failure, failureTrouble } from "./failing";
import type { Launch } from "./launch";
import { NotStarted, ServerProcess } from "./process";

const START_SECONDS = 30;
const OUTCOME_SECONDS = 20;
const ENDINGS_MAX = 4;
const ENDINGS_MINUTES = 3;

export interface ServerOptions {
  readonly realm: Realm;
  readonly log: vscode.LogOutputChannel;
  /** Where processes work: no project's folder. */
  readonly cwd: string;
  readonly launch: () => Promise<Launch>;
  readonly environment: () => Promise<NodeJS.ProcessEnv>;
  /** Called when a server answers, before anything is asked of it. */
  readonly onRunning: (client: LanguageClient, launch: Launch) => void;
}

/** One `assay server`: starts and ends its process, and knows what became of it. */
export class Server implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<State>();
  private readonly saves: vscode.Disposable;
  private current: State = { kind: "stopped" };
  private client: LanguageClient | undefined;
  private process: ServerProcess | undefined;
  private tail: Promise<void> = Promise.resolve();
  private waiting: Promise<void> | undefined;
  private endings: number[] = [];
  private outcome: Outcome | undefined;
  private readonly aging = new Postponed(
    () => this.conclude(this.outcome && { ...this.outcome, isNew: false }),
    OUTCOME_SECONDS * 1000,
  );
  // Saved while no server was there to see it.
  private readonly unseen = new Set<string>();

  readonly onDidChange = this.changed.event;

  constructor(private readonly options: ServerOptions) {
    this.saves = vscode.workspace.onDidSaveTextDocument(({ uri, languageId }) => {
      if (languageId === "python" && options.realm.owns(uri) && this.running === undefined) {
        this.unseen.add(uri.toString());
      }
    });
  }

  get state(): State {
    return this.current;
  }

  /** The client, while its server answers. */
  get running(): LanguageClient | undefined {
    return this.client?.isRunning() === true ? this.client : undefined;
  }

  /** Done with whatever start or stop was under way or waiting. */
  get settled(): Promise<void> {
    return this.tail;
  }

  owns(uri: vscode.Uri): boolean {
    return this.options.realm.owns(uri);
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
    return this.enqueue(async () => {
      await this.discard();
      this.show({ kind: "stopped" });
    });
  }

  show(state: State): void {
    this.current = state;
    this.changed.fire(state);
  }

  /** Nothing can work before the user has done something about it. */
  fail(trouble: Trouble): void {
    this.options.log.error(trouble.message);
    this.show({ kind: "trouble", trouble });
    void this.tellWhenOfUse(trouble);
  }

  /** What is only not done yet is of no use to anybody before there is a Python file to check. */
  private async tellWhenOfUse(trouble: Trouble): Promise<void> {
    if (trouble.pending !== undefined) {
      await pythonInView();
      if (this.current.kind !== "trouble" || this.current.trouble !== trouble) {
        return;
      }
    }
    await tell(trouble);
  }

  /** What the server answers to a command; undefined if none runs. */
  async execute<Answer>(command: string, words: readonly unknown[]): Promise<Answer | undefined> {
    return this.running?.sendRequest(ExecuteCommandRequest.type, {
      command,
      arguments: [...words],
    }) as Promise<Answer | undefined> | undefined;
  }

  private conclude(outcome: Outcome | undefined): void {
    this.outcome = outcome;
    if (this.current.kind === "running") {
      this.show({ ...this.current, outcome });
    }
  }

  dispose(): void {
    this.aging.dispose();
    this.saves.dispose();
    this.changed.dispose();
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.tail = this.tail
      .then(step)
      .catch((error: unknown) => this.fail({ message: `Assay: ${error}`, button: SHOW_LOGS }));
    return this.tail;
  }

  private async start(): Promise<void> {
    const { log, cwd, realm } = this.options;
    this.show({ kind: "starting" });
    const launch = await this.options.launch();
    log.info(`starting ${launch.command.join(" ")} server`);
    try {
      this.process = await ServerProcess.start(
        launch.command,
        cwd,
        await this.options.environment(),
      );
    } catch (error) {
      if (!(error instanceof NotStarted)) {
        throw error;
      }
      log.error(error.message);
      this.fail(failureTrouble(launch, { kind: "missing" }));
      return;
    }
    const client = makeClient(this.process, realm, log);
    this.client = client;
    const failure = await this.failed(client, this.process);
    if (failure !== undefined) {
      await this.discard();
      this.fail(failureTrouble(launch, failure));
      return;
    }
    this.show({ kind: "running", status: undefined, outcome: this.outcome });
    client.onNotification("assay/status", (status: ServerStatus) =>
      this.show({ kind: "running", status, outcome: this.outcome }),
    );
    // No message: it would cover the verdicts above the functions, and have to be dismissed.
    client.onNotification("assay/outcome", (outcome: Outcome) => {
      this.conclude({ ...outcome, isNew: true });
      this.aging.soon();
    });
    client.onDidChangeState(({ newState }) => {
      if (client === this.client && newState === ClientState.Stopped) {
        void this.enqueue(() => this.revive(client, launch));
      }
    });
    this.options.onRunning(client, launch);
    await this.makeUpForSaves(client);
  }

  /** Why the client did not get an answer to `initialize`, if it did not. */
  private async failed(
    client: LanguageClient,
    process: ServerProcess,
  ): Promise<Failure | undefined> {
    const deadline = new AbortController();
    const started = client.start().then(
      () => "running" as const,
      (error: unknown) => {
        this.options.log.error(String(error));
        // The process has the last word, if it has ended.
        return setTimeout(START_SECONDS * 1000, "silent" as const, { signal: deadline.signal });
      },
    );
    const late = setTimeout(START_SECONDS * 1000, "silent" as const, { signal: deadline.signal });
    const outcome = await Promise.race([started, late, process.ended]);
    deadline.abort();
    for (const rest of [started, late]) {
      rest.catch(() => undefined);
    }
    switch (outcome) {
      case "running":
        return undefined;
      case "silent":
        return { kind: "silent", seconds: START_SECONDS };
      default:
        return { kind: "ended", status: outcome, complaint: process.complaint };
    }
  }

  /** Start again what has ended by itself, unless it does so again and again. */
  private async revive(client: LanguageClient, launch: Launch): Promise<void> {
    if (client !== this.client) {
      return;
    }
    const complaint = this.process?.complaint ?? "";
    await this.discard();
    const since = Date.now() - ENDINGS_MINUTES * 60_000;
    this.endings = [...this.endings.filter((time) => time > since), Date.now()];
    if (this.endings.length < ENDINGS_MAX) {
      this.options.log.warn("the server stopped unexpectedly and is started again");
      await this.start();
    } else {
      this.endings = [];
      this.fail(failureTrouble(launch, { kind: "keeps-ending", times: ENDINGS_MAX, complaint }));
    }
  }

  private async discard(): Promise<void> {
    const { client, process } = this;
    this.client = undefined;
    this.process = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      // A client that never got to run cannot be stopped politely.
      this.options.log.debug(String(error));
      process?.end();
    }
    await process?.leave();
  }

  /** Saves that no server saw: it has had the documents opened by now, and checks as if it had. */
  private async makeUpForSaves(client: LanguageClient): Promise<void> {
    const missed = vscode.workspace.textDocuments.filter(
      ({ uri, isDirty }) => this.unseen.has(uri.toString()) && !isDirty,
    );
    this.unseen.clear();
    for (const { uri } of missed) {
      await client.sendNotification(DidSaveTextDocumentNotification.type, {
        textDocument: { uri: client.code2ProtocolConverter.asUri(uri) },
      });
    }
  }
}
