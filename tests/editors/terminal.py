"""An editor in a terminal that nobody looks at: keys go in, the screen comes out as text."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from story import WAIT_SECONDS

COLUMNS, LINES = 160, 40
# Between two keys: an editor tells by time what belongs together.
KEY_SECONDS = 0.1


class Terminal:
    """A tmux server of its own: no session of the user's is touched, whatever happens here."""

    def __init__(
        self, command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]
    ) -> None:
        self._socket = f"assay-{os.getpid()}-{folder.parent.name}"
        self._environment = {**environment, "TERM": "xterm-256color"}
        size = ("-x", str(COLUMNS), "-y", str(LINES))
        words = map(os.fspath, command)
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, "-c", os.fspath(folder), *words)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # It has gone by itself where the editor has.
        with suppress(subprocess.CalledProcessError):
            self._tmux("kill-server")

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        """Keys by tmux's names (`Enter`, `Escape`, `C-x`), or texts to type."""
        self._tmux("send-keys", *keys)

    def wait_for(self, pattern: str, *keys: str) -> str:
        """The first screen with it. `keys` are pressed again and again meanwhile: an editor may not
        be listening yet. Raises AssertionError."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            for key in keys:
                # Apart, or what follows Escape would be read as one key with Alt.
                self.press(key)
                time.sleep(KEY_SECONDS)
            patience = min(time.monotonic() + 5, deadline)
            while time.monotonic() < patience:
                screen = self.screen()
                if re.search(pattern, screen):
                    return screen
                time.sleep(0.1)
            assert time.monotonic() < deadline, f"waited in vain for {pattern!r} on\n{screen}"

    def wait_for_end(self) -> None:
        """Until the editor has gone, and the terminal with it. Raises AssertionError."""
        deadline = time.monotonic() + WAIT_SECONDS
        with suppress(subprocess.CalledProcessError):
            while time.monotonic() < deadline:
                self.screen()
                time.sleep(0.1)
            raise AssertionError(f"the editor does not end:\n{self.screen()}")

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self._socket, *arguments],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout
