import { INSTALL, lastLine, SHOW_LOGS, type Trouble, TRY_AGAIN } from "../troubles";
import { isNewEnough, OLDEST, type Python } from "./pythons";

const NEEDED = `Python ${OLDEST.join(".")} or newer`;
const GET_PYTHON = {
  title: "Get Python",
  command: "vscode.open",
  arguments: ["https://www.python.org/downloads/"],
};

const NO_ROOM =
  /No space left on device|ENOSPC|not enough space|Disk quota exceeded|os error (28|122)\b/i;
const NO_NETWORK = new RegExp(
  [
    "NewConnectionError",
    "ConnectTimeout",
    "ReadTimeout",
    "ProxyError",
    "SSLError",
    "Failed to establish a new connection",
    "Could not fetch URL",
    "Failed to fetch",
    "error sending request",
    "Network is unreachable",
    "Network connectivity is disabled",
    "dns error",
    "getaddrinfo",
  ].join("|"),
  "i",
);

/** There is no Python that could hold Assay; `found` are those that cannot. */
export function pythonTrouble(found: readonly Python[]): Trouble {
  const [first] = found;
  if (first === undefined) {
    const message = `Assay needs ${NEEDED}, and no Python was found on the PATH.`;
    return { message: `${message} Install one, then try again.`, button: GET_PYTHON };
  }
  const crippled = found.find(isNewEnough);
  if (crippled !== undefined) {
    const [major, minor] = crippled.version;
    const message =
      `Assay: the Python at ${crippled.executable} cannot make environments, because its modules ` +
      `"venv" and "ensurepip" are missing. On Debian and Ubuntu, "sudo apt install ` +
      `python${major}.${minor}-venv" brings them.`;
    return { message, button: TRY_AGAIN };
  }
  const message =
    `Assay needs ${NEEDED}; ${first.executable} is Python ${first.version.join(".")}. ` +
    "Install a newer one as well, then try again. Your project keeps its own.";
  return { message, button: GET_PYTHON };
}

/** A step of the installation failed, with what it printed, while it wrote to `folder`. */
export function stepTrouble(tool: string, output: string, folder: string): Trouble {
  if (NO_ROOM.test(output)) {
    const message =
      "Assay could not be installed: the disk is full. " +
      `It needs about 180 MB in ${folder}. Make room, then try again.`;
    return { message, button: TRY_AGAIN };
  }
  if (NO_NETWORK.test(output)) {
    const message =
      `Assay could not be installed: ${tool} did not reach the package index for ` +
      "the libraries. Check the network, the proxy and the firewall, then try again.";
    return { message, button: TRY_AGAIN };
  }
  return { message: `Assay could not be installed: ${lastLine(output)}`, button: SHOW_LOGS };
}

export const NOT_INSTALLED: Trouble = {
  message:
    "Assay is not on this machine yet. It will be installed in VS Code's own folder (180 MB); " +
    "your projects are not changed.",
  button: INSTALL,
  pending: "not installed",
};
