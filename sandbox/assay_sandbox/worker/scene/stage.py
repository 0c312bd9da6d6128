"""Sets the scene of one call at a time: files, environment, clock, random seed and mocks.

Like the rest of the surroundings, this is a convenience and not a security boundary. Everything is
done inside the confined child, by replacing names, and lifts no confinement.
"""

from __future__ import annotations

import builtins
import os
import sys
import types

from ..values import awaiting, decoding, encoding, writing
from . import clocks, filing
from .disk import SECONDS, Disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


def seeder(seed: int) -> Callable[[], None]:
    """A function that seeds before each call. It costs more than a cheap call does."""
    import random

    seed_standard = random.seed

    def again() -> None:
        seed_standard(seed)
        seed_numpy = _seed_of_numpy()
        if seed_numpy is not None:
            seed_numpy(seed & 0xFFFFFFFF)

    return again


def unseed_packages() -> None:
    """Leave packages as a program finds them that has just imported them: not seeded."""
    seed_numpy = _seed_of_numpy()
    if seed_numpy is not None:
        seed_numpy()


def _seed_of_numpy() -> Any:
    # Reading the attribute loads the submodule, which must not first happen in a call. Another
    # module of that name may have no such attribute.
    return getattr(getattr(sys.modules.get("numpy"), "random", None), "seed", None)


def seed_now(seed: int) -> None:
    """Seed every generator that is loaded."""
    seeder(seed)()


# A scene is a list: files, environment, time, random seed, mocks.
MOCKS = 4
BETWEEN = "\x1f"
# The most calls of mocks recorded. Their texts together are no longer than a value may be.
RECORDED_MAX = 1000
_MISSING = object()


