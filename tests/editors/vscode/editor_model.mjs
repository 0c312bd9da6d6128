// A model of VS Code's own: set up, refused, allowed, out of quota, cancelled, and a first verdict.
import fs from "node:fs";
import path from "node:path";
import { at, tell } from "./session.mjs";

await tell(async (workbench, story, seen) => {
  const { page } = workbench;
  const mood = (name) => fs.writeFileSync(path.join(story.standIn, "mood"), name);
  const check = async (name = story.function) => {
    const { line, column } = at(story, name);
    await workbench.moveTo(line, column);
    await workbench.run("Assay: Check This Function");
  };
  await workbench.openFile(story.module);
  await workbench.run("View: Toggle Primary Side Bar Visibility");
  await workbench.status("Assay: no model");

  await workbench.runAndAnswer("Assay: Set Up a Model");
  const rows = page.locator(".quick-input-widget .monaco-list-row");
  await rows.filter({ hasText: "Use " }).first().waitFor();
  seen.choices = await rows.allInnerTexts();
  await workbench.picture("1-choices");
  await workbench.press("Enter");
  seen.consent = await workbench.dialog("wants to access", "Cancel");
  seen.refused = await workbench.notification("not allowed");
  await workbench.picture("2-refused");

  await workbench.answerNotification("Change…");
  await workbench.answer("Services", "Use stand-in");
  await workbench.dialog("wants to access", "Allow");
  seen.accepted = await workbench.notification("uses it from now on");
  await workbench.picture("3-set-up");
  await workbench.closeNotifications();
  await workbench.status("Assay: nothing checked");

  mood("quota");
  await check();
  seen.quota = await workbench.notification("quota");
  seen.quotaButtons = await workbench.buttons();
  await workbench.picture("4-quota");
  await workbench.closeNotifications();

  mood("hangs");
  await check(story.other);
  await workbench.status(/checking 0 of 1 \([2-9] s\)/);
  await workbench.run("Assay: Cancel All Checks");
  await workbench.lens("cancelled");
  await workbench.picture("5-cancelled");
  await workbench.closeNotifications();

  mood("answers");
  await check();
  await workbench.until("a squiggle", () => workbench.squiggles());
  seen.summary = await workbench.outcome("1 checked");
  await workbench.status("Assay: 1 suspect");
  await workbench.picture("6-suspect");
  await workbench.closeNotifications();
  seen.tooltip = await workbench.statusTooltip("editor-model");
});
