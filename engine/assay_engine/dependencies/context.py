"""Collects from a function's own file what it needs to run, and the part that a model may see.

Pieces are kept verbatim and in order, so that the text runs as the file would. Two things change:
line breaks become ``\\n``, as Python itself reads them, and relative imports become absolute,
because the text stands in no package.

Some imports are kept that inputs need: a function that takes moments may be given zones, one that
takes tables may be given numpy's NaN, and one that awaits may be given what asyncio makes, whether
or not the function's own code mentions these. A function that uses an unannotated argument like a
moment or a table may be given one.
"""

from __future__ import annotations

import ast
import datetime
import decimal
import fractions
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.bounds import CHAIN_MAX
from assay_engine.dependencies.excerpts import (
    CONTEXT_CHARACTERS_MAX,
    MAKING,
    PIECE_CHARACTERS_MAX,
    Showing,
    called,
    left_out,
    mentioned,
    reads_without,
    shown,
    stubs,
    thinned,
)
from assay_engine.dependencies.modules import absolute_imports
from assay_engine.dependencies.needed import ImportNode, Pieces, imports_in, read_pieces
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.input_output import imported_names
from assay_engine.syntax.parsing import split_lines, statements_in
from assay_engine.syntax.scopes import names_living_in, names_of
from assay_engine.syntax.secrets import masks
from assay_engine.syntax.text import Source, excerpt
from assay_engine.syntax.units import Cut, cut_units, cuts_by_path
from assay_engine.types import Edit, InPlace, Span
from assay_sandbox import Place


