"""Keeps zygotes running: a bare one, and one for each group of packages in use."""

from __future__ import annotations

import math
import os
import threading
from dataclasses import replace
from time import monotonic

from .errors import InterpreterUnusable, SandboxError, SandboxUnavailable, WorkerLost
from .packages import Imports
from .places import Place
from .zygotes import Launch, Zygote

# Only in these tiers do all processes that packages start on import end with their zygote.
TIERS_OF_PACKAGES = ("N", "L")
# Each zygote holds the memory of its packages, 30 to 100 MB.
GROUPS_MAX = 4
# Bubblewrap mounts files one by one, and looks through all mounts for each.
BINDS_MAX = 1000
# Each stands on its command line twice.
BINDS_CHARACTERS_MAX = 300_000
# For the modules of a project, of which networkx, with 288, takes 4 MB. No memory until it is used.
COMPILED_BYTES_MAX = 64 << 20
# A zygote that has been idle for so long is started anew, because its packages may have changed.
# For so long, too, a failed start is not tried again.
FRESH_SECONDS = 60.0


class ZygoteKeeper:
    """Keeps one zygote running: starts it when first asked, and again after it was lost.

    Thread-safe.
    """

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        # Held while a zygote is started, which takes as long as the interpreter needs.
        self._lock = threading.Lock()
        self._zygote: Zygote | None = None
        self._starting: Zygote | None = None
        self._closed = False
        # Of one that nobody waits for: what starts it, when it was asked for, and whether it is to
        # be tried again already.
        self._thread: threading.Thread | None = None
        self._used = -math.inf
        self._not_before = -math.inf

    def get(self) -> Zygote:
        """The zygote, for a program that waits until it has started. Raises SandboxError."""
        with self._lock:
            if self._zygote is None:
                self._zygote = self._started()
            return self._zygote

    def _started(self) -> Zygote:
        self._refuse_if_closed()
        zygote = self._starting = Zygote(self._launch)
        try:
            # `close` may have been called before it could see this zygote.
            self._refuse_if_closed()
            zygote.greet()
        except (InterpreterUnusable, SandboxUnavailable):
            self._refuse_if_closed()
            if not self._launch.is_held:
                raise
            # The project starts threads as it loads, say: each program imports it for itself.
            self._launch = replace(self._launch, is_held=False, compiled=None)
            return self._started()
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

    def ready(self) -> Zygote | None:
        """A zygote that has imported the packages installed now, if any; else one is started, and
        for as long as that takes, or for good if it fails, programs use another."""
        now = monotonic()
        idle, self._used = now - self._used > FRESH_SECONDS, now
        zygote = self._zygote
        # Not while it is busy: a program that runs for so long would have to begin anew.
        if idle and zygote is not None and not zygote.busy:
            self.discard(zygote)
            zygote = None
        is_under_way = self._thread is not None and self._thread.is_alive()
        if zygote is None and not (is_under_way or self._closed or now < self._not_before):
            self._thread = threading.Thread(target=self._try, name="assay-packages", daemon=True)
            try:
                self._thread.start()
            except RuntimeError:
                # The account has reached its limit of processes.
                self._thread = None
                self._put_off()
        return zygote

    def _try(self) -> None:
        try:
            self.get()
        except (SandboxError, OSError):
            # A package may not be installed or not survive a fork: the programs will find out.
            self._put_off()

    def _put_off(self) -> None:
        self._not_before = monotonic() + FRESH_SECONDS

    @property
    def is_idle(self) -> bool:
        """Whether nothing is started or runs."""
        zygote = self._zygote
        return self._starting is None and (zygote is None or not zygote.busy)

    def discard(self, zygote: Zygote) -> bool:
        """Note that this zygote no longer answers. Returns whether it was this one's."""
        with self._lock:
            if self._zygote is not zygote:
                return False
            self._zygote = None
            if zygote.given_up:
                self._put_off()
        zygote.close()
        return True

    def close(self) -> None:
        self._closed = True
        starting = self._starting
        if starting is not None:
            starting.close()
        with self._lock:
            zygote, self._zygote = self._zygote, None
        if zygote is not None:
            zygote.close()


