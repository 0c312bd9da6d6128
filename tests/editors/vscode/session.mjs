// What every story has in common: a workbench, and a record of what was seen for the test to judge.
//
//   node STORY.mjs '{"url": …, "folder": …, "out": …, "browser": …, "waitSeconds": …, …}'
//
// The record goes to OUT/seen.json, pictures to OUT/*.png.
import fs from "node:fs";
import path from "node:path";
import { openWorkbench } from "./workbench.mjs";

/** What our entry in the status bar says while a server runs, whatever that says of itself. */
export const READY = /Assay: (?!starting|installing|not installed|stopped|problem)/;

/** Call `play(workbench, story, seen)`; what it throws becomes `seen.failed`. */
export async function tell(play) {
  const story = JSON.parse(process.argv[2]);
  const seen = {};
  const workbench = await openWorkbench(story);
  try {
    await play(workbench, story, seen);
  } catch (problem) {
    seen.failed = String(problem?.stack ?? problem);
    await workbench.picture("failed");
  } finally {
    fs.writeFileSync(path.join(story.out, "seen.json"), JSON.stringify(seen, null, 2));
    await workbench.close();
  }
}

/** How often the server has been started. */
export function starts({ tally }) {
  return fs.existsSync(tally) ? fs.readFileSync(tally, "utf8").split("\n").length - 1 : 0;
}

/** In the questions that set up a model: an address that is on no list, and its key. */
export async function addressAndKey(workbench, baseUrl, key) {
  await workbench.answer("On this machine|Services", "Another address");
  await workbench.answer("The address", baseUrl);
  await workbench.answer("The key", key);
}

/** Where the name of a function stands, the story's own unless named: line and column from 1. */
export function at({ folder, module, function: own }, name = own) {
  const lines = fs.readFileSync(path.join(folder, module), "utf8").split("\n");
  const index = lines.findIndex((line) => line.includes(`def ${name}(`));
  return { line: index + 1, column: lines[index].indexOf(name) + 1 };
}
