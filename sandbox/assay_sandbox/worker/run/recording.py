"""What is recorded of each call on request: its time, its lines, and what it changed for others.

The latter is what the names of its own module stand for, and attributes of the modules that it
imports, also within functions, and of their classes. Values are compared by their texts, as the
encoder writes them without running code of the program; code, classes and modules by identity.
"""

from __future__ import annotations

import sys
import types

# Imported now, because a scene's clock stands still.
from time import perf_counter
from types import CodeType, FrameType

from .. import imports
from ..inspecting import identity, is_built_in, is_class, kind_of, lineage, namespace
from ..values import encoding
from ..values.fields import instance_dict
from ..values.writing import Unencodable, string
from .loading import PROGRAM_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator


class CallStopwatch:
    """Runs from before a call until the call has returned or raised."""

    def __init__(self, _text: str) -> None:
        self._began = 0.0
        self._seconds = 0.0

    def arm(self, _namespace: dict[str, object]) -> None:
        """Nothing to do: nothing has to be watched while a call runs."""

    def begin(self) -> None:
        self._seconds = 0.0
        self._began = perf_counter()

    def end(self) -> None:
        self._seconds = perf_counter() - self._began

    def take(self) -> str:
        return "%.9f" % self._seconds


TOOL = 4


class LineTracer:
    """Collects lines."""

    def __init__(self, _text: str) -> None:
        self._lines: set[int] = set()
        self._monitoring: Any = getattr(sys, "monitoring", None)

    def arm(self, _namespace: dict[str, Any]) -> None:
        if self._monitoring is None:
            # Imported here, because it would slow every start, and few callers ask for coverage.
            import threading

            sys.settrace(self._trace)
            threading.settrace(self._trace)
            return
        events = self._monitoring.events
        self._monitoring.use_tool_id(TOOL, "coverage")
        self._monitoring.register_callback(TOOL, events.LINE, self._line)
        self._monitoring.register_callback(TOOL, events.PY_START, self._start)
        self._monitoring.set_events(TOOL, events.PY_START)

    def begin(self) -> None:
        self._lines.clear()
        if self._monitoring is None:
            # A program can have switched tracing off.
            sys.settrace(self._trace)

    def end(self) -> None:
        """Nothing to do: no code of the program follows the call."""

    def take(self) -> str:
        return "[%s]" % ",".join(map(str, sorted(self._lines)))

    def _start(self, code: CodeType, _offset: int) -> Any:
        if code.co_filename == PROGRAM_FILE:
            self._monitoring.set_local_events(TOOL, code, self._monitoring.events.LINE)
        # Once is enough for each code.
        return self._monitoring.DISABLE

    def _line(self, _code: CodeType, line: int) -> None:
        self._lines.add(line)

    def _trace(self, frame: FrameType, event: str, _argument: Any) -> Any | None:
        if frame.f_code.co_filename != PROGRAM_FILE:
            return None
        if event == "line":
            self._lines.add(frame.f_lineno)
        return self._trace


VALUE_BYTES = 1 << 16
# How many objects within objects are looked into.
DEPTH_MAX = 3
# How many names are told.
NAMES_MAX = 20
_IMPORTED = r"(?m)^\s*(?:from|import)\s+([\w.]+(?:\s*,\s*[\w.]+)*)"
_STANDARD = frozenset(
    name.partition(".")[0] for name in (*sys.builtin_module_names, *imports.WITHOUT_FILES)
)
# Loggers remember here which levels are on.
_REMEMBERED = "_cache"
_CODE = (types.FunctionType, types.BuiltinFunctionType, staticmethod, classmethod, property)