class Surrounding(Struct, frozen=True):
    """What is around a function: a context to show to a model, and a program to run.

    `context` leaves out the function (or has its stub, where it cannot be taken out), and the
    bodies of the other methods of its class. `imports` are those of `program`. `definition` is the
    function's index, from 0, among the definitions of its name in `program`. Of a function that
    needs more than `CHAIN_MAX` pieces of its file, all are empty.
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
    nothing = Surrounding("", "", cut.unit.path, ())
    if _crowd(source)[_own_name(cut)] > CHAIN_MAX:
        return nothing
    imports = absolute_imports(source, package)
    taken = _taken(source, cut, wanted)
    if len(taken.indices) > CHAIN_MAX:
        return nothing
    if beside := _companions(source, cut, taken.imports):
        taken = _taken(source, cut, wanted | beside)
    context = _context(source, cut, taken, (*imports, *masks(source)))
    program = shown(source, imports).rendered(taken.indices)
    if taken.lifted is not None:
        text = _dedented(source, cut, excerpt(source, cut.unit.span, imports))
        program = f"{program}\n\n{text}\n" if program else f"{text}\n"
        return Surrounding(context, program, cut.node.name, taken.imports)
    return Surrounding(
        context=context,
        program=program,
        entry=cut.unit.path,
        imports=taken.imports,
        definition=sum(
            other.unit.span.start < cut.unit.span.start
            and taken.pieces.index_at(other.unit.name_span.start) in taken.indices
            for other in cuts_by_path(source).get(cut.unit.path, ())
        ),
    )


def in_place(
    source: Source, cut: Cut, around: Surrounding, place: Place | None, package: str
) -> InPlace:
    """The function in all of its module, which runs at this place."""
    imports = absolute_imports(source, package)
    text = excerpt(source, Span(0, len(source.sound)), imports).removeprefix("\ufeff")
    is_lifted = around.entry != cut.unit.path
    if is_lifted:
        lifted = _dedented(source, cut, excerpt(source, cut.unit.span, imports))
        text = f"{text}\n\n{lifted}\n"
    others = cuts_by_path(source).get(around.entry, ())
    return InPlace(
        place, text, sum(is_lifted or each.unit.span.start < cut.unit.span.start for each in others)
    )


class _Taken(Struct, frozen=True):
    """The `indices` of the pieces that a function and the names in `wanted` need to run.

    `home` is the index of the piece that the function stands in, and `voters` are the pieces with
    what else may be meant by its name.
    """

    pieces: Pieces
    wanted: frozenset[str]
    home: int
    indices: frozenset[int]
    voters: frozenset[int] = frozenset()
    lifted: FunctionNode | None = None

    @property
    def imports(self) -> tuple[ImportNode, ...]:
        own = () if self.lifted is None else imports_in([self.lifted])
        taken = (self.pieces.pieces[index].imports for index in sorted(self.indices))
        return (*chain.from_iterable(taken), *own)


def _taken(source: Source, cut: Cut, wanted: frozenset[str]) -> _Taken:
    pieces = read_pieces(source)
    home = pieces.index_at(cut.unit.name_span.start)
    if any(not isinstance(outer, ast.ClassDef) for outer in cut.enclosing):
        needs = _needs_of_lifted(cut, pieces, home, wanted)
        if needs is not None:
            return _Taken(pieces, wanted, home, needs, lifted=cut.node)
    own = _own_name(cut)
    # `f = cache(f)` is part of what `f` is; another `def f` is not.
    voters = frozenset(
        index
        for index in pieces.providers.get(own, ())
        if index != home
        and own in pieces.pieces[index].names.binds
        and own not in pieces.reads[index]
    )
    program = pieces.closure({own, *wanted}, without=voters) | {home}
    # Unless a piece reads it that runs before the definition.
    last = max((each for each in program if each < home and own in pieces.reads[each]), default=0)
    if any(each < last for each in voters):
        voters = frozenset(each for each in voters if each >= last)
        program = pieces.closure({own, *wanted}, without=voters) | {home}
    return _Taken(pieces, wanted, home, program, voters)


@lru_cache(maxsize=4)
def _crowd(source: Source) -> Counter[str]:
    """How many functions there are by the names of functions and classes of the module."""
    return Counter(map(_own_name, cut_units(source)))


def _own_name(cut: Cut) -> str:
    """The name by which the module has the function, or what it stands in."""
    return cut.enclosing[0].name if cut.enclosing else cut.node.name


def _context(source: Source, cut: Cut, taken: _Taken, edits: tuple[Edit, ...]) -> str:
    """The context, with the piece around the function if it cannot be taken out of that."""
    whole = shown(source, edits)
    home, own = taken.home, _own_name(cut)
    piece = taken.pieces.pieces[home]
    stands_alone = taken.lifted is not None or piece.nodes == (cut.node,)
    # The other definitions of the function and the other methods of its class are shown without
    # their bodies. The methods that make an object stay whole: without those, nobody could tell
    # what the object's state means.
    owner = cut.enclosing[0] if cut.enclosing else None
    siblings = (
        frozenset[FunctionNode]()
        if stands_alone
        else frozenset(
            other.node
            for other in cut_units(source)
            if other.node is not cut.node
            and (
                other.unit.path == cut.unit.path
                or (
                    isinstance(owner, ast.ClassDef)
                    and owner in other.enclosing[:1]
                    and other.node.name not in MAKING
                )
            )
        )
    )

    def among(showing: Showing, names: frozenset[str] | None, room: int | None) -> str:
        """What is shown, of the siblings those with some `names`, and `room` characters of it."""
        if stands_alone:
            text = ""
            needed = (names_of([cut.node]).reads | taken.wanted) - {cut.node.name}
            without = {home, *taken.pieces.providers.get(own, ())}
        else:
            unnamed = {each for each in siblings if names is not None and each.name not in names}
            needed = reads_without(piece, unnamed, siblings) | {own, *taken.wanted}
            without = taken.voters | {home}
            own_stub, *others = (stubs(source)[each] for each in (cut.node, *siblings))
            cut_down = (each.documented if room is None else each.bare for each in others)
            gone = left_out(source, piece, unnamed)
            text = excerpt(source, piece.span, (*edits, own_stub.documented, *gone, *cut_down))
            texts = (*showing.texts[:home], text, *showing.texts[home + 1 :])
            showing = replace(showing, texts=texts)
        context = (
            showing.pieces.closure(needed, without=without)
            if room is None
            else showing.nearest(needed, without, room - len(text))
        )
        return showing.rendered(context if stands_alone else context | {home})

    context = among(whole, None, None)
    if len(context) <= CONTEXT_CHARACTERS_MAX:
        return context
    kept = called(source, cut) | {home}
    context = among(thinned(source, edits, None).but(whole, kept), None, None)
    if len(context) <= CONTEXT_CHARACTERS_MAX:
        return context
    names = mentioned(cut)
    thin = thinned(source, edits, names)
    context = among(thin.but(whole, kept), names, None)
    if len(context) <= CONTEXT_CHARACTERS_MAX:
        return context
    return among(thin.shortened(PIECE_CHARACTERS_MAX), names, CONTEXT_CHARACTERS_MAX)


def _needs_of_lifted(
    cut: Cut, pieces: Pieces, home: int, wanted: frozenset[str]
) -> frozenset[int] | None:
    """What a nested function needs as a function of the module, or None where it cannot be one.

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
    return context


