"""Zygotes that are kept running: a bare one, and one for each group of packages in use."""

from __future__ import annotations

import threading
from dataclasses import replace

from .errors import InterpreterUnusable, SandboxUnavailable
from .zygotes import Launch, Zygote, ZygoteLost

# Only there do all of its processes end with a zygote, whatever a package starts by being imported.
TIER_OF_PACKAGES = "N"
# Each holds what its packages take, 30 to 100 MB.
GROUPS_MAX = 3


class ZygoteKeeper:
    """Keeps one zygote running: starts it when first asked, and anew when it was lost."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._lock = threading.Lock()
        self._zygote: Zygote | None = None
        self._closed = False

    def get(self) -> Zygote:
        with self._lock:
            if self._closed:
                raise SandboxUnavailable("the sandbox is closed", ("Open a new one.",))
            if self._zygote is None:
                self._zygote = Zygote(self._launch)
            return self._zygote

    def discard(self, zygote: Zygote) -> None:
        """Say that this one no longer answers."""
        with self._lock:
            if self._zygote is zygote:
                self._zygote = None
        zygote.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            zygote, self._zygote = self._zygote, None
        if zygote is not None:
            zygote.close()


class Zygotes:
    """The zygotes of one sandbox, by the packages that they have imported. Thread-safe."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._bare = ZygoteKeeper(launch)
        self._lock = threading.Lock()
        # None: each program imports these itself.
        self._ahead: dict[tuple[str, ...], ZygoteKeeper | None] = {}
        self._closed = False

    def get(self, packages: tuple[str, ...]) -> Zygote:
        """One that has imported these or, if there can be none, the bare one.

        Raises ZygoteLost, SandboxUnavailable and InterpreterUnusable.
        """
        keeper = self._with(packages)
        if keeper is not None:
            try:
                return keeper.get()
            except (ZygoteLost, SandboxUnavailable, InterpreterUnusable):
                # Not installed, say, or not to be forked: it is for the programs to find out.
                keeper.close()
                with self._lock:
                    self._ahead[packages] = None
        return self._bare.get()

    def _with(self, packages: tuple[str, ...]) -> ZygoteKeeper | None:
        with self._lock:
            if not packages or self._closed or self._launch.tier != TIER_OF_PACKAGES:
                return None
            if packages not in self._ahead:
                running = sum(keeper is not None for keeper in self._ahead.values())
                launch = replace(self._launch, packages=packages)
                self._ahead[packages] = ZygoteKeeper(launch) if running < GROUPS_MAX else None
            return self._ahead[packages]

    def _keepers(self) -> list[ZygoteKeeper]:
        return [self._bare, *(keeper for keeper in self._ahead.values() if keeper is not None)]

    def discard(self, zygote: Zygote) -> None:
        """Say that this one no longer answers."""
        with self._lock:
            keepers = self._keepers()
        for keeper in keepers:
            keeper.discard(zygote)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            keepers = self._keepers()
        for keeper in keepers:
            keeper.close()
