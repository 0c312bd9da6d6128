import type { Command } from "../server/launch";
import { NotRun, run } from "../processes";
import { lastLine } from "../troubles";
import { type Endpoint, withEndpoint } from "./endpoint";

const ANSWER_SECONDS = 60;

/** A model server that runs on this machine. */
export interface LocalServer {
  readonly product: string;
  readonly base_url: string;
  readonly models: readonly string[];
}

/** A service that Assay knows. */
export interface Provider {
  readonly name: string;
  readonly base_url: string;
  readonly wants_key: boolean;
  readonly wants_address: boolean;
  readonly keys_at: string | null;
}

export interface Choices {
  readonly servers: readonly LocalServer[];
  readonly providers: readonly Provider[];
}

export interface Probe {
  readonly works: boolean;
  readonly problem: string | null;
  readonly seconds: number | null;
}

/** Asks the command line, which knows services and how to speak to them. A key goes into its environment only. */
export class CommandLine {
  constructor(
    private readonly command: Command,
    private readonly cwd: string,
  ) {}

  choices(): Promise<Choices> {
    return this.ask(["setup", "--list", "--format", "json"]);
  }

  /** The models that an endpoint lists, or why it does not. */
  models(endpoint: Partial<Endpoint>): Promise<{ models?: readonly string[]; problem?: string }> {
    return this.ask(["setup", "--models", "--format", "json"], endpoint);
  }

  /** One small request. */
  probe(endpoint: Endpoint): Promise<Probe> {
    return this.ask(["doctor", "--probe", "--format", "json"], endpoint);
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
