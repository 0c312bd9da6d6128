import { run } from "../processes";

/** What a Python says of itself. */
export interface Python {
  readonly executable: string;
  readonly version: readonly [number, number, number];
  /** Whether it can make an environment with a pip in it: Debian takes that out of its Python. */
  readonly makesEnvironments: boolean;
}

export const OLDEST = [3, 11] as const;

// Understood by any Python since 2.7, so that an old one is named rather than not found.
const QUESTION = `
import json, sys
try:
    import ensurepip, venv
    makes = True
except ImportError:
    makes = False
print(json.dumps({
    "executable": sys.executable, "version": list(sys.version_info[:3]), "makesEnvironments": makes
}))
`;
const ANSWER_SECONDS = 20;

/** The commands that may start a Python, the likeliest to be new enough first. */
export function pythonCommands(platform: NodeJS.Platform): readonly (readonly string[])[] {
  const named = ["3.14", "3.13", "3.12", "3.11"].map((version) => [`python${version}`]);
  const usual = [["python3"], ["python"]];
  return platform === "win32" ? [["py", "-3"], ...usual] : [...usual, ...named];
}

export function isNewEnough({ version }: Python): boolean {
  const [major, minor] = version;
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** The first Python here that can hold Assay, or else all that were found instead. */
export async function findPython(
  cwd: string,
  commands = pythonCommands(process.platform),
): Promise<Python | readonly Python[]> {
  const others: Python[] = [];
  for (const command of commands) {
    const python = await ask(command, cwd);
    if (python === undefined) {
      continue;
    }
    if (isNewEnough(python) && python.makesEnvironments) {
      return python;
    }
    others.push(python);
  }
  return others;
}

async function ask(command: readonly string[], cwd: string): Promise<Python | undefined> {
  try {
    // Its own settings, not those of a project that VS Code happened to be started in.
    const words = [...command, "-E", "-s", "-c", QUESTION];
    const { status, output } = await run(words, { cwd, seconds: ANSWER_SECONDS });
    return status === 0 ? (JSON.parse(output) as Python) : undefined;
  } catch {
    return undefined;
  }
}
