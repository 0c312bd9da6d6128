"""Chooses the confinement: the strongest tier whose canaries, really run, are all held back."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import dataclass
from time import perf_counter

from .canaries import Canary, try_out
from .errors import (
    InterpreterUnusable,
    NothingHolds,
    SandboxError,
    SandboxUnavailable,
    WorkerLost,
)
from .programs import Surroundings
from .starting import open_source, readable_paths
from .workers import WorkerSource
from .zygotes import Interpreter

UNCONFINED = "none"


@dataclass(frozen=True, slots=True)
class KnownTier:
    """What a tier confines by, and the platforms that have it (`sys.platform`; empty: all).

    `shortfalls` are limitations that its user has to know, a sentence each; docs/sandbox.md
    explains them at length.
    """

    description: str
    platforms: tuple[str, ...] = ()
    shortfalls: tuple[str, ...] = ()


_NEVER_RUN = "Experimental: written from documentation, and not yet run on such a system."
_HANGS = "A call that hangs is ended after twice its time and 0.5 s."
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
    "J": KnownTier("job object and AppContainer", ("win32",), (_NEVER_RUN, _HANGS)),
    "W": KnownTier(
        "WebAssembly (wasmtime)",
        (),
        (
            "Programs run under the Python named above, which may be of another version.",
            "No threads, event loops, sockets or processes; of site-packages, pure Python only.",
            _HANGS,
        ),
    ),
    UNCONFINED: KnownTier("NOT CONFINED: resource limits and its own environment only"),
}
SYSTEMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}


def ladder(platform: str) -> tuple[str, ...]:
    """The tiers of a platform, strongest first."""
    owned = ((name, tier.platforms) for name, tier in TIERS.items() if name != UNCONFINED)
    return tuple(name for name, platforms in owned if not platforms or platform in platforms)


ORDER = ladder(sys.platform)
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


class Trying:
    """The source that was tried last, perhaps chosen, so that another thread can end it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._source: WorkerSource | None = None
        self._ended = False

    def begin(self, source: WorkerSource) -> None:
        """Set the source being tried. Raises SandboxUnavailable after `end`, as does `go_on`."""
        with self._lock:
            self._source = source
        try:
            self.go_on()
        except SandboxUnavailable:
            source.close()
            raise

    def go_on(self) -> None:
        with self._lock:
            if self._ended:
                raise SandboxUnavailable("it has been ended", ("Open a new sandbox.",))

    def end(self) -> None:
        with self._lock:
            self._ended = True
            source = self._source
        if source is not None:
            source.close()


def choose(
    interpreter: Interpreter,
    surroundings: Surroundings,
    trying: Trying,
    *,
    tier: str | None,
    unconfined: bool,
) -> tuple[WorkerSource, TierReport]:
    """A source of workers in the strongest tier that holds, or in `tier`.

    Raises NothingHolds, with what was seen in every tier, if none does.
    """
    if tier is not None:
        _refuse(tier, unconfined=unconfined)
    began = perf_counter()
    passed_over: list[PassedOver] = []
    for name in (UNCONFINED,) if unconfined else ORDER if tier is None else (tier,):
        found = _try(name, interpreter, surroundings, trying, unconfined=unconfined)
        if isinstance(found, PassedOver):
            passed_over.append(found)
            continue
        source, more, canaries = found
        return source, TierReport(
            name,
            f"{TIERS[name].description}, {more}" if more else TIERS[name].description,
            canaries,
            perf_counter() - began,
            TIERS[name].shortfalls,
            tuple(passed_over),
        )
    reason = "; ".join(f"{each.name}: {each.reason}" for each in passed_over)
    advice = [remedy for each in passed_over for remedy in each.remedies]
    if unconfined:
        raise SandboxUnavailable(reason, tuple(advice))
    if not sys.platform.startswith("linux"):
        advice.append("Run Assay on Linux: in a container, a virtual machine, or WSL 2.")
    raise NothingHolds(reason, tuple(dict.fromkeys(advice)))


def _try(
    name: str,
    interpreter: Interpreter,
    surroundings: Surroundings,
    trying: Trying,
    *,
    unconfined: bool,
) -> tuple[WorkerSource, str, tuple[Canary, ...]] | PassedOver:
    """Workers in a tier whose canaries are held, with an addition to the tier's description."""
    try:
        source, more = open_source(name, interpreter, surroundings)
    except SandboxUnavailable as error:
        return _passed_over(name, error.reason, error.remedies)
    except (OSError, subprocess.SubprocessError) as error:
        # The tier did not get in time, or at all, what it needs of the system.
        return _passed_over(name, str(error))
    trying.begin(source)
    try:
        canaries = try_out(source, surroundings, interpreter.environment)
    except InterpreterUnusable as error:
        source.close()
        trying.go_on()
        # Perhaps the tier ended a sound interpreter: bubblewrap may not make namespaces, say.
        readable_paths(interpreter)
        return _passed_over(name, str(error), error.remedies)
    except (SandboxUnavailable, WorkerLost, OSError) as error:
        source.close()
        advice = error.remedies if isinstance(error, SandboxError) else ()
        return _passed_over(name, str(error), advice)
    failed = [canary for canary in canaries if not canary.held]
    if not failed or (unconfined and canaries[0].held):
        return source, more, canaries
    source.close()
    return _passed_over(name, "; ".join(f"{canary.name} {canary.seen}" for canary in failed))


def absent(tier: str, platform: str) -> str:
    """Why a system does not have this tier at all; empty if it does."""
    here, owned = SYSTEMS.get(platform, platform), ladder(platform)
    if tier in owned or tier == UNCONFINED:
        return ""
    if tier not in TIERS:
        return f"there is no tier {tier!r}; {here} has {', '.join(owned)}"
    owners = ", ".join(SYSTEMS[each] for each in TIERS[tier].platforms)
    return f"tier {tier} is for {owners}; {here} has {', '.join(owned)}"


def _refuse(tier: str, *, unconfined: bool) -> None:
    reason = absent(tier, sys.platform)
    if reason:
        raise SandboxUnavailable(reason, (f"Choose one of {', '.join(ORDER)}.",))
    if tier == UNCONFINED and not unconfined:
        raise SandboxUnavailable(
            "running without confinement was not asked for by its own setting",
            (f"Choose one of {', '.join(ORDER)}.",),
        )


def _passed_over(name: str, reason: str, advice: tuple[str, ...] = ()) -> PassedOver:
    helpful = tuple(remedy for sign, remedy in REMEDIES.items() if sign in reason)
    return PassedOver(name, reason, (*helpful, *advice))
