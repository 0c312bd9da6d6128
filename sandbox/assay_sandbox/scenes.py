"""The scene of one call: its surroundings, declared, held in memory, and inspected afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from .values import Value


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
