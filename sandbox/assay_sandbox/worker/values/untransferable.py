"""Describes objects that no other process could be given: a lock, a function, a buffer.

The description suffices to tell whether two programs left, or gave, the same. Nothing of the
program is called: all is read through descriptors of the C code that made the type.
"""

from __future__ import annotations

import gc
import sys
import types

from .. import origin
from ..core import partial
from ..inspecting import (
    c_descriptor,
    identity,
    is_class,
    kind_of,
    made_by_c,
    namespace,
    of_c,
    short_name,
)
from .fields import instance_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    Tell = Callable[[Any, frozenset[str]], object]

# The dict itself, because a program can replace `sys.modules`.
_modules: dict[str, types.ModuleType] = sys.modules
_KEEPING = frozenset(map(identity, (list, dict, set)))
_HOLDING = frozenset(map(identity, (list, tuple, set, frozenset)))
_LEAVES = frozenset(map(identity, (bool, bytes, complex, float, int, str, type(None))))
# What is kept has no more parts than this, or is not told.
_PLAIN_MAX = 10_000
# Bound now, for the same reason.
_Module, _Function = types.ModuleType, types.FunctionType
_behind: Callable[..., list[object]] = gc.get_referents
_of_modules: dict[str, Any] = dict(namespace(_Module))
_module_dict: Any = _of_modules["__dict__"].__get__


class GivenObjects:
    """Functions and the like that a call was given, by the order in which they were met.

    No name leads to them, but their position tells whether an object is still the same one.
    """

    __slots__ = ("_places", "_taking")

    def __init__(self) -> None:
        # Keeps the object, so that no other object gets the same id.
        self._places: dict[int, tuple[object, int]] = {}
        self._taking = False

    def take(self) -> None:
        """Number the objects that are met from now on: they are the call's arguments."""
        self._places.clear()
        self._taking = True

    def taken(self) -> None:
        self._taking = False

    def forget(self) -> None:
        self._places.clear()

    def place(self, value: object) -> int | None:
        if self._taking:
            self._places.setdefault(identity(value), (value, len(self._places)))
        known = self._places.get(identity(value))
        return None if known is None else known[1]


def told(
    name: str, value: object, own: frozenset[str], given: GivenObjects, *, as_argument: bool
) -> object:
    """The description of a value whose type has this name; None if there is none."""
    kind = type(value)
    known = (_ARGUMENTS.get(name) if as_argument else None) or _MADE_BY_C.get(name)
    if known is not None:
        # A class of the program can have that name, but not a method that C code made for it.
        method, tell = known
        found = tell(value, own) if made_by_c(kind, method) else None
    elif name in _MADE_BY_PYTHON:
        module, tell = _MADE_BY_PYTHON[name]
        found = tell(value, own) if found_in(module, [short_name(kind)]) is kind else None
    else:
        found = None
    return _placed(value, given) if found is None and _goes_by_place(name, kind) else found


def found_in(module: str, path: list[str]) -> object:
    """The object that a loaded module has under a dotted name."""
    first, *rest = path
    start: object = _modules.get(module)
    if type(start) is not _Module:
        return None
    found: object = _module_dict(start).get(first)
    for part in rest:
        held: Any = found
        found = namespace(held).get(part) if is_class(held) else None
    return found


def _goes_by_place(name: str, kind: type) -> bool:
    """Whether such a value is told by its place: functions, and generators of random numbers."""
    if kind is _Function or name in _CHANCE_OF_C:
        return kind is _Function or of_c(kind, name)
    return name == "random.Random" and found_in("random", ["Random"]) is kind


def _placed(value: object, given: GivenObjects) -> object:
    """The place, and with it what a function of an input keeps."""
    place = given.place(value)
    kept = _kept(value) if place is not None and type(value) is _Function else []
    return (place, *kept) if kept else place


