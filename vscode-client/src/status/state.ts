import type { Trouble } from "../troubles";

/** What `assay/status` carries: see docs/protocol.md. */
export interface ServerStatus {
  readonly state: "restricted" | "checking" | "problem" | "askingConsent" | "askingCost" | "noModel" | "idle";
  readonly message: string;
  readonly checking: {
    readonly done: number;
    readonly total: number;
    readonly seconds: number;
  } | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly spent: {
    readonly requests: number;
    readonly tokens: number;
    readonly tokensPerDay: number;
    readonly price?: string | null;
  } | null;
  readonly model: string | null;
  readonly host: string | null;
  /** How many functions can be tried, where some cannot; an older server does not say. */
  readonly reach?: string | null;
  /** What waits for an answer, whatever the state; missing if the server is of an earlier version. */
  readonly question?: string | null;
}

/** What `assay/outcome` carries: what the last check that was asked for came to, and what it cost. */
export interface Outcome {
  readonly message: string;
  readonly cost: string;
  /** Whether it is news. */
  readonly isNew?: boolean;
}

/** What is known of a server: what became of its process, and what it says of itself. */
export type State =
  | { readonly kind: "starting" | "installing" | "stopped" }
  | {
      readonly kind: "running";
      readonly status: ServerStatus | undefined;
      readonly outcome?: Outcome | undefined;
    }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

/** Whether the server has a model that it may ask. */
export function modelIsKnown(state: State): boolean {
  const status = state.kind === "running" ? state.status : undefined;
  return status?.model != null && !["noModel", "askingConsent"].includes(status.state);
}