class SharedState:
    """Compares the state after each call with that from before the first one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places: list[tuple[str, Any]] = []
        self._own: dict[str, Any] = {}
        self._encoder = encoding.Encoder(frozenset())
        self._context: Any = None
        # Whatever is known by its identity has to live on.
        self._kept: dict[int, object] = {}
        self._before: dict[str, object] = {}

    def arm(self, own: dict[str, Any]) -> None:
        self._own = own
        self._encoder = encoding.Encoder(frozenset((own["__name__"],)))
        self._encoder.learn()
        self._encoder.bound(VALUE_BYTES, 0)
        self._places = [("", own), *self._modules()]
        self._context = getattr(sys.modules.get("decimal"), "getcontext", None)
        self._before = dict(self._state(keep=True))

    def begin(self) -> None:
        """Nothing to do: the state from before the first call counts."""

    def end(self) -> None:
        """Nothing to do: the state is read once the call is over."""

    def take(self) -> str:
        now = dict(self._state(keep=False))
        named = [name for name in now if now[name] != self._before.get(name)]
        named += [name for name in self._before if name not in now]
        return "[%s]" % ",".join(map(string, sorted(named)[:NAMES_MAX]))

    def _modules(self) -> Iterator[tuple[str, Any]]:
        # Imported here, because it would slow every start.
        import re

        wanted: set[Any] = {
            part.strip() for found in re.findall(_IMPORTED, self._text) for part in found.split(",")
        }
        for value in list(self._own.values()):
            if is_class(value):
                wanted.add(namespace(value).get("__module__"))
            elif type(value) in (types.ModuleType, types.FunctionType):
                is_module = type(value) is types.ModuleType
                wanted.add(value.__name__ if is_module else value.__module__)
        named = [name for name in wanted if type(name) is str]
        for name in sorted({*named}.difference((self._own["__name__"], "builtins"))):
            if name not in sys.modules and name.partition(".")[0] in _STANDARD:
                try:
                    __import__(name)
                except ImportError:
                    continue
            module = sys.modules.get(name)
            if type(module) is types.ModuleType:
                yield name + ".", module.__dict__

    def _state(self, *, keep: bool) -> Iterator[tuple[str, object]]:
        for place, inside in self._places:
            held: list[tuple[object, Any]] = list(inside.items())
            for name, value in held:
                # A module may gain another one when that is imported.
                if type(name) is not str or name[:2] == "__" or type(value) is types.ModuleType:
                    continue
                if place and name[0] == "_":
                    continue
                if place == "sys." and kind_of(value) not in _CODE:
                    continue
                if keep:
                    self._kept[identity(value)] = value
                yield place + name, self._told(value, 0)
                if is_class(value) and (not place or place.partition(".")[0] in _STANDARD):
                    yield from self._members(place + name, value, keep=keep)
        if self._context is not None:
            # Not its flags, which tell of what was computed.
            at = self._context()
            traps = sorted(kind.__name__ for kind, is_set in at.traps.items() if is_set)
            yield "decimal.getcontext()", (at.prec, at.rounding, at.Emin, at.Emax, *traps)

    def _members(self, path: str, kind: Any, *, keep: bool) -> Iterator[tuple[str, object]]:
        own = not is_built_in(kind) and namespace(kind).get("__module__") == self._own["__name__"]
        for name, value in list(namespace(kind).items()):
            # Enumerations keep what they have computed in names such as `_value2member_map_`.
            if type(name) is not str or (name[:1] == "_" == name[-1:] and type(value) not in _CODE):
                continue
            if keep:
                self._kept[identity(value)] = value
            yield path + "." + name, self._told(value, 0) if own else identity(value)

    def _told(self, value: Any, depth: int) -> object:
        """What tells a value from others; values that are equal may be told alike."""
        kind = kind_of(value)
        if kind is types.FunctionType:
            parts = (value.__code__, value.__defaults__, value.__kwdefaults__, value.__dict__)
            return identity(value), identity(parts[0]), *(self._told(it, depth) for it in parts[1:])
        if kind in _CODE or kind is types.ModuleType or is_class(value):
            return identity(value)
        if is_built_in(kind) or self._is_own(kind) or any(map(is_built_in, lineage(kind)[1:-1])):
            try:
                text = self._encoder.value(value, drawing=False)
            except Unencodable as reason:
                text = str(reason)
            if not text.startswith(encoding.OPAQUE):
                return text
        fields = instance_dict(value)
        if fields is None or depth == DEPTH_MAX:
            return identity(value)
        told = sorted(
            (name, repr(self._told(it, depth + 1)))
            for name, it in list(fields.items())
            if type(name) is str and name != _REMEMBERED
        )
        return identity(value), *told

    def _is_own(self, kind: type) -> bool:
        return namespace(kind).get("__module__") == self._own["__name__"]
