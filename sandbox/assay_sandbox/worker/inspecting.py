"""Looking at objects without asking them: through the descriptors of their C layout.

`object.__dict__`, `__class__` and the like can all be overridden by a class or its metaclass; the
descriptors of `type` itself, taken here before any program runs, cannot. Types are told apart by
identity, because a metaclass can have a `__hash__` and an `__eq__` of its own.
"""

from __future__ import annotations

import builtins
import itertools
import sys
import types

from .core import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, FrozenSet, List, Optional, Set, Tuple

# Any: what a descriptor gives is known to its C code only.
_of_type: Dict[str, Any] = dict(type.__dict__)
_mro: Any = _of_type["__mro__"].__get__
_namespace: Any = _of_type["__dict__"].__get__
_qualified: Any = _of_type["__qualname__"].__get__
_module: Any = _of_type["__module__"].__get__
_short: Any = _of_type["__name__"].__get__
_flags: Any = _of_type["__flags__"].__get__
_size: Any = _of_type["__basicsize__"].__get__
_base: Any = _of_type["__base__"].__get__
_place_of_dict: Any = _of_type["__dictoffset__"].__get__
_exception_arguments: Any = dict(BaseException.__dict__)["args"].__get__
HEAP_TYPE = 1 << 9
# `id` under another name: that one raises an audit event, which costs more than all the rest.
identity: Callable[[object], int] = object.__hash__
VISITS_MAX = 1 << 12
# One more than our side takes for a name.
NAME_MAX = 201
_POINTER_BYTES = 8 if sys.maxsize > 1 << 32 else 4


def _iterator_types() -> FrozenSet[int]:
    # Any: iterators over nothing have no type of item.
    nothing: Any = {}
    samples: List[Any] = [
        iter([]),
        iter(()),
        iter({}),
        iter(nothing.values()),
        iter(nothing.items()),
        iter(set(nothing)),
        iter(""),
        iter("\u0100"),
        iter(b""),
        iter(bytearray()),
        iter(range(0)),
        iter(range(1 << 70)),
        iter(int, 0),
        reversed([]),
        reversed(()),
        reversed({}),
        iter(deque(nothing)),
        zip(),
        map(abs, ()),
        filter(None, ()),
        enumerate(()),
    ]
    # Subclasses can be written in Python, so only these exact types are drawn from.
    found: List[Any] = [type(sample) for sample in samples]
    found += [kind for kind in vars(itertools).values() if isinstance(kind, type)]
    return frozenset(map(identity, [*found, types.GeneratorType]))


def _builtin_names() -> FrozenSet[str]:
    """What types that are built in are called, also those that no name leads to."""
    known: List[Any] = [object]
    for kind in known:
        known += type.__subclasses__(kind)
    return frozenset(_qualified(kind) for kind in known if _module(kind) == "builtins")


ITERATORS = _iterator_types()
_BUILTIN_NAMES = _builtin_names()
# Some of them, exception groups, are made the way that classes of programs are.
_BUILTIN_CLASSES = frozenset(map(identity, vars(builtins).values()))
_SLOT = types.MemberDescriptorType
_GETSET = types.GetSetDescriptorType


# How the built-in part of an instance of a subclass is read, by the base's own C code.
def _sliced(base: Any) -> Callable[[Any], Any]:
    read = base.__getitem__
    return lambda value: read(value, slice(None))


def _united(base: Any) -> Callable[[Any], Any]:
    unite = base.union
    return lambda value: unite(base(), value)


def _complex(value: Any) -> complex:
    parts: Dict[str, Any] = dict(complex.__dict__)
    return complex(parts["real"].__get__(value), parts["imag"].__get__(value))


class Pairs:
    """Keys and values of a dict in its order; making another one would ask keys for their hash."""

    __slots__ = ("keys", "values")

    def __init__(self, value: Any) -> None:
        kind: Any = dict
        self.keys: List[Any] = [*kind.keys(value)]
        self.values: List[Any] = [*kind.values(value)]


