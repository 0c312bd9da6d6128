"""Tells which functions of a text are new or changed, compared with a former text, and notes which
checks are wanted, so that one that ends with its process can be made up for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay_engine import digest
from assay_engine.check_unit import OtherVersion
from assay_engine.dependencies.needed import read_pieces
from assay_engine.errors import StoreError
from assay_engine.files.bounded import real
from assay_engine.files.git import GitUnusable, committed
from assay_engine.files.source_files import UnreadableFile, decoded
from assay_engine.store import Store
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.text import Definition, read_source, with_newlines
from assay_engine.syntax.units import Cut, cut_units, find_units, is_addressed
from assay_engine.types import SourceText, Wanted

LAST_COMMIT = "the version in the last commit"


def changed(text: str, former: str | None) -> frozenset[str]:
    """The names of the functions that the former text did not have in the same state.

    The state is a function's own code, its docstring, and what it uses of the file. Comments and
    layout are no part of it, nor are the methods of its class that it does not use.
    """
    known = frozenset(states(former or "").values())
    return frozenset(name for name, state in states(text).items() if state not in known)


def changed_since_commit(source: SourceText, environment: Mapping[str, str]) -> frozenset[str]:
    """The names of the functions to be checked that the last commit did not have in the same state.

    Without a commit that has the file, these are all. Raises `GitUnusable`.
    """
    former = committed_text(source, environment)
    if former is not None and same_lines(former, source.text):
        return frozenset()
    names = changed(source.text, former)
    return frozenset(
        unit.qualname
        for unit in find_units(source.text)[0]
        if unit.qualname in names and is_addressed(unit)
    )


def settled(source: SourceText, earlier: str, environment: Mapping[str, str]) -> frozenset[str]:
    """The names of the functions that are in the state that they had in an earlier text, and whose
    docstring is finished: the last commit has it, or its summary ends as a sentence does.

    Raises `GitUnusable`.
    """
    rested = find_units(source.text)[0]
    moved = changed(source.text, earlier)
    rested = [unit for unit in rested if unit.qualname not in moved and is_addressed(unit)]
    if all(_is_finished(unit.docstring) for unit in rested):
        return frozenset(unit.qualname for unit in rested)
    former = find_units(committed_text(source, environment) or "")[0]
    known = {unit.docstring for unit in former}
    return frozenset(
        unit.qualname for unit in rested if _is_finished(unit.docstring) or unit.docstring in known
    )


# What ends a sentence, or leads on to a list or an example.
_ENDS = (".", "!", "?", ":", "…", "。", "！", "？")


def _is_finished(docstring: str) -> bool:
    """Whether the summary of a docstring, its first paragraph, ends as a sentence does."""
    summary = docstring.strip().partition("\n\n")[0].rstrip("\"'`)] ")
    return summary.endswith(_ENDS)


def committed_text(source: SourceText, environment: Mapping[str, str]) -> str | None:
    """The text of a file in the last commit; None if that has none. Raises `GitUnusable`."""
    path = real(Path(source.path))
    content = committed(path, environment)
    if content is not None:
        with suppress(UnreadableFile):  # Then no function in it can have been the same.
            # An editor hides the mark.
            return decoded(path, content).text.removeprefix("\ufeff")
    return None


def last_commit(source: SourceText, environment: Mapping[str, str]) -> OtherVersion | None:
    """The text of a file in the last commit, if that can be read and is another one."""
    with suppress(GitUnusable):
        text = committed_text(source, environment)
        if text is not None and not same_lines(text, source.text):
            return OtherVersion(replace(source, text=text), LAST_COMMIT)
    return None


def same_lines(one: str, other: str) -> bool:
    """Whether two texts differ at most in their line ends: Git may write others in a work tree than
    it keeps."""
    return _lines(one) == _lines(other)


def states(text: str) -> dict[str, str]:
    """The digest of each function's state, by its name: the same under every version of Python."""
    source = read_source(_lines(text))
    pieces = read_pieces(source)
    whole = [digest.of_parts(_code(piece.nodes)) for piece in pieces.pieces]
    cuts = cut_units(source)
    mentioned = {cut.node: _mentioned([cut.node]) for cut in cuts}
    classes: dict[ast.ClassDef, _Class] = {}
    states: dict[str, str] = {}
    for cut in cuts:
        home = pieces.index_at(cut.unit.name_span.start)
        names = pieces.pieces[home].names
        owner, unused = cut.enclosing[0] if cut.enclosing else cut.node, frozenset[FunctionNode]()
        if isinstance(owner, ast.ClassDef):
            if owner not in classes:
                methods = [each.node for each in cuts if _is_method_of(each, owner)]
                frame = _mentioned([owner], without=frozenset(methods))
                classes[owner] = _Class(tuple(methods), frame)
            unused = _unused(classes[owner], cut, mentioned)
        # `f = cache(f)` is part of what `f` is; another `def f` is not.
        apart = {home} | {
            index
            for index in pieces.providers.get(owner.name, ())
            if owner.name in pieces.pieces[index].names.binds
            and owner.name not in pieces.reads[index]
        }
        others = pieces.closure({owner.name, *names.reads_beside(unused)}, without=apart)
        if unused and any(owner.name in pieces.reads[index] for index in others):
            # These may use any method of the class.
            unused = frozenset[FunctionNode]()
            others = pieces.closure({owner.name, *names.reads}, without=apart)
        own = _code(pieces.pieces[home].nodes, without=unused) if unused else [whole[home]]
        used = (whole[index] for index in sorted(others))
        states[cut.unit.qualname] = digest.of_parts([cut.unit.qualname, *own, *used])
    return states


