"""Reads the fields of objects, and what a built-in base keeps of them, without running their code.

`__dict__`, `__slots__` and the like come from the descriptors of their C layout, which no class can
override. The content of a built-in base is read by that base's own C code.
"""

from __future__ import annotations

import builtins
import gc
import sys
import types

from ..core import OrderedDict, defaultdict, deque, is_, reference
from ..inspecting import (
    c_descriptor,
    descends,
    identity,
    is_built_in,
    is_c_method,
    kind_of,
    lineage,
    namespace,
    of_c,
    short_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable
    from weakref import ReferenceType

# Any: only the C code of these types knows the type of what it gives.
_stored: Any = dict
_ordered: Any = OrderedDict
_deque: Any = deque
# Built in since Python 3.15; not a subclass of dict.
FROZENDICT: Any = vars(builtins).get("frozendict")
_behind: Callable[..., list[Any]] = gc.get_referents
# Types of keys whose hash no program can influence.
_PLAIN = frozenset(map(identity, (type(None), bool, int, float, complex, str, bytes)))


class Pairs:
    """Keys and values of a dict in its order; making another dict would call `__hash__` of keys."""

    __slots__ = ("keys", "values")

    def __init__(self, keys: list[Any], values: list[Any]) -> None:
        self.keys = keys
        self.values = values


def pairs(value: Any) -> Pairs:
    """The pairs in the order in which a dict, or a frozendict, stores them."""
    kind: Any = _kind_of(value)
    return Pairs([*kind.keys(value)], [*kind.values(value)])


def stored_in(value: Any) -> int:
    """How many pairs a dict holds, without running its class's code."""
    return _kind_of(value).__len__(value)


def _kind_of(value: object) -> Any:
    is_frozen = FROZENDICT is not None and descends(type(value), FROZENDICT)
    return FROZENDICT if is_frozen else _stored


def ordered_pairs(value: Any) -> Pairs | None:
    """The pairs in the order of an OrderedDict, which differs once something was moved to the end.

    None if that order does not match the dict's content, or requires calling methods of the keys.
    """
    stored = pairs(value)
    kinds: set[int] = set(map(identity, map(type, stored.keys)))
    try:
        keys = [*_ordered.keys(value)] if kinds <= _PLAIN else _keys_unasked(value, stored)
    except KeyError:
        return None
    values = dict(zip(map(identity, stored.keys), stored.values))  # noqa: B905 (3.9)
    if len(keys) != len(values) or not all(identity(key) in values for key in keys):
        return None
    return Pairs(keys, [values[identity(key)] for key in keys])


def _keys_unasked(value: object, stored: Pairs) -> list[Any]:
    """The keys in order, or none: its own iterator would look up each of them by its hash.

    The referents of an OrderedDict end with the keys in its order, followed by those of a dict:
    values and keys in turn, or values alone where all keys are text.
    """
    count = len(stored.keys)
    found = _behind(value)
    turns = zip(stored.values, stored.keys)  # noqa: B905 (3.9)
    for told in ([part for turn in turns for part in turn], stored.values):
        start = len(found) - len(told)
        if start >= count and all(map(is_, found[start:], told)):
            return found[start - count : start]
    return []


# How the built-in part of an instance of a subclass is read.
def _sliced(base: Any) -> Callable[[Any], Any]:
    read = base.__getitem__
    return lambda value: read(value, slice(None))


def _united(base: Any) -> Callable[[Any], Any]:
    unite = base.union
    return lambda value: unite(base(), value)


def _complex(value: Any) -> complex:
    parts: dict[str, Any] = dict(complex.__dict__)
    return complex(parts["real"].__get__(value), parts["imag"].__get__(value))


def _items(value: Any) -> list[Any]:
    return [*_deque.__iter__(value)]


def beside(value: object, base: type) -> list[tuple[str, object]]:
    """The attribute that the base keeps beside the content, if it keeps one."""
    name = _BESIDE.get(identity(base))
    held = None if name is None else name[1](value)
    return [] if name is None or held is None else [(name[0], held)]


# How to read each base's content; None where it cannot be read.
BASES: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    complex: _complex,
    dict: pairs,
    OrderedDict: ordered_pairs,
    defaultdict: pairs,
    deque: _items,
    set: _united(set),
    frozenset: _united(frozenset),
    **{base: _sliced(base) for base in (str, bytes, bytearray, list, tuple)},
    **({} if FROZENDICT is None else {FROZENDICT: pairs}),
}
_BESIDE: dict[int, tuple[str, Callable[[Any], object]]] = {
    identity(base): (name, dict(base.__dict__)[name].__get__)
    for base, name in ((defaultdict, "default_factory"), (deque, "maxlen"))
}