_BASES: Dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    complex: _complex,
    dict: Pairs,
    set: _united(set),
    frozenset: _united(frozenset),
    **{base: _sliced(base) for base in (str, bytes, bytearray, list, tuple)},
}
_TRANSPARENT = frozenset(map(identity, (object, types.SimpleNamespace, *_BASES)))
_BASE_IDS = frozenset(map(identity, _BASES))
_C_METHODS = (types.WrapperDescriptorType, types.MethodDescriptorType)
# By the type's id; the type itself is kept, so that its id is not given to another.
_hiding: Dict[int, Tuple[type, bool]] = {}


def lineage(kind: type) -> "Tuple[type, ...]":
    return _mro(kind)


def namespace(kind: type) -> "types.MappingProxyType[str, Any]":
    return _namespace(kind)


def type_name(kind: type, own_modules: FrozenSet[str]) -> str:
    """The dotted name; without its module for built-ins and for classes of the program.

    A class that would have the name of a built-in one keeps its module: it is another.
    """
    # It may be a subclass whose formatting lies.
    name = str.__str__(_qualified(kind))[:NAME_MAX]
    if not _flags(kind) & HEAP_TYPE:
        # A C type spells its module in `tp_name`, which is where `__module__` takes it from.
        module = _module(kind)
        return name if module == "builtins" else f"{module}.{name}"
    if identity(kind) in _BUILTIN_CLASSES:
        return name
    module = namespace(kind).get("__module__")
    if type(module) is not str or module in own_modules or module == "builtins":
        return f"{min(own_modules)}.{name}" if name in _BUILTIN_NAMES else name
    return f"{module}.{name}"


def short_name(kind: type) -> str:
    """What the class itself is called."""
    # As in `type_name`.
    return str.__str__(_short(kind))


def of_c(kind: type, name: str) -> bool:
    """Whether C code made this type under that dotted name, which no Python code can claim."""
    return not _flags(kind) & HEAP_TYPE and f"{_module(kind)}.{_qualified(kind)}" == name


def is_class(value: object) -> bool:
    return descends(type(value), type)


def is_built_in(kind: type) -> bool:
    """Whether the type is made by C code, once and for all."""
    return not _flags(kind) & HEAP_TYPE


def descends(kind: type, ancestor: type) -> bool:
    """`issubclass` that no metaclass has a say in."""
    return any(known is ancestor for known in _mro(kind))


def member_name(value: object, enumeration: Optional[type]) -> Optional[str]:
    """The name of an enumeration's member; None for anything else. `enumeration`: their base."""
    if enumeration is None or not descends(type(value), enumeration):
        return None
    own = instance_dict(value)
    name = None if own is None else own.get("_name_")
    return name if type(name) is str else None


def fields(value: object) -> Optional[List[Tuple[str, object]]]:
    """Name and value of every field, in order; None if the object is not made of fields."""
    kind = type(value)
    ancestors = _mro(kind)
    found: List[Tuple[str, object]] = []
    if descends(kind, BaseException):
        found.append(("args", _exception_arguments(value, kind)))
    elif _hides_state(kind):
        return None
    base = next((base for base in ancestors if identity(base) in _BASE_IDS), None)
    if base is not None:
        found += _base_fields(value, base)
    for ancestor in reversed(ancestors):
        found += _slots(value, ancestor)
    own = instance_dict(value)
    if own is None and _place_of_dict(kind):
        # Its class has something else under the name that would lead to it.
        return None
    if own is not None:
        if any(type(name) is not str for name in own):
            # A name can be found that is not told: whatever is there, it would be left out.
            return None
        found += own.items()
    return _in_declared_order(kind, found)


def _hides_state(kind: type) -> bool:
    """Whether C code that is not accounted for above keeps something in such an object."""
    known = _hiding.get(identity(kind))
    if known is None:
        hides = any(
            _has_c_methods(ancestor) or _is_larger_than_told(ancestor)
            for ancestor in _mro(kind)
            if identity(ancestor) not in _TRANSPARENT and not descends(ancestor, BaseException)
        )
        known = _hiding[identity(kind)] = (kind, hides)
    return known[1]


