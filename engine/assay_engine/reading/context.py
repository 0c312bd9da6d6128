"""Collects from a function's own file what it needs to run, and the part that a model may see.

Pieces are kept verbatim and in order, so that the text runs as the file would. Two things change:
line breaks become ``\\n``, as Python itself reads them, and relative imports become absolute,
because the text stands in no package.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Set
from functools import lru_cache

from msgspec import Struct

from assay_engine.reading.excerpts import excerpt, line_of, rendered, stubs
from assay_engine.reading.imports import absolute_imports
from assay_engine.reading.pieces import Pieces, read_pieces
from assay_engine.reading.thinning import CONTEXT_CHARACTERS_MAX, MAKING, Showing, thinner
from assay_engine.reading.units import Cut, cut_units, cuts_by_path
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.needed import ImportNode, imports_in
from assay_engine.syntax.occurrences import names_living_in
from assay_engine.syntax.parsing import split_lines
from assay_engine.syntax.scopes import names_of, reads_by_function
from assay_engine.syntax.source import Source
from assay_engine.types import Edit


class Surrounding(Struct, frozen=True):
    """What is around a function: a context to show to a model, and a program to run.

    `context` leaves out the function (or has its stub, where it cannot be taken out), and the
    bodies of the other methods of its class. `imports` are those of `program`. `definition` is the
    function's index, from 0, among the definitions of its name in `program`.
    """

    context: str
    program: str
    entry: str
    imports: tuple[ImportNode, ...]
    definition: int = 0


def surround(source: Source, cut: Cut, *, wanted: frozenset[str], package: str) -> Surrounding:
    """Collect what is around a function, and all that the names in `wanted` need.

    `entry` contains ``<locals>`` if the function is a closure.
    """
    pieces = read_pieces(source)
    home = pieces.index_at(cut.unit.name_span.start)
    entry = cut.unit.path
    imports = absolute_imports(source, package)
    if any(not isinstance(outer, ast.ClassDef) for outer in cut.enclosing):
        lifted = _lift(source, cut, pieces, home, wanted, imports)
        if lifted is not None:
            return lifted
    own = cut.enclosing[0].name if cut.enclosing else cut.node.name
    providers = set(pieces.providers.get(own, ()))
    # `f = cache(f)` is part of what `f` is; another `def f` is not.
    rivals = {
        index
        for index in providers - {home}
        if own in pieces.pieces[index].names.binds and own not in pieces.pieces[index].names.reads
    }
    program = pieces.closure({own, *wanted}, without=rivals) | {home}
    if read := _read_before(pieces, own, rivals, program, home):
        rivals -= read
        program = pieces.closure({own, *wanted}, without=rivals) | {home}
    stands_alone = pieces.pieces[home].nodes == (cut.node,)
    left_out = providers | {home} if stands_alone else rivals | {home}
    siblings = frozenset[FunctionNode]() if stands_alone else _siblings(source, cut)

    def shown(showing: Showing, documented: Callable[[str], bool]) -> str:
        """The context, with the piece around the function if it cannot be taken out of that."""
        if stands_alone:
            needed = pieces.pieces[home].names.reads | wanted
            context = showing.pieces.closure(needed, without=left_out)
            return rendered(source, pieces, context, (*imports, *showing.edits))
        needed = _read_beside(source, home, siblings) | {own, *wanted}
        context = showing.pieces.closure(needed, without=left_out) | {home}
        stubbed = stubs(source)
        others = (
            stubbed[each].documented if documented(each.name) else stubbed[each].bare
            for each in siblings
        )
        edits = (*imports, stubbed[cut.node].documented, *others, *showing.edits)
        return rendered(source, pieces, context, edits)

    context = shown(Showing(pieces), lambda _name: True)
    if len(context) > CONTEXT_CHARACTERS_MAX:
        thin = thinner(source, cut, home)
        context = shown(thin.without_bodies(), lambda _name: True)
        if len(context) > CONTEXT_CHARACTERS_MAX:
            context = shown(thin.without_docstrings(), thin.names)
    return Surrounding(
        context=context,
        program=rendered(source, pieces, program, imports),
        entry=entry,
        imports=_imports(pieces, program),
        definition=sum(
            other.unit.span.start < cut.unit.span.start
            and pieces.index_at(other.unit.name_span.start) in program
            for other in cuts_by_path(source).get(entry, ())
        ),
    )


def _read_before(
    pieces: Pieces, name: str, rivals: Set[int], program: Set[int], home: int
) -> frozenset[int]:
    """The rivals of a name that a piece reads which runs before the definition at index `home`."""
    reading = [
        index for index in program if index < home and name in pieces.pieces[index].names.reads
    ]
    return frozenset(rival for rival in rivals if any(rival < index for index in reading))


def _lift(
    source: Source,
    cut: Cut,
    pieces: Pieces,
    home: int,
    wanted: frozenset[str],
    imports: tuple[Edit, ...],
) -> Surrounding | None:
    """A nested function as a function of the module, or None where it cannot be one.

    It cannot if it uses names that the functions around it bind. Nor can it if its needs lead back
    to the piece that it stands in, of index `home`: then its own body would be in the context.
    """
    name = cut.node.name
    needed = names_of([cut.node]).reads - {name}
    captured: set[str] = {"super", "__class__"}
    for outer in cut.enclosing:
        if isinstance(outer, ast.ClassDef):
            captured.add(outer.name)
        else:
            captured |= names_living_in(outer)
    if isinstance(cut.enclosing[-1], ast.ClassDef) or needed & captured:
        return None
    context = pieces.closure(needed | (wanted - {name}))
    if home in context or any(name in pieces.pieces[index].names.binds for index in context):
        return None
    around = rendered(source, pieces, context, imports)
    text = excerpt(source, cut.unit.span, imports)
    lifted = _dedented(source, cut, text)
    program = f"{around}\n\n{lifted}\n" if around else f"{lifted}\n"
    return Surrounding(around, program, name, (*_imports(pieces, context), *imports_in([cut.node])))


def _siblings(source: Source, cut: Cut) -> frozenset[FunctionNode]:
    """The other definitions of the function and the other methods of its class.

    They are shown without their bodies. The methods that make an object are not among them and stay
    whole: without those, nobody could tell what the object's state means.
    """
    in_class = bool(cut.enclosing) and isinstance(cut.enclosing[0], ast.ClassDef)
    return frozenset(
        other.node
        for other in cut_units(source)
        if other.node is not cut.node
        and (
            other.unit.path == cut.unit.path
            or (
                in_class
                and other.enclosing[:1] == cut.enclosing[:1]
                and other.node.name not in MAKING
            )
        )
    )


def _read_beside(source: Source, index: int, without: frozenset[FunctionNode]) -> frozenset[str]:
    """The names that a piece takes from the module outside of the bodies of some functions."""
    found = _reads_in(source, index).items()
    return frozenset[str]().union(*(names for within, names in found if without.isdisjoint(within)))


# A memo of a pure function, like `read_pieces`. It is small because each entry keeps a text and its
# tree, and because the methods of a class are read one after the other.
@lru_cache(maxsize=8)
def _reads_in(source: Source, index: int) -> Mapping[tuple[FunctionNode, ...], frozenset[str]]:
    return reads_by_function(read_pieces(source).pieces[index].nodes)


def _imports(pieces: Pieces, taken: Iterable[int]) -> tuple[ImportNode, ...]:
    return tuple(each for index in sorted(taken) for each in pieces.pieces[index].imports)


def _dedented(source: Source, cut: Cut, text: str) -> str:
    """The function's text moved to the left margin, with the inside of its strings untouched."""
    first_line = line_of(source, cut.unit.span.start)
    margin = source.sound[source.starts[first_line - 1] : cut.unit.span.start]
    in_strings = {
        line - first_line
        for node in ast.walk(cut.node)
        if isinstance(node, ast.Constant | ast.JoinedStr)
        for line in range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)
    }
    lines = split_lines(text)
    return "".join(
        line if number in in_strings else line.removeprefix(margin)
        for number, line in enumerate(lines)
    )