class Stage:
    """`install` before the program's text runs, `complete` after; then `enter` and `leave`."""

    def __init__(
        self,
        scenes: dict[int, list[Any]],
        clock: clocks.Clock,
        encoder: encoding.Encoder,
        value_bytes: int,
    ) -> None:
        self._scenes = scenes
        self._value_bytes = value_bytes
        self._clock = clock
        # The stage's own encoder: a mock may be called while a result is being encoded.
        self._encoder = encoder
        self._filing = filing.Filing()
        self._environment = os.environ
        self._usual_environment = dict(os.environ)
        self._decoder: decoding.Decoder | None = None
        self._outcomes: dict[str, list[Any]] = {}
        self._counts: dict[str, int] = {}
        self._recorded: list[str] = []
        self._room = 0
        self._seed: Any = None

    def install(self) -> None:
        """Patch what the program may take references to while it is loaded."""
        self._filing.install()
        for name, outcomes in self._mocks():
            if "." in name:
                _provide(name, lambda real, name=name: self._mocked(name, real))
            for kind, *rest in outcomes:
                if kind == "raises" and "." in rest[0]:
                    _provide(rest[0], lambda real, name=rest[0]: _exception_type(name, real))

    def complete(self, namespace: dict[str, Any]) -> None:
        """Patch the program's own names; mocked builtins become names of the program."""
        self._decoder = decoding.Decoder(namespace, awaiting.Loop(), awaits=False)
        for name, _outcomes in self._mocks():
            first, *rest = name.split(".")
            if not rest:
                real = namespace.get(first, getattr(builtins, first, _MISSING))
                namespace[first] = self._mocked(name, real)
            elif isinstance(namespace.get(first), type):
                owner = namespace[first]
                for part in rest[:-1]:
                    owner = getattr(owner, part)
                setattr(owner, rest[-1], self._mocked(name, getattr(owner, rest[-1], _MISSING)))

    def enter(self, index: int) -> bool:
        """Set the scene of this call. False if it has none."""
        self.leave()
        scene = self._scenes.get(index)
        if scene is None:
            return False
        assert self._decoder is not None
        files, environment, time, seed = map(self._decoder.value, scene[:MOCKS])
        self._clock.begin(time)
        now = self._clock.seconds
        self._filing.disk = Disk(dict(files), SECONDS if now is None else now)
        self._surround(dict(environment))
        self._outcomes = dict(scene[MOCKS])
        self._room = self._value_bytes - len("[]")
        self._seed = seed
        return True

    def seed(self) -> None:
        """Seed as the scene says, if it says anything."""
        if self._seed is not None:
            seed_now(self._seed)

    def leave(self) -> None:
        self._clock.begin()
        self._outcomes, self._counts, self._recorded, self._seed = {}, {}, [], None
        if self._filing.disk is not None:
            self._filing.disk = None
            self._surround(self._usual_environment)

    def _surround(self, environment: dict[str, str]) -> None:
        # The mapping that every module refers to, whatever the program has put in its place.
        os.environ = self._environment  # noqa: B003
        os.environ.clear()
        os.environ.update(environment)

    def told(self, after: str) -> str:
        """Arguments after the call, changed files, and calls of mocks: each may be empty."""
        disk = self._filing.disk
        changes = {} if disk is None else disk.changes()
        files = self._text(changes) if changes else ""
        calls = "[%s]" % ",".join(self._recorded) if self._recorded else ""
        # JSON never contains this character: it is escaped within text, and not used between.
        return f"{after}{BETWEEN}{files}{BETWEEN}{calls}" if files or calls else after

    def _mocks(self) -> list[Any]:
        return [mock for scene in self._scenes.values() for mock in scene[MOCKS]]

    def _mocked(self, name: str, real: Any) -> Callable[..., Any]:
        if getattr(real, "__mock_of__", "") == name:
            return real

        def mocked(*arguments: Any, **named: Any) -> Any:
            outcomes = self._outcomes.get(name)
            if outcomes is None:
                if real is _MISSING:
                    raise AttributeError(f"this call's scene has no mock of {name}")
                return real(*arguments, **named)
            return self._outcome(name, outcomes, arguments, named)

        mocked.__name__ = name.rpartition(".")[2]
        vars(mocked)["__mock_of__"] = name
        return mocked

    def _outcome(self, name: str, outcomes: list[Any], arguments: Any, named: Any) -> Any:
        if len(self._recorded) < RECORDED_MAX and self._room > 0:
            text = self._text([name, list(arguments), named])
            self._room -= len(text) + len(",")
            if self._room >= 0:
                self._recorded.append(text)
        number = self._counts[name] = self._counts.get(name, -1) + 1
        if not outcomes:
            return None
        kind, *rest = outcomes[min(number, len(outcomes) - 1)]
        assert self._decoder is not None
        if kind == "returns":
            return self._decoder.value(rest[0])
        error, message = self._decoder.named(rest[0]), self._decoder.value(rest[1])
        if not (isinstance(error, type) and issubclass(error, BaseException)):
            raise TypeError(f"the mock of {name} raises {rest[0]}, which is no exception type")
        raise error(message) if message else error()

    def _text(self, value: Any) -> str:
        try:
            return self._encoder.value(value, drawing=False)
        except writing.Unencodable as reason:
            return self._encoder.opaque(reason.kind, reason.reason)


def _provide(name: str, make: Callable[[Any], Any]) -> None:
    """Replace the value at a dotted name by `make` of it; create missing modules on the way."""
    *path, last = name.split(".")
    if hasattr(builtins, path[0]):
        raise decoding.Unbuildable(f"{name} cannot be mocked: {path[0]} is built in")
    owner: Any = None
    for length in range(1, len(path) + 1):
        module = ".".join(path[:length])
        found = _module(module) if owner is None or isinstance(owner, types.ModuleType) else None
        if found is None:
            found = getattr(owner, path[length - 1], None) if owner is not None else None
        if found is None:
            found = types.ModuleType(module)
            # A package, so that modules below it can be imported by name.
            found.__path__ = []
            sys.modules[module] = found
        if owner is not None and not hasattr(owner, path[length - 1]):
            setattr(owner, path[length - 1], found)
        owner = found
    try:
        setattr(owner, last, make(getattr(owner, last, _MISSING)))
    except TypeError:
        raise decoding.Unbuildable(
            f"{name} cannot be mocked: what holds it is written in C"
        ) from None


def _exception_type(name: str, real: Any) -> Any:
    if real is not _MISSING:
        return real
    module, _, short = name.rpartition(".")
    return type(short, (Exception,), {"__module__": module})


def _module(name: str) -> Any:
    try:
        __import__(name)
    except Exception:
        # Missing, or unavailable in this tier. Since it is mocked, a stand-in will do.
        return None
    return sys.modules[name]
