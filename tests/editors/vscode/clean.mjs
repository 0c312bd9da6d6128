// What a file without a squiggle may mean: first there is no model, then each function has another reason.
import { addressAndKey, at, tell } from "./session.mjs";

// Enough for the five functions of the story's module, and no more.
const EDITOR = { width: 500, height: 496 };
const ONE_FUNCTION = { width: 500, height: 72 };

await tell(async (workbench, story, seen) => {
  const { trusted, abstained, cancelled, refused } = story.functions;
  const check = async (name) => {
    const { line, column } = at(story, name);
    await workbench.moveTo(line, column);
    await workbench.run("Assay: Check This Function");
  };
  await workbench.openFile(story.module);
  await workbench.run("View: Toggle Primary Side Bar Visibility");
  await workbench.status("Assay: no model");
  await check(trusted);
  await workbench.lens("no model");
  await workbench.status("Assay: no model");
  seen.withoutModel = await workbench.lenses();
  await workbench.closeNotifications();
  await workbench.statePicture("no-model");
  await workbench.editorPicture("clean-no-model", ONE_FUNCTION);

  await workbench.runAndAnswer("Assay: Set Up a Model");
  await addressAndKey(workbench, story.baseUrl, "");
  await workbench.answer(story.model, story.model);
  await workbench.notification("answers");
  await workbench.closeNotifications();
  await workbench.status(/Assay: (nothing checked|.*abstained)/);
  await check(trusted);
  await workbench.lens("trusted");
  await workbench.status("Assay: 1 trusted");
  await workbench.statePicture("trusted");
  await check(abstained);
  await workbench.lens("abstained");
  await check(cancelled);
  await workbench.status(/checking 0 of 1 \([2-9] s\)/);
  await workbench.statePicture("checking");
  await workbench.statusMenu();
  await workbench.answer("checking", "Cancel All Checks");
  await workbench.lens("cancelled");
  await workbench.closeNotifications();
  await workbench.moveTo(1, 1);
  seen.lenses = await workbench.lenses();
  seen.squiggles = await workbench.squiggles();
  seen.tooltip = await workbench.statusTooltip("spent");
  await workbench.editorPicture("clean", EDITOR);

  await check(refused);
  await workbench.status("Assay: problem");
  await workbench.statePicture("problem");
  seen.problem = await workbench.statusTooltip("problem-tooltip");
  await workbench.picture("problem");
});
