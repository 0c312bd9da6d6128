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
  seen.question = await workbench.notification("draw other implementations");
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
  await workbench.notification("draw other implementations");
  await workbench.answerNotification("Yes");
  await workbench.status(/Assay: (?!may it use|starting)/);
  seen.after = (await workbench.statusText()).trim();
});
