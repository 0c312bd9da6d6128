"""Tells which attributes reach outside, whatever has them.

Tells what the imports of a text lead to, and which of it reaches outside.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from string import Formatter

from msgspec import Struct

from assay_engine.dependencies.needed import ImportNode
from assay_engine.fixes.cautions.harmless import (
    HARMLESS,
    attributes,
    is_dunder,
    is_harmless,
    is_private,
    names_listed,
)
from assay_engine.syntax.identifiers import ScopeKind
from assay_engine.syntax.input_output import dotted, imported_names, is_path_method, root_of
from assay_engine.syntax.scopes import bound_in_classes, nodes_in, occurrences_in
from assay_engine.syntax.text import Definition

# Special methods that anybody may call, and attributes that lead nowhere.
_SPECIAL = names_listed("""
__abs__ __add__ __aenter__ __aexit__ __aiter__ __and__ __anext__ __bool__ __call__ __class__
__cause__ __contains__ __context__ __delitem__ __doc__ __enter__ __eq__ __exit__ __float__
__floordiv__ __format__ __ge__ __getitem__ __gt__ __hash__ __iadd__ __index__ __init__
__int__ __invert__ __iter__ __le__ __len__ __lt__ __mod__ __mul__ __name__
__ne__ __neg__ __new__ __next__ __notes__ __or__ __pos__ __post_init__ __pow__ __qualname__
__radd__ __repr__ __reversed__ __rmul__ __rsub__ __setitem__ __str__ __sub__ __truediv__ __xor__
""")
# What a class may define besides. Those that run when a class is made count as run at import.
_DEFINED = names_listed("""
__await__ __bytes__ __ceil__ __class_getitem__ __complex__ __copy__ __deepcopy__ __del__ __delattr__
__delete__ __divmod__ __floor__ __fspath__ __get__ __getattr__ __iand__ __ifloordiv__ __imul__
__init_subclass__ __instancecheck__ __ior__ __isub__ __itruediv__ __ixor__ __length_hint__
__lshift__ __matmul__ __missing__ __mro_entries__ __prepare__ __rand__ __rdivmod__ __rfloordiv__
__rlshift__ __rmatmul__ __rmod__ __ror__ __round__ __rpow__ __rrshift__ __rshift__ __rtruediv__
__rxor__ __set__ __set_name__ __setattr__ __slots__ __subclasscheck__ __subclasshook__ __trunc__
""")
# Private by name, and yet for everybody: of named tuples, and of enumerations.
_DOCUMENTED = names_listed("_asdict _field_defaults _fields _make _name_ _replace _value_")


class Attributes:
    """Tells which attributes in `tree` lead outside, whatever has them."""

    def __init__(self, tree: ast.Module, around: ast.Module, imported: ImportBindings) -> None:
        self._tree, self._around = tree, around
        self._imported = imported
        self._of_file = _defined_in(around)
        self._own = self._of_file | _defined_in(tree) | _DOCUMENTED
        self._has_paths = any(
            each.split(".", 1)[0] == "pathlib" for each in imported.names.values()
        )
        self._replacing = {
            each.func
            for each in nodes_in(tree)
            if isinstance(each, ast.Call) and (len(each.args) > 1 or each.keywords)
        }
        self._bound: dict[str, list[ast.AST]] = {}
        for each in occurrences_in(tree):
            if each.binds:
                self._bound.setdefault(each.name, []).append(each.node)

    def reached(self, node: ast.AST) -> Iterator[Reach]:
        """The attributes that a node gets, by name or by a pattern."""
        match node:
            case ast.Attribute(attr="format" | "format_map" as name, value=template):
                if not self._is_plain_format(template):
                    yield Reach(name, node)
            case ast.Attribute(attr="replace" as name) if self._has_paths:
                # Texts and dates are given more than one argument, or named ones.
                if node not in self._replacing:
                    yield Reach(name, node)
            case ast.Attribute(attr=name) if root_of(node) not in self._imported.names:
                if self._leads_outside(name):
                    yield Reach(name, node)
            case ast.MatchClass(cls=kind, patterns=by_position, kwd_attrs=names):
                yield from (Reach(name, kind) for name in names if self._leads_outside(name))
                if by_position and not self._is_settled(kind):
                    yield Reach(ast.unparse(kind), kind)
            case _:
                pass

    def defined(self) -> Iterator[Reach]:
        """What classes define that is not theirs to define, or lets patterns find more."""
        plain = {
            target
            for node in nodes_in(self._tree)
            if isinstance(node, ast.Assign) and self._are_plain(node.value)
            for target in node.targets
        }
        for each in occurrences_in(self._tree):
            if each.binds and each.home.kind is ScopeKind.CLASS and is_hidden(each.name):
                is_usual = each.name in _DEFINED
                if not is_usual and not (each.name == "__match_args__" and each.node in plain):
                    yield Reach(each.name, each.node)

    def are_asked_by(self, call: ast.Call) -> bool:
        """Whether a call of ``getattr`` or the like names attributes that lead nowhere."""
        (path, *others) = self._imported.paths(call.func)
        match call.args:
            case _ if others:
                return False
            case [_, name, *_] if path in ("delattr", "getattr", "setattr"):
                return self._is_plain(name)
            case [_, *_] if path == "operator.attrgetter":
                return all(map(self._is_plain, call.args))
            case _:
                return False

    def _is_settled(self, kind: ast.expr) -> bool:
        """Whether the text of a class tells which attributes patterns take from it by position."""
        return all(
            isinstance(each, ast.alias)
            or (
                isinstance(each, ast.ClassDef)
                and all(map(self._is_settled, each.bases))
                and all(self._is_imported(part.value) for part in each.keywords)
                and all(map(self._is_imported, each.decorator_list))
            )
            for each in self._bindings(kind)
        )

    def _is_imported(self, value: ast.expr) -> bool:
        return all(isinstance(each, ast.alias) for each in self._bindings(value))

    def _bindings(self, value: ast.expr) -> list[ast.AST]:
        """What binds the name that an expression begins with, or else the expression itself."""
        while isinstance(value, ast.Subscript):
            value = value.value
        called = value.func if isinstance(value, ast.Call) else value
        root = root_of(called)
        is_known = bool(root) and (called is value or root in self._imported.names)
        return self._bound.get(root, []) if is_known else [value]

    def _are_plain(self, value: ast.expr) -> bool:
        return isinstance(value, ast.Tuple) and all(map(self._is_plain, value.elts))

    def _is_plain(self, text: ast.expr) -> bool:
        match text:
            case ast.Constant(value=str(name)):
                return not any(map(self._leads_outside, name.split(".")))
            case _:
                return False

    def _is_plain_format(self, template: ast.expr) -> bool:
        """Whether a template is a text that names no attributes that lead outside."""
        for each in self._values(template) if isinstance(template, ast.Name) else [template]:
            match each:
                case ast.Constant(value=str(text)):
                    if any(map(self._leads_outside, _attributes_in(text))):
                        return False
                case _:
                    return False
        return True

    def _values(self, name: ast.Name) -> list[ast.expr | None]:
        """All that a name is given, or else itself."""
        tree = self._tree if name.id in self._bound else self._around
        bound = {each.node for each in occurrences_in(tree) if each.binds and each.name == name.id}
        given = [
            node.value
            for node in nodes_in(tree)
            if isinstance(node, ast.Assign | ast.AnnAssign)
            and not bound.isdisjoint([*getattr(node, "targets", ()), getattr(node, "target", 0)])
        ]
        return given if given and len(given) == len(bound) else [name]

    def _leads_outside(self, name: str) -> bool:
        of_package = self._imported.has_packages and is_of_package(name)
        if name in _SPECIAL or (name in attributes().data and not of_package):
            return False
        if is_hidden(name) or name in attributes().ways_out:
            return True
        if name in self._of_file:
            return False
        of_paths = self._has_paths and name in attributes().of_paths
        if of_paths or is_path_method(name, self._imported.names):
            return True
        if is_private(name) or not self._imported.has_packages:
            return name not in self._own
        return _leads_elsewhere(name)


@lru_cache(maxsize=4)
def _defined_in(tree: ast.Module) -> frozenset[str]:
    """The names of what a text's functions and classes are, and of the attributes that it sets."""
    nodes = nodes_in(tree)
    functions = (each.name for each in nodes if isinstance(each, Definition))
    are_set = (
        each.attr
        for each in nodes
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name)
    )
    return bound_in_classes(occurrences_in(tree)).union(functions, are_set)


