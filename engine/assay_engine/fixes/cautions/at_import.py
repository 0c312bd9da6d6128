"""Finds what a module does when it is imported, beyond importing, defining and naming constants."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from assay_engine.fixes.cautions.harmless import is_dunder, is_harmless, names_listed
from assay_engine.syntax.identifiers import FunctionNode, ScopeKind, arguments_of
from assay_engine.syntax.input_output import dotted, imported_names, root_of
from assay_engine.syntax.scopes import BUILTINS, bound_in_classes, nodes_in, occurrences
from assay_engine.syntax.text import Definition

# Calls of these make a value of what they are given.
_PLAIN_CALLS = names_listed("""
bool bytearray bytes bytes.fromhex classmethod complex dict dict.fromkeys float frozenset int len
list max min object ord property range set slice sorted staticmethod str str.maketrans sum tuple
""")
# Decorators that make something of a definition without calling it.
_PLAIN_DECORATORS = names_listed("""
abc.abstractmethod classmethod contextlib.asynccontextmanager contextlib.contextmanager
dataclasses.dataclass enum.member enum.nonmember enum.property enum.unique enum.verify
functools.cache functools.cached_property functools.cmp_to_key functools.lru_cache
functools.total_ordering functools.wraps property reprlib.recursive_repr staticmethod
typing.final typing.no_type_check typing.overload typing.override typing.runtime_checkable
typing_extensions.final typing_extensions.overload typing_extensions.override
typing_extensions.runtime_checkable
""")
_WRAPS = "functools.wraps"
_OF_PROPERTIES = ("deleter", "getter", "setter")
# Python calls these when somebody makes a class, derives from one, subscripts or asks about it.
_HOOKS = names_listed("""
__annotate__ __annotations__ __class_getitem__ __classcell__ __init_subclass__ __instancecheck__
__mro_entries__ __prepare__ __set_name__ __subclasscheck__ __subclasshook__
""")
# What a module may say of itself. Python looks for others when it imports from the module, and
# `__all__` takes names from those who import all of it.
_SAID = ("__author__", "__version__")
# Special names of an enumeration that nobody calls while its members are made or handed on.
_SHOWN = ("__doc__", "__slots__", "__str__", "_ignore_", "_missing_")
_OF_PARTS = (
    *(ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred),
    *(ast.Slice, ast.UnaryOp, ast.BinOp),
)


def run_at_import(statements: Sequence[ast.stmt], around: ast.Module) -> Iterator[ast.AST]:
    """What of some top-level statements runs at every import and is more than a plain constant.

    Default values, annotations, decorators and the bodies of classes run then, too. `around` is
    the file that the statements are to go into: what it does already counts as plain.
    """
    values = _Values(statements, around)
    for each in statements:
        yield from _doing(each, values)
        values.learn(each)
    for each in occurrences(statements):
        if each.binds and not each.home.within():
            is_hook = each.home.kind is ScopeKind.CLASS and each.name in _HOOKS
            of_module = each.in_module and is_dunder(each.name) and each.name not in _SAID
            if is_hook or of_module:
                yield each.node


def _doing(statement: ast.stmt, values: _Values) -> Iterator[ast.AST]:
    parts: list[ast.expr | None] = []
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
            pass
        case (
            ast.FunctionDef(args=arguments, returns=returns)
            | ast.AsyncFunctionDef(args=arguments, returns=returns)
        ):
            every = [node for node in ast.walk(arguments) if isinstance(node, ast.arg)]
            parts += [*arguments.defaults, *arguments.kw_defaults, returns]
            parts += [each.annotation for each in every]
            yield from values.doing_decorators(statement)
        case ast.ClassDef(bases=bases, keywords=keywords, body=body):
            parts += [*bases, *(each.value for each in keywords)]
            yield from values.doing_decorators(statement)
            yield from values.doing_as_class(statement)
            for each in body:
                yield from _doing(each, values)
        case ast.Assign(targets=targets, value=value) if _are_names(targets):
            parts += [value]
        case ast.AnnAssign(target=ast.Name(), annotation=annotation, value=value):
            parts += [annotation, value]
        case _:
            yield statement
    yield from (each for each in parts if each is not None and not values.is_plain(each))


class _Values:
    """Tells values that are only made."""

    def __init__(self, statements: Sequence[ast.stmt], around: ast.Module) -> None:
        own = [*around.body, *statements]
        in_file = nodes_in(around)
        self._imported = {**_imported_in(around), **_imported_by(statements)}
        self._classes = {each.name: each for each in own if isinstance(each, ast.ClassDef)}
        definitions = [each for each in in_file if isinstance(each, Definition)]
        classes = [each for each in in_file if isinstance(each, ast.ClassDef)]
        self._decorators = {
            dotted(_called(each), self._imported)
            for one in definitions
            for each in one.decorator_list
        }
        self._headers = {
            ast.unparse(part) for each in classes for part in [*each.bases, *each.keywords]
        }
        self._constants: set[str] = set()
        # What decorators may be: of a name that is bound twice, nobody knows.
        bound = Counter(each.name for each in occurrences(own) if each.in_module and each.binds)
        self._functions = {
            each.name: each
            for each in statements
            if isinstance(each, ast.FunctionDef) and bound[each.name] == 1
        }
        for each in around.body:
            self.learn(each)

    def learn(self, statement: ast.stmt) -> None:
        """Take note of a name that stands for a value that cannot be called."""
        if isinstance(statement, ast.Assign) and self._may_be_given(statement.value):
            names = (each.id for each in statement.targets if isinstance(each, ast.Name))
            self._constants.update(names)

    def is_plain(self, value: ast.expr) -> bool:
        """Whether a value is a constant, a name, or made of these by what only makes values."""
        match value:
            case ast.Constant() | ast.Name():
                return True
            case ast.Lambda(args=arguments):
                defaults = [*arguments.defaults, *arguments.kw_defaults]
                return all(each is None or self.is_plain(each) for each in defaults)
            case ast.Attribute(value=owner):
                known = self._classes.get(root_of(owner))
                return self.is_plain(owner) if known is None else self._is_kept(known, value)
            case ast.Subscript(value=owner, slice=key):
                return self._may_be_subscripted(owner) and self.is_plain(key)
            case ast.Call(func=function):
                return self._only_makes(function) and all(map(self._may_be_given, _given(value)))
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                # This may be formatting, which asks any value for its text.
                return self._may_be_given(left) and self._may_be_given(right)
            case _ if isinstance(value, _OF_PARTS):
                parts = [each for each in ast.iter_child_nodes(value) if isinstance(each, ast.expr)]
                return all(map(self.is_plain, parts))
            case _:
                return False

    def doing_decorators(self, definition: Definition) -> Iterator[ast.expr]:
        for each in definition.decorator_list:
            match each:
                case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                    if name == definition.name and attribute in _OF_PROPERTIES:
                        continue
                case _:
                    pass
            path = dotted(_called(each), self._imported)
            given = _given(each) if isinstance(each, ast.Call) else []
            is_known = path in _PLAIN_DECORATORS or path in self._decorators
            wraps = path == _WRAPS and all(isinstance(one, ast.Name) for one in given)
            own = self._functions.get(path)
            calls = 2 if isinstance(each, ast.Call) else 1
            if own is not None and self._only_wraps(own, calls) and all(map(self.is_plain, given)):
                continue
            if not (is_known and (wraps or all(map(self._may_be_given, given)))):
                yield each

    def _only_wraps(self, function: FunctionNode, calls: int) -> bool:
        """Whether a call of a function only defines others, and returns one of these or what it was
        given; and so do further `calls`, of what was returned."""
        within: dict[str, FunctionNode] = {}
        given = {each.arg for each in arguments_of(function.args)}
        for each in function.body:
            match each:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    if any(_doing(each, self)):
                        return False
                    within[each.name] = each
                case ast.Return(value=ast.Name(id=name)):
                    if calls == 1 and name in within.keys() | given:
                        continue
                    if name not in within or not self._only_wraps(within[name], calls - 1):
                        return False
                case ast.Pass() | ast.Expr(value=ast.Constant()):
                    pass
                case ast.Assign(targets=targets, value=value) if _are_names(targets):
                    if not self._may_be_given(value):
                        return False
                case _:
                    return False
        return True

    def doing_as_class(self, definition: ast.ClassDef) -> Iterator[ast.AST]:
        """What runs because a class is made, of what it derives from and of its own."""
        for each in definition.bases:
            known = self._classes.get(root_of(each))
            has_hooks = known is not None and any(map(_has_hooks, self._lineage(known)))
            if has_hooks and ast.unparse(each) not in self._headers:
                yield each
        for each in definition.keywords:
            is_known = ast.unparse(each) in self._headers
            is_option = each.arg != "metaclass" and isinstance(each.value, ast.Constant)
            if not (is_known or is_option or dotted(each.value, self._imported) == "abc.ABCMeta"):
                yield each.value
        if not self._is_only_shown(definition):
            yield definition

    def _is_only_shown(self, definition: ast.ClassDef) -> bool:
        """Whether a class is no enumeration, or one that does nothing of its own with members."""
        lineage = self._lineage(definition)
        bases = [dotted(base, self._imported) for each in lineage for base in each.bases]
        if not any(each.startswith("enum.") for each in bases):
            return True
        found = bound_in_classes(occurrences(lineage))
        return all(each in _SHOWN for each in found if each.startswith("_") and each.endswith("_"))

    def _lineage(self, definition: ast.ClassDef) -> list[ast.ClassDef]:
        """A class with those among the own classes that it derives from."""
        found = [definition]
        for each in found:
            parents = (self._classes.get(root_of(base)) for base in each.bases)
            found += [parent for parent in parents if parent is not None and parent not in found]
        return found

    def _is_kept(self, definition: ast.ClassDef, value: ast.Attribute) -> bool:
        """Whether an attribute is what the class of that name was given, and no property."""
        given = (each for each in definition.body if not isinstance(each, FunctionNode))
        names = {each.name for each in occurrences(given) if each.binds and each.written_in_module}
        of_class = isinstance(value.value, ast.Name) and value.attr in names
        return of_class and self._is_only_shown(definition)

    def _may_be_subscripted(self, value: ast.expr) -> bool:
        known = self._classes.get(root_of(value))
        if known is not None:
            return self.is_plain(value) and not any(map(_has_hooks, self._lineage(known)))
        is_known = root_of(value) in self._imported or dotted(value, {}) in BUILTINS
        return (is_known and self.is_plain(value)) or self._may_be_given(value)

    def _may_be_given(self, value: ast.expr) -> bool:
        """Whether a value can be passed to a call: what can be called, the call may call."""
        nodes = list(ast.walk(value))
        names = [each for each in nodes if isinstance(each, ast.Name)]
        rest = [each for each in names if each.id not in self._constants]
        has_code = any(isinstance(each, ast.Lambda) for each in nodes)
        return self.is_plain(value) and not has_code and all(map(self._only_makes, rest))

    def _only_makes(self, function: ast.expr) -> bool:
        path = dotted(function, self._imported)
        return path in _PLAIN_CALLS or (root_of(function) in self._imported and is_harmless(path))


def _imported_by(statements: Sequence[ast.stmt]) -> dict[str, str]:
    return imported_names([node for each in statements for node in ast.walk(each)])


# A file is asked about once for each candidate.
@lru_cache(maxsize=4)
def _imported_in(around: ast.Module) -> Mapping[str, str]:
    return _imported_by(around.body)


def _has_hooks(definition: ast.ClassDef) -> bool:
    bound = bound_in_classes(occurrences([definition]))
    return not bound.isdisjoint(_HOOKS) or any(
        each.arg == "metaclass" for each in definition.keywords
    )


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(each.value for each in call.keywords)]


def _are_names(targets: Sequence[ast.expr]) -> bool:
    return all(isinstance(each, ast.Name) for each in targets)
