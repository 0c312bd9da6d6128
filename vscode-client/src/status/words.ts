import type { Outcome, ServerStatus, State } from "./state";

/** What the status bar shows, without the editor's types. */
export interface Words {
  readonly icon: string;
  readonly text: string;
  readonly level: "normal" | "warning" | "error";
  /** Lines of plain text, the first about what the bar shows. */
  readonly details: readonly string[];
}

const NO_MODEL =
  "Assay: no model is set up, so functions are only checked against the examples in their docstrings.";

export function wordsFor(state: State): Words {
  switch (state.kind) {
    case "starting":
      return {
        icon: "sync~spin",
        text: "starting",
        level: "normal",
        details: ["Assay is starting."],
      };
    case "installing":
      return {
        icon: "sync~spin",
        text: "installing",
        level: "normal",
        details: ["Assay is being installed."],
      };
    case "stopped":
      return {
        icon: "circle-slash",
        text: "stopped",
        level: "normal",
        details: ["Assay does not run."],
      };
    case "trouble": {
      const { message, pending } = state.trouble;
      return pending === undefined
        ? { icon: "error", text: "problem", level: "error", details: [message] }
        : { icon: "cloud-download", text: pending, level: "warning", details: [message] };
    }
    case "running":
      return state.status === undefined
        ? { icon: "check", text: "running", level: "normal", details: ["Assay runs."] }
        : fromServer(state.status, state.outcome);
  }
}

function fromServer(status: ServerStatus, outcome: Outcome | undefined): Words {
  const last = outcome === undefined ? [] : [`Last check: ${outcome.message}`];
  const details = [`Assay: ${status.message}`, ...last, ...facts(status)];
  switch (status.state) {
    case "checking":
      return { icon: "sync~spin", text: status.message, level: "normal", details };
    case "problem":
      return { icon: "error", text: "problem", level: "error", details };
    case "askingConsent":
      return {
        icon: "question",
        text: `may it use ${status.host ?? "the model"}?`,
        level: "warning",
        details,
      };
    case "askingCost":
      return { icon: "question", text: status.message, level: "warning", details };
    case "noModel":
      // The server's own message is for editors in which a model cannot be set up.
      return {
        icon: "plug",
        text: "no model",
        level: "warning",
        details: [NO_MODEL, ...facts(status)],
      };
    case "restricted":
      return { icon: "shield", text: "restricted", level: "normal", details };
    case "idle": {
      const { notChecked: _, ...verdicts } = status.counts;
      const isChecked = Object.values(verdicts).some((number) => number > 0);
      const isOpen = status.counts.ambiguous && !status.counts.suspect;
      const settled = isChecked ? "check" : "circle-outline";
      const icon = status.counts.suspect ? "warning" : isOpen ? "info" : settled;
      const text = outcome?.isNew ? `${status.message} · ${outcome.cost}` : status.message;
      return { icon, text, level: "normal", details };
    }
  }
}

/** The model, what it has cost today, and how much of the project can be tried. */
export function facts({ model, host, spent, reach }: ServerStatus): readonly string[] {
  return [
    ...(model === null ? [] : [host === null ? `Model: ${model}` : `Model: ${model} at ${host}`]),
    ...(spent === null ? [] : [`Spent today: ${spentWords(spent)}`]),
    ...(reach ? [reach] : []),
  ];
}

export function spentWords(spent: NonNullable<ServerStatus["spent"]>): string {
  const short = new Intl.NumberFormat("en-US", { notation: "compact" });
  const number = (value: number) => short.format(value);
  const requests = spent.requests === 1 ? "1 request" : `${number(spent.requests)} requests`;
  const tokens = `${number(spent.tokens)} of ${number(spent.tokensPerDay)} tokens`;
  // Nobody pays a coding agent by the token.
  const counted = spent.requests > 0 && spent.tokens === 0 ? [] : [tokens];
  return [requests, ...counted, ...(spent.price ? [spent.price] : [])].join(", ");
}
