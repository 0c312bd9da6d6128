"""Finds what a candidate brings along, and gives it names that are free in the file."""

from __future__ import annotations

import ast
import copy
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain, count

from msgspec import Struct, field

from assay_engine.dependencies.needed import ImportNode, needed_statements
from assay_engine.dependencies.normalising import set_name
from assay_engine.splicing.edits import apply_edits
from assay_engine.splicing.imports import Imported, imported_by
from assay_engine.splicing.place import Place, names_around
from assay_engine.syntax.identifiers import FunctionNode, Occurrence, ScopeKind
from assay_engine.syntax.scopes import (
    BUILTINS,
    bound_in_module,
    occurrences,
    occurrences_in,
    used_from_module,
)
from assay_engine.syntax.text import Source, read_source
from assay_engine.types import Edit, Span


class Luggage(Struct, frozen=True):
    """What a candidate's body needs of its own module.

    `places` are the indices of the helper statements.
    """

    imports: tuple[Imported, ...]
    places: tuple[int, ...]
    helper_names: frozenset[str]
    used_by_body: frozenset[str]
    used_by_helpers: frozenset[str]

    @property
    def brought(self) -> frozenset[str]:
        return self.helper_names | {each.bound for each in self.imports}


class SplicePlan(Struct, frozen=True):
    """Imports for the file's head, imports for the function itself, and new names for helpers."""

    module_imports: tuple[Imported, ...]
    local_imports: tuple[Imported, ...]
    names: dict[str, str] = field(default_factory=dict[str, str])


def luggage_of(candidate: Source, function: FunctionNode) -> Luggage:
    statements = candidate.tree.body
    inside = {node for each in function.body for node in ast.walk(each)}
    body = [each for each in occurrences([function]) if each.node in inside]
    used_by_body = used_from_module(body)
    others = [
        each
        for each in statements
        if not (isinstance(each, FunctionNode) and each.name == function.name)
    ]
    needed = needed_statements(others, used_by_body - {function.name}, target=function.name)
    helpers = occurrences(needed.helpers)
    imports = [
        each
        for statement in needed.imports
        for each in imported_by(statement)
        if each.bound in needed.names and each.module != "__future__"
    ]
    # If several bind a name to different things, only the last is kept.
    last = {each.bound: each.target for each in imports}
    return Luggage(
        imports=tuple(dict.fromkeys(each for each in imports if each.target == last[each.bound])),
        places=tuple(statements.index(each) for each in needed.helpers),
        helper_names=bound_in_module(helpers),
        used_by_body=used_by_body,
        used_by_helpers=used_from_module(helpers),
    )


def plan(place: Place, candidate: Source, luggage: Luggage, name: str) -> SplicePlan | str:
    """The plan by which the luggage fits into the file, or a clause saying why it does not."""
    names = file_names(place)
    reason = _obstacle(place, luggage, names, name)
    if reason:
        return reason
    fresh: dict[str, str] = {}
    for each in sorted(luggage.helper_names):
        if each in names.anywhere or each in names.around or _is_mangled(place, each):
            fresh[each] = _fresh(each, place, candidate, fresh)
    module: list[Imported] = []
    local: list[Imported] = []
    for each in luggage.imports:
        by_helpers = each.bound in luggage.used_by_helpers
        at_hand = _at_hand(place, each, names, for_helpers=by_helpers)
        hidden = each.bound in names.around and each.bound in luggage.used_by_body
        if at_hand is not None and not hidden and not _is_mangled(place, each.bound):
            module += [] if at_hand else [each]
        elif not by_helpers and not _is_mangled(place, each.bound):
            local.append(each)
        elif each.name is None and each.alias is None and "." in each.module:
            return f"its helpers import `{each.module}`, but this file already uses `{each.bound}`"
        else:
            fresh[each.bound] = _fresh(each.bound, place, candidate, fresh)
            module.append(Imported(each.level, each.module, each.name, fresh[each.bound]))
    return SplicePlan(tuple(module), tuple(local), fresh)


def _fresh(name: str, place: Place, candidate: Source, names: Mapping[str, str]) -> str:
    """The first of ``_name``, ``_name_2`` and so on that stands nowhere, not even in a string."""
    texts = map(_as_python_reads, (place.source.text, candidate.text))
    taken = {*names.values(), *chain.from_iterable(map(_WORD.findall, texts))}
    base = f"_{name.strip('_') or 'name'}"
    further = (f"{base}_{number}" for number in count(2))
    return next(each for each in chain([base], further) if each not in taken)


def _obstacle(place: Place, luggage: Luggage, names: FileNames, name: str) -> str | None:
    doubly = luggage.helper_names & {each.bound for each in luggage.imports}
    if doubly:
        return f"it binds `{min(doubly)}` both by an import and in another way"
    foreign = (luggage.used_by_body | luggage.used_by_helpers) - luggage.brought - {name}
    for each in sorted(foreign & BUILTINS):
        if (each in names.binders or each in names.around) and each not in names.meant:
            return f"it uses the builtin `{each}`, which this file redefines"
    for each in sorted(luggage.used_by_helpers - luggage.brought):
        if each in names.around and each not in names.binders:
            return f"its helpers use `{each}`, which only the enclosing function defines"
    known = name in names.binders or name in BUILTINS
    in_class = bool(place.enclosing) and isinstance(place.enclosing[-1], ast.ClassDef)
    if not known and in_class and name in luggage.used_by_body:
        return f"it calls `{name}` by its bare name, which a method cannot"
    if not known and place.enclosing and name in luggage.used_by_helpers:
        return f"its helpers call `{name}`, which they cannot see from the module"
    return None


