"""A program to run, the calls made of it, and the limits it runs under."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from .places import Place
from .scenes import Scene
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
