import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { pythonTrouble, stepTrouble } from "../src/install/failing";
import { findWheel } from "../src/install/wheel";
import { failureTrouble, versionTrouble } from "../src/server/failing";
import type { Launch } from "../src/server/launch";
import { OWN_ANSWERS, shownAs } from "../src/server/questions";
import { lastLine } from "../src/troubles";

const python = (version: [number, number, number], makesEnvironments = true) => ({
  executable: "/usr/bin/python3",
  version,
  makesEnvironments,
});
const launch = (origin: Launch["origin"]): Launch => ({ command: ["assay"], origin });

// What the installers and the system really print.
const OUTPUTS: readonly (readonly [string, RegExp, string])[] = [
  [
    "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
    /disk is full/,
    "Try Again",
  ],
  ["Error: ENOSPC: no space left on device, mkdir '/x'", /disk is full/, "Try Again"],
  [
    "error: Failed to extract archive\n  Caused by: No space left on device (os error 28)",
    /disk is full/,
    "Try Again",
  ],
  [
    "WARNING: Retrying after connection broken by 'NewConnectionError('[Errno 111] Refused')'\n" +
      "ERROR: No matching distribution found for click>=8.3.2",
    /did not reach the package index/,
    "Try Again",
  ],
  [
    "error: Failed to fetch: `https://pypi.org/simple/click/`\n  Caused by: dns error",
    /did not reach the package index/,
    "Try Again",
  ],
  ["ERROR: msgspec has no wheel for this platform\n", /msgspec has no wheel/, "Show Logs"],
];

test("a failed step of the installation says what helps", () => {
  for (const [output, message, button] of OUTPUTS) {
    const trouble = stepTrouble("pip", output, "/storage");
    assert.match(trouble.message, message);
    assert.equal(trouble.button.title, button);
  }
});

test("the server is found under the name of its distribution, which is not that of the command", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "assay-wheel-"));
  try {
    await assert.rejects(findWheel(folder), /npm run package/);
    await writeFile(path.join(folder, "assay_lsp-0.1.0-py3-none-any.whl"), "");
    const { version, identity } = await findWheel(folder);
    assert.equal(version, "0.1.0");
    assert.match(identity, /^0\.1\.0-[0-9a-f]{12}$/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a Python that cannot hold Assay is named with what is wrong with it", () => {
  assert.match(pythonTrouble([]).message, /no Python was found/);
  assert.match(
    pythonTrouble([python([3, 8, 18])]).message,
    /\/usr\/bin\/python3 is Python 3\.8\.18/,
  );
  assert.match(pythonTrouble([python([3, 12, 1], false)]).message, /apt install python3\.12-venv/);
});

test("what is offered for a server that does not start depends on who named it", () => {
  const ended = {
    kind: "ended",
    status: 1,
    complaint: "Traceback\nImportError: no pygls\n",
  } as const;
  const offered = (["setting", "own", "path"] as const).map((origin) => [
    failureTrouble(launch(origin), { kind: "missing" }).button.title,
    failureTrouble(launch(origin), ended).button.title,
    versionTrouble(launch(origin), "0.0.9", "0.1.0").button.title,
  ]);
  assert.deepEqual(offered, [
    ["Open Setting", "Open Setting", "Open Setting"],
    ["Install Again", "Install Again", "Install 0.1.0"],
    ["Install", "Install", "Install 0.1.0"],
  ]);
  assert.match(failureTrouble(launch("path"), ended).message, /ImportError: no pygls$/);
  const killed = { kind: "ended", status: null, complaint: "" } as const;
  assert.match(failureTrouble(launch("own"), killed).message, /it was killed$/);
});

test("the last line that says something is the one shown", () => {
  assert.equal(lastLine("one\n  two \r\n\n"), "two");
  assert.equal(lastLine(""), "");
});

test("who waits for the answer is asked by a dialog, with the cost in its detail", () => {
  const question = {
    type: 3,
    message: "Assay: check 4 functions of a.py?",
    detail: "That may take about 52 requests to m at host.",
    answers: [
      { id: "check", title: "Check" },
      { id: "notNow", title: "Not now" },
    ],
  };
  const dialog = shownAs({ ...question, modal: true });
  assert.deepEqual(dialog.options, { modal: true, detail: question.detail });
  assert.deepEqual(
    dialog.items.map(({ isCloseAffordance }) => isCloseAffordance),
    [undefined, true],
  );
  const notification = shownAs({ ...question, modal: false });
  assert.equal(notification.message, `${question.message} ${question.detail}`);
  assert.ok(!notification.options.modal);
  assert.equal(shownAs({ ...question, type: 2, modal: false }).level, "warning");
  assert.ok([...OWN_ANSWERS.values()].every(({ command }) => command !== ""));
});
