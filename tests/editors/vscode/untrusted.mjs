// A folder that nobody has trusted: nothing may start before its user says so.
import fs from "node:fs";
import { tell } from "./session.mjs";

// A trusted folder's server starts within a second or two of opening a file.
const PATIENCE_SECONDS = 8;

await tell(async (workbench, { module, mark }, seen) => {
  await workbench.openFile(module);
  await workbench.page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
  await workbench.press("Control+S");
  await workbench.page.waitForTimeout(PATIENCE_SECONDS * 1000);
  seen.startedUntrusted = fs.existsSync(mark);
  await workbench.picture("untrusted");

  await workbench.run("Workspaces: Manage Workspace Trust");
  await workbench.page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ }).click();
  await workbench.openFile(module);
  await workbench.languageStatus("Assay: ready");
  seen.startedTrusted = fs.existsSync(mark);
});
