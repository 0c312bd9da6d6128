"""Inspects types without running their code: through the descriptors of their C layout.

`__class__`, `__mro__` and the like can all be overridden by a class or its metaclass; the
descriptors of `type` itself, taken here before any program runs, cannot. Types are told apart by
identity, because a metaclass can have a `__hash__` and an `__eq__` of its own.
"""

from __future__ import annotations

import builtins
import itertools
import types

from .core import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

# Any: only a descriptor's C code knows the type of what it gives.
_of_type: dict[str, Any] = dict(type.__dict__)
lineage: Callable[[type], tuple[type, ...]] = _of_type["__mro__"].__get__
namespace: Callable[[type], types.MappingProxyType[str, Any]] = _of_type["__dict__"].__get__
_qualified: Any = _of_type["__qualname__"].__get__
_module: Any = _of_type["__module__"].__get__
_short: Any = _of_type["__name__"].__get__
_flags: Any = _of_type["__flags__"].__get__
_HEAP_TYPE = 1 << 9
# As `id`, which raises an audit event that costs more than all the rest.
identity: Callable[[object], int] = object.__hash__
# As `type`, also for what a type checker knows nothing of.
kind_of: Callable[[object], type] = type
# One more than the host accepts as a name.
NAME_MAX = 201
# By identity, because a metaclass can define `==` of its types.
_C_METHODS = frozenset(map(identity, (types.WrapperDescriptorType, types.MethodDescriptorType)))
_C_DESCRIPTORS = _C_METHODS.union(
    map(identity, (types.GetSetDescriptorType, types.MemberDescriptorType))
)


def _iterator_types() -> frozenset[int]:
    # Any: iterators over nothing have no type of item.
    nothing: Any = {}
    samples: list[Any] = [
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
    found: list[Any] = [type(sample) for sample in samples]
    found += [kind for kind in vars(itertools).values() if isinstance(kind, type)]
    return frozenset(map(identity, [*found, types.GeneratorType]))


def _builtin_names() -> frozenset[str]:
    """The names of built-in types, including types that no name leads to."""
    known: list[Any] = [object]
    for kind in known:
        known += type.__subclasses__(kind)
    return frozenset(_qualified(kind) for kind in known if _module(kind) == "builtins")


ITERATORS = _iterator_types()
_BUILTIN_NAMES = _builtin_names()
# Some built-in classes, exception groups, are made in the way that classes of programs are.
_BUILTIN_CLASSES = frozenset(map(identity, vars(builtins).values()))


def type_name(kind: type, own_modules: frozenset[str]) -> str:
    """The dotted name; without its module for built-ins and for classes of the program.

    A class that has the name of a built-in one keeps its module, because it is a different one.
    """
    # The name may be of a subclass of str whose formatting lies.
    name = str.__str__(_qualified(kind))[:NAME_MAX]
    if not _flags(kind) & _HEAP_TYPE:
        # A C type spells its module in `tp_name`, which is where `__module__` takes it from.
        module = _module(kind)
        return name if module == "builtins" else f"{module}.{name}"[:NAME_MAX]
    if identity(kind) in _BUILTIN_CLASSES:
        return name
    module = _module_said(kind)
    if type(module) is not str or module in own_modules or module == "builtins":
        return f"{min(own_modules)}.{name}" if name in _BUILTIN_NAMES else name
    # What Python 3.13, and no other, calls the module of its paths.
    return f"{'pathlib' if module == 'pathlib._local' else module}.{name}"[:NAME_MAX]


def _module_said(kind: type) -> object:
    """The module that a class made by Python code claims."""
    inside = namespace(kind)
    try:
        return inside.get("__module__")
    except BaseException:
        # Another name in the namespace is compared by code of the program. If that met a bound,
        # the bound has noted it.
        items = inside.items()
        return next((it for key, it in items if type(key) is str and key == "__module__"), None)


def short_name(kind: type) -> str:
    """The class's own name, without module or outer classes."""
    # As in `type_name`.
    return str.__str__(_short(kind))


def c_descriptor(kind: type, name: str) -> Any:
    """The descriptor of this name that C code made for this very type; None if there is none."""
    descriptor: Any = namespace(kind).get(name)
    by_c = identity(kind_of(descriptor)) in _C_DESCRIPTORS and descriptor.__objclass__ is kind
    return descriptor if by_c else None


def is_c_method(item: object) -> bool:
    return identity(type(item)) in _C_METHODS


def made_by_c(kind: type, method: str) -> bool:
    """Whether C code made this method for this very type. (Python code can also have slots.)"""
    descriptor = c_descriptor(kind, method)
    return descriptor is not None and is_c_method(descriptor)


def of_c(kind: type, name: str) -> bool:
    """Whether C code made this type under that dotted name, which no Python code can claim."""
    return not _flags(kind) & _HEAP_TYPE and f"{_module(kind)}.{_qualified(kind)}" == name


def is_class(value: object) -> bool:
    return descends(type(value), type)


def is_built_in(kind: type) -> bool:
    """Whether the type is made by C code, once and for all."""
    return not _flags(kind) & _HEAP_TYPE


def descends(kind: type, ancestor: type) -> bool:
    """As `issubclass`, but no metaclass can influence it."""
    return any(known is ancestor for known in lineage(kind))