# Any: only a descriptor's C code knows the type of what it gives.
_of_type: dict[str, Any] = dict(type.__dict__)
_size: Any = _of_type["__basicsize__"].__get__
_base: Any = _of_type["__base__"].__get__
_place_of_dict: Any = _of_type["__dictoffset__"].__get__
_exception_arguments: Any = dict(BaseException.__dict__)["args"].__get__
# Attributes of a system error beside its arguments, if it is about a file.
_FILES = ("filename", "filename2")
_of_system_errors: dict[str, Any] = dict(OSError.__dict__)
_POINTER_BYTES = 8 if sys.maxsize > 1 << 32 else 4
_SLOT = types.MemberDescriptorType
_GETSET = types.GetSetDescriptorType
_FUNCTION = types.FunctionType
# The descriptor of `__dict__` that all classes made by Python code share since Python 3.15. Before,
# each class has its own, and this one belongs to no other class.
_shared: Any = namespace(type("", (), {}))["__dict__"]
_ANY_DICT: object = _shared if _shared.__objclass__ is object else None
_TRANSPARENT = frozenset(map(identity, (object, types.SimpleNamespace, *BASES)))
_BASE_IDS = frozenset(map(identity, BASES))
# Fields in which pydantic notes how a model was made; its own `==` does not compare them, either.
_SET_BY_HAND = ("__pydantic_fields_set__", "__fields_set__")
# The field in which attrs caches a hash.
_HASH = "_attrs_cached_hash"
# Fields that frameworks add to an object's own; `typing` adds the type that was called.
_NOTES = frozenset((*_SET_BY_HAND, _HASH, "__networkx_cache__", "__orig_class__"))
# Descriptors, by the names of their classes, that store their results in the object.
_REMEMBERING = frozenset(
    ("cached_property", "cachedproperty", "lazy_property", "lazyproperty", "reify")
)
# By id, and kept: slots of `pathlib` that cache values derived from the other slots.
_remembered_of_paths: dict[int, object] = {}
# The cache's bound, because programs can make types without end.
KNOWN_MAX = 1000


class _Known:
    """A cache of findings about types. It does not keep types alive, with all that they hold, so a
    new type may get the id of one that is gone."""

    def __init__(self, find: Callable[[type], Any]) -> None:
        self._find = find
        self._found: dict[int, tuple[ReferenceType[type], Any]] = {}

    def of(self, kind: type) -> Any:
        known = self._found.get(identity(kind))
        if known is None or known[0]() is not kind:
            known = (reference(kind), self._find(kind))
            if len(self._found) >= KNOWN_MAX:
                self._found.clear()
            self._found[identity(kind)] = known
        return known[1]


def member_name(value: object, enumeration: type | None) -> str | None:
    """The name of an enumeration's member; None for anything else. `enumeration`: `enum.Enum`."""
    if enumeration is None or not descends(type(value), enumeration):
        return None
    own = instance_dict(value)
    name = None if own is None else own.get("_name_")
    return name if type(name) is str else None


def learn_paths() -> None:
    """Note the slots that paths cache values in, before a program can replace them."""
    module: Any = sys.modules.get("pathlib")
    ancestors: tuple[type, ...] = () if module is None else lineage(module.Path)
    slots = {
        name: item
        for ancestor in ancestors
        for name, item in namespace(ancestor).items()
        if type(item) is _SLOT
    }
    # Since Python 3.12 all other slots are derived from `_raw_paths`.
    told = ("_raw_paths",) if "_raw_paths" in slots else ("_drv", "_root", "_parts")
    _remembered_of_paths.update(
        (identity(item), item) for name, item in slots.items() if name not in told
    )


def fields_of(value: object) -> list[tuple[str, object]] | None:
    """Name and value of every field, in order; None if the object is not made of fields."""
    kind = type(value)
    ancestors = lineage(kind)
    found: list[tuple[str, object]] = []
    if descends(kind, BaseException):
        found.append(("args", _exception_arguments(value, kind)))
        if descends(kind, OSError):
            files = [(name, _of_system_errors[name].__get__(value, kind)) for name in _FILES]
            found += [(name, held) for name, held in files if held is not None]
    elif _hides_state(kind):
        return None
    base = next((base for base in ancestors if identity(base) in _BASE_IDS), None)
    if base is not None:
        content = BASES[base](value)
        if content is None:
            return None
        found += [*_base_fields(value, base, content), *beside(value, base)]
    for ancestor in reversed(ancestors):
        found += _slots(value, ancestor)
    own = instance_dict(value)
    if own is None and _place_of_dict(kind):
        # The class has replaced the descriptor that would lead to the dict.
        return None
    if own is not None:
        if any(type(name) is not str for name in own):
            # A name that is not plain text cannot be told, so its field would be left out.
            return None
        found += own.items()
    noted = _noted(kind)
    return _in_declared_order(kind, [pair for pair in found if pair[0] not in noted])


def has_own_fields(value: object) -> bool:
    """Whether an object has fields of its own beside its content and notes."""
    own = instance_dict(value) or {}
    return any(type(name) is not str or name not in _noted(type(value)) for name in own)