class _Class(Struct, frozen=True):
    """The methods of a class, and the names in all that stands beside them."""

    methods: tuple[FunctionNode, ...]
    frame: frozenset[str]


def _is_method_of(cut: Cut, owner: ast.ClassDef) -> bool:
    return cut.enclosing[:1] == (owner,) and all(
        isinstance(each, ast.ClassDef) for each in cut.enclosing
    )


def _unused(
    owner: _Class, cut: Cut, mentioned: Mapping[FunctionNode, frozenset[str]]
) -> frozenset[FunctionNode]:
    """The methods of a function's class that it does not use, directly or through others.

    What it uses, it names. Python itself calls the methods whose names begin with ``__``.
    """
    used = {
        node
        for node in owner.methods
        if node.name.startswith("__") or (node.lineno <= cut.node.lineno <= (node.end_lineno or 0))
    }
    pending, names = list(used), set(owner.frame)
    while True:
        names = names.union(*(mentioned[node] for node in pending))
        pending = [node for node in owner.methods if node not in used and node.name in names]
        if not pending:
            return frozenset(owner.methods) - used
        used |= set(pending)


def _mentioned(
    nodes: Iterable[ast.AST], without: frozenset[FunctionNode] = frozenset()
) -> frozenset[str]:
    """All identifiers in some code, also those that stand in a string by themselves."""
    names: set[str] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                names.add(name)
            case ast.Constant(value=str(name)) if name.isidentifier():
                names.add(name)
            case _:
                pass
        pending += (each for each in ast.iter_child_nodes(node) if each not in without)
    return frozenset(names)


def _code(
    nodes: Iterable[ast.AST], *, without: frozenset[FunctionNode] = frozenset()
) -> Iterator[str]:
    """What some code says, part by part, without comments, layout and the blanks of docstrings."""
    pending: list[object] = [*nodes]
    pending.reverse()
    while pending:
        each = pending.pop()
        match each:
            case ast.AST() if each in without:
                pass
            case ast.AST():
                yield type(each).__name__
                # What is not there is left out: later Pythons have further fields.
                parts: list[object] = []
                for name in each._fields:
                    value = getattr(each, name, None)
                    if value is not None and value != []:
                        parts += [name, value]
                if isinstance(each, ast.Module | Definition) and (text := ast.get_docstring(each)):
                    said = "\n".join(line.rstrip() for line in text.splitlines()).strip()
                    parts = [
                        [said, *each.body[1:]] if part is each.body else part for part in parts
                    ]
                pending += reversed(parts)
            case list():
                parts = cast("list[object]", each)
                yield f"{len(parts)} parts"
                pending += reversed(parts)
            case bool() | None:
                yield repr(each)
            case int():
                # Not `repr`, which refuses long ones.
                yield hex(each)
            case _:
                yield repr(each)


def _lines(text: str) -> str:
    return with_newlines(text, "\n")


class _Note(Struct, frozen=True):
    """A wanted check of a text, by the text's digest."""

    text: str
    wanted: Wanted


def note_wanted(store: Store, source: SourceText, wanted: Wanted | None) -> None:
    """Note what is wanted of a file, in place of what was noted before; None: nothing any more."""
    note = None if wanted is None else _Note(digest.of_file(source.text), wanted)
    with suppress(StoreError):  # What is lost then is only that it is made up for.
        store.put("wanted", source.path, msgspec.to_builtins(note))


def noted_wanted(store: Store, source: SourceText) -> Wanted | None:
    """What is noted of this very text of the file."""
    with suppress(StoreError, msgspec.ValidationError):
        note = msgspec.convert(store.get("wanted", source.path), _Note | None)
        if note is not None and note.text == digest.of_file(source.text):
            return note.wanted
    return None
