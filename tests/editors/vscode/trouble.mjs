// Something that Assay needs is missing or broken: press the buttons that lead there, read what is said.
import { READY, tell } from "./session.mjs";

await tell(async (workbench, { module, presses, says, then, works }, seen) => {
  await workbench.openFile(module);
  for (const button of presses) {
    await workbench.answerNotification(button);
  }
  seen.message = await workbench.notification(new RegExp(says));
  // The progress that led there takes a moment to go.
  await workbench.until("that message alone", async () => {
    seen.notifications = (await workbench.notifications()).length;
    return seen.notifications === 1;
  });
  seen.buttons = await workbench.buttons();
  seen.status = (await workbench.statusText()).trim();
  await workbench.picture("trouble");
  if (works) {
    await workbench.status(READY);
  }
  if (then !== null) {
    await workbench.answerNotification(seen.buttons[0]);
    await workbench.page.locator(then).first().waitFor();
    await workbench.picture("afterwards");
  }
});
