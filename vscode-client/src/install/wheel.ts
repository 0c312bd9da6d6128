import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import * as path from "node:path";

const DIGEST_CHARACTERS = 12;

/** The server that this extension carries. */
export interface Wheel {
  readonly path: string;
  readonly version: string;
  /** Tells builds of one version apart, too. */
  readonly identity: string;
}

/** The wheel in a folder. Throws if there is none: the extension was not built whole. There is never a second
 * one, and `scripts/carry.mjs` knows its name. */
export async function findWheel(folder: string): Promise<Wheel> {
  const name = (await readdir(folder)).find((each) => each.endsWith(".whl"));
  const version = name?.split("-")[1];
  if (name === undefined || version === undefined) {
    throw new Error(`no wheel of Assay in ${folder}: build the extension with "npm run package"`);
  }
  const file = path.join(folder, name);
  const digest = createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
  return { path: file, version, identity: `${version}-${digest.slice(0, DIGEST_CHARACTERS)}` };
}
