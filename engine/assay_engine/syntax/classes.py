"""Classes of a text by name: what each derives from, in the order that Python follows, what their
objects are made of and offer, and which classes stand in for abstract ones and for protocols.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain

from msgspec import Struct

from assay_engine.syntax.identifiers import FunctionNode, defaults_of
from assay_engine.syntax.parsing import SyntaxFault, last_name, names_in, parse
from assay_engine.syntax.scopes import own_nodes
from assay_engine.syntax.text import Source, is_not_implemented

ENUMERATIONS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_WITH_FIELDS = frozenset({"dataclass", "define", "frozen", "attrs"})


def is_enumeration(node: ast.ClassDef) -> bool:
    return not ENUMERATIONS.isdisjoint(map(last_name, node.bases))


def typed_dict_classes(node: ast.ClassDef, classes: Classes) -> list[ast.ClassDef]:
    """The classes that a typed dict has its keys from, its own last; none for any other class."""
    found = classes.lineage(node)
    derives = any("TypedDict" in map(last_name, each.bases) for each in found)
    return found if derives else []


def member_names(node: ast.ClassDef) -> list[str]:
    """The names of an enumeration's members."""
    return [
        target.id
        for statement in node.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and not target.id.startswith("_")
    ]


def constructor_of(node: ast.ClassDef, classes: Classes) -> dict[str, ast.expr]:
    """The parameters of a class's constructor with their annotations; none if it needs others.

    The constructor may be that of a base class. In a class made of fields, the fields of its base
    classes come first.
    """
    for each in reversed(classes.lineage(node)):
        if _is_made_of_fields(each):
            return fields_of(filter(_is_made_of_fields, classes.lineage(each)))
        made = {one.name: one.args for one in each.body if isinstance(one, ast.FunctionDef)}
        arguments = made.get("__init__") or made.get("__new__")
        if arguments is None:
            continue
        found: dict[str, ast.expr] = {}
        defaults = defaults_of(arguments)
        after_object = [*arguments.posonlyargs, *arguments.args][1:]
        for argument in (*after_object, *arguments.kwonlyargs):
            if argument.annotation is not None and argument not in arguments.posonlyargs:
                found[argument.arg] = argument.annotation
            elif argument not in defaults:
                return {}
        return found
    return {}


def made_of(node: ast.ClassDef, classes: Classes) -> Iterable[ast.expr]:
    """The annotations of what an object of a class is made of: keys, or constructor parameters."""
    keys = typed_dict_classes(node, classes)
    return (fields_of(keys) if keys else constructor_of(node, classes)).values()


