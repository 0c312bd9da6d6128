"""Names what the confinement refused. Audit events only name it; the kernel does the refusing."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional, Tuple

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
    """The last watched event, and during which call it was."""

    def __init__(self, under_way: Callable[[], int]) -> None:
        self._under_way = under_way
        self._event = ""
        self._call: Optional[int] = None
        self._subject: object = None

    def watch(self) -> None:
        sys.addaudithook(self._note)

    def explain(self, error: BaseException, call: int) -> Optional[str]:
        """What was refused, if this error is a refusal that an event of this call can name."""
        if type(error) is not PermissionError or self._call != call:
            return None
        subject = self._subject
        if type(subject) in (str, int):
            return f"{self._event} {subject!r}"[:300]
        return self._event

    def _note(self, event: str, arguments: Tuple[Any, ...]) -> None:
        if event in _WATCHED:
            self._call = self._under_way()
            self._event = event
            self._subject = arguments[0] if arguments else None
