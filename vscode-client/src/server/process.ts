import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { kill } from "../processes";
import type { Command } from "./launch";

const COMPLAINT_CHARACTERS = 4000;
// A server that was asked to leave ends its own children first.
const LEAVE_SECONDS = 5;
const LAST_WORDS_MILLISECONDS = 500;

/** There is no such executable, or it may not be run. */
export class NotStarted extends Error {}

/** One process of `assay server`, with what it last wrote to its standard error. */
export class ServerProcess {
  private written = "";

  private constructor(readonly child: ChildProcessWithoutNullStreams) {
    child.stderr.on("data", (data: Buffer) => {
      this.written = (this.written + data.toString()).slice(-COMPLAINT_CHARACTERS);
    });
  }

  /** Start it; `NotStarted` is thrown if that cannot be done. */
  static async start(
    command: Command,
    cwd: string,
    env: NodeJS.ProcessEnv,
  ): Promise<ServerProcess> {
    const [executable, ...words] = command;
    const child = spawn(executable, [...words, "server"], { cwd, env, windowsHide: true });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(new NotStarted(error.message)));
    });
    return new ServerProcess(child);
  }

  get complaint(): string {
    return this.written;
  }

  /** The exit status, once it has ended and said why; null after a signal. */
  get ended(): Promise<number | null> {
    const { child } = this;
    const isOver = child.exitCode !== null || child.signalCode !== null;
    const exit = isOver ? Promise.resolve() : once(child, "exit");
    // Its children may hold its standard error open for longer than it lives.
    return exit
      .then(() => Promise.race([once(child.stderr, "close"), setTimeout(LAST_WORDS_MILLISECONDS)]))
      .then(() => child.exitCode);
  }

  /** Wait for a process that was asked to leave, and end one that does not. */
  async leave(): Promise<void> {
    await Promise.race([this.ended, setTimeout(LEAVE_SECONDS * 1000)]);
    this.end();
  }

  end(): void {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      kill(this.child);
    }
  }
}