def _is_made_of_fields(node: ast.ClassDef) -> bool:
    decorators = {last_name(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list}
    return "NamedTuple" in map(last_name, node.bases) or not _WITH_FIELDS.isdisjoint(decorators)


def fields_of(classes: Iterable[ast.ClassDef]) -> dict[str, ast.expr]:
    """The annotations of the fields, or keys, that a constructor takes from some classes.

    A field of a later class replaces the same field of an earlier one.
    """
    return dict(chain.from_iterable(map(_own_fields, classes)))


def required_keys(classes: Iterable[ast.ClassDef]) -> set[str]:
    """The keys from some classes that every dict of a typed dict has.

    An annotation may not be fully readable, as when it is a text. So a key is not required if its
    annotation mentions `NotRequired` at all.
    """
    required: set[str] = set()
    for each in classes:
        is_total = all(
            isinstance(keyword.value, ast.Constant) and keyword.value.value is True
            for keyword in each.keywords
            if keyword.arg == "total"
        )
        for name, annotation in _own_fields(each):
            required.discard(name)
            may_lack = not is_total or "NotRequired" in names_in(annotation)
            if last_name(annotation) == "Required" or not may_lack:
                required.add(name)
    return required


def _own_fields(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """All annotated fields of a class except those with `field(init=False)`."""
    for statement in node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(), annotation=kind) if last_name(kind) in (
                "ClassVar",
                "KW_ONLY",
            ):
                pass
            case ast.AnnAssign(value=ast.Call(keywords=keywords)) if any(
                each.arg == "init"
                and isinstance(each.value, ast.Constant)
                and each.value.value is False
                for each in keywords
            ):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                yield name, annotation
            case _:
                pass


# Nobody derives classes from each other more often than this; a hostile text may do so thousands of
# times.
LINEAGE_MAX = 60


class Classes(dict[str, ast.ClassDef]):
    """The classes of a text by name; of several with one name, the last.

    Bases that are not defined in the text are left out.
    """

    def __init__(self, body: Iterable[ast.stmt]) -> None:
        super().__init__({node.name: node for node in body if isinstance(node, ast.ClassDef)})
        self._orders: dict[str, list[str]] = {}
        self._derived: dict[str, list[str]] = {}
        # The order of a class is worked out after those of its bases. The stack is kept by hand: a
        # text may derive more classes from each other than calls can be nested.
        waiting = [(name, False) for name in reversed(self)]
        begun: set[str] = set()
        while waiting:
            name, are_bases_done = waiting.pop()
            if are_bases_done:
                self._orders[name] = self._merged(self[name])
            elif name not in begun:
                begun.add(name)
                waiting += [(name, True), *((base, False) for base in self._bases(self[name]))]
        for name in self:
            for base in self._orders[name][1:]:
                self._derived.setdefault(base, []).append(name)

    def lineage(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """The classes that a class derives from, and the class, `LINEAGE_MAX` of them at most.

        The class that Python looks into first, which is the class itself, stands last.
        """
        order = self._orders[node.name] if self.get(node.name) is node else self._merged(node)
        return [*(self[name] for name in reversed(order[1:])), node]

    def derived(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """The classes that derive from a class, in the order of the text."""
        names = self._derived.get(node.name, ()) if self.get(node.name) is node else ()
        return [self[name] for name in names]

    def _merged(self, node: ast.ClassDef) -> list[str]:
        """The class and its bases in one order that keeps to the orders of all of these (C3, as in
        Python). Where there is none, the first name of the first order goes before the others.
        """
        # A text may well derive a class from itself: then the class's own order is not there yet.
        bases = [base for base in self._bases(node) if base in self._orders]
        found: list[str] = []
        left = [order for order in (*(self._orders[base] for base in bases), bases) if order]
        while left:
            behind = {name for order in left for name in order[1:]}
            heads = [order[0] for order in left]
            chosen = next((name for name in heads if name not in behind), heads[0])
            found.append(chosen)
            left = [rest for order in left if (rest := [name for name in order if name != chosen])]
        return [node.name, *(name for name in found if name != node.name)][:LINEAGE_MAX]

    def _bases(self, node: ast.ClassDef) -> list[str]:
        return [name for name in map(last_name, node.bases) if name in self]


# A memo, like that of `read_source`: each line that may be a call of a program asks for its
# classes.
@lru_cache(maxsize=4)
def classes_of(source: Source) -> Classes:
    """The classes of a text, at its top level."""
    return Classes(source.tree.body)


# Bases that add nothing to objects.
_SAYING_NOTHING = frozenset(("object", "ABC", "Generic", "Protocol"))


def is_protocol(node: ast.ClassDef) -> bool:
    return "Protocol" in map(last_name, node.bases)


def family(node: ast.ClassDef, classes: Classes) -> list[ast.ClassDef]:
    """The classes whose objects are given where a class is asked for.

    They are the class and the classes derived from it. The class itself is left out if it is
    abstract, or if it says nothing and there are others. For a protocol, they are the classes that
    have everything it asks for. The list is empty if no object of the class can be made and there
    are no other classes.
    """
    if is_enumeration(node) or typed_dict_classes(node, classes):
        return [node]
    others = classes.derived(node)
    members = _members(node, classes)
    if is_protocol(node):
        derived = {each.name for each in others}
        others = [
            each
            for each in classes.values()
            if each is not node
            and (each.name in derived or members <= _members(each, classes))
            and not typed_dict_classes(each, classes)
        ]
    others = [each for each in others if not (is_enumeration(each) or _is_abstract(each, classes))]
    bases = {last_name(base) for each in classes.lineage(node) for base in each.bases}
    # A base from outside the text may say anything.
    says_something = bool(members) or not bases <= {*classes, *_SAYING_NOTHING}
    if says_something and not _is_abstract(node, classes):
        return [node, *others]
    can_be_made = not is_protocol(node) and not _lacking(node, classes, _is_marked)
    return others or ([node] if can_be_made else [])


def receivers(owner: ast.ClassDef, method: str, classes: Classes) -> list[ast.ClassDef]:
    """The classes of the owner's family that have the owner's method of this name."""
    members = family(owner, classes)
    return [
        each for each in members if each is owner or not overrides(each, method, owner, classes)
    ]


def overrides(node: ast.ClassDef, method: str, owner: ast.ClassDef, classes: Classes) -> bool:
    """Whether objects of a class have another method of this name than the owner's."""
    having = [each for each in classes.lineage(node) if method in _bound(each)]
    return bool(having) and having[-1] is not owner


def _is_abstract(node: ast.ClassDef, classes: Classes) -> bool:
    """Whether a class leaves something to others, as a protocol does.

    It does so by a mark, or by raising NotImplementedError.
    """
    return is_protocol(node) or bool(_lacking(node, classes, _is_left_to_others))


def _lacking(
    node: ast.ClassDef, classes: Classes, is_left: Callable[[FunctionNode], bool]
) -> set[str]:
    """The methods that a class, with its bases, leaves to others in the end."""
    lacking: set[str] = set()
    for each in classes.lineage(node):
        # The last definition of a name is the one that counts.
        last = {method.name: method for method in _methods(each)}
        left = {name for name, method in last.items() if is_left(method)}
        lacking = (lacking | left) - (_bound(each) - left)
    return lacking


def _members(node: ast.ClassDef, classes: Classes) -> set[str]:
    """The names of a class's methods and attributes, those of its bases included, and of those
    that its constructor sets."""
    lineage = classes.lineage(node)
    assigned = (
        each.attr
        for base in lineage
        for method in _methods(base)
        if method.name == "__init__"
        for each in ast.walk(method)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
    )
    return set(fields_of(lineage)).union(assigned, *map(_bound, lineage))


def _bound(node: ast.ClassDef) -> set[str]:
    """The names that the body of a class sets: methods, and attributes with a value there."""
    found = {method.name for method in _methods(node)}
    for statement in node.body:
        match statement:
            case ast.Assign(targets=targets):
                found.update(target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                found.add(name)
            case _:
                pass
    return found


def _is_marked(method: FunctionNode) -> bool:
    marks = set(map(last_name, method.decorator_list))
    return not marks.isdisjoint(("abstractmethod", "abstractproperty"))


def _is_left_to_others(method: FunctionNode) -> bool:
    *before, last = method.body
    raises_alone = is_not_implemented(last) and all(isinstance(each, ast.Expr) for each in before)
    # A default raises, and other implementations are registered with it.
    is_default = "singledispatchmethod" in map(last_name, method.decorator_list)
    return _is_marked(method) or (raises_alone and not is_default)


def _methods(node: ast.ClassDef) -> list[FunctionNode]:
    return [each for each in node.body if isinstance(each, FunctionNode)]


_PROTOCOLS = frozenset(
    f"__{name}__" for name in ("bool", "contains", "getitem", "iter", "len", "repr", "str")
)
_PROPERTIES = frozenset(("property", "cached_property"))


class PublicMember(Struct, frozen=True):
    """A public method or property.

    `required` is the number of arguments that it cannot do without. `gives` tells whether it
    returns anything.
    """

    name: str
    required: int
    gives: bool


def public_members(program: str, class_path: str) -> tuple[PublicMember, ...]:
    """The public members of a class and its bases, as far as it is plain how to call them: those by
    which others see what an object has become."""
    tree = parse(program)
    if isinstance(tree, SyntaxFault):
        return ()
    body: list[ast.stmt] = tree.body
    node = None
    for name in class_path.split("."):
        classes = (each for each in body if isinstance(each, ast.ClassDef) and each.name == name)
        node = next(classes, None)
        if node is None:
            return ()
        body = node.body
    found: dict[str, PublicMember | None] = {}
    for each in reversed(Classes(tree.body).lineage(node)) if node is not None else ():
        for method in _methods(each):
            name, given = method.name, method.args
            decorators = {last_name(one) for one in method.decorator_list}
            is_plain = (
                isinstance(method, ast.FunctionDef)
                and decorators <= _PROPERTIES
                and (not name.startswith("_") or name in _PROTOCOLS)
                and None not in given.kw_defaults
            )
            required = len(given.posonlyargs) + len(given.args) - len(given.defaults) - 1
            gives = any(map(_gives, own_nodes(method)))
            member = PublicMember(name, max(0, required), gives) if is_plain else None
            found.setdefault(name, member)
    return tuple(each for each in found.values() if each is not None)


def _gives(node: ast.AST) -> bool:
    match node:
        case ast.Return(value=None | ast.Constant(value=None)):
            return False
        case ast.Return() | ast.Yield() | ast.YieldFrom():
            return True
        case _:
            return False


# Adding to a list or set by one of these has the same effect, whatever else is in there.
_ADDING = frozenset(("add", "append", "appendleft", "extend"))


def fields_used(program: str, method: str) -> frozenset[str] | None:
    """The names, those of attributes among them, that the methods of one name use.

    Names in all functions of the program that these methods lead to by name count, too. Attributes
    that something is only added to do not count. None if a function hands on its object as a whole,
    using its first parameter for anything but an attribute of it: then any field may be used.
    """
    tree = parse(program)
    if isinstance(tree, SyntaxFault):
        return None
    functions: dict[str, list[FunctionNode]] = {}
    for node in ast.walk(tree):
        if isinstance(node, FunctionNode):
            functions.setdefault(node.name, []).append(node)
    used: set[str] = set()
    known = {method}
    pending = [method]
    while pending:
        for function in functions.get(pending.pop(), ()):
            first = next(iter((*function.args.posonlyargs, *function.args.args)), None)
            added_to: set[ast.AST] = set()
            owners: set[ast.AST] = set()
            names: set[str] = set()
            for node in ast.walk(function):
                match node:
                    case ast.Expr(ast.Call(ast.Attribute(ast.Attribute() as field, adding))):
                        if adding in _ADDING:
                            added_to.add(field)
                    case ast.Attribute(value=owner, attr=name):
                        owners.add(owner)
                        names |= set() if node in added_to else {name}
                    case ast.Name(id=name):
                        names.add(name)
                        # What is around a node is walked before it.
                        if first is not None and name == first.arg and node not in owners:
                            return None
                    case _:
                        pass
            used |= names
            pending += sorted(names & functions.keys() - known)
            known |= names
    return frozenset(used)