def _kept(function: Any) -> list[tuple[str, object]]:
    """The lists, dicts and sets that are defaults of an input's function, by parameter.

    Whoever writes ``lambda item, seen=[]: seen.append(item)`` wants to see how the function was
    called. A program's own functions keep things in their defaults that are no business of the
    caller's. Nothing is told unless all that is kept is plain data: two programs may pass on
    functions or errors of their own, which nobody can compare.
    """
    code = function.__code__
    if not origin.is_of_input(code):
        return []
    defaults: Any = function.__defaults__
    keywords: Any = function.__kwdefaults__
    held: list[tuple[Any, object]] = []
    # A program can put objects of its own classes in the place of either, and of any name.
    if kind_of(defaults) is tuple:
        positional = code.co_varnames[: code.co_argcount]
        held += zip(positional[::-1], defaults[::-1])  # noqa: B905 (3.9)
    if kind_of(keywords) is dict:
        held += keywords.items()
    kept = [pair for pair in held if identity(type(pair[1])) in _KEEPING]
    is_plain = all(kind_of(name) is str and _is_plain(value) for name, value in kept)
    return kept if is_plain else []


def _is_plain(value: object) -> bool:
    """Whether a value is data of built-in types, and not endless."""
    pending: list[Any] = [value]
    for _ in range(_PLAIN_MAX):
        if not pending:
            return True
        part = pending.pop()
        kind = identity(kind_of(part))
        if kind in _LEAVES:
            continue
        if not (kind in _HOLDING or kind == identity(dict)) or len(part) > _PLAIN_MAX:
            return False
        pending += part
        if kind == identity(dict):
            pending += part.values()
    return False


def _read(value: object, name: str) -> Any:
    """The attribute that C code gives the object; raises AttributeError if it gives none."""
    descriptor = c_descriptor(type(value), name)
    if descriptor is None:
        raise AttributeError(name)
    return descriptor.__get__(value, type(value))


def _lock(value: object, _own: frozenset[str]) -> object:
    return "locked" if _read(value, "locked")() else "unlocked"


def _reentrant_lock(value: object, _own: frozenset[str]) -> object:
    # Only the first word: the text contains the lock's address, too.
    said: str = _read(value, "__repr__")()
    return said[1:].partition(" ")[0]


def _function(value: Any, own: frozenset[str]) -> object:
    """The name that leads to a function of another module. A function of the program itself may be
    a different one in each program."""
    module, path = value.__module__, value.__qualname__
    if type(module) is not str or type(path) is not str or module in own:
        return None
    return f"{module}.{path}" if found_in(module, path.split(".")) is value else None


def _built_in(value: Any, own: frozenset[str]) -> object:
    holder: object = value.__self__
    name: str = value.__name__
    if type(holder) is not _Module:
        return (holder, name)
    module = _module(holder, own)
    return name if module is None or module == "builtins" else f"{module}.{name}"


def _of_type(value: Any, _own: frozenset[str]) -> object:
    return f"{short_name(value.__objclass__)}.{value.__name__}"


def _method(value: Any, _own: frozenset[str]) -> object:
    function: object = value.__func__
    path: object = function.__qualname__ if type(function) is _Function else None
    return (value.__self__, path) if type(path) is str and "<" not in path else None


def _module(value: object, _own: frozenset[str]) -> object:
    name: object = _module_dict(value).get("__name__")
    return name if type(name) is str else None


def _buffer(value: object, own: frozenset[str]) -> object:
    content = _content(value, own)
    return content if content == "closed" else (*content, _read(value, "tell")())


def _content(value: object, _own: frozenset[str]) -> Any:
    return "closed" if _read(value, "closed") else (_read(value, "getvalue")(),)


def _getter(value: object, _own: frozenset[str]) -> object:
    if any(type(part) is dict for part in _behind(value)) and not _partial_is_in_place():
        return None
    made_by, arguments = _read(value, "__reduce__")()
    return arguments if is_class(made_by) else (made_by, arguments)


def _partial_is_in_place() -> bool:
    """Whether `functools.partial`, which such a getter reduces itself by, is still the real one."""
    return found_in("functools", ["partial"]) is partial


def _remembering(value: object, _own: frozenset[str]) -> object:
    # Only the wrapped function: the cache just saves its work.
    return (instance_dict(value) or {}).get("__wrapped__")


