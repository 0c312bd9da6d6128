import { type Action, RESTART, SHOW_LOGS, TRUST } from "../troubles";
import type { ServerStatus, State } from "./state";

const SET_UP: Action = { title: "Set Up a Model…", command: "assay.setUpModel" };
const CHANGE: Action = { ...SET_UP, title: "Change the Model…" };
const ANSWER: Action = { title: "Answer the Question…", command: "assay.askConsent" };
const CHECK_FUNCTION: Action = {
  title: "Check This Function",
  command: "assay.checkFunction",
};
const CHECK_FILE: Action = { title: "Check This File", command: "assay.checkFile" };
const CHECKS: readonly Action[] = [CHECK_FUNCTION, CHECK_FILE];
const TRY_AGAIN: Action = { ...CHECK_FILE, title: "Try Again: Check This File" };
const CANCEL: Action = { title: "Cancel All Checks", command: "assay.cancelAll" };
const FINDINGS: Action = {
  title: "Show All Findings",
  command: "workbench.actions.view.problems",
};
const ALWAYS: readonly Action[] = [
  FINDINGS,
  { title: "Take the Tour", command: "assay.openWalkthrough" },
  {
    title: "Open Settings",
    command: "workbench.action.openSettings",
    arguments: ["@ext:assay.assay"],
  },
  RESTART,
  SHOW_LOGS,
];

/** What can be done about a state, what helps first. */
export function actionsFor(state: State): readonly Action[] {
  const first = helpful(state);
  const isNotInstalled = state.kind === "trouble" && state.trouble.pending !== undefined;
  const useless = [...first, ...(isNotInstalled ? [FINDINGS, RESTART] : [])];
  return [
    ...first,
    ...ALWAYS.filter((each) => !useless.some(({ command }) => command === each.command)),
  ];
}

function helpful(state: State): readonly Action[] {
  switch (state.kind) {
    case "trouble":
      return [state.trouble.button];
    case "starting":
    case "installing":
    case "stopped":
      return [];
    case "running": {
      const { status } = state;
      const isAsking = status?.question != null || status?.state.startsWith("asking");
      return [...(isAsking ? [ANSWER] : []), ...helpfulWhile(status)];
    }
  }
}

function helpfulWhile(status: ServerStatus | undefined): readonly Action[] {
  switch (status?.state) {
    case "restricted":
      return [TRUST];
    case "askingConsent":
    case "noModel":
      return [SET_UP, ...CHECKS];
    case "checking":
      return [CANCEL, ...CHECKS, CHANGE];
    case "problem":
      return [TRY_AGAIN, CHECK_FUNCTION, CHANGE];
    default:
      return [...CHECKS, CHANGE];
  }
}
