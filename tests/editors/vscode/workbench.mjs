// VS Code in a headless browser, as hands and eyes: keys, and what stands on the screen.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

const ROWS = ".monaco-list-row";
const STATUS = '[id="assay.assay.assay.status"]';
const MESSAGES = ".notifications-toasts .notification-list-item-message";
// Whether a hover stays empty shows after a moment; a server that has nothing to say does not say so.
const HOVER_SECONDS = 3;
// A key that showed nothing for so long was lost.
const PRESS_SECONDS = 10;

export async function openWorkbench({ url, folder, browser, out, waitSeconds }) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "assay-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: browser,
    headless: true,
    viewport: { width: 1180, height: 680 },
    // Twice the pixels: the pictures go into documents that are read on such screens.
    deviceScaleFactor: 2,
    args: [
      // Chromium's own sandbox wants privileges that a container does not give.
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-sync",
      "--disable-component-update",
      "--disable-background-networking",
      "--no-first-run",
    ],
  });
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(waitSeconds * 1000);
  await page.goto(`${url}/?folder=${encodeURIComponent(folder)}`);
  await page.locator(`.explorer-folders-view ${ROWS}`).first().waitFor();
  return new Workbench(page, out, waitSeconds, async () => {
    await context.close();
    fs.rmSync(profile, { recursive: true, force: true });
  });
}

class Workbench {
  constructor(page, out, waitSeconds, close) {
    this.page = page;
    this.out = out;
    this.waitSeconds = waitSeconds;
    this.close = close;
  }

  press(keys) {
    return this.page.keyboard.press(keys);
  }

  /** Open a quick input, type, and take the first row once it is the one meant. */
  async quickInput(keys, text, row) {
    const box = this.page.locator(".quick-input-widget");
    await this.pressUntil(keys, box.locator("input").first());
    await this.page.keyboard.type(text);
    await box.locator(ROWS).first().filter({ hasText: row }).waitFor();
    await this.press("Enter");
    await box.waitFor({ state: "hidden" });
  }

  /** Keys are lost while a workbench that has just been opened takes the focus for itself. */
  async pressUntil(keys, shown) {
    const presses = Math.ceil(this.waitSeconds / PRESS_SECONDS);
    for (let press = 1; press < presses; press += 1) {
      await this.press(keys);
      try {
        await shown.waitFor({ timeout: PRESS_SECONDS * 1000 });
        return;
      } catch (error) {
        if (error.name !== "TimeoutError") throw error;
      }
    }
    await this.press(keys);
    await shown.waitFor();
  }

  run(command) {
    return this.quickInput("F1", command, command);
  }

  /** Run a command that asks something in its turn: its question is the next quick input. */
  async runAndAnswer(command) {
    const box = this.page.locator(".quick-input-widget");
    await this.pressUntil("F1", box.locator("input").first());
    await this.page.keyboard.type(command);
    await box.locator(ROWS).first().filter({ hasText: command }).waitFor();
    await this.press("Enter");
  }

  /** Wait for a question in which the expression is found, and type the answer. */
  async answer(question, text) {
    const box = this.page.locator(".quick-input-widget", { hasText: new RegExp(question) });
    await box.waitFor();
    await this.page.keyboard.type(text);
    await this.page.waitForTimeout(300);
    await this.press("Enter");
  }

  async openFile(name) {
    await this.quickInput("Control+P", name, name);
    await this.page.locator(".tab.active", { hasText: name }).waitFor();
  }

  /** Line and column count from 1. */
  async moveTo(line, column) {
    await this.press("Control+1");
    await this.quickInput("Control+G", `${line}:${column}`, `line ${line} at column ${column}`);
    await this.page.locator(".statusbar-item", { hasText: `Ln ${line}, Col ${column}` }).waitFor();
  }

  async save() {
    await this.press("Control+S");
    await this.page.locator(".tab.active.dirty").waitFor({ state: "hidden" });
  }

  /** Keep what the screen shows, once it has stopped moving. */
  async picture(name) {
    await this.page.waitForTimeout(500);
    await this.page.screenshot({ path: path.join(this.out, `${name}.png`) });
  }

