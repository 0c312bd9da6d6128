import { type Action, RESTART, SHOW_LOGS } from "../troubles";
import type { State } from "./state";

const SET_UP: Action = { title: "Set Up a Model…", command: "assay.setUpModel" };
const CHANGE: Action = { ...SET_UP, title: "Change the Model…" };
const ANSWER: Action = { title: "Answer the Question…", command: "assay.askConsent" };
const CHECKS: readonly Action[] = [
  { title: "Check This Function", command: "assay.checkFunction" },
  { title: "Check This File", command: "assay.checkFile" },
];
const CANCEL: Action = { title: "Cancel All Checks", command: "assay.cancelAll" };
const TRUST: Action = { title: "Manage Workspace Trust", command: "workbench.trust.manage" };
const ALWAYS: readonly Action[] = [
  { title: "Show All Findings", command: "workbench.actions.view.problems" },
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
  return [
    ...first,
    ...ALWAYS.filter((each) => !first.some(({ command }) => command === each.command)),
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
    case "running":
      switch (state.status?.state) {
        case "restricted":
          return [TRUST];
        case "askingConsent":
          return [ANSWER, SET_UP, ...CHECKS];
        case "noModel":
          return [SET_UP, ...CHECKS];
        case "checking":
          return [CANCEL, ...CHECKS, CHANGE];
        case "problem":
          return [CHANGE, ...CHECKS];
        default:
          return [...CHECKS, CHANGE];
      }
  }
}