def _has_c_methods(kind: type) -> bool:
    return any(
        type(item) in _C_METHODS and item.__objclass__ is kind for item in namespace(kind).values()
    )


def _is_larger_than_told(kind: type) -> bool:
    """Whether its instances have room that is no slot, `__dict__` or weak reference of this class.

    What Cython compiles has methods of a type of its own, and all its state in such room.
    """
    if _base(kind) is None:
        return False
    told = sum(
        (type(item) is _SLOT and item.__objclass__ is kind)
        or (type(item) is _GETSET and name in ("__dict__", "__weakref__"))
        for name, item in namespace(kind).items()
    )
    return _size(kind) - _size(_base(kind)) > told * _POINTER_BYTES


def _base_fields(value: object, base: type) -> List[Tuple[str, object]]:
    content = _BASES[base](value)
    declared: Any = _declared(type(value), "_fields")
    seen: object = declared
    if base is tuple and type(seen) is tuple and len(declared) == len(content):
        pairs: List[Tuple[str, object]] = [
            (name, content[position]) for position, name in enumerate(declared) if type(name) is str
        ]
        if len(pairs) == len(content):
            return pairs
    return [(_short(base), content)]


def _declared(kind: type, name: str) -> object:
    """What the class or the nearest of its ancestors says under this name."""
    for ancestor in _mro(kind):
        if name in namespace(ancestor):
            return namespace(ancestor)[name]
    return None


def _slots(value: object, ancestor: type) -> List[Tuple[str, object]]:
    found: List[Tuple[str, object]] = []
    if not _flags(ancestor) & HEAP_TYPE:
        return found
    for descriptor in namespace(ancestor).values():
        if type(descriptor) is _SLOT and descriptor.__objclass__ is ancestor:
            # Not the key: that one may be no plain text.
            told: Any = descriptor.__name__
            try:
                found.append((told, descriptor.__get__(value, ancestor)))
            except AttributeError:
                # A slot that was never filled is not a field yet.
                continue
    return found


def slot(kind: type, name: str) -> Callable[[Any], Any]:
    """What reads a slot that the class has now, and gives None if it is not filled."""
    descriptor: Any = namespace(kind)[name]

    def read(value: Any) -> Any:
        try:
            return descriptor.__get__(value, kind)
        except AttributeError:
            return None

    return read


def instance_dict(value: object) -> Optional[Dict[Any, Any]]:
    for ancestor in _mro(type(value)):
        descriptor: Any = namespace(ancestor).get("__dict__")
        if type(descriptor) in (_GETSET, _SLOT):
            own: Any = descriptor.__get__(value, type(value))
            # A subclass of dict could answer for itself.
            seen: object = own
            return own if type(seen) is dict else None
    return None


def _in_declared_order(kind: type, found: List[Tuple[str, object]]) -> List[Tuple[str, object]]:
    declared: Any = _declared(kind, "__dataclass_fields__")
    seen: object = declared
    if type(seen) is not dict:
        return found
    order = {name: position for position, name in enumerate(declared) if type(name) is str}
    return sorted(found, key=lambda pair: order.get(pair[0], len(order)))


def contains_itself(value: Any) -> bool:
    """Whether following lists, tuples and dicts leads back to where one came from."""
    path: List[Any] = [iter((value,))]
    above: List[int] = []
    # The same as a set: the path may be long.
    among_above: Set[int] = set()
    for _ in range(VISITS_MAX):
        try:
            item = next(path[-1])
        except StopIteration:
            path.pop()
            if not path:
                return False
            among_above.discard(above.pop())
            continue
        seen: object = item
        kind = identity(type(seen))
        if kind == identity(dict):
            inside: Any = [*item, *item.values()]
        elif kind in (identity(list), identity(tuple), identity(frozenset)):
            inside = item
        else:
            continue
        if identity(item) in among_above:
            return True
        above.append(identity(item))
        among_above.add(identity(item))
        path.append(iter(inside))
    return False
