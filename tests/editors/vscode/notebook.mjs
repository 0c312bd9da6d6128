// A notebook: over a cell's function stands the offer to check it, then the verdict, with hover and quick fixes.
import { READY, tell } from "./session.mjs";

await tell(async (workbench, story, seen) => {
  await workbench.openFile(story.module);
  await workbench.status(READY);
  await workbench.openFile("notes.ipynb");
  await workbench.lens("not checked · Check");
  await workbench.page.locator(".codelens-decoration a", { hasText: "Check" }).first().click();
  await workbench.lens("suspect");
  seen.lenses = await workbench.lenses();
  await workbench.picture("notebook");
  await workbench.page
    .locator(".notebookOverlay .view-line", { hasText: story.function })
    .first()
    .click();
  seen.actions = await workbench.quickFixes("Replace with");
  await workbench.picture("notebook-quick-fixes");
  await workbench.press("Escape");
});
