// Save, read the squiggle, hover, take the quick fix, save again: by the keys a user would press.
import { at, READY, tell } from "./session.mjs";

await tell(async (workbench, story, seen) => {
  const { module } = story;
  await workbench.openFile(module);
  await workbench.run("View: Toggle Primary Side Bar Visibility");
  const { line, column } = at(story);
  const aboutFunction = async () =>
    (await workbench.problems()).filter((row) => row.includes(`[Ln ${line}, Col ${column}]`));
  await workbench.moveTo(line, column);
  await workbench.status(READY);

  await workbench.press("Control+S");
  await workbench.until("a squiggle", () => workbench.squiggles());
  await workbench.toggleProblems();
  seen.before = await workbench.until("a row in the Problems panel", async () => {
    const rows = await aboutFunction();
    return rows.length > 0 && rows;
  });
  await workbench.picture("problems");
  await workbench.toggleProblems();

  await workbench.moveTo(line, column);
  await workbench.picture("squiggle");
  seen.hover = await workbench.hover();
  await workbench.picture("hover");
  await workbench.page.locator(".monaco-hover a", { hasText: "ASY" }).first().click();
  seen.page = await workbench.webview("What was done");
  await workbench.picture("page");
  await workbench.run("View: Revert and Close Editor");

  await workbench.moveTo(line, column);
  const old = await workbench.visibleText();
  seen.actions = await workbench.quickFixes("Replace with");
  await workbench.picture("quick-fix");
  await workbench.takeQuickFix("evidence");
  seen.evidence = await workbench.webview("candidates");
  await workbench.picture("evidence");

  await workbench.openFile(module);
  await workbench.moveTo(line, column);
  await workbench.quickFixes("Replace with");
  await workbench.takeQuickFix("Replace with");
  await workbench.changed(old);
  seen.evidenceBetween = await workbench.webview("The code has changed since");
  await workbench.picture("evidence-between");
  await workbench.save();
  // The edit alone takes the warning away. That there is a report again says that it was checked.
  await workbench.moveTo(line, column);
  seen.hoverAfter = await workbench.hover();
  await workbench.picture("fixed");
  // The page beside it has followed.
  seen.evidenceAfter = await workbench.webview("Trusted");
  await workbench.press("Escape");
  await workbench.toggleProblems();
  await workbench.until("the warning to be gone", async () => (await aboutFunction()).length === 0);
});
