"""Tier M: macOS seatbelt by `sandbox-exec`. Written from documentation, and from what others report
of profiles that they run; not run by its authors.

Each program has a fresh process, without a zygote. So the profile can deny forking altogether, and
numpy's Accelerate, which does not survive a fork, causes no trouble.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path

from assay_sandbox.errors import SandboxUnavailable
from assay_sandbox.programs import Limits
from assay_sandbox.zygotes import WORKER, Launch

from .children import Start, StartedProcess, popen

SANDBOX_EXEC = "/usr/bin/sandbox-exec"
PS = "/bin/ps"
HELLO_SECONDS = 20.0
PS_SECONDS = 5.0
# Apple's own rules for the dynamic loader. Where they exist, no program starts without them.
LOADER = Path("/System/Library/Sandbox/Profiles/dyld-support.sb")
# Folders that the dynamic loader and the C library read. /var and /etc are links into /private.
SYSTEM_FOLDERS = (
    "/usr/lib",
    "/System/Library",
    "/System/Cryptexes",
    "/System/Volumes/Preboot/Cryptexes",
    "/Library/Apple",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/usr/share",
    # Package managers put the libraries here that an interpreter's own modules need.
    "/opt/homebrew/Cellar",
    "/opt/homebrew/opt",
    "/opt/homebrew/lib",
    "/usr/local/Cellar",
    "/usr/local/opt",
    "/usr/local/lib",
    "/opt/local/lib",
    "/nix/store",
)
SYSTEM_FILES = ("/", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def prepare(launch: Launch, readable: tuple[str, ...]) -> Start:
    """How to start a worker. Raises SandboxUnavailable."""
    if not os.access(SANDBOX_EXEC, os.X_OK):
        raise SandboxUnavailable(f"{SANDBOX_EXEC} is not there")
    libraries = (*readable, str(WORKER.parent))
    text = profile(launch.interpreter.program, libraries, loader=LOADER.exists())
    command = [SANDBOX_EXEC, "-p", text, *launch.fresh_command()]
    # Run first to get an error message, because a worker has no standard error.
    see_start([*command, "hello"], launch.environment())

    def start(_limits: Limits) -> StartedProcess:
        return popen(command, launch.environment())

    return start


def see_start(command: list[str], environment: dict[str, str]) -> None:
    """Raise SandboxUnavailable, with the last line of its complaint, if a command fails."""
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd=os.path.abspath(os.sep),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=HELLO_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxUnavailable(f"{command[0]} cannot be started: {error}") from None
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        reason = "".join(last) or f"status {done.returncode}"
        raise SandboxUnavailable(f"{command[0]} failed: {reason}")


def profile(interpreter: Path, readable: tuple[str, ...], *, loader: bool) -> str:
    """The seatbelt profile: everything that is not named here is denied.

    Forking, the network, Mach services, signals to others and writing are not named.
    `sandbox-exec` applies the profile before it executes the interpreter, so executing that, and
    nothing else, has to stay allowed. A worker that does so replaces itself, equally confined.
    `loader`: whether the system has rules of its own for the dynamic loader.
    """
    programs = _programs(interpreter)
    folders = [_clause("subpath", path) for path in (*SYSTEM_FOLDERS, *readable)]
    return "\n".join(
        (
            "(version 1)",
            "(deny default)",
            *([f'(import "{LOADER.name}")'] if loader else []),
            _rule("process-exec", [_clause("literal", path) for path in programs]),
            _rule(
                "file-read*",
                [*folders, *(_clause("literal", path) for path in (*SYSTEM_FILES, *programs))],
            ),
            # Loading a library takes more than the right to read it.
            _rule("file-map-executable", folders),
            # For links and parents on the way to readable files. Newer versions of macOS have two
            # operations for this.
            "(allow file-read-metadata)",
            "(if (defined? 'file-test-existence) (allow file-test-existence))",
            _rule("file-write-data", [_clause("literal", "/dev/null")]),
            "(allow sysctl-read)",
            "(allow process-info* (target self))",
            "(allow signal (target self))",
            "",
        )
    )


def resident_bytes(pid: int) -> int:
    """Memory of a process as reported by `ps`; 0 for a process that has ended.

    Also 0 if `ps` does not answer: it is called again a moment later.
    """
    with suppress(OSError, subprocess.SubprocessError, ValueError):
        asked = subprocess.run(
            [PS, "-o", "rss=", "-p", str(pid)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PS_SECONDS,
            check=False,
        )
        return int(asked.stdout) * 1024
    return 0


def _programs(interpreter: Path) -> list[str]:
    """The interpreter by all its names, and the program that a framework build executes itself."""
    real = interpreter.resolve()
    # FRAMEWORK/bin/python3 is a stub for the application beside it.
    application = real.parent.parent / "Resources/Python.app/Contents/MacOS/Python"
    return list(dict.fromkeys(map(str, (interpreter, real, application))))


def _rule(operation: str, clauses: list[str]) -> str:
    return f"(allow {operation}\n" + "\n".join(f"  {clause}" for clause in clauses) + ")"


def _clause(kind: str, path: str) -> str:
    if any(ord(character) < 32 for character in path):
        raise SandboxUnavailable(
            f"{path!r} cannot be named in a profile", ("Use an interpreter at a plain path.",)
        )
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'({kind} "{quoted}")'
