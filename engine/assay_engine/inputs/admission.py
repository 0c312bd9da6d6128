"""Decides which calls a unit is tried on: those whose arguments are of the annotated types.

An annotation is a promise of the caller: a function cannot be blamed for what it does with a value
of another type. An annotation that is not understood (a protocol, a foreign class) refuses nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import cast

from assay_engine.inputs.calls import calls_in
from assay_engine.syntax.classes import (
    classes_of,
    fields_of,
    is_enumeration,
    is_protocol,
    member_names,
    required_keys,
    typed_dict_classes,
)
from assay_engine.syntax.expressions import (
    NotLiteral,
    aliases_of,
    alternatives,
    is_ellipsis,
    literal,
)
from assay_engine.syntax.parsing import last_name, parse_expression
from assay_engine.syntax.text import read_source
from assay_engine.types import ParameterKind, Specification
from assay_sandbox import (
    Call,
    Container,
    Cycle,
    Expression,
    Instance,
    Iterated,
    Member,
    Opaque,
    Scalar,
    Told,
    Value,
    encode,
)

_ARRAYS = frozenset(("list", "List", "Sequence", "MutableSequence", "deque", "Deque"))
_SETS = frozenset(("set", "Set", "AbstractSet", "MutableSet", "frozenset", "FrozenSet"))
_MAPPINGS = frozenset(
    ("dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict")
)


DEPTH_MAX = 12

_PLAIN: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float, int),
    "complex": (complex, float, int),
    "bool": (bool,),
    "str": (str,),
    "bytes": (bytes,),
    "None": (type(None),),
    "NoneType": (type(None),),
    "list": (list,),
    "List": (list,),
    "tuple": (tuple,),
    "Tuple": (tuple,),
    "set": (set,),
    "Set": (set, frozenset),
    "AbstractSet": (set, frozenset),
    "MutableSet": (set,),
    "frozenset": (frozenset,),
    "FrozenSet": (frozenset,),
    "dict": (dict,),
    "Dict": (dict,),
    "Sequence": (list, tuple, str, bytes),
    "MutableSequence": (list,),
}
_ITEMS = _ARRAYS | _SETS | {"Iterable", "Collection"}
_REAL_PATHS = ("pathlib.PosixPath", "pathlib.WindowsPath")
_PURE_PATHS = ("pathlib.PurePosixPath", "pathlib.PureWindowsPath", *_REAL_PATHS)
# Types of the standard library whose values are told by a text. Beside its row here, such a type
# needs an entry in the sandbox's `worker/values/standard_types.py`, which tells its values, and one
# in `worker/values/making.py`, which builds them. A row has the sandbox's names for the type that
# an annotation names, and for those that are accepted in its place.
_STANDARD_TYPES = {
    "date": ("datetime.date", "datetime.datetime"),
    "datetime": ("datetime.datetime",),
    "time": ("datetime.time",),
    "timedelta": ("datetime.timedelta",),
    "timezone": ("datetime.timezone",),
    "ZoneInfo": ("zoneinfo.ZoneInfo",),
    "Decimal": ("decimal.Decimal",),
    "Fraction": ("fractions.Fraction",),
    "UUID": ("uuid.UUID",),
    "Path": _REAL_PATHS,
    "PosixPath": _REAL_PATHS[:1],
    "PurePath": _PURE_PATHS,
    "PurePosixPath": (_PURE_PATHS[0], _REAL_PATHS[0]),
}


class Admission:
    """Admits calls of one specification by its annotations.

    Arguments may be of any type where the docstring speaks of a TypeError: the unit is then tried
    on types, too.
    """

    def __init__(self, specification: Specification) -> None:
        self._specification = specification
        parameters = specification.given_parameters
        types = {
            each.name: None if each.annotation is None else parse_expression(each.annotation)
            for each in parameters
        }
        self._positional = [types[p.name] for p in parameters if p.kind.is_positional]
        rest = [types[p.name] for p in parameters if p.kind is ParameterKind.VAR_POSITIONAL]
        self._rest = rest[0] if rest else None
        self._by_name = types
        program = read_source(specification.program)
        self._classes = classes_of(program)
        aliases = aliases_of(program).items()
        self._aliases = {name: each for name, each in aliases if name not in self._classes}

    def admits(self, call: Call) -> bool:
        """Whether no argument is known to be of another type than its parameter's annotation.

        Of a script, the calls that it makes count, as far as they can be read.
        """
        if "TypeError" in self._specification.documented_exceptions:
            return True
        return all(
            all(map(self._of, each.args, chain(self._positional, repeat(self._rest))))
            and all(self._of(value, self._by_name.get(name)) for name, value in each.kwargs)
            for each in calls_in(call, self._specification)
        )

    def _of(self, value: Value, annotation: ast.expr | None, depth: int = DEPTH_MAX) -> bool:
        """Whether the value may be of the annotated type."""
        if depth == 0 or isinstance(value, Cycle | Expression | Iterated | Opaque | Told):
            # These stand for values whose types are not known here.
            return True
        left = alternatives(annotation, self._aliases)
        return not left or any(self._is(value, each, depth - 1) for each in left)

    def _is(self, value: Value, node: ast.expr, depth: int) -> bool:
        """Whether the value is of this type, one of the alternatives of an annotation."""
        arguments: list[ast.expr] | None = None
        match node:
            case ast.Constant(value=None):
                return value is None
            case ast.Call(func=func, args=[_, supertype]) if last_name(func) == "NewType":
                return self._of(value, supertype, depth)
            case ast.Subscript(slice=ast.Tuple(elts=several)):
                arguments = several
            case ast.Subscript(slice=one):
                arguments = [one]
            case ast.Name() | ast.Attribute():
                pass
            case _:
                return True
        name = last_name(node)
        if name == "Literal" and arguments is not None:
            return _is_one_of(value, arguments)
        if name in ("tuple", "Tuple") and arguments is not None:
            if not isinstance(value, tuple):
                return False
            items = cast("tuple[Value, ...]", value)
            if len(arguments) == 2 and is_ellipsis(arguments[1]):
                arguments = arguments[:1] * len(items)
            return len(items) == len(arguments) and all(
                self._of(item, each, depth) for item, each in zip(items, arguments, strict=True)
            )
        fits = self._is_named(value, name, depth)
        if not fits or arguments is None:
            return fits
        inner = value.items if isinstance(value, Container) else value
        if name in _MAPPINGS:
            if not isinstance(inner, dict) or len(arguments) != 2:
                return not isinstance(inner, int | float | str | list | set | tuple)
            return all(
                self._of(key, arguments[0], depth) and self._of(item, arguments[1], depth)
                for key, item in cast("dict[Value, Value]", inner).items()
            )
        is_several = isinstance(inner, list | tuple | set | frozenset)
        if name in _ITEMS and len(arguments) == 1 and is_several:
            members = cast("Iterable[Value]", inner)
            return all(self._of(item, arguments[0], depth) for item in members)
        return True

    def _is_named(self, value: Value, name: str, depth: int) -> bool:
        node = self._classes.get(name)
        if node is None:
            # The name is that of a generic alias, or stands behind a dot.
            if name in self._aliases:
                return self._of(value, self._aliases[name], depth)
            if name in _PLAIN:
                return isinstance(value, _PLAIN[name])
            if name in _STANDARD_TYPES:
                return isinstance(value, Scalar) and value.type_name in _STANDARD_TYPES[name]
            return True
        if is_enumeration(node):
            is_member = isinstance(value, Member) and value.type_name == name
            return is_member and value.name in member_names(node)
        classes = typed_dict_classes(node, self._classes)
        if classes:
            items = cast("dict[str, Value]", value) if isinstance(value, dict) else {}
            keys = fields_of(classes)
            return (
                isinstance(value, dict)
                and required_keys(classes) <= items.keys()
                and all(
                    key in keys and self._of(each, keys[key], depth) for key, each in items.items()
                )
            )
        # An object of another class fits, since that class may derive from this one.
        return is_protocol(node) or isinstance(value, Instance | Container | Scalar)


def _is_one_of(value: Value, literals: Sequence[ast.expr]) -> bool:
    try:
        allowed = {encode(literal(each)) for each in literals}
    except (NotLiteral, TypeError):
        return True
    return encode(value) in allowed
