"""Recognises functions whose results are functions: decorators, and makers of functions.

Functions whose results are entered by ``with`` belong here, too: they are tried in the same way.

Recognises functions that hand out an iterator, as far as their text says so.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from assay_engine.source.annotations import alternatives, is_ellipsis
from assay_engine.source.identifiers import FunctionNode
from assay_engine.source.parsing import last_name
from assay_engine.source.scopes import is_generator, own_nodes
from assay_engine.source.text import last_function
from assay_engine.source.units import Cut, decorator_names
from assay_engine.types import Gives

# Callables that give a function which does what another one does.
_OF_OTHERS = frozenset(("partial", "update_wrapper", "wraps"))
_OF_MANAGERS = frozenset(("asynccontextmanager", "contextmanager"))
# Functions within functions are followed to this depth.
_DEPTH_MAX = 5
_MAPPINGS = frozenset(("dict", "Dict", "Mapping", "MutableMapping"))
_LISTS = frozenset(("list", "List", "Sequence"))
_TUPLES = frozenset(("tuple", "Tuple"))
_DISPLAYS = (ast.Dict, ast.List, ast.DictComp, ast.ListComp)


def gives_of(cut: Cut) -> Gives:
    """What a function or method gives, by its annotation or by what all its returns give.

    Only generators that `contextlib.contextmanager`, or `asynccontextmanager`, decorates count as
    giving context managers.
    """
    node = cut.node
    if cut.unit.is_generator:
        is_manager = not _OF_MANAGERS.isdisjoint(decorator_names(node))
        return Gives.MANAGERS if is_manager else Gives.VALUES
    if not isinstance(node, ast.FunctionDef) or cut.unit.getter:
        return Gives.VALUES
    own = list(own_nodes(node))
    is_function = _functions_in(own, _DEPTH_MAX)
    if _is_callable(node.returns) or _returns_only(own, is_function):
        return Gives.FUNCTIONS
    if _holds_callables(node.returns) or _returns_only(own, _collections_in(own, is_function)):
        return Gives.COLLECTIONS
    return Gives.VALUES


def _is_callable(annotation: ast.expr | None) -> bool:
    return {"Callable"} == {*map(last_name, alternatives(annotation))}


def returns_functions(function: FunctionNode, depth: int = _DEPTH_MAX) -> bool:
    """Whether a function returns only functions that are made in it."""
    own = list(own_nodes(function))
    return _returns_only(own, _functions_in(own, depth))


def _returns_only(own: Sequence[ast.AST], is_such: Callable[[ast.expr | None], bool]) -> bool:
    """Whether the function with these nodes returns something, and only what `is_such` accepts."""
    returned = [each.value for each in own if isinstance(each, ast.Return)]
    return bool(returned) and all(map(is_such, returned))


def _holds_callables(annotation: ast.expr | None) -> bool:
    held = [*map(_held, alternatives(annotation))]
    return bool(held) and all(each and all(map(_is_callable, each)) for each in held)


def _held(collection: ast.expr) -> list[ast.expr]:
    """The annotations of the items of a collection: one, or for a tuple that of each item."""
    match collection:
        case ast.Subscript(slice=ast.Tuple(elts=[_, value])) if last_name(collection) in _MAPPINGS:
            return [value]
        case ast.Subscript(slice=ast.Tuple(elts=items)) if last_name(collection) in _TUPLES:
            return [each for each in items if not is_ellipsis(each)]
        case ast.Subscript(slice=item) if last_name(collection) in _LISTS:
            return [item]
        case _:
            return []


def _collections_in(
    own: Sequence[ast.AST], is_function: Callable[[ast.expr | None], bool]
) -> Callable[[ast.expr | None], bool]:
    """A test of whether an expression is a dict, list or tuple of functions made in the function.

    `own` are the function's nodes.
    """
    kept: dict[str, list[ast.expr]] = {}
    understood: set[ast.Name] = set()

    def keep(name: ast.Name, values: list[ast.expr]) -> None:
        kept.setdefault(name.id, []).extend(values)
        understood.add(name)

    for node in own:
        match node:
            case (
                ast.Assign(targets=[ast.Name() as name], value=value)
                | ast.AnnAssign(target=ast.Name() as name, value=ast.expr() as value)
            ) if isinstance(value, _DISPLAYS):
                keep(name, _items(value))
            case ast.Assign(targets=[ast.Subscript(value=ast.Name() as name)], value=value):
                keep(name, [value])
            case ast.Call(func=ast.Attribute(ast.Name() as name, "append"), args=[value]):
                keep(name, [value])
            case ast.Return(value=ast.Name() as name):
                keep(name, [])
            case _:
                pass
    # Any other use of a collection may put anything in it, or another value in its place.
    named = (each for each in own if isinstance(each, ast.Name) and each not in understood)
    for each in named:
        kept.pop(each.id, None)

    def is_collection(value: ast.expr | None) -> bool:
        items = kept.get(value.id, []) if isinstance(value, ast.Name) else _items(value)
        return bool(items) and all(map(is_function, items))

    return is_collection


def _items(collection: ast.expr | None) -> list[ast.expr]:
    match collection:
        case ast.Dict(values=items) | ast.List(elts=items) | ast.Tuple(elts=items):
            return items
        case ast.DictComp(value=item) | ast.ListComp(elt=item):
            return [item]
        case _:
            return []


def _functions_in(own: Sequence[ast.AST], depth: int) -> Callable[[ast.expr | None], bool]:
    """A test of whether an expression is a function made in the function that has these nodes."""
    stored = {
        each.id for each in own if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    made = {
        each.name: each
        for each in own
        if isinstance(each, FunctionNode) and each.name not in stored
    }

    def is_function(value: ast.expr | None) -> bool:
        match value:
            case ast.Lambda():
                return True
            case ast.Name(id=name):
                return name in made
            case ast.IfExp(body=one, orelse=other):
                return is_function(one) and is_function(other)
            case ast.Call(func=ast.Name(id=name)) if name in made:
                return depth > 0 and returns_functions(made[name], depth - 1)
            case ast.Call(func=called, args=[_, cast]) if last_name(called) == "cast":
                return is_function(cast)
            case ast.Call(func=ast.Call(func=inner)):
                return last_name(inner) in _OF_OTHERS
            case ast.Call(func=called):
                return last_name(called) in _OF_OTHERS
            case _:
                return False

    return is_function


_ANNOTATIONS = frozenset({"Generator", "Iterator"})
_BUILTIN = frozenset({"enumerate", "filter", "iter", "map", "reversed", "zip"})
# All functions of itertools but `tee`. A user's function with such a name may return something
# else; this shows when it is run.
_OF_ITERTOOLS = """
accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile
filterfalse from_iterable groupby islice pairwise permutations product repeat starmap takewhile
zip_longest
"""
_FROM_ITERTOOLS = frozenset(_OF_ITERTOOLS.split())


def gives_iterator(function: FunctionNode, module: list[ast.stmt]) -> bool:
    """Whether a function is a generator, or returns nothing but iterators, and is not async.

    `module` are the statements that the function stands among. They tell what other functions
    there return.
    """
    return _gives(function, module, frozenset())


def _gives(function: FunctionNode, module: list[ast.stmt], asked: frozenset[str]) -> bool:
    if isinstance(function, ast.AsyncFunctionDef) or function.name in asked:
        return False
    if is_generator(function):
        return True
    if function.returns is not None and last_name(function.returns) in _ANNOTATIONS:
        return True
    nodes = tuple(own_nodes(function))
    asked = asked | {function.name}

    def iterates(value: ast.expr | None, names: frozenset[str] = frozenset()) -> bool:
        match value:
            case ast.GeneratorExp():
                return True
            case ast.IfExp():
                return iterates(value.body, names) and iterates(value.orelse, names)
            case ast.Name(id=name) if name not in names:
                given = [each for node in nodes for each in _given(node, name)]
                return bool(given) and all(iterates(each, names | {name}) for each in given)
            case ast.Call(func=ast.Name() | ast.Attribute() as what):
                name = last_name(what)
                if name in _FROM_ITERTOOLS:
                    return True
                if not isinstance(what, ast.Name):
                    return False
                called = last_function(function.body, name) or last_function(module, name)
                return name in _BUILTIN if called is None else _gives(called, module, asked)
            case _:
                return False

    found = [each.value for each in nodes if isinstance(each, ast.Return)]
    return bool(found) and all(map(iterates, found))


def _given(node: ast.AST, name: str) -> Iterator[ast.expr]:
    """What a node assigns to a name."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield node.value