def _at_hand(place: Place, wanted: Imported, names: FileNames, *, for_helpers: bool) -> bool | None:
    """Whether the file already imports this; None if it cannot, because the name is taken."""
    binders = names.binders.get(wanted.bound, ())
    if not binders:
        # Code that looks up a name that nothing binds means a builtin.
        return None if wanted.bound in names.used else False
    imports: dict[ast.AST, Imported] = {}
    above: set[Imported] = set()
    for index, statement in enumerate(place.source.tree.body):
        if isinstance(statement, ImportNode):
            own = imported_by(statement)
            imports.update(zip(statement.names, own, strict=True))
            above.update(own if index < place.top else ())
    found = [imports.get(each) for each in binders]
    if any(each is None or each.target != wanted.target for each in found):
        return None
    return wanted in above or (wanted in found and not for_helpers)


def _is_mangled(place: Place, name: str) -> bool:
    """Whether Python would mangle the name as a private one of the class around the function."""
    return place.is_in_class and name.startswith("__") and not name.endswith("__")


_WORD = re.compile(r"\w+")


class FileNames(Struct, frozen=True):
    """What the file around a function does with names.

    `binders` are the nodes that bind a name in the module. `used` names are looked up in the module
    by code outside the function's own body. `anywhere` names occur there as an identifier, in
    whatever scope. `around` names belong to the functions around the function. `meant` names are
    used by the body that is there now.
    """

    binders: dict[str, tuple[ast.AST, ...]]
    used: frozenset[str]
    anywhere: frozenset[str]
    around: frozenset[str]
    meant: frozenset[str]


# A memo of a pure function: every candidate is put in the same place.
@lru_cache(maxsize=4)
def file_names(place: Place) -> FileNames:
    inside = {node for each in place.function.body for node in ast.walk(each)}
    outside = [each for each in occurrences_in(place.source.tree) if each.node not in inside]
    module = [each for each in outside if each.in_module]
    binders: dict[str, dict[ast.AST, None]] = {}
    for each in module:
        if each.binds:
            binders.setdefault(each.name, {})[each.node] = None
    return FileNames(
        binders={bound: tuple(nodes) for bound, nodes in binders.items()},
        used=frozenset(each.name for each in module if not each.binds),
        anywhere=frozenset(each.name for each in outside),
        around=names_around(place),
        meant=used_from_module(occurrences([place.function])),
    )


def _as_python_reads(text: str) -> str:
    """The text in the form in which Python compares identifiers: ``ﬁle`` is ``file``."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def renamed(source: Source, names: Mapping[str, str]) -> Source | None:
    """The candidate with module-level names replaced by others.

    None if one of the names occurs where it may mean something else. Locals that hide the name,
    attributes, keyword arguments and strings stay as they are. So do the candidate's imports, which
    are written anew anyway.
    """
    if not names:
        return source
    imports = {
        alias
        for statement in source.tree.body
        if isinstance(statement, ImportNode)
        for alias in statement.names
    }
    edits: dict[int, Edit] = {}
    for each in occurrences(source.tree.body):
        if each.name not in names:
            continue
        if each.home.kind is ScopeKind.CLASS and not each.binds:
            # A class body that binds a name looks it up in the module until it has bound it.
            return None
        if each.in_module and each.node not in imports:
            found = _edits(source, each, names[each.name])
            if not found:
                return None
            edits |= {edit.span.start: edit for edit in found}
    result = read_source(apply_edits(source.text, list(edits.values())))
    expected = copy.deepcopy(source.tree)
    for each in occurrences(expected.body):
        if each.in_module and each.name in names:
            set_name(each, names[each.name])
    is_as_meant = not result.problems and _form(expected) == _form(result.tree)
    return result if is_as_meant else None


def _edits(source: Source, occurrence: Occurrence, new: str) -> list[Edit]:
    """The edits that rename an occurrence; none where its node does not tell its position, as in
    ``except E as name`` and patterns."""
    match occurrence.node:
        case ast.Name() as node:
            return [Edit(source.span(node), new)]
        case ast.alias() as node:
            return [Edit(source.span(node), f"{node.name} as {new}")]
        case ast.Global() as node:
            span = source.span(node)
            words = _WORD.finditer(source.text, span.start, span.end)
            return [Edit(Span(*word.span()), new) for word in words if word[0] == occurrence.name]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() as node:
            words = _WORD.finditer(source.text, source.span(node).start)
            found = next(word for word in words if word[0] not in ("async", "def", "class"))
            return [Edit(Span(*found.span()), new)]
        case _:
            return []


def _form(tree: ast.Module) -> list[str]:
    return [ast.dump(each) for each in tree.body if not isinstance(each, ImportNode)]
