// A folder that nobody has trusted: none of its programs is started before its user says so.
import { READY, starts, tell } from "./session.mjs";

// A trusted folder's check shows its warning within a second or two.
const PATIENCE_SECONDS = 8;

await tell(async (workbench, story, seen) => {
  await workbench.openFile(story.module);
  await workbench.page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
  await workbench.status("Assay: restricted");
  await workbench.press("Control+S");
  await workbench.page.waitForTimeout(PATIENCE_SECONDS * 1000);
  seen.startsUntrusted = starts(story);
  seen.squigglesUntrusted = await workbench.squiggles();
  await workbench.picture("untrusted");
  await workbench.statePicture("restricted");

  // What is asked for now is done once it may be.
  await workbench.run("Assay: Check This File");
  await workbench.notification("nothing is run or sent");
  await workbench.closeNotifications();
  await workbench.statusMenu();
  await workbench.answer("nothing is run or sent", "Manage Workspace Trust");
  await workbench.page
    .locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ })
    .click();
  await workbench.openFile(story.module);
  await workbench.until("the workspace's own assay", () => starts(story));
  seen.outcome = await workbench.outcome("3 checked");
  await workbench.status(READY);
  await workbench.press("Control+S");
  await workbench.until("a squiggle", () => workbench.squiggles());
  seen.startsTrusted = starts(story);
});
