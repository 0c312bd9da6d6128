"""Describes values of numpy: arrays and numbers.

A program can replace the module, but cannot make such types, which are read by their own C code.
Masked arrays are written in Python: of these, the array and the mask are read.
"""

from __future__ import annotations

from .fields import instance_dict
from .inspecting import is_built_in, lineage, namespace, of_c
from .telling import found_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TooMany(Exception):
    """An array has more items than may be told."""


def array(value: object, most: int) -> tuple[str, object] | None:
    """Name and contents of a numpy array or number; None for everything else.

    Contents of an array: its shape and items, and the fields of an item if it has any. Contents of
    such an item: its fields, too; of a moment or span of time: its unit and number. Raises TooMany
    for an array of more than `most` items.
    """
    kind = type(value)
    held: Any = value
    if of_c(kind, "numpy.ndarray"):
        if held.dtype.hasobject:
            return None
        if held.size > most:
            raise TooMany
        described = [list(held.shape), held.tolist()]
        if held.dtype.fields is not None:
            # Without the size, which includes the padding between fields.
            return "numpy.ndarray:|V", [*described, _fields(held.dtype)]
        return f"numpy.ndarray:{held.dtype.str}", described
    if is_built_in(kind) and any(of_c(ancestor, "numpy.generic") for ancestor in lineage(kind)):
        name = f"numpy.{kind.__name__}"
        if held.dtype.kind in "mM":
            return name, (held.dtype.str, int(held.astype("i8")))
        item = held.item()
        if held.dtype.fields is not None:
            return name, [_fields(held.dtype), item]
        # A number that has no Python equivalent is its own item.
        return (name, item) if type(item) in _ITEMS else None
    return None


def _fields(kind: Any) -> list[object]:
    """Name, type and shape of an item's fields, in the item's order, without padding."""
    found: list[object] = []
    for name in kind.names:
        field = kind.fields[name][0]
        inner = field.base
        said = inner.str if inner.fields is None else _fields(inner)
        found.append((name, said, field.shape) if field.shape else (name, said))
    return found


def untransferable(name: str, value: object, most: int) -> object:
    """The description of an array of objects, or a masked one; None for everything else.

    Type, shape, items and mask; no item where the mask hides it, and no mask that hides nothing.
    `name`: the name of its type. Raises TooMany.
    """
    if name == "numpy.ndarray" and of_c(type(value), name):
        return _described(value, most)
    if name not in _MASKED or found_in("numpy.ma.core", ["MaskedArray"]) is not type(value):
        return None
    array: Any = next(each for each in lineage(type(value)) if of_c(each, "numpy.ndarray"))
    # By C code, and as the plain array type: for others, numpy calls their `__array_finalize__`.
    told: list[Any] = _described(namespace(array)["view"](value, array), most)
    found: object = (instance_dict(value) or {}).get("_mask")
    kind = type(found)
    if not of_c(kind, "numpy.ndarray"):
        return [*told, False] if of_c(kind, "numpy.bool") or of_c(kind, "numpy.bool_") else None
    mask: Any = found
    items: list[Any] = told.pop()
    if mask.size != len(items):
        return None
    hidden: list[Any] = mask.ravel().tolist()
    pairs = zip(items, hidden)  # noqa: B905 (3.9)
    items = [None if gone is True else item for item, gone in pairs]
    return [*told, items, hidden if any(gone is not False for gone in hidden) else False]


def _described(array: Any, most: int) -> list[object]:
    if array.size > most:
        raise TooMany
    return [array.dtype.str, list(array.shape), array.ravel().tolist()]


# Names of the type in different versions.
_MASKED = ("numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray")
_ITEMS = (bool, int, float, complex, str, bytes, tuple)