class Zygotes:
    """The zygotes of one sandbox, by the packages that they have imported, or by the place that
    their programs live in. Thread-safe."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._bare = ZygoteKeeper(launch)
        self._lock = threading.Lock()
        self._groups: dict[tuple[str, ...], ZygoteKeeper] = {}
        # Each with when it was last asked for; the one that was asked for last comes last.
        self._places: dict[Place, tuple[ZygoteKeeper, float]] = {}
        # By the roots of a project, the memory for what its modules are compiled to.
        self._compiled: dict[tuple[str, ...], int] = {}
        self._closed = False

    def reads(self, place: Place) -> bool:
        """Whether programs can open the files of a place."""
        tier, files = self._launch.tier, place.files
        has_room = len(files) <= BINDS_MAX and sum(map(len, files)) <= BINDS_CHARACTERS_MAX
        return tier != "S" and (tier != "B" or has_room)

    def get(self, place: Place | None, imports: Imports) -> Zygote:
        """A zygote of the place, if there is one and its files can be opened. Else one that has
        done the first imports if there is one, or else the bare zygote.

        Raises WorkerLost, SandboxUnavailable and InterpreterUnusable.
        """
        if place is not None and self.reads(place):
            return self._in(place).get()
        group = self._group(imports.first)
        ahead = None if group is None else group.ready()
        return ahead or self._bare.get()

    def _in(self, place: Place) -> ZygoteKeeper:
        """The keeper for a place. Programs wait for its zygote: one that imported the project for
        itself could differ from one that did not."""
        now = monotonic()
        unwanted: list[ZygoteKeeper] = []
        with self._lock:
            keeper, used = self._places.pop(place, (None, now))
            if keeper is not None and keeper.is_idle and now - used > FRESH_SECONDS:
                unwanted.append(keeper)
                keeper = None
            if keeper is None:
                keeper = ZygoteKeeper(self._launch_in(place))
            idle = [each for each, (kept, _used) in self._places.items() if kept.is_idle]
            over = idle[: max(0, len(self._places) + 1 - GROUPS_MAX)]
            unwanted += [self._places.pop(each)[0] for each in over]
            self._places[place] = keeper, now
            if self._closed:
                unwanted.append(keeper)
        for each in unwanted:
            each.close()
        return keeper

    def _launch_in(self, place: Place) -> Launch:
        if self._launch.tier not in TIERS_OF_PACKAGES or self._closed:
            return replace(self._launch, place=place)
        if place.roots not in self._compiled:
            try:
                memory = os.memfd_create("compiled", os.MFD_CLOEXEC)
                os.ftruncate(memory, COMPILED_BYTES_MAX)
            except OSError as error:
                raise WorkerLost(str(error)) from None
            self._compiled[place.roots] = memory
        memory = self._compiled[place.roots]
        return replace(self._launch, place=place, is_held=True, compiled=memory)

    def _group(self, packages: tuple[str, ...]) -> ZygoteKeeper | None:
        with self._lock:
            if not packages or self._closed or self._launch.tier not in TIERS_OF_PACKAGES:
                return None
            if packages not in self._groups and len(self._groups) < GROUPS_MAX:
                self._groups[packages] = ZygoteKeeper(replace(self._launch, packages=packages))
            return self._groups.get(packages)

    def _all(self) -> list[ZygoteKeeper]:
        return [*self._groups.values(), *(keeper for keeper, _used in self._places.values())]

    def discard(self, zygote: Zygote) -> None:
        """Note that this zygote no longer answers."""
        with self._lock:
            kept = self._all()
        if not any(each.discard(zygote) for each in kept):
            self._bare.discard(zygote)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            kept = self._all()
        for each in (self._bare, *kept):
            each.close()
        with self._lock:
            for memory in self._compiled.values():
                os.close(memory)
            self._compiled.clear()