  /** What stands over functions, from the top of the screen to its bottom. */
  lenses() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll(".codelens-decoration")]
        .map((lens) => [lens.getBoundingClientRect().top, lens.innerText])
        // One that scrolled out of sight stays in the page for a while, without its words.
        .filter(([, text]) => text !== "")
        .sort(([one], [other]) => one - other)
        .map(([, text]) => text),
    );
  }

  /** Wait until a lens says `text`. */
  lens(text) {
    return this.page.locator(".codelens-decoration", { hasText: text }).first().waitFor();
  }

  /** How many warnings are underlined on the screen. */
  squiggles() {
    return this.page.locator(".squiggly-warning").count();
  }

  /** The text on the screen. Lines are placed one by one: their order in the page says nothing. */
  visibleText() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll(".editor-instance .view-line")]
        .map((line) => [parseInt(line.style.top, 10), line.textContent.replaceAll("\u00a0", " ")])
        .sort(([one], [other]) => one - other)
        .map(([, text]) => text)
        .join("\n"),
    );
  }

  /** The text on the screen, as soon as it is another than `old`. */
  changed(old) {
    return this.until("another text in the editor", async () => {
      const text = await this.visibleText();
      return text !== "" && text !== old && text;
    });
  }

  /** Open the hover and read it; again and again until the server has something to say in it. */
  async hover() {
    const shown = this.page.locator(".monaco-resizable-hover .monaco-hover-content");
    const words = shown.locator(".markdown-hover .hover-contents");
    return this.until("words of the server in the hover", async () => {
      await this.run("Show or Focus Hover");
      try {
        await words.first().waitFor({ timeout: HOVER_SECONDS * 1000 });
        return await shown.first().innerText();
      } catch {
        await this.press("Escape");
        return undefined;
      }
    });
  }

  /** The words of the dialog that is shown, once `text` is among them; then press a button of it. */
  async dialog(text, button) {
    const box = this.page.locator(".monaco-dialog-box", { hasText: text });
    await box.waitFor();
    const words = await box.innerText();
    await this.picture(`dialog-${button.toLowerCase()}`);
    await box.locator(".monaco-button", { hasText: button }).first().click();
    await box.waitFor({ state: "hidden" });
    return words;
  }

  /** The words of the page that is shown in a frame of its own, once `text` is among them. */
  async webview(text) {
    const frame = this.page.frameLocator("iframe.webview.ready").frameLocator("#active-frame");
    const body = frame.locator("body", { hasText: text });
    await body.waitFor();
    return body.innerText();
  }

  /** The entries of the quick fix menu. Escape closes it. */
  async quickFixes(expected) {
    const entries = this.page.locator(`.action-widget ${ROWS}.action`);
    const wanted = entries.filter({ hasText: expected });
    // Whatever else happens in the editor closes the menu, so one attempt may be too few.
    for (let attempt = 1; ; attempt += 1) {
      await this.press("Control+.");
      try {
        await wanted.first().waitFor({ timeout: 5000 });
        return await entries.allInnerTexts();
      } catch (problem) {
        if (attempt === 5) throw problem;
        await this.press("Escape");
      }
    }
  }

  /** Take an entry of the open menu by keyboard: an invisible block lies between it and a mouse. */
  async takeQuickFix(title) {
    const focused = this.page.locator(`.action-widget ${ROWS}.focused`);
    for (let step = 0; step < 20; step += 1) {
      if ((await focused.innerText()).includes(title)) {
        await this.page.waitForTimeout(300);
        await this.press("Enter");
        return;
      }
      await this.press("ArrowDown");
    }
    throw new Error(`no quick fix "${title}" in the menu`);
  }

  /** Take an entry of our submenu in the menu of the right mouse button, at the cursor. */
  async takeFromContextMenu(title) {
    await this.press("Shift+F10");
    const item = (text) => this.page.locator(".context-view .action-item", { hasText: text });
    const entry = item(title).last();
    // A pointer that rests where the menu comes up opens nothing.
    await this.until("our submenu", async () => {
      await this.page.mouse.move(0, 0);
      await item("Assay").first().hover();
      await this.page.waitForTimeout(1000);
      return entry.isVisible();
    });
    // A menu takes no click in its first moments, which are longer on a busy machine.
    await this.until("the menu to be gone", async () => {
      await this.page.waitForTimeout(300);
      if (await entry.isVisible()) await entry.click({ timeout: 2000 }).catch(() => undefined);
      return !(await entry.isVisible());
    });
  }

  /** Wait until our entry in the status bar says `text`, a string or an expression. */
  async status(text, seconds = this.waitSeconds) {
    await this.page.locator(STATUS, { hasText: text }).waitFor({ timeout: seconds * 1000 });
  }

  /** Keep what our entry in the status bar shows now, beside those of other stories. */
  statePicture(name) {
    return this.page.locator(STATUS).screenshot({ path: this.statePath(name) });
  }

  /** Keep the upper left corner of the editor there, too. */
  async editorPicture(name, size) {
    await this.page.waitForTimeout(500);
    const { x, y } = await this.page.locator(".editor-instance").first().boundingBox();
    await this.page.screenshot({ path: this.statePath(name), clip: { x, y, ...size } });
  }

  /** Keep what our entry says to a pointer that rests on it, and read it. */
  async statusTooltip(name) {
    await this.page.locator(STATUS).hover();
    const shown = this.page.locator(".workbench-hover-container .monaco-hover");
    await shown.waitFor();
    await this.page.waitForTimeout(500);
    await shown.screenshot({ path: this.statePath(name) });
    const text = await shown.innerText();
    await this.page.mouse.move(0, 0);
    await shown.waitFor({ state: "hidden" });
    return text;
  }

  statePath(name) {
    const place = path.join(path.dirname(this.out), "states");
    fs.mkdirSync(place, { recursive: true });
    return path.join(place, `${name}.png`);
  }

  statusText() {
    return this.page.locator(STATUS).innerText();
  }

  /** The entries of the menu behind our entry in the status bar. Escape closes it. */
  async statusMenu() {
    await this.page.locator(`${STATUS} a`).click();
    // A pointer that stays there has the tooltip shown over everything.
    await this.page.mouse.move(0, 0);
    const rows = this.page.locator(`.quick-input-widget ${ROWS}`);
    await rows.first().waitFor();
    return rows.allInnerTexts();
  }

  /** What the first notification on the screen that says `text` says, once there is one. */
  async notification(text) {
    const said = this.page.locator(MESSAGES, { hasText: text });
    await said.first().waitFor();
    return said.first().innerText();
  }

  /** What the status' details say that the last check came to. */
  async outcome(text) {
    const said = this.page.locator(`.statusbar-item [aria-label*="Last check: ${text}"]`);
    await said.first().waitFor();
    const label = await said.first().getAttribute("aria-label");
    return /Last check: (.*?)(?:\. (?:Model|Spent)|$)/.exec(label)[1];
  }

  notifications() {
    return this.page.locator(MESSAGES).allInnerTexts();
  }

  buttons() {
    return this.page.locator(".notifications-toasts .monaco-button").allInnerTexts();
  }

  closeNotifications() {
    return this.run("Notifications: Clear All Notifications");
  }

  async answerNotification(button) {
    // The details of the status bar's item, on which focus and pointer may rest, would cover it.
    await this.press("Control+1");
    await this.page.mouse.move(300, 300);
    await this.page.locator(".notifications-toasts .monaco-button", { hasText: button }).click();
  }

  async toggleProblems() {
    await this.press("Control+Shift+M");
    // The panel is drawn after it is opened: an empty one says nothing yet.
    await this.page.waitForTimeout(1000);
  }

  problems() {
    return this.page.locator(`.markers-panel ${ROWS}`).allInnerTexts();
  }

  /** Wait until `look` finds something. */
  async until(what, look) {
    const deadline = Date.now() + this.waitSeconds * 1000;
    for (;;) {
      const found = await look();
      if (found) return found;
      if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
      await this.page.waitForTimeout(200);
    }
  }
}
