// The server is not installed: read what the extension says, install it, take its offer to restart.
import fs from "node:fs";
import { tell } from "./session.mjs";

await tell(async (workbench, { module, executable, missing }, seen) => {
  await workbench.openFile(module);
  seen.message = await workbench.notification();
  await workbench.languageStatus("Assay: not running");
  await workbench.picture("missing");
  fs.symlinkSync(executable, missing);
  await workbench.answerNotification("Restart Server");
  await workbench.languageStatus("Assay: ready");
});
