"""The bait of a trial: things to steal and to break, listeners, and checks of what happened."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

PRIVATE_KEY = "CANARY-PRIVATE-KEY"
PRECIOUS = "PRECIOUS"
ENVIRONMENT_KEY = "CANARYKEY-123"
PUBLIC_FOLDERS = ("/tmp", "/dev/shm", "/var/tmp")


class Bait:
    """Open for one program. `hits`, `canary_clean`, `left_files` and `written_bytes` show what it
    did."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.mark = secrets.token_hex(12)
        self.home = folder / "home"
        key = self.home / ".ssh" / "id_key"
        key.parent.mkdir(parents=True)
        key.write_text(PRIVATE_KEY)
        key.chmod(0o600)
        self.canary = folder / "canary"
        (self.canary / "keep").mkdir(parents=True)
        (self.canary / "keep" / "precious.txt").write_text(PRECIOUS)
        self.working = folder / "working"
        self.working.mkdir()
        # Used by the tool alone, so that every file left in it is the tool's.
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", 0))
        self._unix = socket.socket(socket.AF_UNIX)
        self._unix.bind(str(folder / "listener"))
        self._abstract = socket.socket(socket.AF_UNIX)
        self._abstract.bind(f"\0assay-{self.mark}")
        for listener in (self._tcp, self._unix, self._abstract):
            listener.listen()
        for waiting in self._sockets:
            waiting.setblocking(False)
        self.context: dict[str, object] = {
            "secret": str(key),
            "canary_dir": str(self.canary),
            "port": self._tcp.getsockname()[1],
            "udp_port": self._udp.getsockname()[1],
            "abstract": f"assay-{self.mark}",
            "unix_path": str(folder / "listener"),
            # Setting the bit takes root; a program that looks for the helper says it is absent.
            "setuid_bin": str(folder / "no-such-helper"),
            "mark": self.mark,
            "i": 0,
        }

    @property
    def _sockets(self) -> tuple[socket.socket, ...]:
        return self._tcp, self._udp, self._unix, self._abstract

    def environment(self) -> dict[str, str]:
        """The tool's environment, with secrets that must not get out."""
        return {
            **os.environ,
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "FAKE_API_KEY": ENVIRONMENT_KEY,
            "SBX_MARK": self.mark,
        }

    def hits(self) -> set[str]:
        """The checks that failed because a listener heard something."""
        found: set[str] = set()
        for name, listener in (("tcp", self._tcp), ("unix", self._unix), ("abs", self._abstract)):
            with contextlib.suppress(BlockingIOError):
                listener.accept()[0].close()
                found.add(f"no_hit_{name}")
        with contextlib.suppress(BlockingIOError):
            self._udp.recv(1)
            found.add("no_hit_udp")
        return found

    def canary_clean(self) -> bool:
        """Whether the folder is unchanged, with nothing new beside it or in the public folders."""
        inside = sorted(str(path.relative_to(self.canary)) for path in self.canary.rglob("*"))
        precious = self.canary / "keep" / "precious.txt"
        return (
            inside == ["keep", "keep/precious.txt"]
            and precious.stat().st_mode & 0o777 != 0
            and precious.read_text() == PRECIOUS
            and sorted(path.name for path in self._folder.iterdir())
            == ["canary", "home", "listener", "temporary", "working"]
            and not self._marked_files()
        )

    def left_files(self) -> list[str]:
        """Files left in the tool's temporary folder, or with the mark in a public one."""
        return sorted(str(path) for path in [*self.temporary.iterdir(), *self._marked_files()])

    def written_bytes(self) -> int:
        files = [*self._folder.rglob("*"), *self._marked_files()]
        return sum(path.stat().st_size for path in files if path.is_file())

    def _marked_files(self) -> list[Path]:
        return [
            path
            for folder in PUBLIC_FOLDERS
            if Path(folder).is_dir()
            for path in Path(folder).glob(f"*{self.mark}*")
        ]

    def close(self) -> None:
        for path in self._marked_files():
            path.unlink()
        for each in self._sockets:
            each.close()


# Its input ends with the process that has started it, even if that is killed. What that leaves
# behind may take a moment to go.
REMOVE = """
import os, shutil, sys, time
sys.stdin.read()
for _attempt in range(100):
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    if not os.path.exists(sys.argv[1]):
        break
    time.sleep(0.1)
"""


@contextlib.contextmanager
def laid_out() -> Generator[Bait]:
    folder = tempfile.mkdtemp(prefix="assay-trial-")
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", REMOVE, folder],
        stdin=subprocess.PIPE,
        # Whoever ends this process may end its whole group.
        start_new_session=True,
    ):
        bait = Bait(Path(folder))
        try:
            yield bait
        finally:
            bait.close()
