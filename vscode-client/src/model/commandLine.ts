import type { Command } from "../server/launch";
import { NotRun, run } from "../processes";
import { lastLine } from "../troubles";
import { type Endpoint, KEY_VARIABLE, withEndpoint } from "./endpoint";

const ANSWER_SECONDS = 60;

/** A model server that runs on this machine. */
export interface LocalServer {
  readonly product: string;
  readonly base_url: string;
  readonly models: readonly string[];
}

/** A coding agent on this machine, which needs no key of Assay's. `signed_in` is null if it does not tell. */
export interface FoundCommand {
  readonly name: string;
  readonly product: string;
  readonly signed_in: boolean | null;
  /** What to type to sign in. */
  readonly sign_in: string;
}

/** A service that Assay knows. An address with `{}` has a part that the user gives. */
export interface Provider {
  readonly name: string;
  readonly base_url: string;
}

export interface Choices {
  /** None of an `assay` that knows of none. */
  readonly commands?: readonly FoundCommand[];
  readonly servers: readonly LocalServer[];
  readonly providers: readonly Provider[];
  /** Of the endpoint that was asked about. */
  readonly models?: readonly string[];
  readonly problem?: string;
}

export interface Probe {
  readonly problem?: string | undefined;
  readonly seconds: number;
}

interface Outcome {
  readonly problem?: string;
  readonly test?: { readonly seconds: number } | null;
}

/** Asks the command line, which knows services and how to speak to them.
 *
 * A key goes into its environment only. */
export class CommandLine {
  constructor(
    private readonly command: Command,
    private readonly cwd: string,
  ) {}

  /** What could be chosen; with an endpoint, also the models that it lists, or why it does not. */
  choices(endpoint?: Omit<Endpoint, "model">): Promise<Choices> {
    return this.ask(["--choices"], endpoint);
  }

  /** What one small request showed. */
  async probe(endpoint: Endpoint): Promise<Probe> {
    const words = ["--no-write", "--model", endpoint.model];
    const { problem, test } = await this.ask<Outcome>(words, endpoint);
    return { problem, seconds: test?.seconds ?? 0 };
  }

  /** What one small request by a command showed. If it was answered, Assay's own settings name it. */
  async setUp(command: string): Promise<Probe> {
    const { problem, test } = await this.ask<Outcome>(["--command", command]);
    return { problem, seconds: test?.seconds ?? 0 };
  }

  /** Throws `NotRun` if the answer is no JSON. */
  private async ask<Answer>(
    words: readonly string[],
    endpoint?: Omit<Endpoint, "model">,
  ): Promise<Answer> {
    const key =
      endpoint?.key === undefined ? ["none"] : ["variable", "--key-variable", KEY_VARIABLE];
    const about = endpoint && ["--base-url", endpoint.baseUrl, "--key-from", ...key];
    const command = [...this.command, "setup", "--json", ...words, ...(about ?? [])];
    const { output, error } = await run(command, {
      cwd: this.cwd,
      env: withEndpoint(process.env, endpoint),
      seconds: ANSWER_SECONDS,
    });
    try {
      return JSON.parse(output) as Answer;
    } catch {
      throw new NotRun(lastLine(error) || lastLine(output) || "assay answered nothing");
    }
  }
}
