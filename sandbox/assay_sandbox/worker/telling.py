"""What is told of objects that no other process could be given: a lock, a function, a buffer.

It is enough to tell whether two programs left, or gave, the same. Nothing of the program is called:
all is read through descriptors of the C code that made the type.
"""

from __future__ import annotations

import sys
import types

from .fields import instance_dict
from .inspecting import c_descriptor, identity, is_class, namespace, short_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, FrozenSet, List, Optional, Tuple

    Tell = Callable[[Any, FrozenSet[str]], object]

# The dict itself: a program can put what it likes in its place.
_modules: Dict[str, types.ModuleType] = sys.modules
_of_modules: Dict[str, Any] = dict(namespace(types.ModuleType))
_module_dict: Any = _of_modules["__dict__"].__get__


class Given:
    """Functions and the like that a call was given, by the order in which they were met.

    They have no name that leads to them; that it is still the same one can be told.
    """

    __slots__ = ("_places", "_taking")

    def __init__(self) -> None:
        # With the object, so that its id is not given to another.
        self._places: Dict[int, Tuple[object, int]] = {}
        self._taking = False

    def take(self) -> None:
        """What is met from now on is what the call was given."""
        self._places.clear()
        self._taking = True

    def taken(self) -> None:
        self._taking = False

    def forget(self) -> None:
        self._places.clear()

    def place(self, value: object) -> Optional[int]:
        if self._taking:
            self._places.setdefault(identity(value), (value, len(self._places)))
        known = self._places.get(identity(value))
        return None if known is None else known[1]


def told(name: str, value: object, own: FrozenSet[str], given: Given) -> object:
    """What is told of a value whose type has this name; None if nothing is."""
    tell = _TELLING.get(name)
    found = None if tell is None else tell(value, own)
    if found is None and name in _BY_PLACE:
        return given.place(value)
    return found


def _read(value: object, name: str) -> Any:
    """What C code says under this name of the object; raises AttributeError if none does."""
    descriptor = c_descriptor(type(value), name)
    if descriptor is None:
        raise AttributeError(name)
    return descriptor.__get__(value, type(value))


def _lock(value: object, _own: FrozenSet[str]) -> object:
    return "locked" if _read(value, "locked")() else "unlocked"


def _reentrant_lock(value: object, _own: FrozenSet[str]) -> object:
    # Its address is in the text, too.
    said: str = _read(value, "__repr__")()
    return said[1:].partition(" ")[0]


def _function(value: Any, own: FrozenSet[str]) -> object:
    """The name that leads to a function of another module; one of the program's own may be another
    in each program."""
    module, path = value.__module__, value.__qualname__
    if type(module) is not str or type(path) is not str or module in own:
        return None
    return f"{module}.{path}" if _found(module, path.split(".")) is value else None


def _found(module: str, path: List[str]) -> object:
    first, *rest = path
    start: object = _modules.get(module)
    if type(start) is not types.ModuleType:
        return None
    found: object = _module_dict(start).get(first)
    for part in rest:
        held: Any = found
        found = namespace(held).get(part) if is_class(held) else None
    return found


def _built_in(value: Any, own: FrozenSet[str]) -> object:
    holder: object = value.__self__
    name: str = value.__name__
    if type(holder) is not types.ModuleType:
        return (holder, name)
    module = _module(holder, own)
    return name if module is None or module == "builtins" else f"{module}.{name}"


def _of_type(value: Any, _own: FrozenSet[str]) -> object:
    return f"{short_name(value.__objclass__)}.{value.__name__}"


def _method(value: Any, _own: FrozenSet[str]) -> object:
    function: object = value.__func__
    path: object = function.__qualname__ if type(function) is types.FunctionType else None
    return (value.__self__, path) if type(path) is str and "<" not in path else None


def _module(value: object, _own: FrozenSet[str]) -> object:
    name: object = _module_dict(value).get("__name__")
    return name if type(name) is str else None


def _buffer(value: object, _own: FrozenSet[str]) -> object:
    if _read(value, "closed"):
        return "closed"
    return (_read(value, "getvalue")(), _read(value, "tell")())


def _partial(value: object, _own: FrozenSet[str]) -> object:
    return tuple(_read(value, name) for name in ("func", "args", "keywords"))


def _getter(value: object, _own: FrozenSet[str]) -> object:
    made_by, arguments = _read(value, "__reduce__")()
    return arguments if is_class(made_by) else (made_by, arguments)


def _remembering(value: object, _own: FrozenSet[str]) -> object:
    # What it remembers is how it gets there.
    return (instance_dict(value) or {}).get("__wrapped__")


def _logger(value: object, _own: FrozenSet[str]) -> object:
    name: object = (instance_dict(value) or {}).get("name")
    return name if type(name) is str else None


def _weak(value: object, _own: FrozenSet[str]) -> object:
    return (_read(value, "__call__")(),)


def _element(value: object, _own: FrozenSet[str]) -> object:
    item = _read(value, "__getitem__")
    inside = [item(place) for place in range(_read(value, "__len__")())]
    return (*(_read(value, name) for name in ("tag", "attrib", "text", "tail")), inside)


def _column(column: object) -> Tuple[object, object, object]:
    """Name, type and items of a column of polars."""
    return tuple(_read(column, part)() for part in ("name", "dtype", "to_list"))


def _series(value: object, _own: FrozenSet[str]) -> object:
    held = (instance_dict(value) or {}).get("_s")
    return None if held is None else _column(held)


def _frame(value: object, _own: FrozenSet[str]) -> object:
    held = (instance_dict(value) or {}).get("_df")
    return None if held is None else [*map(_column, _read(held, "get_columns")())]


_TELLING: Dict[str, Tell] = {
    "_thread.lock": _lock,
    "_thread.RLock": _reentrant_lock,
    "function": _function,
    "builtin_function_or_method": _built_in,
    "method_descriptor": _of_type,
    "wrapper_descriptor": _of_type,
    "method": _method,
    "module": _module,
    "_io.StringIO": _buffer,
    "_io.BytesIO": _buffer,
    "functools.partial": _partial,
    "functools._lru_cache_wrapper": _remembering,
    "operator.attrgetter": _getter,
    "operator.itemgetter": _getter,
    "operator.methodcaller": _getter,
    "polars.dataframe.frame.DataFrame": _frame,
    "polars.series.series.Series": _series,
    "logging.Logger": _logger,
    "logging.RootLogger": _logger,
    "weakref": _weak,
    "weakref.ReferenceType": _weak,
    "xml.etree.ElementTree.Element": _element,
}
# What these are to come to does not change with what else is called, or is chance.
_BY_PLACE = frozenset(
    (
        "function",
        "numpy.random._generator.Generator",
        "numpy.random.mtrand.RandomState",
        "random.Random",
    )
)