def _sentinel(value: object, own: frozenset[str]) -> object:
    module: object = _read(value, "__module__")
    name: object = _read(value, "__name__")
    if type(module) is not str or type(name) is not str:
        return None
    return name if module in own else f"{module}.{name}"


def _parts(*names: str) -> Tell:
    """Describe an object by these attributes, which are all that it consists of."""
    return lambda value, _own: tuple(_read(value, name) for name in names)


def _logger(value: object, _own: frozenset[str]) -> object:
    name: object = (instance_dict(value) or {}).get("name")
    return name if type(name) is str else None


def _event_loop(_value: object, _own: frozenset[str]) -> object:
    # What it is busy with depends on how a program waits.
    return "event loop"


def _weak(value: object, _own: frozenset[str]) -> object:
    return (_read(value, "__call__")(),)


def _element(value: object, _own: frozenset[str]) -> object:
    item = _read(value, "__getitem__")
    inside = [item(place) for place in range(_read(value, "__len__")())]
    return (*(_read(value, name) for name in ("tag", "attrib", "text", "tail")), inside)


def _column(column: object) -> tuple[object, object, object]:
    """Name, type and items of a column of polars."""
    return tuple(_read(column, part)() for part in ("name", "dtype", "to_list"))


def _series(value: object, _own: frozenset[str]) -> object:
    held = (instance_dict(value) or {}).get("_s")
    return None if held is None else _column(held)


def _frame(value: object, _own: frozenset[str]) -> object:
    held = (instance_dict(value) or {}).get("_df")
    return None if held is None else [*map(_column, _read(held, "get_columns")())]


# By the names of types: a method that only C code makes for them, and the function to tell them.
_MADE_BY_C: dict[str, tuple[str, Tell]] = {
    "_thread.lock": ("locked", _lock),
    "_thread.RLock": ("acquire", _reentrant_lock),
    "function": ("__get__", _function),
    "builtin_function_or_method": ("__reduce__", _built_in),
    "method_descriptor": ("__reduce__", _of_type),
    "wrapper_descriptor": ("__reduce__", _of_type),
    "method": ("__reduce__", _method),
    "module": ("__dir__", _module),
    "_io.StringIO": ("getvalue", _buffer),
    "_io.BytesIO": ("getvalue", _buffer),
    "functools.partial": ("__reduce__", _parts("func", "args", "keywords")),
    "functools._lru_cache_wrapper": ("cache_info", _remembering),
    "operator.attrgetter": ("__reduce__", _getter),
    "operator.itemgetter": ("__reduce__", _getter),
    "operator.methodcaller": ("__reduce__", _getter),
    "re.Match": ("expand", _parts("string", "regs")),
    "sentinel": ("__reduce__", _sentinel),
    "string.templatelib.Interpolation": (
        "__reduce__",
        _parts("value", "expression", "conversion", "format_spec"),
    ),
    "string.templatelib.Template": ("__reduce__", _parts("strings", "interpolations")),
    "weakref": ("__call__", _weak),
    "weakref.ReferenceType": ("__call__", _weak),
    "xml.etree.ElementTree.Element": ("append", _element),
}
# The same for classes written in Python: their module, and the function.
_MADE_BY_PYTHON: dict[str, tuple[str, Tell]] = {
    "polars.dataframe.frame.DataFrame": ("polars.dataframe.frame", _frame),
    "polars.series.series.Series": ("polars.series.series", _series),
    "logging.Logger": ("logging", _logger),
    "logging.RootLogger": ("logging", _logger),
    "asyncio.unix_events._UnixSelectorEventLoop": ("asyncio.unix_events", _event_loop),
}
# The same for arguments, by the names of C types: how far an open file was read does not count, as
# with iterators.
_ARGUMENTS: dict[str, tuple[str, Tell]] = {
    "_io.StringIO": ("getvalue", _content),
    "_io.BytesIO": ("getvalue", _content),
}
_CHANCE_OF_C = frozenset(("numpy.random._generator.Generator", "numpy.random.mtrand.RandomState"))