def _attributes_in(template: str) -> list[str]:
    """The attributes that `str.format` would look up."""
    try:
        fields = [*Formatter().parse(template)]
    except ValueError:
        return []  # it raises that, too
    named = [each for _, field, _, _ in fields for each in _FORMATTED.findall(field or "")]
    return [*named, *(each for field in fields for each in _attributes_in(field[2] or ""))]


def is_hidden(name: str) -> bool:
    """Whether Python gives the name a meaning that not everybody may make use of."""
    return is_dunder(name) and name not in _SPECIAL


# Functions that take the names of attributes, which are asked for in the texts that they are given.
_BY_NAME = names_listed("delattr getattr operator.attrgetter setattr")
# What alters the class or function that it is given: it may stand above one.
DECORATORS = names_listed("""
abc.abstractmethod dataclasses.dataclass enum.unique enum.verify functools.total_ordering
functools.wraps typing.final typing.no_type_check typing.overload typing.override
typing.runtime_checkable
""")
# What makes classes of what it is given: it may be named as a metaclass.
METACLASSES = names_listed("abc.ABCMeta enum.EnumMeta enum.EnumType")
_RESTRICTED = _BY_NAME | DECORATORS | METACLASSES
_FORMATTED = re.compile(r"\.([^.\[]+)")
# What packages that compute (NumPy, pandas, ...) call their ways to files and to code in texts, and
# how they set something for everybody.
_OF_PACKAGES = names_listed("""
DataSource ExcelFile ExcelWriter HDFStore dump eval fromfile fromregex genfromtxt load load_library
loadtxt memmap open open_memmap query recfromcsv recfromtxt save savetxt savez savez_compressed seed
set_option set_printoptions set_state seterr seterrcall tofile
to_clipboard to_csv to_excel to_feather to_gbq to_hdf to_html to_iceberg to_json to_latex
to_markdown to_orc to_parquet to_pickle to_sql to_stata to_string to_xml
""")
# Modules of packages that do the like, and those that are named as modules that everybody has.
_MODULES_OF_PACKAGES = names_listed("compat core ctypeslib distutils f2py test testing util utils")
_NAMED_ALIKE = names_listed("array calendar copy datetime math random statistics string time")
_STANDARD = sys.stdlib_module_names


