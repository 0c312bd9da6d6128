// A machine without `assay`: install it, set up a model, check a function, replace it; all by buttons and menus.
import { addressAndKey, at, READY, tell } from "./session.mjs";

// Some thirty libraries are fetched.
const INSTALL_SECONDS = 300;

await tell(async (workbench, story, seen) => {
  const { page } = workbench;
  const { line, column } = at(story);
  await workbench.openFile(story.module);
  await workbench.run("View: Toggle Primary Side Bar Visibility");
  await workbench.status("Assay: not installed");
  await workbench.statePicture("not-installed");
  await workbench.picture("1-not-installed");
  await workbench.answerNotification("Install");
  await workbench.status("Assay: installing");
  // The message of the progress slides in over the status bar: first wait until it stands still.
  await workbench.picture("2-installing");
  await workbench.statePicture("installing");
  await workbench.status(READY, INSTALL_SECONDS);
  await workbench.status("Assay: no model");
  await workbench.picture("3-no-model");

  seen.menu = await workbench.statusMenu();
  await workbench.answer("no model", "Set Up a Model");
  await addressAndKey(workbench, story.baseUrl, story.wrongKey);
  seen.refusal = await workbench.notification("does not accept");
  await workbench.picture("4-refused");
  await workbench.answerNotification("Change…");
  // What was entered is still there.
  await workbench.answer("The address", "");
  await workbench.answer("The key", story.key);
  await workbench.answer(story.model, story.model);
  seen.accepted = await workbench.notification("answers");
  await workbench.picture("5-set-up");
  await workbench.closeNotifications();
  await workbench.status(/Assay: nothing checked/);

  await workbench.moveTo(line, column);
  await workbench.takeFromContextMenu("Check This Function");
  await workbench.until("a squiggle", () => workbench.squiggles());
  await workbench.picture("6-suspect");
  seen.summary = await workbench.outcome("1 checked");
  seen.status = (await workbench.statusText()).trim();

  await workbench.moveTo(line, column);
  seen.actions = await workbench.quickFixes("Replace with");
  await workbench.picture("7-light-bulb");
  await workbench.takeQuickFix("Show the difference");
  await page.locator(".monaco-diff-editor .line-insert").first().waitFor();
  await workbench.picture("8-difference");
  seen.tab = await page.locator(".tab.active").innerText();
  await page.locator(".editor-actions .action-label[aria-label^='Replace the Function']").click();
  await page.locator(".tab.active.dirty", { hasText: story.module }).waitFor();
  await workbench.save();
  // Nothing here is committed, so the save checks the whole file, and finds the other mistake in it.
  await workbench.lens("trusted");
  await workbench.status(/Assay: 1 suspect/);
  await workbench.picture("9-quiet");
  seen.lens = (await workbench.lenses())[0];
  await workbench.toggleProblems();
  seen.problems = await workbench.problems();
});
