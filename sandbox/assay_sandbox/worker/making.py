"""Objects made again from what was told of their fields, without their classes having a say.

A class that converts, counts or checks what it is given (`__init__`, `__post_init__`, `__new__`, a
property) did so when the object was first made. Once more would make another object of it.
"""

from __future__ import annotations

import sys
from types import GetSetDescriptorType, MemberDescriptorType

from . import standard
from .fields import instance_dict, notes
from .inspecting import descends, identity, kind_of, lineage, namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Immutable bases whose content has to be there when the object is made.
_FROZEN_BASES = ("int", "float", "complex", "str", "bytes", "tuple", "frozenset")
_FILLED_BASES = {"list": "extend", "dict": "update", "set": "update", "bytearray": "extend"}
_SET_BY_C = (identity(GetSetDescriptorType), identity(MemberDescriptorType))
# Between the names of flags in the name of what they make together.
_AND = "|"


def made(kind: Any, fields: dict[str, Any]) -> Any:
    """An instance with these fields."""
    if hasattr(kind, "__struct_fields__"):
        # Those of msgspec are laid out by C code, which alone can fill them.
        return kind(**fields)
    if _is_enumeration(kind):
        # A flag without a name: none of those that it might be made of.
        return kind(fields["_value_"])
    if descends(kind, BaseException):
        arguments = fields.pop("args", ())
        error: Any = _new(kind, *arguments)
        error.args = arguments
        return _filled(error, fields)
    names: Any = getattr(kind, "_fields", None)
    if descends(kind, tuple) and names is not None:
        return _new(kind, [fields[name] for name in names])
    builtins = vars(sys.modules["builtins"])
    for name in _FROZEN_BASES:
        if name in fields and descends(kind, builtins[name]):
            content = fields.pop(name)
            return _filled(builtins[name].__new__(kind, content), fields)
    instance = _new(kind)
    standard.fill(instance, fields)
    for name, fill in _FILLED_BASES.items():
        if name in fields and descends(kind, builtins[name]):
            getattr(builtins[name], fill)(instance, fields.pop(name))
    return _filled(instance, {**fields, **notes(kind, fields)})


def member(kind: Any, name: str) -> Any:
    """The member of an enumeration, or the flags that stand together in the name."""
    first, *others = [kind[part] for part in name.split(_AND)]
    for each in others:
        first |= each
    return first


def _is_enumeration(kind: Any) -> bool:
    enum: Any = sys.modules.get("enum")
    return enum is not None and descends(kind, enum.Enum)


def _new(kind: Any, *arguments: Any) -> Any:
    """An instance as the nearest C ancestor makes one."""
    for ancestor in lineage(kind):
        make: Any = namespace(ancestor).get("__new__")
        if make is not None and type(make) is type(object.__new__):
            return make(kind, *arguments)
    return kind.__new__(kind, *arguments)


def _filled(instance: Any, fields: dict[str, Any]) -> Any:
    kind = kind_of(instance)
    own = instance_dict(instance)
    for name, item in fields.items():
        descriptor = _set_by_c(kind, name)
        if descriptor is not None:
            descriptor.__set__(instance, item)
        elif own is not None:
            own[name] = item
        else:
            object.__setattr__(instance, name, item)
    return instance


def _set_by_c(kind: type, name: str) -> Any:
    """The slot, or what C code keeps in an object, under this name; None if there is none."""
    for ancestor in lineage(kind):
        found: Any = namespace(ancestor).get(name)
        if identity(kind_of(found)) in _SET_BY_C:
            return found
    return None