class Reach(Struct, frozen=True):
    """A name that reaches outside, as it would be written in full, and the node that uses it."""

    name: str
    node: ast.AST


class ImportBindings:
    """What the imports of a file and a candidate bind, wherever they stand in these.

    A name may be bound to several things; which of them counts is not asked.
    """

    def __init__(self, imports: Sequence[ImportNode]) -> None:
        self._modules: set[str] = set()
        self._paths: dict[str, set[str]] = {}
        self.names = imported_names(imports)
        self.has_star = any(alias.name == "*" for each in imports for alias in each.names)
        for node in imports:
            for bound, path in imported_names([node]).items():
                self._paths.setdefault(bound, set()).add(path)
            if isinstance(node, ast.Import):
                self._modules.update(each.name for each in node.names)
        paths = (path for each in self._paths.values() for path in each)
        self._foreign = sorted(path for path in paths if path.partition(".")[0] not in _STANDARD)
        self.has_packages = bool(self._foreign)

    def paths(self, node: ast.AST) -> list[str]:
        """The paths that an expression may stand for: one as it is written if it is no import."""
        root = root_of(node)
        return [dotted(node, {root: start}) for start in sorted(self._paths.get(root, {root}))]

    def is_of_module(self, path: str) -> bool:
        """Whether a path names something directly in a module."""
        module = path.rpartition(".")[0]
        return module in HARMLESS or module in self._modules

    def reaches(self, node: ast.Attribute | ast.Name) -> Iterator[Reach]:
        """The paths that a name may stand for, as far as they reach outside."""
        for path in self.paths(node) if root_of(node) in self._paths else ():
            if path in self._modules or path in HARMLESS or not self._only_computes(path):
                yield Reach(path, node)

    def _only_computes(self, path: str) -> bool:
        """Whether a path leads to something harmless, or into what the file itself imports."""
        for name in self._foreign:
            if path == name or path.startswith(f"{name}."):
                return not any(map(_leads_elsewhere, path[len(name) :].split(".")[1:]))
        return path not in _RESTRICTED and is_harmless(path)


def _leads_elsewhere(attribute: str) -> bool:
    """Whether an attribute of a package is private, or another module, or opens something."""
    is_standard = attribute in _STANDARD and attribute not in _NAMED_ALIKE
    is_module = is_standard or attribute in _MODULES_OF_PACKAGES
    is_hidden = is_private(attribute) or attribute in attributes().ways_out
    return is_hidden or is_module or is_of_package(attribute)


def is_of_package(attribute: str) -> bool:
    return attribute in _OF_PACKAGES or attribute.startswith("read_")


def imports_reached(node: ImportNode) -> Iterator[Reach]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if is_harmless(alias.name):
                continue
            # The packages that a module is in are imported with it.
            packages = accumulate(alias.name.split("."), "{}.{}".format)
            yield from (Reach(f"import {each}", node) for each in packages if not is_harmless(each))
        return
    module = "." * node.level + (node.module or "")
    for alias in node.names:
        if not is_harmless(f"{module}.{alias.name}"):
            yield Reach(f"{module}.{alias.name}", node)
