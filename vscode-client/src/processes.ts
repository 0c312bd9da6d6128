import { type ChildProcess, spawn } from "node:child_process";

// Enough for what an installer says before it fails; the log has all of it.
const KEPT_CHARACTERS = 20_000;
const KILL_SECONDS = 2;

/** How a process ended. `status` is null if a signal ended it or it never began. */
export interface Ended {
  readonly status: number | null;
  readonly output: string;
  readonly error: string;
}

export interface RunOptions {
  /** Never a project's folder: tools read settings there, and Windows looks for programs. */
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly seconds: number;
  readonly signal?: AbortSignal;
  /** Called with each line of either stream as it comes. */
  readonly onLine?: (line: string) => void;
}

/** A program could not be started, was stopped, or took too long. */
export class NotRun extends Error {}

/** Run a program to its end. Throws `NotRun`, not for an exit status. */
export async function run(command: readonly string[], options: RunOptions): Promise<Ended> {
  const [program = "", ...words] = command;
  const child = spawn(program, words, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  const kept = { output: "", error: "" };
  const keep = (stream: "output" | "error") => (data: string) => {
    kept[stream] = (kept[stream] + data).slice(-KEPT_CHARACTERS);
    for (const line of data.split(/[\r\n]+/).filter((each) => each.trim() !== "")) {
      options.onLine?.(line);
    }
  };
  child.stdout.setEncoding("utf8").on("data", keep("output"));
  child.stderr.setEncoding("utf8").on("data", keep("error"));
  return new Promise<Ended>((resolve, reject) => {
    const stop = (reason: string): void => {
      kill(child);
      reject(new NotRun(reason));
    };
    const timer = setTimeout(
      () => stop(`${program} took more than ${options.seconds} s`),
      options.seconds * 1000,
    );
    options.signal?.addEventListener("abort", () => stop(`${program} was stopped`), { once: true });
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(new NotRun(error.message));
    });
    child.once("close", (status) => {
      clearTimeout(timer);
      resolve({ status, ...kept });
    });
  });
}

/** End a process: politely, then not. */
export function kill(child: ChildProcess): void {
  child.kill();
  const timer = setTimeout(() => child.kill("SIGKILL"), KILL_SECONDS * 1000);
  child.once("exit", () => clearTimeout(timer));
}
