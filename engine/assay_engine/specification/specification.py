"""Specifies what a function promises, by its header and docstring, and what it needs to run.

Among this are classes to which nothing leads that the function refers to: ``def total(shapes:
list[Shape])`` mentions `Shape` alone, but its callers give it objects of derived classes, and so do
inputs.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections import deque
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from msgspec.structs import replace

from assay_engine.dependencies.context import in_place, surround
from assay_engine.dependencies.modules import NO_MODULES, Modules
from assay_engine.specification.examples import examples_of, names_used
from assay_engine.syntax.classes import classes_of, family, made_of
from assay_engine.syntax.expressions import aliases_of
from assay_engine.syntax.identifiers import arguments_of, defaults_of
from assay_engine.syntax.parsing import names_in
from assay_engine.syntax.secrets import masks, without_secrets
from assay_engine.syntax.text import Source, read_source
from assay_engine.syntax.units import Cut, cuts_by_path
from assay_engine.types import InPlace, Parameter, ParameterKind, Specification, Unit
from assay_engine.words import LINE_BREAK
from assay_sandbox import OWN_MODULE


def specify(
    text: str, unit: Unit, *, workspace: Modules = NO_MODULES, request: str = ""
) -> Specification:
    """The specification of one of the units that `find_units` found in this very text.

    A `request`, in the words of whoever wanted the function, holds beside its docstring. Raises
    LookupError if the text has no such unit.
    """
    source = read_source(text)
    cuts = cuts_by_path(source).get(unit.path, ())
    cut = next((each for each in cuts if each.unit == unit), None)
    if cut is None:
        raise LookupError(f"no {unit.qualname} in this text")
    examples = examples_of(source, cut)
    wanted = derived_classes(source, cut).union(*(names_used(each) for each in examples))
    surrounding = surround(source, cut, wanted=wanted, package=workspace.package)
    place = workspace.place(source)
    is_whole = place is not None or _looks_around(text)
    parameters = _parameters(source, cut.node.args)
    returns = None if cut.node.returns is None else _text(source, cut.node.returns)
    docstring, asked = inspect.cleandoc(unit.docstring), request.strip()
    if asked and docstring.strip():
        # An author who has misunderstood the request has written the docstring as wrong as the
        # code, so the request comes first.
        docstring = f"{_REQUEST}. {_PRECEDES}:\n\n{asked}\n\n{_OWN}:\n\n{docstring}"
    elif asked:
        docstring = f"{_REQUEST}:\n\n{asked}"
    return Specification(
        unit=unit,
        parameters=parameters,
        returns=returns,
        signature=_signature(source, cut, parameters, returns),
        docstring=docstring,
        examples=examples,
        documented_exceptions=exceptions_named(docstring),
        context=surrounding.context,
        program=surrounding.program,
        entry=surrounding.entry,
        workspace_roots=workspace.roots_of(surrounding.imports),
        definition=surrounding.definition,
        in_place=in_place(source, cut, surrounding, place, workspace.package) if is_whole else None,
    )


def in_pieces(specification: Specification) -> Specification:
    """The specification with only what the function needs of its module as the text that runs, in
    a module of its own: for a module that does not load as a whole."""
    place = specification.place
    if place is None:
        return replace(specification, in_place=None)
    place = dataclasses.replace(place, module=OWN_MODULE)
    pieces = InPlace(place, specification.program, specification.definition)
    return replace(specification, in_place=pieces)


# Code with one of these may find anything that its module defines, by a name that stands nowhere in
# it, or may learn of classes as they are made.
_LOOKS_AROUND = re.compile(
    r"\b(?:globals|vars)\(|__subclasses__|__init_subclass__|\bsys\.modules\b|\bmetaclass\b"
)


# Each function of a file asks, and the whole text is searched.
@lru_cache(maxsize=4)
def _looks_around(text: str) -> bool:
    return _LOOKS_AROUND.search(text) is not None


# A name, dotted or not, whose last part begins with a capital letter. In scripts without spaces,
# other letters stand right beside it.
_CLASS_NAME = re.compile(r"(?<![\w.])(?:[A-Za-z_]\w*\.)*[A-Z]\w*", re.ASCII)


def exceptions_named(docstring: str) -> tuple[str, ...]:
    """The names in a docstring by which it may speak of exceptions, in whatever language.

    Words that name no exception do no harm: nothing that is raised has such a name.
    """
    return tuple(dict.fromkeys(_CLASS_NAME.findall(docstring)))


_REQUEST = "What was asked for, perhaps with more than this function"
_PRECEDES = "It holds where the author's description differs"
_OWN = "The author's description"
_BODY = " ..."
_STARS = {ParameterKind.VAR_POSITIONAL: "*", ParameterKind.VAR_KEYWORD: "**"}


def cut_in_program(specification: Specification, source: Source) -> Cut | None:
    """The unit as it stands in `specification.program`, which has been read as `source`."""
    found = cuts_by_path(source).get(specification.entry, ())
    return found[specification.definition] if specification.definition < len(found) else None


def running_definitions(specification: Specification) -> tuple[tuple[Cut, ...], int]:
    """All definitions that the text that runs has under the path of `entry`, in order, and the
    number of the unit among them.

    Which of these `entry` leads to is known only once the program is loaded.
    """
    own = specification.in_place
    found = cuts_by_path(read_source(specification.running_text)).get(specification.entry, ())
    return found, specification.definition if own is None else own.definition


def running_unit(specification: Specification) -> Unit | None:
    """The unit as it stands in the text that runs."""
    found, number = running_definitions(specification)
    return found[number].unit if number < len(found) else None


def kinds_of(arguments: ast.arguments) -> dict[ast.arg, ParameterKind]:
    """All parameters with their kinds, in the order they are written."""
    kinds = {
        **dict.fromkeys(arguments.posonlyargs, ParameterKind.POSITIONAL_ONLY),
        **dict.fromkeys(arguments.args, ParameterKind.POSITIONAL_OR_KEYWORD),
        **dict.fromkeys(arguments.kwonlyargs, ParameterKind.KEYWORD_ONLY),
        arguments.vararg: ParameterKind.VAR_POSITIONAL,
        arguments.kwarg: ParameterKind.VAR_KEYWORD,
    }
    return {each: kinds[each] for each in arguments_of(arguments)}


def _parameters(source: Source, arguments: ast.arguments) -> tuple[Parameter, ...]:
    defaults = defaults_of(arguments)
    return tuple(
        Parameter(
            name=argument.arg,
            kind=kind,
            annotation=None if argument.annotation is None else _text(source, argument.annotation),
            default=_text(source, defaults[argument]) if argument in defaults else None,
        )
        for argument, kind in kinds_of(arguments).items()
    )


def _signature(
    source: Source, cut: Cut, parameters: tuple[Parameter, ...], returns: str | None
) -> str:
    """The header on one line per decorator and one for the function itself."""
    node = cut.node
    decorators = "".join(f"@{_text(source, each)}\n" for each in node.decorator_list)
    keyword = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    declared: list[ast.expr] = getattr(node, "type_params", [])
    generic = f"[{', '.join(_text(source, each) for each in declared)}]" if declared else ""
    arrow = f" -> {returns}" if returns is not None else ""
    listed = ", ".join(listed_parameters(parameters))
    header = f"{decorators}{keyword} {node.name}{generic}({listed}){arrow}:"
    start, end = cut.unit.span.start, source.span(node.body[0]).start
    if not any(start <= each.span.start < end for each in masks(source)):
        return header
    # The header has to have a body to be parsed.
    return without_secrets(f"{header}{_BODY}").removesuffix(_BODY)


def listed_parameters(parameters: Sequence[Parameter]) -> list[str]:
    """The parameters as in a header, with the ``/`` and ``*`` that their kinds need."""
    listed: list[str] = []
    previous: ParameterKind | None = None
    for each in parameters:
        if previous is ParameterKind.POSITIONAL_ONLY and each.kind is not previous:
            listed.append("/")
        if each.kind is ParameterKind.KEYWORD_ONLY and previous not in (
            ParameterKind.VAR_POSITIONAL,
            ParameterKind.KEYWORD_ONLY,
        ):
            listed.append("*")
        text = _STARS.get(each.kind, "") + each.name
        equals = "="
        if each.annotation is not None:
            text, equals = f"{text}: {each.annotation}", " = "
        listed.append(text if each.default is None else f"{text}{equals}{each.default}")
        previous = each.kind
    return [*listed, "/"] if previous is ParameterKind.POSITIONAL_ONLY else listed


def _text(source: Source, node: ast.expr) -> str:
    """An expression as it is written, or rewritten on one line if it spans several."""
    segment = source.segment(node)
    if LINE_BREAK.search(segment) is None:
        return segment
    try:
        return ast.unparse(node)
    except RecursionError:
        return " ".join(segment.split())


# Each class costs tokens in every request. These are the most that are taken in the place of a
# class, beside a class, and in all.
FAMILY_MAX = 8
BESIDE_MAX = 3
DERIVED_MAX = 12


def derived_classes(source: Source, cut: Cut) -> frozenset[str]:
    """The names of classes of the same text whose objects a call may be given, or be made on.

    A call may be given them as objects of classes that annotations name. It may be made on them if
    no object of the method's own class can be made. Of each class, the first few are taken.
    """
    given = (each.annotation for each in arguments_of(cut.node.args))
    annotations = [each for each in given if each is not None]
    classes = classes_of(source)
    for owner in cut.enclosing[:1]:
        if isinstance(owner, ast.ClassDef):
            annotations += made_of(owner, classes)
            if owner not in family(owner, classes):
                annotations.append(ast.Name(owner.name))
    names = chain.from_iterable(map(names_in, annotations))
    return _standing_in(source, tuple(dict.fromkeys(names)))


# A memo of a pure function: the functions of a text are given objects of the same classes.
@lru_cache(maxsize=512)
def _standing_in(source: Source, names: tuple[str, ...]) -> frozenset[str]:
    """The stand-ins for some classes and aliases, and for what is given to make their objects."""
    classes, aliases = classes_of(source), aliases_of(source)
    found: dict[str, None] = {}
    waiting, seen = deque(names), set[str]()
    while waiting and len(found) < DERIVED_MAX:
        name = waiting.popleft()
        if name in seen:
            continue
        seen.add(name)
        if name in aliases:
            waiting += names_in(aliases[name])
        node = classes.get(name)
        if node is None:
            continue
        members = family(node, classes)
        others = [each for each in members if each is not node]
        others = others[: BESIDE_MAX if node in members else FAMILY_MAX]
        found.update((each.name, None) for each in others)
        for each in (node, *others):
            waiting += chain.from_iterable(map(names_in, made_of(each, classes)))
    return frozenset(list(found)[:DERIVED_MAX])
