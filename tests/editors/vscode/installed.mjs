// The extension's own server: installed by a button, or anew because the extension was updated.
import { READY, tell } from "./session.mjs";

// Some thirty libraries are fetched.
const INSTALL_SECONDS = 300;

await tell(async (workbench, { module, presses }, seen) => {
  await workbench.openFile(module);
  for (const button of presses) {
    await workbench.answerNotification(button);
  }
  seen.progress = await workbench.notification(/(Installing|Updating) Assay/);
  await workbench.status(READY, INSTALL_SECONDS);
  await workbench.picture("installed");
});
