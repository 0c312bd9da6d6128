"""A program to run, the calls made of it with their scenes, and the limits it runs under."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from .places import Place
from .values import Value


@dataclass(frozen=True, slots=True)
class Program:
    """Module text and the dotted path of the function to call, such as ``f`` or ``Ledger.add``.

    With a `place`, the text takes the place of a module of a project, which is imported by its own
    name, with all that it imports from the project. Without one it finds installed packages alone.
    """

    source: str
    entry: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """The exception that a mock raises: its type by name (``OSError``, ``requests.Timeout``)."""

    type_name: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Mock:
    """Replaces what a dotted name calls: one outcome per call, the last one for all further calls.

    An outcome is a value to return or a `Fault` to raise; without any, the mock returns None.
    `name` is ``module.function``, whether or not that module is installed, or a name of the
    program's own: ``fetch``, ``Client.send``.
    """

    name: str
    outcomes: tuple[Value | Fault, ...] = ()

    def __post_init__(self) -> None:
        if not _is_dotted(self.name):
            raise ValueError(f"{self.name!r} is not a dotted name that could be mocked")
        for outcome in self.outcomes:
            if isinstance(outcome, Fault) and not _is_dotted(outcome.type_name):
                raise ValueError(f"{outcome.type_name!r} is not the name of an exception type")


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything around a call but its standard input. Nothing of it touches the real machine.

    `files` are all files: names as a program would open them (relative to its working folder) with
    their text or bytes. `environment` is the whole environment. `time` is the time of every clock,
    in seconds since 1970; None leaves clocks alone. `random_seed` seeds `random` (and numpy's)
    before the call; None leaves that to the `Surroundings`.

    Raises ValueError for an invalid scene: a file that climbs out of its folder, a name with ``=``.
    """

    files: tuple[tuple[str, str | bytes], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    time: float | None = None
    random_seed: int | None = None
    mocks: tuple[Mock, ...] = ()

    def __post_init__(self) -> None:
        for name, _content in self.files:
            if not name or "\0" in name or ".." in name.split("/") or name.endswith("/"):
                raise ValueError(f"{name!r} is not a name for a file of a scene")
        for name, value in self.environment:
            if not name or "=" in name or "\0" in name + value:
                raise ValueError(
                    f"{name!r} is not a name for a variable, or its value cannot be one"
                )


def scene_value(scene: Scene | None) -> Value:
    """The scene as plain values, equal for equal scenes; used for keys and on the wire."""
    if scene is None:
        return None
    return [
        [list(pair) for pair in scene.files],
        [list(pair) for pair in scene.environment],
        scene.time,
        scene.random_seed,
        [[mock.name, [_outcome(outcome) for outcome in mock.outcomes]] for mock in scene.mocks],
    ]


def _outcome(outcome: Value | Fault) -> Value:
    if isinstance(outcome, Fault):
        return ["raises", outcome.type_name, outcome.message]
    return ["returns", outcome]


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


@dataclass(frozen=True, slots=True)
class Call:
    """One call. Arguments are copied into the child, and calls share nothing of them.

    A program that looks through all objects of the interpreter finds arguments of its later calls.

    Without a `scene` the program finds only the `Surroundings`, and no files at all.
    """

    args: tuple[Value, ...] = ()
    kwargs: tuple[tuple[str, Value], ...] = ()
    stdin: str = ""
    scene: Scene | None = None

    @property
    def values(self) -> tuple[Value, ...]:
        """All arguments, by position and by name."""
        return (*self.args, *(value for _name, value in self.kwargs))


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one batch; exceeding one results in an `Observation`, never in an exception.

    `call_seconds` and `load_seconds` are a program's own time on a processor. By the clock, a
    program that waits has twice as long, and one that a busy machine starves fifty times.
    """

    call_seconds: float = 1.0
    load_seconds: float = 2.0
    total_seconds: float = 20.0
    timeouts_before_giving_up: int = 3
    memory_bytes: int = 1 << 30
    value_bytes: int = 1 << 20
    stdout_bytes: int = 64 << 10
    batch_bytes: int = 64 << 20
    iterator_items: int = 1000

    def __post_init__(self) -> None:
        """Raise ValueError unless every bound is finite, or a child might never end."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{entry.name} must be positive and finite, not {value!r}")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The surroundings of a program, the same at every run.

    `frozen_time` is the time of every clock, in seconds since 1970, at which each call begins; None
    leaves clocks alone. `skips_waits`: waiting (`time.sleep`, the timers of `asyncio`) takes no
    time, unless other threads are running meanwhile, and clocks stand still but for being later by
    as much; without a `frozen_time` they begin at 12:30:15 on 15 June 2024.
    """

    hash_seed: int = 0
    random_seed: int = 0
    frozen_time: float | None = None
    skips_waits: bool = False
