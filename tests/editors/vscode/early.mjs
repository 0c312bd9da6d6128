// A save while the server is still starting is made up for.
import { READY, tell } from "./session.mjs";

await tell(async (workbench, story, seen) => {
  await workbench.openFile(story.module);
  await workbench.status("Assay: starting");
  await workbench.statePicture("starting");
  await workbench.press("Control+S");
  seen.statusAtSave = (await workbench.statusText()).trim();
  await workbench.status(READY);
  await workbench.until("the warning of that save", () => workbench.squiggles());
});
