import type { OwnEnvironments } from "../install/environment";
import { commandInSettings } from "./settings";

export type Command = readonly [string, ...string[]];

/** The command that runs `assay`, and who named it. */
export interface Launch {
  readonly command: Command;
  readonly origin: "setting" | "own" | "path";
}

/** The `assay` to run: the one that is set, else this extension's own, else the one on the PATH.
 *
 * `update` is called when the extension's own is from before an update of the extension; if that
 * does not work, the former one is run. */
export async function findLaunch(
  environments: OwnEnvironments,
  update: () => Promise<void>,
): Promise<Launch> {
  const set = commandInSettings();
  if (set !== undefined) {
    return { command: set, origin: "setting" };
  }
  const former = await environments.former();
  if (former !== undefined && (await environments.current()) === undefined) {
    await update();
  }
  const own = (await environments.current()) ?? former;
  return own === undefined
    ? { command: ["assay"], origin: "path" }
    : { command: own, origin: "own" };
}
