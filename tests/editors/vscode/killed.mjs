// The server is killed: in the middle of a check, which is made up for, and then again and again.
import fs from "node:fs";
import { READY, starts, tell } from "./session.mjs";

await tell(async (workbench, story, seen) => {
  const kill = () => {
    const pids = fs.readFileSync(story.tally, "utf8").trim().split("\n");
    process.kill(Number(pids.at(-1)), "SIGKILL");
  };
  await workbench.openFile(story.module);
  await workbench.status(READY);
  await workbench.press("Control+S");
  await workbench.status("Assay: checking");
  kill();
  await workbench.until("another server", () => starts(story) > 1);
  await workbench.until("the warning of that save", () => workbench.squiggles());
  await workbench.status(/Assay: .*suspect/);
  await workbench.statePicture("suspect");
  seen.notifications = (await workbench.notifications()).filter((each) => each.includes("server"));
  for (let times = 2; times < 4; times += 1) {
    kill();
    // What the bar says until then is about the one that was killed.
    await workbench.status("Assay: starting");
    await workbench.status(READY);
  }
  kill();
  seen.message = await workbench.notification("has stopped 4 times");
  seen.buttons = await workbench.buttons();
  await workbench.picture("keeps-ending");
  seen.starts = starts(story);
});