def _dedented(source: Source, cut: Cut, text: str) -> str:
    """The function's text moved to the left margin, with the inside of its strings untouched."""
    first_line = source.line_at(cut.unit.span.start)
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


_MOMENTS = frozenset({"datetime", "zoneinfo"})
_NUMBERS = frozenset({"decimal", "fractions"})
_TABLES = frozenset({"numpy", "pandas"})
_FAMILIES = (_MOMENTS, _NUMBERS, _TABLES)
_OF_COROUTINES = frozenset({"asyncio"})
_BUILT_IN = (str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset, range)
_OF_BUILT_INS = frozenset[str]().union(*map(dir, _BUILT_IN))
# Attributes that are common in the use of tables and arrays, and that no other values have.
_OF_TABLES = """
astype columns corr cumsum describe drop_duplicates dropna dtype dtypes fillna flatten groupby iloc
iterrows itertuples loc melt merge ndim nunique pivot pivot_table quantile ravel reset_index reshape
resample rolling set_index sort_index sort_values to_dict to_frame to_numpy value_counts
"""


def _of(*kinds: type) -> frozenset[str]:
    return frozenset[str]().union(*map(dir, kinds)) - _OF_BUILT_INS


_ATTRIBUTES: Mapping[frozenset[str], frozenset[str]] = {
    _MOMENTS: _of(datetime.datetime, datetime.time, datetime.timedelta),
    _NUMBERS: _of(decimal.Decimal, fractions.Fraction),
    _TABLES: frozenset(_OF_TABLES.split()),
}


def _companions(source: Source, cut: Cut, imports: Iterable[ast.AST]) -> frozenset[str]:
    """The further names that the module imports and that the function's inputs may need.

    They come from modules of the same family as the imports that the function needs, from asyncio
    for a coroutine function, or from modules whose values an unannotated parameter may be given.
    These are told by the attributes that the function uses of such a parameter, or of its items:
    ``df["a"].fillna(0)``.
    """
    brought = _roots(imported_names(imports))
    roots = brought.values()
    wanted = frozenset[str]().union(*(each for each in _FAMILIES if not each.isdisjoint(roots)))
    if isinstance(cut.node, ast.AsyncFunctionDef):
        wanted |= _OF_COROUTINES
    unannotated = {each.arg for each in cut.given if each.annotation is None}
    used: set[str] = set()
    for node in ast.walk(cut.node) if unannotated else ():
        if isinstance(node, ast.Attribute):
            owner = node.value
            while isinstance(owner, ast.Subscript):
                owner = owner.value
            if isinstance(owner, ast.Name) and owner.id in unannotated:
                used.add(node.attr)
    for family, attributes in _ATTRIBUTES.items():
        wanted |= frozenset() if used.isdisjoint(attributes) else family
    found = frozenset(name for name, root in _imported(source).items() if root in wanted)
    return found - brought.keys()


def _roots(names: Mapping[str, str]) -> dict[str, str]:
    return {name: dotted.partition(".")[0] for name, dotted in names.items()}


# A memo, like that of `read_source`: every function of a file asks for the same names.
@lru_cache(maxsize=4)
def _imported(source: Source) -> dict[str, str]:
    return _roots(imported_names(statements_in(source.tree.body)))
