"""Names what the confinement refused. Audit events only name it; the kernel does the refusing."""

from __future__ import annotations

import sys
from typing import Any, Tuple

_WATCHED = frozenset(
    (
        "open",
        "os.chmod",
        "os.chown",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.kill",
        "os.killpg",
        "os.link",
        "os.listdir",
        "os.mkdir",
        "os.posix_spawn",
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.scandir",
        "os.spawn",
        "os.symlink",
        "os.system",
        "os.truncate",
        "os.utime",
        "shutil.rmtree",
        "socket.__new__",
        "socket.bind",
        "socket.connect",
        "socket.sendto",
        "subprocess.Popen",
    )
)


class Refusals:
    """The last watched event; `event` is emptied before every call."""

    def __init__(self) -> None:
        self.event = ""
        self._subject: object = None

    def watch(self) -> None:
        sys.addaudithook(self._note)

    def explain(self, error: BaseException) -> "str | None":
        """What was refused, if this error is a refusal that an event can name."""
        if type(error) is not PermissionError or not self.event:
            return None
        subject = self._subject
        if type(subject) in (str, int):
            return f"{self.event} {subject!r}"[:300]
        return self.event

    def _note(self, event: str, arguments: Tuple[Any, ...]) -> None:
        if event in _WATCHED:
            self.event = event
            self._subject = arguments[0] if arguments else None
