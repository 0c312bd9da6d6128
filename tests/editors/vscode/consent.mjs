// A model server runs on this machine: the question is dismissed, found again in the status, and answered.
import { tell } from "./session.mjs";

await tell(async (workbench, story, seen) => {
  await workbench.openFile(story.module);
  // A server that is slow to answer is looked for again by a later check.
  await workbench.until("the server to be found", async () => {
    await workbench.press("Control+S");
    await workbench.page.waitForTimeout(2000);
    return (await workbench.statusText()).includes("may it use");
  });
  seen.question = await workbench.notification("write other implementations");
  seen.status = (await workbench.statusText()).trim();
  await workbench.statePicture("asking");
  await workbench.picture("question");
  await workbench.closeNotifications();
  // The check that waited for the answer first goes on without a model.
  await workbench.until("the question in the menu", async () => {
    seen.menu = await workbench.statusMenu();
    if (seen.menu[0].startsWith("Answer")) return true;
    await workbench.press("Escape");
  });
  await workbench.answer("", "Answer the Question");
  // Who asks for it waits for it: by a dialog, which does not go away by itself.
  seen.dialog = await workbench.dialog("write other implementations", "Yes");
  // The check that was kept away asks what it may cost; the question stays, hidden or not.
  await workbench.status(/Assay: check \d+ function/);
  seen.cost = (await workbench.statusText()).trim();
  await workbench.picture("cost");
  await workbench.run("Assay: Check This File");
  seen.costDialog = await workbench.dialog("That may take about", "Check");
  await workbench.status(/Assay: (?!may it use|starting|check \d)/);
  seen.after = (await workbench.statusText()).trim();
});
