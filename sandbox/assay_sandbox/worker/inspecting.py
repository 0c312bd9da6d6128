"""Looking at objects without asking them: through the descriptors of their C layout.

`object.__dict__`, `__class__` and the like can all be overridden by a class or its metaclass; the
descriptors of `type` itself, taken here before any program runs, cannot.
"""

from __future__ import annotations

import collections
import enum
import itertools
import types
from typing import Any, Dict, FrozenSet, List, Optional, Tuple

_mro = type.__dict__["__mro__"].__get__
_namespace = type.__dict__["__dict__"].__get__
_qualified = type.__dict__["__qualname__"].__get__
_short = type.__dict__["__name__"].__get__
_flags = type.__dict__["__flags__"].__get__
_exception_arguments = BaseException.__dict__["args"].__get__  # pyright: ignore[reportAttributeAccessIssue]
HEAP_TYPE = 1 << 9
MAXIMUM_VISITS = 1 << 16


def _iterator_types() -> FrozenSet[type]:
    samples: List[object] = [
        iter([]),
        iter(()),
        iter({}),
        iter({}.values()),
        iter({}.items()),
        iter(set()),
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
        iter(collections.deque()),
        zip(),
        map(abs, ()),
        filter(None, ()),
        enumerate(()),
    ]
    # Subclasses can be written in Python, so only these exact types are drawn from.
    found = {type(sample) for sample in samples}
    found.update(kind for kind in vars(itertools).values() if isinstance(kind, type))
    found.add(types.GeneratorType)
    return frozenset(found)


ITERATORS = _iterator_types()
_SLOT = types.MemberDescriptorType
_GETSET = types.GetSetDescriptorType
# How the built-in part of an instance of a subclass is read, by the base's own C code.
_BASES: Dict[type, Any] = {
    int: int.__int__,
    float: float.__float__,
    complex: lambda value: complex(complex.real.__get__(value), complex.imag.__get__(value)),
    str: lambda value: str.__getitem__(value, slice(None)),
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    bytearray: lambda value: bytearray.__getitem__(value, slice(None)),
    list: lambda value: list.__getitem__(value, slice(None)),
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
    dict: lambda value: dict(dict.items(value)),
    set: lambda value: set.union(set(), value),
    frozenset: lambda value: frozenset.union(frozenset(), value),
}


_TRANSPARENT = frozenset({object, types.SimpleNamespace, *_BASES})
_C_METHODS = (types.WrapperDescriptorType, types.MethodDescriptorType)
_hiding: Dict[type, bool] = {}


def lineage(kind: type) -> "Tuple[type, ...]":
    return _mro(kind)


def namespace(kind: type) -> "types.MappingProxyType[str, Any]":
    return _namespace(kind)


def type_name(kind: type, own_modules: FrozenSet[str]) -> str:
    """The dotted name; without its module for built-ins and for classes of the program."""
    name = _qualified(kind)
    if not _flags(kind) & HEAP_TYPE:
        # A C type spells its module in `tp_name`, which is where `__module__` takes it from.
        module = type.__dict__["__module__"].__get__(kind)
        return name if module == "builtins" else f"{module}.{name}"
    module = namespace(kind).get("__module__")
    if type(module) is not str or module in own_modules or module == "builtins":
        return name
    return f"{module}.{name}"


def is_class(value: object) -> bool:
    return type in _mro(type(value))


def member_name(value: object) -> Optional[str]:
    """The name of an enumeration's member; None for anything else."""
    if enum.Enum not in _mro(type(value)):
        return None
    own = _instance_dict(value)
    name = None if own is None else own.get("_name_")
    return name if type(name) is str else None


def fields(value: object) -> Optional[List[Tuple[str, object]]]:
    """Name and value of every field, in order; None if the object is not made of fields."""
    kind = type(value)
    ancestors = _mro(kind)
    found: List[Tuple[str, object]] = []
    if BaseException in ancestors:
        found.append(("args", _exception_arguments(value, kind)))
    elif _hides_state(kind):
        return None
    base = next((base for base in ancestors if base in _BASES), None)
    if base is not None:
        found += _base_fields(value, base)
    for ancestor in reversed(ancestors):
        found += _slots(value, ancestor)
    own = _instance_dict(value)
    if own is not None:
        found += [(name, item) for name, item in own.items() if type(name) is str]
    return _in_declared_order(kind, found)


def _hides_state(kind: type) -> bool:
    """Whether C code that is not accounted for above keeps something in such an object."""
    known = _hiding.get(kind)
    if known is None:
        known = _hiding[kind] = any(
            type(item) in _C_METHODS
            for ancestor in _mro(kind)
            if ancestor not in _TRANSPARENT and BaseException not in _mro(ancestor)
            for item in namespace(ancestor).values()
        )
    return known


def _base_fields(value: object, base: type) -> List[Tuple[str, object]]:
    content = _BASES[base](value)
    names = namespace(type(value)).get("_fields")
    if base is tuple and type(names) is tuple and len(names) == len(content):
        pairs = [(name, item) for name, item in zip(names, content) if type(name) is str]
        if len(pairs) == len(content):
            return pairs
    return [(_short(base), content)]


def _slots(value: object, ancestor: type) -> List[Tuple[str, object]]:
    found: List[Tuple[str, object]] = []
    if not _flags(ancestor) & HEAP_TYPE:
        return found
    for name, descriptor in namespace(ancestor).items():
        if type(descriptor) is _SLOT and type(name) is str and name != "__weakref__":
            try:
                found.append((name, descriptor.__get__(value, ancestor)))
            except AttributeError:
                # A slot that was never filled is not a field yet.
                continue
    return found


def _instance_dict(value: object) -> Optional[Dict[Any, Any]]:
    for ancestor in _mro(type(value)):
        descriptor = namespace(ancestor).get("__dict__")
        if type(descriptor) in (_GETSET, _SLOT):
            own = descriptor.__get__(value, type(value))
            # A subclass of dict could answer for itself.
            return own if type(own) is dict else None
    return None


def _in_declared_order(kind: type, found: List[Tuple[str, object]]) -> List[Tuple[str, object]]:
    declared = namespace(kind).get("__dataclass_fields__")
    if type(declared) is not dict:
        return found
    order = {name: position for position, name in enumerate(declared)}
    return sorted(found, key=lambda pair: order.get(pair[0], len(order)))


def contains_itself(value: Any) -> bool:
    """Whether following lists, tuples and dicts leads back to where one came from."""
    path: List[Any] = [iter((value,))]
    above: List[int] = []
    for _ in range(MAXIMUM_VISITS):
        try:
            item = next(path[-1])
        except StopIteration:
            path.pop()
            if not path:
                return False
            above.pop()
            continue
        kind = type(item)
        if kind is dict:
            inside: Any = list(item) + list(item.values())
        elif kind in (list, tuple, set, frozenset):
            inside = item
        else:
            continue
        if id(item) in above:
            return True
        above.append(id(item))
        path.append(iter(inside))
    return False
