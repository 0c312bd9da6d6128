// The walkthrough: its sample is checked with recorded replies, while the project has no model.
import { READY, tell } from "./session.mjs";

await tell(async (workbench, story, seen) => {
  const { page } = workbench;
  await workbench.openFile(story.module);
  await workbench.run("View: Toggle Primary Side Bar Visibility");
  await workbench.status("Assay: no model");
  await workbench.run("Assay: Take the Tour");
  const steps = page.locator(".getting-started-step .step-title");
  await steps.first().waitFor();
  seen.steps = await steps.allInnerTexts();
  await steps.filter({ hasText: "Try a check" }).click();
  // Assay is installed here: that step is done before anybody does it.
  await page
    .locator(".getting-started-step .codicon-getting-started-step-checked")
    .first()
    .waitFor();
  await workbench.picture("tour");
  await page.getByText("Open the sample", { exact: true }).click();
  await page.locator(".tab.active", { hasText: "text.py" }).waitFor();
  await workbench.status(/Assay: .*suspect/);
  await workbench.run("View: Toggle Maximize Editor Group");
  const wrong = page.locator(".codelens-decoration", { hasText: "suspect: wrap_words(" });
  seen.lens = await wrong.innerText();
  seen.squiggles = await workbench.squiggles();
  seen.hover = await workbench.hover();
  await workbench.picture("finding");
  await workbench.press("Escape");
  await workbench.openFile(story.module);
  await workbench.status("Assay: no model");
  await workbench.run("View: Close All Editor Groups");
});
