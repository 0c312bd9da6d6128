// Renews the pictures of the documents from those that the stories have kept: run `make test-editors` first.
//
//   node tests/editors/vscode/pictures.mjs
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const kept = path.join(repository, ".editors", "out", "vscode");

const COPIES = [
  ["story/hover.png", "docs/images/vscode-hover.png"],
  ["tour/finding.png", "vscode-client/media/finding.png"],
];
const COMPOSED = "vscode-client/media/states.png";

const STATUS = [
  ["not-installed", "a click installs the server"],
  ["installing", "into a folder of VS Code's own"],
  ["starting", "what is saved meanwhile is made up for"],
  ["restricted", "the workspace is not trusted: nothing is run or sent"],
  ["no-model", "functions are only held to their own examples"],
  ["asking", "a server was found here; nothing is sent without your yes"],
  ["checking", "how far checks are, and since when"],
  ["suspect", "what was found"],
  ["trusted", "nothing was found"],
  ["problem", "the tooltip says which:"],
];
const TOOLTIPS = [
  ["problem-tooltip", ""],
  ["spent", "without a problem, it says what was spent today:"],
];
const FILES = [
  ["clean", "Five functions without a squiggle: over each stands why."],
  ["clean-no-model", "Without a model, none can be compared."],
];

function image(name) {
  const data = fs.readFileSync(path.join(kept, "states", `${name}.png`)).toString("base64");
  return `<img src="data:image/png;base64,${data}">`;
}

const page = `<!doctype html><meta charset="utf-8"><style>
  body { margin: 0; padding: 16px; width: 1130px; display: flex; gap: 24px; background: #f8f8f8;
         font: 14px "DejaVu Sans", sans-serif; color: #3b3b3b; }
  img { zoom: 0.5; vertical-align: middle; } /* they have two pixels for each of the page's */
  p { margin: 0 0 6px; } .file img { border: 2px solid #ccc; margin-bottom: 24px; }
  td { padding: 5px 0; } td:first-child { text-align: right; padding-right: 12px; }
  .tooltip { margin: 4px 0 12px; }
</style>
<div class="file">${FILES.map(([name, words]) => `<p>${words}</p>${image(name)}`).join("")}</div>
<div><table>${STATUS.map(([name, words]) => `<tr><td>${image(name)}<td>${words}`).join("")}</table>
${TOOLTIPS.map(([name, words]) => `<p>${words}</p><div class="tooltip">${image(name)}</div>`).join("")}</div>`;

const executablePath = execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const tab = await browser.newPage({ deviceScaleFactor: 2, viewport: { width: 1162, height: 100 } });
await tab.setContent(page);
await tab.screenshot({ path: path.join(repository, COMPOSED), fullPage: true });
await browser.close();
for (const [from, to] of COPIES) {
  fs.copyFileSync(path.join(kept, from), path.join(repository, to));
}
