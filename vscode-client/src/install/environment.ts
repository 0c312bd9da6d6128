import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { run } from "../processes";
import type { Trouble } from "../troubles";
import { pythonTrouble, stepTrouble } from "./failing";
import { findPython, OLDEST } from "./pythons";
import type { Wheel } from "./wheel";

// The slowest step fetches some thirty libraries.
const STEP_SECONDS = 900;
const UV_SECONDS = 20;
const UNFINISHED = ".unfinished-";
// Another window may be busy with one that is younger.
const ABANDONED_HOURS = 24;

/** The installation came to nothing, for a reason that the user can be told. */
export class NotInstalled extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble.message);
  }
}

export interface InstallOptions {
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/** The folder in which this extension keeps its own `assay`, one environment per build of it. */
export class OwnEnvironments {
  constructor(
    private readonly folder: string,
    private readonly wheel: () => Promise<Wheel>,
  ) {}

  /** The command of the `assay` that this extension carries, if it is installed. */
  async current(): Promise<readonly [string, ...string[]] | undefined> {
    const { identity } = await this.wheel();
    return (await this.installed()).includes(identity) ? this.command(identity) : undefined;
  }

  /** That of another build, from before an update. */
  async former(): Promise<readonly [string, ...string[]] | undefined> {
    const { identity } = await this.wheel();
    const other = (await this.installed()).findLast((each) => each !== identity);
    return other === undefined ? undefined : this.command(other);
  }

  /** Install the build that this extension carries, anew if it is there. Throws `NotInstalled`. */
  async install(options: InstallOptions): Promise<void> {
    const wheel = await this.wheel();
    let made: string | undefined;
    try {
      await mkdir(this.folder, { recursive: true });
      // Made under another name: what bears its own name is whole, whatever ends this process.
      made = await mkdtemp(path.join(this.folder, UNFINISHED));
      await this.fill(made, wheel, options);
      const place = path.join(this.folder, wheel.identity);
      await rm(place, { recursive: true, force: true });
      await rename(made, place);
      made = undefined;
    } catch (error) {
      throw options.signal.aborted || error instanceof NotInstalled
        ? error
        : new NotInstalled(stepTrouble("the installation", String(error), this.folder));
    } finally {
      if (made !== undefined) {
        await rm(made, { recursive: true, force: true });
      }
    }
  }

  /** Remove former builds once the present one is there, and what interrupted installations left. */
  async removeOthers(): Promise<void> {
    if ((await this.current()) === undefined) {
      return;
    }
    const { identity } = await this.wheel();
    for (const name of await this.entries()) {
      const place = path.join(this.folder, name);
      const young = async () =>
        Date.now() - (await stat(place)).mtimeMs < ABANDONED_HOURS * 3_600_000;
      if (name !== identity && !(name.startsWith(UNFINISHED) && (await young()))) {
        await rm(place, { recursive: true, force: true });
      }
    }
  }

  private async fill(folder: string, wheel: Wheel, options: InstallOptions): Promise<void> {
    const step = async (tool: string, words: readonly string[]): Promise<void> => {
      options.onLine(words.join(" "));
      const ended = await run(words, { cwd: folder, seconds: STEP_SECONDS, ...options });
      if (ended.status !== 0) {
        const output = `${ended.output}\n${ended.error}`;
        throw new NotInstalled(stepTrouble(tool, output, this.folder));
      }
    };
    const python = pythonOf(folder);
    if (await hasUv(folder)) {
      await step("uv", ["uv", "venv", "--no-project", "--python", `>=${OLDEST.join(".")}`, folder]);
      await step("uv", ["uv", "pip", "install", "--python", python, wheel.path]);
    } else {
      const found = await findPython(folder);
      if (!("executable" in found)) {
        throw new NotInstalled(pythonTrouble(found));
      }
      // Apart, because venv does not pass on why ensurepip failed.
      await step("venv", [found.executable, "-m", "venv", "--without-pip", folder]);
      await step("ensurepip", [python, "-m", "ensurepip", "--default-pip"]);
      const pip = [python, "-m", "pip", "--no-input", "--disable-pip-version-check"];
      await step("pip", [...pip, "install", "--retries", "2", wheel.path]);
    }
    await step("assay", [...commandIn(folder), "--version"]);
    await writeFile(
      path.join(folder, "wheel.txt"),
      `${path.basename(wheel.path)}\n${wheel.identity}\n`,
    );
  }

  private command(identity: string): readonly [string, ...string[]] {
    return commandIn(path.join(this.folder, identity));
  }

  private async installed(): Promise<readonly string[]> {
    return (await this.entries()).filter((name) => !name.startsWith(UNFINISHED));
  }

  private async entries(): Promise<readonly string[]> {
    try {
      return (await readdir(this.folder)).sort();
    } catch {
      return [];
    }
  }
}

function pythonOf(folder: string): string {
  return process.platform === "win32"
    ? path.join(folder, "Scripts", "python.exe")
    : path.join(folder, "bin", "python");
}

/** Not its script, which knows where it was made; and isolated, so that no project has a say in it. */
function commandIn(folder: string): readonly [string, ...string[]] {
  return [pythonOf(folder), "-I", "-m", "assay_engine"];
}

async function hasUv(cwd: string): Promise<boolean> {
  try {
    return (await run(["uv", "--version"], { cwd, seconds: UV_SECONDS })).status === 0;
  } catch {
    return false;
  }
}
