// Puts into dist/ what the extension carries besides its code: the server as a wheel, the
// walkthrough's sample with its recorded replies, and the extension's own page.
//
// PYTHON  builds the wheel (default: the .venv of the repository if there is one, else python3)
// IMAGES  the address of this folder on the web, for a page that shows its pictures, as on a marketplace
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const client = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const repository = path.dirname(client);
const dist = path.join(client, "dist");
const own = path.join(repository, ".venv", "bin", "python");
const python = process.env.PYTHON ?? (fs.existsSync(own) ? own : "python3");

for (const name of fs.readdirSync(dist).filter((each) => each.endsWith(".whl"))) {
  fs.rmSync(path.join(dist, name));
}
execFileSync(
  python,
  ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", dist, repository],
  { stdio: ["ignore", "inherit", "inherit"] },
);
const { version } = JSON.parse(fs.readFileSync(path.join(client, "package.json"), "utf8"));
const wheels = fs.readdirSync(dist).filter((name) => name.endsWith(".whl"));
if (wheels.length !== 1 || !wheels[0].startsWith(`assay_lsp-${version}-`)) {
  throw new Error(
    `the wheel is ${wheels}, but the extension has version ${version}: make them one`,
  );
}
fs.rmSync(path.join(dist, "sample"), { recursive: true, force: true });
for (const name of ["text.py", "replies.jsonl"]) {
  fs.cpSync(path.join(repository, "examples", name), path.join(dist, "sample", name));
}
// Neither VS Code nor a marketplace shows a picture of a file, nor one in the text itself: pictures have an
// address, or the walkthrough alone shows them. And whoever reads the page there has built it.
const images = process.env.IMAGES?.replace(/\/*$/, "/");
const page = fs.readFileSync(path.join(client, "README.md"), "utf8");
fs.writeFileSync(
  path.join(dist, "README.md"),
  page
    .replaceAll(/^(!\[.*\]\()(media\/.*\)\n\n)/gm, images ? `$1${images}$2` : "")
    .replace(/\n## Building it\n[^]*/, ""),
);
