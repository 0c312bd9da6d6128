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

/** A service that Assay knows. An address with `{}` has a part that the user gives. */
export interface Provider {
  readonly name: string;
  readonly base_url: string;
}

export interface Choices {
  readonly servers: readonly LocalServer[];
  readonly providers: readonly Provider[];
  /** Of the endpoint that was asked about. */
  readonly models?: readonly string[];
  readonly problem?: string;
}

export interface Probe {
  readonly problem: string | null;
  readonly seconds: number;
}

/** Asks the command line, which knows services and how to speak to them. A key goes into its environment only. */
export class CommandLine {
  constructor(
    private readonly command: Command,
    private readonly cwd: string,
  ) {}

  /** What could be chosen; with an endpoint, also the models that it lists, or why it does not. */
  choices(endpoint?: Omit<Endpoint, "model">): Promise<Choices> {
    const key = endpoint?.key === undefined ? ["none"] : ["variable", "--key-variable", KEY_VARIABLE];
    const about = endpoint && ["--base-url", endpoint.baseUrl, "--key-from", ...key];
    return this.ask(["setup", "--choices", "--json", ...(about ?? [])], endpoint);
  }

  /** One small request. */
  probe(endpoint: Endpoint): Promise<Probe> {
    return this.ask(["doctor", "--probe", "--json"], endpoint);
  }

  /** Throws `NotRun` if the answer is no JSON. */
  private async ask<Answer>(words: readonly string[], endpoint?: Partial<Endpoint>): Promise<Answer> {
    const { output, error } = await run([...this.command, ...words], {
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
