"""Chooses the confinement: the strongest tier whose canaries, really run, are all held back."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic, perf_counter
from typing import TypeAlias

from .canaries import Canary, try_out
from .errors import (
    InterpreterUnusable,
    NothingHolds,
    SandboxError,
    SandboxUnavailable,
    WorkerLost,
)
from .pool import LONGEST_WAIT_SECONDS
from .programs import Surroundings
from .starting import open_source, readable_paths
from .workers import WorkerSource
from .zygotes import Interpreter

UNCONFINED = "none"


@dataclass(frozen=True, slots=True)
class KnownTier:
    """What a tier confines by, and the platforms that have it (`sys.platform`).

    `shortfalls` are limitations that its user has to know, a sentence each; docs/sandbox.md
    explains them at length.
    """

    description: str
    platforms: tuple[str, ...] = ()
    shortfalls: tuple[str, ...] = ()


_NEVER_RUN = "Experimental: written from documentation, and not yet run on such a system."
# Strongest first. How workers of each are started is `open_source`.
TIERS = {
    "N": KnownTier("namespaces, Landlock, seccomp and resource limits", ("linux",)),
    "L": KnownTier("Landlock, seccomp and resource limits", ("linux",)),
    "B": KnownTier("bubblewrap, seccomp and resource limits", ("linux",)),
    "S": KnownTier(
        "seccomp without any opening of files, and resource limits",
        ("linux",),
        ("Programs can import standard modules only.",),
    ),
    "M": KnownTier(
        "seatbelt (sandbox-exec) and resource limits",
        ("darwin",),
        (
            _NEVER_RUN,
            "Apple calls sandbox-exec deprecated; there is no system call filter.",
            "Memory is checked every 0.1 s and not limited in between.",
        ),
    ),
    "J": KnownTier(
        "job object and AppContainer",
        ("win32",),
        (_NEVER_RUN, "A call that hangs is ended after twice its time and 0.5 s."),
    ),
    UNCONFINED: KnownTier("NOT CONFINED: resource limits and its own environment only"),
}
SYSTEMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}


def ladder(platform: str) -> tuple[str, ...]:
    """The tiers of a platform, strongest first."""
    owned = ((name, tier.platforms) for name, tier in TIERS.items() if name != UNCONFINED)
    return tuple(name for name, platforms in owned if platform in platforms)


ORDER = ladder(sys.platform)
LINUX = "Run Assay on Linux: in a container, a virtual machine, or WSL 2."
# By a word that the reason contains.
REMEDIES = {
    "unshare": (
        "Allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1 and"
        " user.max_user_namespaces above 0, on Ubuntu"
        " kernel.apparmor_restrict_unprivileged_userns=0; in a container, its runtime has to allow"
        " them, too."
    ),
    "bwrap:": "Allow what bubblewrap reports as forbidden, or use a machine that does.",
    "Landlock": "Use a kernel of 5.13 or newer with Landlock among its security modules.",
    "bubblewrap": "Install bubblewrap with the system's package manager.",
    "system call list": "Use an x86-64 or 64-bit ARM machine.",
}


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A tier that was tried and does not hold: what was seen, and what would make it work."""

    name: str
    reason: str
    remedies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TierReport:
    """The confinement in use, and the canaries that show it works; choosing it took `seconds`.

    `shortfalls` say what programs cannot do in it, or what it does not hold, one sentence each.
    `passed_over` are the stronger tiers that were tried before, strongest first.
    """

    name: str
    description: str
    canaries: tuple[Canary, ...]
    seconds: float
    shortfalls: tuple[str, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()


Chosen: TypeAlias = tuple[WorkerSource, TierReport]


class Choice:
    """Chooses the confinement of one sandbox, once, in a thread beside those that wait for it.

    Begins when first asked. Thread-safe. A failure is kept for as long as it took: if an
    interpreter does not answer, each of many programs would otherwise have to wait for it again.
    """

    def __init__(self, choose: Callable[[Choice], Chosen]) -> None:
        self._choose = choose
        self._changed = threading.Condition()
        self._under_way = False
        self._closed = False
        # The source that was tried last, perhaps chosen.
        self._tried: WorkerSource | None = None
        self._failure: BaseException | None = None
        self._failed_until = -math.inf
        # The choice if it has been made, available without waiting.
        self.made: Chosen | None = None

    def wait(self, given_up: Callable[[], bool]) -> Chosen | None:
        """The choice; None if `given_up` becomes true before. Choosing then goes on.

        Raises what choosing has raised, and SandboxUnavailable once it is closed.
        """
        with self._changed:
            if not (self._closed or self.made or self._under_way):
                self._begin()
            while self._under_way and not self._closed:
                if given_up():
                    return None
                self._changed.wait(LONGEST_WAIT_SECONDS)
            self.go_on()
            if self.made is None:
                assert self._failure is not None
                raise self._failure
            return self.made

    def close(self) -> None:
        """End the chosen source, or the one being tried. All waiting threads then raise."""
        with self._changed:
            self._closed = True
            self.made = None
            tried = self._tried
            self._changed.notify_all()
        if tried is not None:
            tried.close()

    def go_on(self) -> None:
        """Raise SandboxUnavailable if this is closed."""
        if self._closed:
            raise SandboxUnavailable("the sandbox is closed", ("Open a new one.",))

    def trying(self, source: WorkerSource) -> None:
        """Let `close` end this source from now on. Ends it, and raises, if this is closed."""
        with self._changed:
            self._tried = source
        try:
            self.go_on()
        except SandboxUnavailable:
            source.close()
            raise

    def _begin(self) -> None:
        if monotonic() < self._failed_until:
            return
        # In a thread of its own: it may take long, and a waiting caller may give up.
        thread = threading.Thread(target=self._find_out, name="assay-choice", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            # The account has reached its limit of processes.
            self._failure = SandboxUnavailable(str(error), ("Try again with less running.",))
            return
        self._under_way = True

    def _find_out(self) -> None:
        began = monotonic()
        made, failure = None, None
        try:
            made = self._choose(self)
        except BaseException as error:
            failure = error
        with self._changed:
            self._under_way = False
            self._failure = failure
            self._failed_until = 2 * monotonic() - began
            # Else `close` has ended this source, as any that was tried.
            if not self._closed:
                self.made = made
            self._changed.notify_all()


def choose(
    interpreter: Interpreter,
    surroundings: Surroundings,
    choice: Choice,
    *,
    tier: str | None,
    unconfined: bool,
) -> tuple[WorkerSource, TierReport]:
    """A source of workers in the strongest tier that holds, or in `tier`.

    Raises NothingHolds, with what was seen in every tier, if none does.
    """
    refused = "" if tier is None else absent(tier, sys.platform)
    if tier == UNCONFINED and not unconfined:
        refused = "running without confinement was not asked for by its own setting"
    if refused:
        raise SandboxUnavailable(
            refused, (f"Choose one of {', '.join(ORDER)}." if ORDER else LINUX,)
        )
    began = perf_counter()
    passed_over: list[PassedOver] = []
    for name in (UNCONFINED,) if unconfined else ORDER if tier is None else (tier,):
        found = _try(name, interpreter, surroundings, choice, unconfined=unconfined)
        if isinstance(found, PassedOver):
            passed_over.append(found)
            continue
        source, canaries = found
        return source, TierReport(
            name,
            TIERS[name].description,
            canaries,
            perf_counter() - began,
            TIERS[name].shortfalls,
            tuple(passed_over),
        )
    reason = "; ".join(f"{each.name}: {each.reason}" for each in passed_over)
    if not passed_over:
        reason = f"{sys.platform} has no tier of confinement"
    advice = [remedy for each in passed_over for remedy in each.remedies]
    if unconfined:
        raise SandboxUnavailable(reason, tuple(advice))
    if not sys.platform.startswith("linux"):
        advice.append(LINUX)
    raise NothingHolds(reason, tuple(dict.fromkeys(advice)))


def _try(
    name: str,
    interpreter: Interpreter,
    surroundings: Surroundings,
    choice: Choice,
    *,
    unconfined: bool,
) -> tuple[WorkerSource, tuple[Canary, ...]] | PassedOver:
    """Workers in a tier whose canaries are held."""
    try:
        source = open_source(name, interpreter, surroundings)
    except SandboxUnavailable as error:
        return _passed_over(name, error.reason, error.remedies)
    except (OSError, subprocess.SubprocessError) as error:
        # The tier did not get in time, or at all, what it needs of the system.
        return _passed_over(name, str(error))
    choice.trying(source)
    try:
        canaries = try_out(source, surroundings, interpreter.environment)
    except InterpreterUnusable as error:
        source.close()
        choice.go_on()
        # Perhaps the tier ended a sound interpreter: bubblewrap may not make namespaces, say.
        readable_paths(interpreter)
        return _passed_over(name, str(error), error.remedies)
    except (SandboxUnavailable, WorkerLost, OSError) as error:
        source.close()
        advice = error.remedies if isinstance(error, SandboxError) else ()
        return _passed_over(name, str(error), advice)
    failed = [canary for canary in canaries if not canary.held]
    if not failed or (unconfined and canaries[0].held):
        return source, canaries
    source.close()
    return _passed_over(name, "; ".join(f"{canary.name} {canary.seen}" for canary in failed))


def absent(tier: str, platform: str) -> str:
    """Why a system does not have this tier at all; empty if it does."""
    here, owned = SYSTEMS.get(platform, platform), ladder(platform)
    if tier in owned or tier == UNCONFINED:
        return ""
    has = f"{here} has {', '.join(owned) or 'no tier'}"
    if tier not in TIERS:
        return f"there is no tier {tier!r}; {has}"
    owners = ", ".join(SYSTEMS[each] for each in TIERS[tier].platforms)
    return f"tier {tier} is for {owners}; {has}"


def _passed_over(name: str, reason: str, advice: tuple[str, ...] = ()) -> PassedOver:
    helpful = tuple(remedy for sign, remedy in REMEDIES.items() if sign in reason)
    return PassedOver(name, reason, (*helpful, *advice))
