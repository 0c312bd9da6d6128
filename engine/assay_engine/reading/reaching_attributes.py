"""Tells which attributes reach outside, whatever has them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from assay_engine.reading.harmless import is_dunder, is_private, names_listed
from assay_engine.reading.input_output import is_path_method, root_of
from assay_engine.reading.reaching_imports import Imported, Reach, is_of_package
from assay_engine.syntax.identifiers import ScopeKind
from assay_engine.syntax.occurrences import bound_in_classes, occurrences
from assay_engine.syntax.statements import Definition

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
# Attributes that lead to what runs, to a module or to an event loop, whoever defines them as well.
_WAYS_OUT = names_listed("""
_evaluate _get_loop _loop _os _sys ag_await ag_code ag_frame cr_await cr_code cr_frame
create_connection create_datagram_endpoint create_server create_unix_connection create_unix_server
f_back f_builtins f_code f_globals f_locals get_loop getaddrinfo getnameinfo gi_code gi_frame
gi_yieldfrom sock_connect sourcehook subprocess_exec subprocess_shell tb_frame tb_next
""")
# Private by name, and yet for everybody: of named tuples, and of enumerations.
_DOCUMENTED = names_listed("_asdict _field_defaults _fields _make _name_ _replace _value_")


class Attributes:
    """Tells which attributes in `tree` lead outside, whatever has them."""

    def __init__(self, tree: ast.Module, around: ast.Module, imported: Imported) -> None:
        self._tree = tree
        self._imported = imported
        self._of_file = _defined_in(around)
        self._own = self._of_file | _defined_in(tree) | _DOCUMENTED
        self._bound: dict[str, list[ast.AST]] = {}
        for each in occurrences(tree.body):
            if each.binds:
                self._bound.setdefault(each.name, []).append(each.node)

    def reached(self, node: ast.AST) -> Iterator[Reach]:
        """The attributes that a node gets, by name or by a pattern."""
        match node:
            case ast.Attribute(attr=name, value=owner):
                if self._leads_outside(name):
                    yield Reach(name, node)
                elif self._is_path_method(name, root_of(owner)):
                    yield Reach(f".{name}", node)
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
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Assign) and self._are_plain(node.value)
            for target in node.targets
        }
        for each in occurrences(self._tree.body):
            if each.binds and each.home.kind is ScopeKind.CLASS and is_special(each.name):
                is_usual = each.name in _DEFINED
                if not is_usual and not (each.name == "__match_args__" and each.node in plain):
                    yield Reach(each.name, each.node)

    def are_asked_by(self, call: ast.Call) -> bool:
        """Whether a call of ``getattr`` or the like names attributes that lead nowhere."""
        (path, *others) = self._imported.paths(call.func)
        match call.args:
            case _ if others:
                return False
            case [_] if path == "functools.wraps":
                return not call.keywords
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
                parts = name.split(".")
                are_of_paths = any(self._is_path_method(each, "") for each in parts)
                return not are_of_paths and not any(map(self._leads_outside, parts))
            case _:
                return False

    def _is_path_method(self, name: str, receiver: str) -> bool:
        imported = self._imported.names
        is_own = name in self._of_file or receiver in ("self", "cls", *imported)
        return not is_own and is_path_method(name, imported)

    def _leads_outside(self, name: str) -> bool:
        is_hidden = is_private(name) and name not in _SPECIAL and name not in self._own
        of_package = self._imported.has_packages and is_of_package(name)
        return is_hidden or is_special(name) or (of_package and name not in self._of_file)


@lru_cache(maxsize=4)
def _defined_in(tree: ast.Module) -> frozenset[str]:
    """The names of what a text's functions and classes are, and of the attributes that it sets."""
    nodes = list(ast.walk(tree))
    functions = (each.name for each in nodes if isinstance(each, Definition))
    are_set = (
        each.attr
        for each in nodes
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name)
    )
    return bound_in_classes(occurrences(tree.body)).union(functions, are_set)


def is_special(name: str) -> bool:
    return (is_dunder(name) and name not in _SPECIAL) or name in _WAYS_OUT
