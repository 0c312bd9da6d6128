import assert from "node:assert/strict";
import { test } from "node:test";
import { actionsFor } from "../src/status/menu";
import type { ServerStatus, State } from "../src/status/state";
import { wordsFor } from "../src/status/words";

function running(changes: Partial<ServerStatus>): State {
  const status: ServerStatus = {
    state: "idle",
    message: "nothing to report",
    checking: null,
    counts: {},
    spent: { requests: 37, tokens: 11204, tokensPerDay: 2_000_000 },
    model: "qwen3-coder",
    host: "127.0.0.1:11434",
    question: null,
    ...changes,
  };
  return { kind: "running", status };
}

const TROUBLE = { message: "Assay: it broke", button: { title: "Mend", command: "mend" } };

// State, text in the bar, what the menu offers first.
const STATES: readonly (readonly [State, string, string])[] = [
  [{ kind: "starting" }, "starting", "Show All Findings"],
  [{ kind: "trouble", trouble: TROUBLE }, "problem", "Mend"],
  [
    running({ state: "noModel", message: "no model", model: null, host: null }),
    "no model",
    "Set Up a Model…",
  ],
  [
    running({ state: "askingConsent", message: "asks", question: "asks" }),
    "may it use 127.0.0.1:11434?",
    "Answer the Question…",
  ],
  [
    running({ state: "askingCost", message: "check 4 functions of a.py? About 52 requests" }),
    "check 4 functions of a.py? About 52 requests",
    "Answer the Question…",
  ],
  [
    running({ state: "checking", message: "checking 3 of 7 (12 s)", question: "check 9?" }),
    "checking 3 of 7 (12 s)",
    "Answer the Question…",
  ],
  [
    running({ state: "checking", message: "checking 3 of 7 (12 s)" }),
    "checking 3 of 7 (12 s)",
    "Cancel All Checks",
  ],
  [
    running({ state: "problem", message: "the endpoint refuses the key" }),
    "problem",
    "Try Again: Check This File",
  ],
  [running({ state: "restricted", message: "restricted" }), "restricted", "Manage Workspace Trust"],
  [running({ message: "2 suspect", counts: { suspect: 2 } }), "2 suspect", "Check This Function"],
];

test("each state has its words and offers what helps first, and everything once", () => {
  for (const [state, text, first] of STATES) {
    assert.equal(wordsFor(state).text, text);
    const titles = actionsFor(state).map(({ title }) => title);
    assert.equal(titles[0], first);
    assert.equal(new Set(titles).size, titles.length);
  }
});

test("what a check came to stays in the details, and its cost beside the verdicts for a while", () => {
  const message = "3 checked: 1 trusted, 2 suspect; 33 requests, 8k tokens";
  const outcome = { message, cost: "33 requests, 8k tokens", isNew: true };
  const state = running({ message: "2 suspect", counts: { suspect: 2, trusted: 1 } });
  assert.ok(state.kind === "running");
  const { text, details } = wordsFor({ ...state, outcome });
  assert.equal(text, "2 suspect · 33 requests, 8k tokens");
  assert.equal(details[1], `Last check: ${message}`);
  const later = wordsFor({ ...state, outcome: { ...outcome, isNew: false } });
  assert.equal(later.text, "2 suspect");
  assert.equal(later.details[1], `Last check: ${message}`);
});

test("a tick says that something was checked", () => {
  const iconOf = (counts: ServerStatus["counts"]) => wordsFor(running({ counts })).icon;
  assert.equal(iconOf({ trusted: 1, notChecked: 2 }), "check");
  assert.equal(iconOf({ trusted: 0, notChecked: 2 }), "circle-outline");
});

test("the details name the model and what was spent today", () => {
  assert.deepEqual(wordsFor(running({ message: "2 suspect" })).details, [
    "Assay: 2 suspect",
    "Model: qwen3-coder at 127.0.0.1:11434",
    "Spent today: 37 requests, 11K of 2M tokens",
  ]);
  const reach = "1 of 2 documented functions can be checked here; 1 import what is not installed";
  assert.ok(wordsFor(running({ reach })).details.includes(reach));
  const spent = { requests: 1, tokens: 9, tokensPerDay: 10, price: "0.02 USD" };
  assert.ok(
    wordsFor(running({ spent })).details.includes("Spent today: 1 request, 9 of 10 tokens, 0.02 USD"),
  );
  const byRequest = { requests: 12, tokens: 0, tokensPerDay: 10, price: null };
  assert.ok(
    wordsFor(running({ spent: byRequest })).details.includes("Spent today: 12 requests"),
  );
});
