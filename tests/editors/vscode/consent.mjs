// A model server runs on this machine: the question is dismissed, found again in the status, and answered.
import { tell } from "./session.mjs";

await tell(async (workbench, story, seen) => {
  await workbench.openFile(story.module);
  await workbench.status("Assay: may it use");
  await workbench.press("Control+S");
  seen.question = await workbench.notification("draw other implementations");
  seen.status = (await workbench.statusText()).trim();
  await workbench.statusPicture("asking");
  await workbench.picture("question");
  await workbench.closeNotifications();
  seen.menu = await workbench.statusMenu();
  await workbench.answer("", "Answer the Question");
  await workbench.notification("draw other implementations");
  await workbench.answerNotification("Yes");
  await workbench.status(/Assay: (?!may it use|starting)/);
  seen.after = (await workbench.statusText()).trim();
});
