"""Finds what a candidate changes of what it shares with the rest of the program.

Shared are names of the file, what it imports, builtins and classes. They are followed through the
candidate's own names, containers, functions and fields, so that ``table = LIMITS`` is ``LIMITS``.
Of each value is known which shared objects it may be (`_SELF`), and which it may hold (`_WITHIN`).
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import TypeVar

from msgspec import Struct

from assay_engine.dependencies.needed import ImportNode
from assay_engine.fixes.cautions.harmless import HARMLESS, attributes, is_dunder, names_listed
from assay_engine.fixes.cautions.reaching_attributes import ImportBindings
from assay_engine.syntax.identifiers import (
    FunctionNode,
    Scope,
    ScopeKind,
    arguments_of,
    defaults_of,
)
from assay_engine.syntax.scopes import (
    BUILTINS,
    bound_in_module,
    nodes_in,
    occurrences_in,
    own_nodes,
)
from assay_engine.syntax.text import Definition

_SELF, _WITHIN = 1, 2
_BOTH = _SELF | _WITHIN
# The shared objects that a value may be or hold, by the names that they have.
_Shared = Mapping[str, int]
_Variable = tuple[Scope, str]
_Function = FunctionNode | ast.Lambda
_NOTHING: _Shared = {}
_Key = TypeVar("_Key")
# The nodes by which values get from one name to another.
_TELLING = (
    *(ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign, ast.For, ast.AsyncFor),
    *(ast.comprehension, ast.withitem, ast.Raise, ast.ExceptHandler, ast.Match, ast.alias),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.arg, ast.Call),
)
# How often a module is gone through until nothing more is found.
_PASSES_MAX = 20

# What alters a value that it is given, rather than the one that has it.
_ALTERING = names_listed("""
bisect.insort bisect.insort_left bisect.insort_right delattr heapq.heapify heapq.heapify_max
heapq.heappop heapq.heappop_max heapq.heappush heapq.heappush_max heapq.heappushpop
heapq.heappushpop_max heapq.heapreplace heapq.heapreplace_max next operator.delitem operator.iadd
operator.iand operator.iconcat operator.ifloordiv operator.ilshift operator.imatmul operator.imod
operator.imul operator.ior operator.ipow operator.irshift operator.isub operator.itruediv
operator.ixor operator.setitem random.shuffle setattr struct.pack_into
""")
_ALTERING_METHODS = ("pack_into", "readinto", "shuffle")
_COPYING = names_listed("""
copy.copy dict enumerate filter frozenset iter list map reversed set sorted sum tuple zip
""")
_PICKING = names_listed("getattr max min next super typing.cast")
# What passes on to what it is given what is done to the result.
_PASSING_ON = names_listed("""
collections.ChainMap contextlib.aclosing contextlib.closing contextlib.nullcontext
memoryview types.MappingProxyType weakref.proxy weakref.ref
""")
# Modules whose functions give what they are given, or something that holds it; others compute
# something else of it.
_GIVING = (
    *("asyncio", "concurrent", "contextvars", "functools", "operator", "random"),
    *("weakref", "types"),
)
_HOLDING = ("collections", "dataclasses", "enum", "heapq", "itertools", "queue")
_TAKING = names_listed("__getitem__ get pop popitem popleft setdefault")
_MUTABLE = names_listed("Counter OrderedDict bytearray defaultdict deque dict list set")
_CHANGING_SPECIAL = names_listed("""
__delattr__ __delitem__ __iadd__ __init__ __setattr__ __setitem__
""")
_EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)
_LOGGING = names_listed("critical debug error exception info log warning")
_CACHES = ("cache", "cached_property", "lru_cache")


class SharedChange(Struct, frozen=True):
    """What changes something shared: its node, the name of that, and a method, if it is one."""

    node: ast.AST
    name: str
    method: str


def shared_changes(tree: ast.Module, around: ast.Module) -> Iterator[SharedChange]:
    """What code that is to go into the file `around` changes, and the file does not."""
    known = _known(around)
    for each in _Flow(tree, around).changes():
        if (each.name, each.method) not in known:
            yield each


# A file is asked about once for each candidate.
@lru_cache(maxsize=4)
def _known(around: ast.Module) -> frozenset[tuple[str, str]]:
    return frozenset((each.name, each.method) for each in _Flow(around, around).changes())


class _Flow:
    """Where the shared objects of a module get to in the names of its functions."""

    def __init__(self, tree: ast.Module, around: ast.Module) -> None:
        self._nodes = nodes_in(tree)
        every = [*nodes_in(around), *self._nodes]
        self._imported = ImportBindings([each for each in every if isinstance(each, ImportNode)])
        found, in_file = occurrences_in(tree), occurrences_in(around)
        self._variables: dict[ast.AST, dict[str, _Variable]] = {}
        for each in found:
            self._variables.setdefault(each.node, {})[each.name] = (each.home, each.name)
        aliases = {each.name for each in found if isinstance(each.node, ast.alias)}
        self._aliases = {(e.home, e.name) for e in found if isinstance(e.node, ast.alias)}
        # What the candidate brings along is its own, and what the file has is not.
        self._of_file = bound_in_module(in_file)
        top = {each.name for each in found if each.binds and each.written_in_module}
        self._own = top - aliases - self._of_file
        self._declared = [
            (node, name)
            for node in self._nodes
            if isinstance(node, ast.Global | ast.Nonlocal)
            for name in node.names
        ]
        self._given = _given(around.body)
        self._file_functions = {
            each.name: each for each in around.body if isinstance(each, FunctionNode)
        }
        self._tables = _class_tables(around)
        self._enumerations = {
            each.name
            for each in around.body
            if isinstance(each, ast.ClassDef)
            and any(ast.unparse(base).endswith(("Enum", "Flag")) for base in each.bases)
        }
        self._functions = [each for each in self._nodes if isinstance(each, FunctionNode)]
        self._methods: dict[str, list[FunctionNode]] = {}
        for each in self._functions:
            self._methods.setdefault(each.name, []).append(each)
        self._classes = {
            each.name: [
                field.target.id
                for field in each.body
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            ]
            for each in self._nodes
            if isinstance(each, ast.ClassDef)
        }
        self._levels: dict[_Variable, dict[str, int]] = {}
        self._fields: dict[str, dict[str, int]] = {}
        self._returned: dict[_Function, dict[str, int]] = {}
        # What is sent to generators and raised, and what methods of the code's own classes give.
        self._sent: dict[str, dict[str, int]] = {}
        self._own_methods = [
            each
            for node in self._nodes
            if isinstance(node, ast.ClassDef)
            for each in node.body
            if isinstance(each, FunctionNode)
        ]
        # The functions, or altering names, that a name may stand for.
        self._callables: dict[_Variable, set[ast.AST]] = {}
        self._given_out: dict[ast.AST, set[ast.AST]] = {}
        self._results: dict[_Function, list[ast.AST]] = {}
        self._known: dict[ast.expr, _Shared] = {}
        self._size = -1
        for node in self._functions:
            self._callables.setdefault(self._variables[node][node.name], set()).add(node)
        # Python gives operands to special methods.
        named = {each.name for each in found if each.name in self._given and not each.binds}
        operands = {name: _BOTH for name in named if self._named(name)}
        for method in self._own_methods:
            if is_dunder(method.name) and method.name != "__init__":
                for argument in [*arguments_of(method.args)][1:]:
                    self._pass(argument, operands)
        telling = [each for each in self._nodes if isinstance(each, _TELLING)]
        # Of the file the first passes are enough: what they miss is known of it less.
        for _ in range(2 if tree is around else _PASSES_MAX):
            self._known.clear()
            for node in telling:
                self._learn(node)
            before, self._size = self._size, self._count()
            if before == self._size:
                return
        if tree is not around:
            # Names that are handed on so often are there to be lost.
            raise RecursionError

    def changes(self) -> Iterator[SharedChange]:
        for node, name in self._declared:
            if self._variables[node][name][0].kind is ScopeKind.MODULE and name not in self._own:
                yield SharedChange(node, name, "")
        called = {each.func: each for each in self._nodes if isinstance(each, ast.Call)}
        for node in self._nodes:
            match node:
                case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
                    yield from self._if_shared(node, value, "")
                case ast.Attribute(value=value, ctx=ast.Store() | ast.Del()):
                    while isinstance(value, ast.Attribute) and self._is_imported(value):
                        value = value.value
                    yield from self._if_shared(node, value, "")
                case ast.AugAssign(target=ast.Name() as target, value=value):
                    if isinstance(node.op, ast.Mult) or not _is_number(value):
                        yield from self._if_shared(node, target, "")
                case ast.Attribute(value=value, attr=name) if self._changes_receiver(node):
                    # Of a class's method, the call is looked at.
                    if not self._is_class(value):
                        yield from self._if_shared(called.get(node, node), value, name)
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=name)) as call):
                    # Nobody looks at the result, so the method is called for what it does.
                    if name not in attributes().data | _LOGGING and not self._is_class(value):
                        for each in self._if_shared(call, value, name):
                            if each.name in self._of_file and each.name not in self._imported.names:
                                yield each
                case ast.Call(
                    func=ast.Name(id="getattr"), args=[value, ast.Constant(value=name), *_]
                ) if name in attributes().changing | _CHANGING_SPECIAL:
                    yield from self._if_shared(node, value, name)
                case ast.Call():
                    yield from self._changed_by_call(node)
                case ast.Match(subject=subject, cases=cases):
                    for each in (part for case in cases for part in ast.walk(case.pattern)):
                        named = each.kwd_attrs if isinstance(each, ast.MatchClass) else ()
                        if not attributes().changing.isdisjoint(named):
                            yield from self._if_shared(each, subject, "", held=True)
                case _:
                    pass

    def _changed_by_call(self, call: ast.Call) -> Iterator[SharedChange]:
        given = [*call.args, *(each.value for each in call.keywords)]
        alters = self._alters(call.func) or self._is_unknown(call.func)
        passes_on = any(map(self._alters, given))
        for each in given:
            if alters or (passes_on and self.of(each)):
                said = self._paths(call.func)[0] if alters else "map"
                yield from self._if_shared(call, each, said, held=passes_on)

    def _if_shared(
        self, node: ast.AST, value: ast.expr, method: str, *, held: bool = False
    ) -> Iterator[SharedChange]:
        for name, level in self.of(value).items():
            if level & _SELF or held:
                yield SharedChange(node, name, method)

    def _paths(self, node: ast.expr) -> list[str]:
        paths = self._imported.paths(node)
        # A local variable may have the name of a module, and is none.
        is_value = isinstance(node, ast.Attribute) and not self._is_imported(node)
        return [f"?.{each}" for each in paths] if is_value else paths

    def _alters(self, function: ast.expr) -> bool:
        """Whether a function alters what it is given: ``setattr``, ``dict.update``."""
        if not _ALTERING.isdisjoint(self._paths(function)):
            return not self._is_own(function)
        if isinstance(function, ast.Name):
            named = self._called_by(function)
            return any(
                self._alters(each) if isinstance(each, ast.Attribute) else _is_altering(each)
                for each in named
            )
        if not isinstance(function, ast.Attribute):
            return False
        is_method = self._changes_receiver(function) and self._is_class(function.value)
        return is_method or function.attr in _ALTERING_METHODS

    def _is_own(self, node: ast.expr) -> bool:
        """Whether a name is bound by the code itself."""
        if not isinstance(node, ast.Name):
            return False
        home, name = self._variables[node][node.id]
        return (home.kind is not ScopeKind.MODULE and not self._levels.get((home, name))) or (
            name in self._own
        )

    def _is_unknown(self, function: ast.expr) -> bool:
        """Whether a function is a value that nobody can tell: an item, or a parameter."""
        match function:
            case ast.Name():
                is_class = function.id in self._classes
                return self._is_own(function) and not (self._called_by(function) or is_class)
            case ast.Attribute() | ast.Lambda():
                return False
            case _:
                return not self._called_by(function)

    def _changes_receiver(self, node: ast.Attribute) -> bool:
        if node.attr not in attributes().changing | _CHANGING_SPECIAL:
            return False
        # A function of a module has no receiver.
        return not any(map(self._imported.is_of_module, self._paths(node)))

    def _is_class(self, value: ast.expr) -> bool:
        match value:
            case ast.Name(id=name) if name in self._classes or (
                name in BUILTINS and not self._is_own(value)
            ):
                return True
            case ast.Name() | ast.Attribute():
                is_listed = any(map(_is_listed, self._paths(value)))
                named = self._called_by(value) if isinstance(value, ast.Name) else ()
                return is_listed or any(
                    isinstance(each, ast.expr) and self._is_class(each) for each in named
                )
            case _:
                return False

    def _called_by(self, function: ast.expr) -> set[ast.AST]:
        """The code's own functions that a call may call, and names that alter."""
        match function:
            case ast.Name(id=name):
                return self._callables.get(self._variables[function][name], set())
            case ast.Lambda():
                return {function}
            case ast.Attribute(attr=name):
                return {*self._methods.get(name, ())}
            case ast.Call(func=inner):
                return {
                    it for each in self._called_by(inner) for it in self._given_out.get(each, ())
                }
            case _:
                return set()

    def of(self, value: ast.expr) -> _Shared:
        """The shared objects that an expression's value may be or hold, as far as is known."""
        if value not in self._known:
            self._known[value] = self._of(value)
        return self._known[value]

    def _of(self, value: ast.expr) -> _Shared:
        match value:
            case ast.Name(id=name):
                variable = self._variables.get(value, {}).get(name)
                if variable is None:
                    return _NOTHING
                is_shared = variable[0].kind is ScopeKind.MODULE and name not in self._own
                return self._named(name) if is_shared else self._levels.get(variable, _NOTHING)
            case ast.Attribute() if any(map(_is_only_value, self._paths(value))):
                return _NOTHING
            case ast.Attribute(value=ast.Name(id=name)) if name in self._enumerations:
                return _NOTHING
            case ast.Attribute(attr=name) if name in self._tables:
                return {name: _BOTH}
            case ast.Attribute(attr="__class__"):
                return {"__class__": _BOTH}
            case ast.Attribute(value=owner, attr=name):
                return _joined([_inside(self.of(owner)), self._fields.get(name, _NOTHING)])
            case ast.Subscript(value=owner):
                return _inside(self.of(owner))
            case ast.Call():
                return self._result(value)
            case ast.NamedExpr(value=inner) | ast.Await(value=inner):
                return self.of(inner)
            case ast.Starred(value=inner):
                return _inside(self.of(inner))
            case ast.IfExp(body=one, orelse=other):
                return _joined([self.of(one), self.of(other)])
            case ast.BoolOp(values=values):
                return _joined(map(self.of, values))
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                return _held(map(self.of, parts))
            case ast.Dict(keys=keys, values=values):
                spread = [_inside(self.of(v)) for k, v in zip(keys, values, strict=True) if not k]
                return _held([*spread, *(self.of(v) for k, v in zip(keys, values) if k)])  # noqa: B905
            case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.GeneratorExp(elt=part):
                return _held([self.of(part)])
            case ast.DictComp(value=part):
                return _held([self.of(part)])
            case ast.Yield():
                return self._sent.get("send", _NOTHING)
            case ast.YieldFrom(value=inner):
                return _joined([self.of(inner), _inside(self.of(inner))])
            case ast.BinOp(left=one, right=other):
                found = _copied(_joined([self.of(one), self.of(other)]))
                return _joined([found, self._given_by()])
            case ast.UnaryOp() | ast.Compare():
                return self._given_by()
            case _:
                return _NOTHING

    def _given_by(self, name: str = "") -> _Shared:
        """The shared objects that special methods of own classes return, or the one of that name.

        Not what these hold: any operand that is named would be held by every result.
        """
        methods = [each for each in self._own_methods if is_dunder(each.name)]
        named = [each for each in methods if name in ("", each.name)]
        found = _joined(self._returned.get(each, _NOTHING) for each in named)
        return {each: level for each, level in found.items() if level & _SELF}

    def _named(self, name: str) -> _Shared:
        """What a name of the module stands for."""
        # Nobody can set attributes of builtins.
        is_builtin = name in BUILTINS - self._of_file - self._imported.names.keys()
        level = 0 if is_builtin else _BOTH
        if name in self._of_file and name not in self._imported.names and name in self._given:
            values = self._given[name]
            level = 0
            for each in values:
                level |= _level(each)
        return {name: level} if level else _NOTHING

    def _result(self, call: ast.Call) -> _Shared:
        values = [*call.args, *(each.value for each in call.keywords)]
        # What calls the functions that it is given may give what these return.
        called = [
            it for each in values for it in self._called_by(each) if isinstance(it, _Function)
        ]
        handed = _held(self._returned.get(each, _NOTHING) for each in called)
        given = _joined([*map(self.of, values), handed])
        functions = [each for each in self._called_by(call.func) if isinstance(each, _Function)]
        if functions:
            return _joined(self._returned.get(each, _NOTHING) for each in functions)
        path = self._paths(call.func)[0]
        match call.func:
            case ast.Name(id=name) if name in self._classes:
                methods = (self._returned.get(each, _NOTHING) for each in self._own_methods)
                return _joined([_held([given, *methods]), self._given_by("__new__")])
            case ast.Name() if self._is_own(call.func):
                return given
            case ast.Name(id="type"):
                return {"type": _BOTH}
            case ast.Name() | ast.Attribute() if path in _COPYING:
                return _joined(
                    [_copied(given), _held(self.of(each.value) for each in call.keywords)]
                )
            case ast.Name() if path in _EXCEPTIONS:
                return _held([given])
            case ast.Name() | ast.Attribute() if path in _PICKING:
                return _joined([given, _inside(given)])
            case ast.Name() | ast.Attribute() if path in _PASSING_ON:
                return dict.fromkeys(given, _BOTH)
            case ast.Name() | ast.Attribute() if path == "logging.getLogger":
                return {"logging.getLogger": _BOTH}
            case ast.Name(id=name) if name in self._file_functions:
                return {f"{name}()": _BOTH} if self._hands_out(name) else _NOTHING
            case ast.Attribute(value=owner, attr=name) if not self._is_imported(owner):
                had, names = self.of(owner), attributes()
                if name in _TAKING:
                    return _joined([_inside(had), given])
                if name in names.within:
                    return _copied(_joined([had, given]))
                return _NOTHING if name in names.data else _joined([_inside(had), _held([had])])
            case ast.Name() | ast.Attribute():
                module = path.partition(".")[0]
                if module in _GIVING:
                    return dict.fromkeys(given, _BOTH)
                if module in _HOLDING or module not in sys.stdlib_module_names:
                    return _joined([_held([given]), _inside(given)])
                return _NOTHING
            case function:
                return dict.fromkeys([*given, *self.of(function)], _BOTH)

    def _is_imported(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self._imported.names:
            return False
        variable = self._variables.get(node, {}).get(node.id)
        is_local = variable is not None and variable[0].kind is not ScopeKind.MODULE
        return not is_local or variable in self._aliases

    def _hands_out(self, name: str) -> bool:
        """Whether a function of the file returns something that others have, too."""
        function = self._file_functions[name]
        above = [
            each.func if isinstance(each, ast.Call) else each for each in function.decorator_list
        ]
        if any(self._paths(each)[0].rpartition(".")[2] in _CACHES for each in above):
            return True
        returned = [each.value for each in own_nodes(function) if isinstance(each, ast.Return)]
        roots = {each.id for each in returned if isinstance(each, ast.Name)}
        return any(map(self._named, roots & self._given.keys()))

    def _count(self) -> int:
        """A number that grows with all that is learnt."""
        found = (*self._levels.values(), *self._fields.values(), *self._returned.values())
        known = sum(level for each in found for level in each.values())
        return known + sum(map(len, (*self._callables.values(), *self._given_out.values())))

    def _learn(self, node: ast.AST) -> None:
        if isinstance(node, Definition):
            self._decorate(node)
        match node:
            case ast.Assign(targets=targets, value=value):
                for each in targets:
                    self._assign(each, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value)
            case ast.NamedExpr(target=target, value=value):
                self._assign(target, value)
            case ast.AugAssign(target=target, value=value):
                self._put(target, _copied(self.of(value)))
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                self._put(node.target, _inside(self.of(node.iter)))
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                found = self.of(value)
                self._put(target, _joined([found, _inside(found)]))
            case ast.Raise(exc=ast.expr() as value, cause=cause):
                self._add(
                    self._sent,
                    "raise",
                    _joined([self.of(value), *([_held([self.of(cause)])] if cause else [])]),
                )
            case ast.ExceptHandler():
                for variable in self._variables.get(node, {}).values():
                    self._add(self._levels, variable, self._sent.get("raise", _NOTHING))
            case ast.Match(subject=subject, cases=cases):
                found = self.of(subject)
                for each in (part for case in cases for part in ast.walk(case.pattern)):
                    for variable in self._variables.get(each, {}).values():
                        if not isinstance(each, ast.expr):
                            self._add(self._levels, variable, dict.fromkeys(found, _BOTH))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                for argument, value in defaults_of(node.args).items():
                    self._pass(argument, self.of(value))
                if isinstance(node, ast.Lambda):
                    self._given_out.setdefault(node, set()).update(self._called_by(node.body))
                    self._add(self._returned, node, self.of(node.body))
                    return
                if node not in self._results:
                    given = (ast.Return, ast.Yield, ast.YieldFrom)
                    self._results[node] = [e for e in own_nodes(node) if isinstance(e, given)]
                for each in self._results[node]:
                    match each:
                        case ast.Return(value=ast.expr() as value):
                            self._given_out.setdefault(node, set()).update(self._called_by(value))
                            self._add(self._returned, node, self.of(value))
                        case ast.Yield(value=ast.expr() as value):
                            self._add(self._returned, node, _held([self.of(value)]))
                        case ast.YieldFrom(value=value):
                            self._add(self._returned, node, self.of(value))
                        case _:
                            pass
            case ast.alias():
                for variable in self._variables.get(node, {}).values():
                    self._add(self._levels, variable, {variable[1]: _BOTH})
            case ast.arg(arg="cls"):
                self._pass(node, {"cls": _BOTH})
            case ast.Call():
                self._learn_call(node)
            case _:
                pass

    def _decorate(self, definition: Definition) -> None:
        """The name of a definition stands for what its decorators return."""
        for each in definition.decorator_list:
            for function in self._called_by(each):
                if isinstance(function, _Function):
                    found = self._returned.get(function, _NOTHING)
                    self._add(self._levels, self._variables[definition][definition.name], found)

    def _learn_call(self, call: ast.Call) -> None:
        given = [*call.args, *(each.value for each in call.keywords)]
        levels = _joined(map(self.of, given))
        functions = self._called_by(call.func)
        if isinstance(call.func, ast.Name) and call.func.id in self._classes:
            functions = functions.union(self._methods.get("__init__", ()))
            for each in self._classes[call.func.id]:
                self._add(self._fields, each, levels)
        for function in functions:
            if isinstance(function, _Function):
                self._pass_all(function, call, levels)
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        if receiver is not None:
            if not functions:
                self._hold(receiver, _held([levels]))
            if isinstance(call.func, ast.Attribute) and call.func.attr == "send":
                self._add(self._sent, "send", levels)
            if not self._is_imported(receiver):
                levels = _joined([levels, self.of(receiver)])
        # A function that is handed on may be called with whatever goes with it.
        for each in given:
            for function in self._called_by(each):
                if isinstance(function, _Function):
                    for argument in arguments_of(function.args):
                        self._pass(argument, dict.fromkeys(levels, _BOTH))

    def _pass_all(self, function: _Function, call: ast.Call, levels: _Shared) -> None:
        arguments = function.args
        places = [*arguments.posonlyargs, *arguments.args]
        is_bound = isinstance(call.func, ast.Attribute) or (
            isinstance(function, FunctionNode) and function.name == "__init__"
        )
        places = places[1:] if is_bound and places else places
        named = {each.arg: each for each in arguments_of(arguments)}
        is_spread = any(isinstance(each, ast.Starred) for each in call.args)
        if is_spread or any(each.arg is None for each in call.keywords):
            for each in named.values():
                self._pass(each, dict.fromkeys(levels, _BOTH))
            return
        for place, each in enumerate(call.args):
            if place < len(places):
                self._pass(places[place], self.of(each))
                self._name_function(self._variables[places[place]], each)
            elif arguments.vararg is not None:
                self._pass(arguments.vararg, _held([self.of(each)]))
        for each in call.keywords:
            if each.arg in named:
                self._pass(named[each.arg], self.of(each.value))
            elif arguments.kwarg is not None:
                self._pass(arguments.kwarg, _held([self.of(each.value)]))

    def _pass(self, argument: ast.arg, found: _Shared) -> None:
        for variable in self._variables.get(argument, {}).values():
            self._add(self._levels, variable, found)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Tuple(elts=targets) | ast.List(elts=targets), ast.Tuple(
                elts=values
            ) | ast.List(elts=values) if len(targets) == len(values) and not any(
                isinstance(each, ast.Starred) for each in (*targets, *values)
            ):
                for one, other in zip(targets, values, strict=True):
                    self._assign(one, other)
            case ast.Name(), _:
                self._put(target, self.of(value))
                self._name_function(self._variables[target], value)
            case _:
                self._put(target, self.of(value))

    def _name_function(self, variables: Mapping[str, _Variable], value: ast.expr) -> None:
        found = self._called_by(value) if not isinstance(value, ast.Attribute) else set[ast.AST]()
        is_alias = isinstance(value, ast.Name) and self._called_by(value)
        if not is_alias and (self._alters(value) or self._is_class(value)):
            found = found | {value}
        for variable in variables.values():
            if found:
                self._callables.setdefault(variable, set()).update(found)

    def _put(self, target: ast.expr, found: _Shared) -> None:
        match target:
            case ast.Name():
                for variable in self._variables[target].values():
                    self._add(self._levels, variable, found)
                    if variable[0].kind is ScopeKind.CLASS:
                        self._add(self._fields, variable[1], found)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for each in parts:
                    self._put(each, _inside(found))
            case ast.Starred(value=inner):
                self._put(inner, _held([_inside(found)]))
            case ast.Attribute(value=owner, attr=name):
                self._add(self._fields, name, found)
                self._hold(owner, _held([found]))
            case ast.Subscript(value=owner):
                self._hold(owner, _held([found]))
            case _:
                pass

    def _hold(self, owner: ast.expr, found: _Shared) -> None:
        """Note that the object at the root of an expression now holds something."""
        while isinstance(owner, ast.Attribute | ast.Subscript):
            owner = owner.value
        if isinstance(owner, ast.Name) and found:
            for variable in self._variables[owner].values():
                self._add(self._levels, variable, found)

    def _add(self, known: dict[_Key, dict[str, int]], key: _Key, found: _Shared) -> None:
        if found:
            own = known.setdefault(key, {})
            for name, level in found.items():
                own[name] = own.get(name, 0) | level


def _joined(found: Iterable[_Shared]) -> _Shared:
    levels: dict[str, int] = {}
    for each in found:
        for name, level in each.items():
            levels[name] = levels.get(name, 0) | level
    return levels


def _inside(found: _Shared) -> _Shared:
    """What a value's items and attributes may be."""
    return {name: _BOTH for name, level in found.items() if level & _WITHIN}


def _copied(found: _Shared) -> _Shared:
    return {name: _WITHIN for name, level in found.items() if level & _WITHIN}


def _held(found: Iterable[_Shared]) -> _Shared:
    """What a new container may hold that has these values in it."""
    return dict.fromkeys(_joined(found), _WITHIN)


def _is_listed(path: str) -> bool:
    """Whether a path leads to a class, function or constant of a module that is listed.

    Modules also have lists and tables, which everybody shares.
    """
    module, _, name = path.rpartition(".")
    if module not in HARMLESS:
        return False
    is_listed = name in HARMLESS[module]
    return not is_listed or isinstance(getattr(import_module(module), name, type), Hashable)


def _is_only_value(path: str) -> bool:
    """Whether a path of a module leads to a constant or a function of one that computes."""
    module, _, name = path.rpartition(".")
    if name in HARMLESS.get(module, ()):
        value = getattr(import_module(module), name, type)
        return _is_listed(path) and not isinstance(value, type | ModuleType)
    return path.startswith(("numpy.", "pandas."))


def _is_altering(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in _ALTERING


def _is_number(value: ast.expr) -> bool:
    """Whether a value is a number to be added, rather than items."""
    match value:
        case ast.Constant(value=int() | float() | complex()):
            return True
        case ast.UnaryOp(operand=inner):
            return _is_number(inner)
        case ast.BinOp(left=left, right=right):
            return _is_number(left) or _is_number(right)
        case ast.Call(func=ast.Name(id="abs" | "float" | "int" | "len" | "round")):
            return True
        case _:
            return False


def _given(body: Iterable[ast.stmt]) -> dict[str, list[ast.expr]]:
    """The values of the names of a module that are given nothing but values."""
    found: dict[str, list[ast.expr]] = {}
    for each in body:
        match each:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).append(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found.setdefault(name, []).append(value)
            case _:
                pass
    return found


def _level(value: ast.expr) -> int:
    """What of a value can be changed: itself, and what it holds."""
    match value:
        case ast.Constant() | ast.JoinedStr() | ast.Compare() | ast.UnaryOp() | ast.BinOp():
            return 0
        case ast.Tuple(elts=parts):
            return _WITHIN if any(map(_level, parts)) else 0
        case ast.List(elts=parts) | ast.Set(elts=parts) | ast.Dict(values=parts):
            return _BOTH if any(map(_level, parts)) else _SELF
        case ast.Call(func=function, args=given):
            name = function.attr if isinstance(function, ast.Attribute) else ""
            name = function.id if isinstance(function, ast.Name) else name
            held = _WITHIN if any(map(_level, given)) else 0
            if name in ("frozenset", "tuple"):
                return held
            if name in attributes().immutable:
                return 0
            return _SELF | held if name in _MUTABLE else _BOTH
        case _:
            return _BOTH


def _class_tables(around: ast.Module) -> frozenset[str]:
    """Attributes that classes of the file, and not their objects, have."""
    nodes = nodes_in(around)
    stored = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    tables = {
        target.id
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for each in node.body
        if isinstance(each, ast.Assign) and _level(each.value) & _SELF
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    return frozenset(tables - stored)
