"""Zygotes that are kept running: a bare one, and one for each group of packages in use."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from time import monotonic

from .errors import InterpreterUnusable, SandboxUnavailable
from .packages import Imports
from .zygotes import Launch, Zygote, ZygoteLost

# Only there do all of its processes end with a zygote, whatever a package starts by being imported.
TIERS_OF_PACKAGES = ("N", "L")
# Each holds what its packages take, 30 to 100 MB.
GROUPS_MAX = 4
# A zygote that nobody has used for so long is started anew: packages may have been, too. So long it
# is not tried again, either, if it could not be started.
FRESH_SECONDS = 60.0


class ZygoteKeeper:
    """Keeps one zygote running: starts it when first asked, and anew when it was lost."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        # Held while one is started, which takes as long as the interpreter likes.
        self._lock = threading.Lock()
        self._zygote: Zygote | None = None
        self._starting: Zygote | None = None
        self._closed = False

    def get(self) -> Zygote:
        with self._lock:
            if self._zygote is None:
                self._zygote = self._started()
            return self._zygote

    def _started(self) -> Zygote:
        self._refuse_if_closed()
        zygote = self._starting = Zygote(self._launch)
        try:
            # If it was closed before it could see this one.
            self._refuse_if_closed()
            zygote.greet()
        except BaseException:
            zygote.close()
            self._refuse_if_closed()
            raise
        finally:
            self._starting = None
        return zygote

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise SandboxUnavailable("the sandbox is closed", ("Open a new one.",))

    def discard(self, zygote: Zygote) -> None:
        """Say that this one no longer answers."""
        with self._lock:
            if self._zygote is zygote:
                self._zygote = None
        zygote.close()

    def close(self) -> None:
        self._closed = True
        starting = self._starting
        if starting is not None:
            starting.close()
        with self._lock:
            zygote, self._zygote = self._zygote, None
        if zygote is not None:
            zygote.close()


class Group:
    """A zygote that has imported some packages. Until it is ready, or for good if it never is, its
    programs use the bare one. Thread-safe."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._lock = threading.Lock()
        self._zygote: Zygote | None = None
        self._starting: Zygote | None = None
        self._closed = False
        self._used = -math.inf
        self._not_before = -math.inf

    def ready(self) -> Zygote | None:
        """One that has imported what is installed now, if there is one; else one is started."""
        now = monotonic()
        with self._lock:
            idle, self._used = now - self._used > FRESH_SECONDS, now
            aged = None
            # A program that runs for so long uses it, and would have to begin anew.
            if idle and self._zygote is not None and not self._zygote.busy:
                aged, self._zygote = self._zygote, None
            if self._zygote is None and self._starting is None:
                self._start(now)
            found = self._zygote
        if aged is not None:
            aged.close()
        return found

    def _start(self, now: float) -> None:
        if self._closed or now < self._not_before:
            return
        try:
            zygote = Zygote(self._launch)
        except ZygoteLost:
            self._put_off()
            return
        waiting = threading.Thread(
            target=self._await, args=(zygote,), name="assay-packages", daemon=True
        )
        try:
            waiting.start()
        except RuntimeError:
            self._put_off()
            zygote.close()
            return
        self._starting = zygote

    def _await(self, zygote: Zygote) -> None:
        failed = False
        try:
            zygote.greet()
        except (ZygoteLost, SandboxUnavailable, InterpreterUnusable):
            # Not installed, say, or not to be forked: it is for the programs to find out.
            failed = True
        with self._lock:
            self._starting = None
            if failed:
                self._put_off()
            elif not self._closed:
                self._zygote = zygote
                return
        zygote.close()

    def _put_off(self) -> None:
        self._not_before = monotonic() + FRESH_SECONDS

    def discard(self, zygote: Zygote) -> bool:
        """Say that this one no longer answers. Whether it was of this group."""
        with self._lock:
            if self._zygote is not zygote:
                return False
            self._zygote = None
            if zygote.given_up:
                self._put_off()
        zygote.close()
        return True

    def close(self) -> None:
        with self._lock:
            self._closed = True
            zygotes = self._zygote, self._starting
            self._zygote = None
        for zygote in zygotes:
            if zygote is not None:
                zygote.close()


class Zygotes:
    """The zygotes of one sandbox, by the packages that they have imported. Thread-safe."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._bare = ZygoteKeeper(launch)
        self._lock = threading.Lock()
        self._groups: dict[tuple[str, ...], Group] = {}
        self._closed = False

    def get(self, imports: Imports) -> Zygote:
        """One that has imported what is imported first if there is one, or else the bare one.

        Raises ZygoteLost, SandboxUnavailable and InterpreterUnusable.
        """
        group = self._group(imports.first)
        ahead = None if group is None else group.ready()
        if ahead is not None and not ahead.looked_for & imports.own:
            return ahead
        return self._bare.get()

    def _group(self, packages: tuple[str, ...]) -> Group | None:
        with self._lock:
            if not packages or self._closed or self._launch.tier not in TIERS_OF_PACKAGES:
                return None
            if packages not in self._groups and len(self._groups) < GROUPS_MAX:
                self._groups[packages] = Group(replace(self._launch, packages=packages))
            return self._groups.get(packages)

    def discard(self, zygote: Zygote) -> None:
        """Say that this one no longer answers."""
        with self._lock:
            groups = tuple(self._groups.values())
        if not any(group.discard(zygote) for group in groups):
            self._bare.discard(zygote)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            groups = tuple(self._groups.values())
        for each in (self._bare, *groups):
            each.close()
