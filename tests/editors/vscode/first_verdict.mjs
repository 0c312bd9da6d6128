// From a server that is installed to a first verdict: the steps and the seconds of each way to a model.
import { addressAndKey, at, tell } from "./session.mjs";

await tell(async (workbench, story, seen) => {
  const { page } = workbench;
  seen.steps = [];
  const step = (name) => seen.steps.push(name);
  const check = async () => {
    step("the cursor");
    const { line, column } = at(story);
    await workbench.moveTo(line, column);
    step("Check This Function");
    await workbench.takeFromContextMenu("Check This Function");
  };
  const setUp = async () => {
    step("the status");
    await workbench.statusMenu();
    step("Set Up a Model…");
    await workbench.answer("no model", "Set Up a Model");
  };
  const ways = {
    local: async () => {
      await check();
      step("Yes");
      await workbench.dialog("use Ollama", "Yes");
    },
    editor: async () => {
      await setUp();
      step("Use stand-in");
      await workbench.answer("Services", "Use stand-in");
      step("Allow");
      await workbench.dialog("wants to access", "Allow");
      await workbench.notification("uses it from now on");
      await check();
    },
    command: async () => {
      await setUp();
      step("Claude Code");
      await workbench.answer("Services", "Claude Code");
      await workbench.notification("uses it from now on");
      await check();
    },
    key: async () => {
      await setUp();
      step("Another address…");
      step("the address");
      step("the key");
      await addressAndKey(workbench, story.baseUrl, story.key);
      step("the model");
      await workbench.answer(story.model, story.model);
      await workbench.notification("uses it from now on");
      await check();
    },
  };
  await workbench.openFile(story.module);
  await workbench.run("View: Toggle Primary Side Bar Visibility");
  await workbench.status(story.way === "local" ? "may it use" : "no model");
  const began = Date.now();
  await ways[story.way]();
  await page.locator(".squiggly-warning").first().waitFor();
  seen.seconds = (Date.now() - began) / 1000;
  await workbench.lens("suspect");
  await workbench.status("Assay: 1 suspect");
  await workbench.picture("verdict");
});