def _noted_by(kind: type) -> frozenset[str]:
    """Redundant fields: those in which properties cache values, and notes of frameworks."""
    # The nearest ancestor decides what a name is, so it comes last.
    declared = {
        name: item
        for ancestor in reversed(lineage(kind))
        for name, item in namespace(ancestor).items()
        if type(name) is str
    }
    return _NOTES.union(name for name, item in declared.items() if _remembers(item))


_noted: Callable[[type], frozenset[str]] = _Known(_noted_by).of


def _remembers(item: object) -> bool:
    return short_name(type(item)) in _REMEMBERING or identity(item) in _remembered_of_paths


def notes(kind: type, fields: Iterable[str]) -> dict[str, object]:
    """The notes to store beside these fields in an object that is rebuilt."""
    by_hand = {name for name in fields if not name.startswith("__")}
    made: dict[str, object] = {
        name: {*by_hand}
        for name in _SET_BY_HAND
        if any(c_descriptor(ancestor, name) for ancestor in lineage(kind))
    }
    hashing = _declared(kind, "__hash__")
    if type(hashing) is _FUNCTION and _HASH in hashing.__code__.co_names:
        made[_HASH] = None
    return made


def _hides(kind: type) -> bool:
    """Whether C code, other than that accounted for above, keeps state in such an object."""
    return any(
        _has_c_methods(ancestor) or _is_larger_than_told(ancestor)
        for ancestor in lineage(kind)
        if not (
            identity(ancestor) in _TRANSPARENT
            or descends(ancestor, BaseException)
            or of_c(ancestor, "msgspec._core._StructMixin")
        )
    )


_hides_state: Callable[[type], bool] = _Known(_hides).of


def _has_c_methods(kind: type) -> bool:
    return any(is_c_method(item) and item.__objclass__ is kind for item in namespace(kind).values())


def _is_larger_than_told(kind: type) -> bool:
    """Whether its instances have room that is no slot, `__dict__` or weak reference of this class.

    Classes compiled by Cython have methods of Cython's own type, and all state in such room.
    """
    if _base(kind) is None:
        return False
    told = sum(
        (type(item) is _SLOT and item.__objclass__ is kind)
        or (type(item) is _GETSET and name in ("__dict__", "__weakref__"))
        for name, item in namespace(kind).items()
    )
    return _size(kind) - _size(_base(kind)) > told * _POINTER_BYTES


def _base_fields(value: object, base: type, content: Any) -> list[tuple[str, object]]:
    declared: Any = _declared(type(value), "_fields")
    if base is tuple and kind_of(declared) is tuple and len(declared) == len(content):
        pairs: list[tuple[str, object]] = [
            (name, content[position]) for position, name in enumerate(declared) if type(name) is str
        ]
        if len(pairs) == len(content):
            return pairs
    return [(short_name(base), content)]


def _declared(kind: type, name: str) -> object:
    """The attribute of this name in the namespace of the class or its nearest ancestor."""
    for ancestor in lineage(kind):
        if name in namespace(ancestor):
            return namespace(ancestor)[name]
    return None


def _slots(value: object, ancestor: type) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    if is_built_in(ancestor) or identity(ancestor) in _BASE_IDS:
        return found
    for descriptor in namespace(ancestor).values():
        if type(descriptor) is _SLOT and descriptor.__objclass__ is ancestor:
            # Not the key, which may not be plain text.
            told: Any = descriptor.__name__
            try:
                found.append((told, descriptor.__get__(value, ancestor)))
            except AttributeError:
                # A slot that was never filled is not a field yet.
                continue
    return found


def slot(kind: type, name: str) -> Callable[[Any], Any]:
    """A function that reads a slot that the class has now; it gives None for an unfilled slot."""
    descriptor: Any = namespace(kind)[name]

    def read(value: Any) -> Any:
        try:
            return descriptor.__get__(value, kind)
        except AttributeError:
            return None

    return read


def instance_dict(value: object) -> dict[Any, Any] | None:
    for ancestor in lineage(type(value)):
        descriptor: Any = namespace(ancestor).get("__dict__")
        # A program can put the descriptor of another class, or another slot, under this name.
        if (
            (type(descriptor) is _GETSET or type(descriptor) is _SLOT)
            and descriptor.__name__ == "__dict__"
            and (descriptor.__objclass__ is ancestor or descriptor is _ANY_DICT)
        ):
            own: Any = descriptor.__get__(value, type(value))
            # A subclass of dict could override methods.
            return own if kind_of(own) is dict else None
    return None


def _in_declared_order(kind: type, found: list[tuple[str, object]]) -> list[tuple[str, object]]:
    declared: Any = _declared(kind, "__dataclass_fields__")
    if kind_of(declared) is not dict:
        return found
    order = {name: position for position, name in enumerate(declared) if type(name) is str}
    return sorted(found, key=lambda pair: order.get(pair[0], len(order)))
