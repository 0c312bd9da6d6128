// Save, read the squiggle, hover, take the quick fix, save again: through the keys a user would press.
// What was seen is written to OUT/seen.json and OUT/*.png; the test that started this judges it.
//
//   node story.mjs '{"url": …, "folder": …, "module": …, "function": …, "out": …, "browser": …,
//                    "waitSeconds": …}'
import fs from "node:fs";
import path from "node:path";
import { openWorkbench } from "./workbench.mjs";

const story = JSON.parse(process.argv[2]);
const file = path.join(story.folder, story.module);
const seen = {};

function nameOfFunction() {
  const lines = fs.readFileSync(file, "utf8").split("\n");
  const index = lines.findIndex((text) => text.includes(`def ${story.function}(`));
  return { line: index + 1, column: lines[index].indexOf(story.function) + 1 };
}

const aboutFunction = (rows) => {
  const { line, column } = nameOfFunction();
  return rows.filter((row) => row.includes(`[Ln ${line}, Col ${column}]`));
};

async function play(workbench) {
  const { page } = workbench;
  const picture = (name) => page.screenshot({ path: path.join(story.out, `${name}.png`) });

  await workbench.openFile(story.module);
  await workbench.run("View: Toggle Primary Side Bar Visibility");
  const { line, column } = nameOfFunction();
  await workbench.moveTo(line, column);
  await workbench.languageStatus("Assay: ready");

  await workbench.press("Control+S");
  await page.locator(".squiggly-warning").first().waitFor();
  await workbench.toggleProblems();
  seen.before = await workbench.until("a row in the Problems panel", async () => {
    const rows = aboutFunction(await workbench.problems());
    return rows.length > 0 && rows;
  });
  await page.waitForTimeout(500);
  await picture("problems");
  await workbench.toggleProblems();

  await workbench.moveTo(line, column);
  await picture("squiggle");
  seen.hover = await workbench.hover();
  await page.waitForTimeout(500);
  await picture("hover");
  await workbench.press("Escape");

  await workbench.moveTo(line, column);
  seen.actions = await workbench.quickFixes("Replace with");
  await picture("quick-fix");
  const old = (await workbench.visibleLines()).join("\n");
  await workbench.takeQuickFix("Replace with");
  await workbench.until(
    "the quick fix",
    async () => (await workbench.visibleLines()).join("\n") !== old,
  );

  await workbench.press("Control+S");
  await page.locator(".tab.active.dirty").waitFor({ state: "hidden" });
  // The edit alone takes the warning away. That there is a report again says that it was checked.
  await workbench.moveTo(line, column);
  seen.hoverAfter = await workbench.hover();
  await picture("fixed");
  await workbench.press("Escape");
  await workbench.toggleProblems();
  // The panel is drawn after it is opened: an empty one says nothing yet.
  await page.waitForTimeout(1000);
  await workbench.until(
    "the warning to be gone",
    async () => aboutFunction(await workbench.problems()).length === 0,
  );
}

fs.mkdirSync(story.out, { recursive: true });
const workbench = await openWorkbench(story);
try {
  await play(workbench);
} catch (problem) {
  seen.failed = String(problem?.stack ?? problem);
  await workbench.page.screenshot({ path: path.join(story.out, "failed.png") });
} finally {
  fs.writeFileSync(path.join(story.out, "seen.json"), JSON.stringify(seen, null, 2));
  await workbench.close();
}
