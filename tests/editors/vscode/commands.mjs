// With the trigger "manual" a save starts nothing, and the commands of the palette do it all.
import { at, READY, starts, tell } from "./session.mjs";

// A save that does start a check shows its warning or its progress long before that.
const PATIENCE_SECONDS = 5;

await tell(async (workbench, story, seen) => {
  const { line, column } = at(story);
  await workbench.openFile(story.module);
  await workbench.moveTo(line, column);
  await workbench.status(READY);

  await workbench.press("Control+S");
  await workbench.page.waitForTimeout(PATIENCE_SECONDS * 1000);
  seen.squigglesAfterSave = await workbench.squiggles();

  await workbench.run("Assay: Check This Function");
  await workbench.until("the function's warning", () => workbench.squiggles());
  seen.squigglesAfterFunction = await workbench.squiggles();
  seen.saidOfFunction = await workbench.outcome("1 checked");

  await workbench.run("Assay: Check This File");
  await workbench.until("the file's warnings", async () => (await workbench.squiggles()) > 1);
  seen.saidOfFile = await workbench.outcome("3 checked");
  await workbench.run("Assay: Cancel All Checks");

  await workbench.run("Assay: Restart Server");
  await workbench.until("another server", () => starts(story) > 1);
  await workbench.status(READY);
  seen.starts = starts(story);

  await workbench.run("Assay: Show Logs");
  await workbench.page.locator(".output-view").waitFor();
  // Whoever reads the log wants to know the state, too: the Python file is still on the screen.
  await workbench.status(READY);
  await workbench.picture("logs");
  // What a check came to fades by and by.
  seen.notifications = await workbench.notifications();
});
