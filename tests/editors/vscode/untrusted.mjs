// A folder that nobody has trusted: nothing may start before its user says so.
import { READY, starts, tell } from "./session.mjs";

// A trusted folder's server starts within a second or two of opening a file.
const PATIENCE_SECONDS = 8;

await tell(async (workbench, story, seen) => {
  await workbench.openFile(story.module);
  await workbench.page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
  await workbench.press("Control+S");
  await workbench.page.waitForTimeout(PATIENCE_SECONDS * 1000);
  seen.startsUntrusted = starts(story);
  await workbench.picture("untrusted");

  await workbench.run("Workspaces: Manage Workspace Trust");
  await workbench.page
    .locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ })
    .click();
  await workbench.openFile(story.module);
  await workbench.status(READY);
  seen.startsTrusted = starts(story);
});
