"""Reads the inputs that the model proposes, by partition, from the lines of a reply.

Inputs from the docstring's own examples.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, groupby, islice
from operator import itemgetter
from textwrap import dedent

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.dependencies.needed import needed_statements
from assay_engine.inputs.calls import (
    assignments,
    bound_in,
    calls_unit,
    free_names,
    read_call,
)
from assay_engine.inputs.staging import placed, setting, settings_asked
from assay_engine.models.thoughts import without_thoughts
from assay_engine.syntax.expressions import imports_as_expressions
from assay_engine.syntax.parsing import (
    parse,
    parse_expression,
    statements_read,
)
from assay_engine.syntax.scopes import names_of
from assay_engine.types import Example, Specification
from assay_engine.values.carried import call_key, is_script
from assay_engine.words import short
from assay_sandbox import Call

PROPOSALS_MAX = 60
PARTITION_CHARACTERS = 80
LINES_MAX = 2_000
# Begins the comment above a call on which the docstring does not decide.
OPEN = "open:"
_CLOSING = re.compile(r"\)")
# Of a list.
_MARKER = re.compile(r"^(?:[-*]\s+)(?=\S)")
# Characters around the name of a partition: the marks of a comment, a heading or a list.
_AROUND_NAME = "# \t:-=*"


class Proposal(Struct, frozen=True):
    """A call, and the partition that it stands for in the words of the model, empty if none.

    `further` are the other partitions that the call was proposed for again. If `is_open`, the
    partition is a question that the docstring leaves open, and the call's result depends on it.
    """

    call: Call
    partition: str = ""
    further: tuple[str, ...] = ()
    is_open: bool = False

    @property
    def partitions(self) -> tuple[str, ...]:
        """All partitions that the call stands for."""
        return tuple(filter(None, (self.partition, *self.further)))


def proposals_in(reply: str, specification: Specification) -> tuple[Proposal, ...]:
    """A proposal for every call or script in the reply.

    Prose and fences are passed over. A comment names the partition of what follows it, or after
    ``open:`` a question that the docstring leaves open. A setting like ``files = {…}`` holds for
    what follows, until it is set again, and so do imports and definitions that stand alone. If
    nothing is a call, calls are looked for within lines, and across them.
    """
    lines = without_thoughts(reply).splitlines()[:LINES_MAX]
    return _read(lines, specification) or _read(_calls_alone(lines, specification), specification)


def _read(lines: Sequence[str], specification: Specification) -> tuple[Proposal, ...]:
    found: dict[str, Proposal] = {}
    settings: dict[str, object] = {}
    shared: list[ast.stmt] = []
    partition, is_open = "", False
    asked = settings_asked(specification)
    for paragraph in _paragraphs(lines, asked):
        first = paragraph[0]
        if first.startswith("#"):
            named = first.strip(_AROUND_NAME)
            is_open = named.lower().startswith(OPEN)
            named = named[len(OPEN) :].lstrip() if is_open else named
            partition = short(named, PARTITION_CHARACTERS)
            continue
        around = setting(first, asked) if len(paragraph) == 1 else None
        if around is not None:
            settings[around[0]] = around[1]
            continue
        for read in _calls_in(paragraph, shared, specification):
            call = placed(read, settings)
            if call is None:
                continue
            known = found.get(key := call_key(call))
            if known is None:
                found[key] = Proposal(call, partition, is_open=is_open)
            elif known.is_open or is_open:
                # What the docstring leaves open for one reason, it does not decide for another.
                found[key] = known if known.is_open else Proposal(call, partition, is_open=True)
            else:
                is_new = partition and partition not in known.partitions
                further = (*known.further, partition) if is_new else known.further
                found[key] = replace(known, further=further)
            if len(found) == PROPOSALS_MAX:
                return tuple(found.values())
    return tuple(found.values())


def _paragraphs(lines: Sequence[str], asked: tuple[str, ...]) -> Iterator[list[str]]:
    """The lines that stand together: comments and settings alone, and blocks with their bodies."""
    gathered: list[str] = []
    is_apart = False
    for line in lines:
        if not line.strip():
            is_apart = True
            continue
        is_inner = line[0] in " \t" and bool(gathered)
        alone = not is_inner and (
            line.lstrip().startswith(("#", "```"))
            or (line.startswith(asked) and setting(line.strip(), asked) is not None)
        )
        if gathered and not is_inner and (is_apart or alone):
            yield gathered
            gathered = []
        is_apart = False
        if alone:
            yield [line.strip()]
        else:
            gathered.append(line.rstrip())
    if gathered:
        yield gathered


def _calls_in(
    paragraph: Sequence[str], shared: list[ast.stmt], specification: Specification
) -> Iterator[Call]:
    """The calls in a paragraph: one a line, or one script of all lines.

    Imports and definitions serve each of the calls. If they stand alone, they become `shared`.
    """
    if paragraph[0].startswith(">>>"):
        prompts = [each for each in paragraph if each.startswith((">>>", "..."))]
        lines = [each[3:].removeprefix(" ") for each in prompts]
    else:
        lines = [_MARKER.sub("", each) for each in paragraph]
    tree = parse(dedent("\n".join(lines)))
    if not isinstance(tree, ast.Module):
        # Lines of a list, or prose with calls between.
        for line in paragraph:
            text = line.strip().lstrip("-*").strip().removeprefix(">>>").strip().strip("`").strip()
            head, dot, rest = text.partition(". ")
            text = rest if dot and head.isdigit() else text
            bare = statements_read(text.removesuffix(",").removesuffix(";"))
            if bare:
                yield from _with_shared(bare, shared, specification)
        return
    defining = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    definitions = [each for each in tree.body if isinstance(each, defining)]
    others = [each for each in tree.body if not isinstance(each, defining)]
    bound = names_of(others).binds
    others = [each for each in others if not _is_prose(each, bound)]
    if not any(isinstance(each, ast.Expr | ast.With | ast.AsyncWith) for each in others):
        shared += [*definitions, *others]
        return
    by_line = [[*group] for _, group in groupby(others, lambda each: each.lineno)]
    if all(calls_unit(group, specification) and not free_names(group) & bound for group in by_line):
        for group in by_line:
            yield from _with_shared(group, [*shared, *definitions], specification)
    else:
        kept = [each for each in tree.body if not _is_prose(each, bound)]
        yield from _with_shared(kept, shared, specification)


def _is_prose(statement: ast.stmt, bound: Collection[str]) -> bool:
    match statement:
        case ast.Expr(value=ast.Name(id=name)):
            return name not in bound
        case ast.Expr(value=ast.Constant()):
            return True
        case _:
            return False


def _with_shared(
    statements: Sequence[ast.stmt], shared: Sequence[ast.stmt], specification: Specification
) -> Iterator[Call]:
    """The call that some statements are, after what they need of the shared ones."""
    try:
        needed = needed_statements(shared, free_names(statements), target="").statements
        text = "\n".join(map(ast.unparse, (*needed, *statements)))
    except (ValueError, RecursionError):  # too many digits, or nested too deeply, to write it
        return
    call = read_call(text, specification)
    if call is not None:
        yield call


# Brackets that close after so many others, or later, are taken for prose.
_CLOSING_MAX = 50


def _calls_alone(lines: Sequence[str], specification: Specification) -> list[str]:
    """The comments, and each call that is written somewhere between them on a line of its own.

    What a method is called on may be anything, so its calls are not looked for.
    """
    if specification.has_receiver:
        return []
    begins = re.compile(rf"(?:\b\w+\.)*\b{re.escape(specification.unit.name)}\(")
    found: list[str] = []
    for is_comment, group in groupby(lines, lambda line: line.lstrip().startswith("#")):
        if is_comment:
            found += group
            continue
        text, at = "\n".join(group), 0
        while (begin := begins.search(text, at)) and len(found) < LINES_MAX:
            ends = (
                each.end() for each in islice(_CLOSING.finditer(text, begin.end()), _CLOSING_MAX)
            )
            calls = (text[begin.start() : end] for end in ends)
            call = next(filter(parse_expression, calls), "")
            # What is between the brackets of a call is one expression, on however many lines.
            found += [" ".join(map(str.strip, call.splitlines()))] if call else []
            at = begin.start() + len(call) if call else begin.end()
    return found


def by_turns(proposals: Sequence[Proposal]) -> list[Proposal]:
    """The proposals with partitions taking turns, so that a small budget has some of each."""
    seen = Counter[str]()
    turns: list[tuple[int, Proposal]] = []
    for proposal in proposals:
        turns.append((seen[proposal.partition], proposal))
        seen[proposal.partition] += 1
    return [proposal for _, proposal in sorted(turns, key=itemgetter(0))]


def example_calls(specification: Specification) -> tuple[Call, ...]:
    """One call per example that is a plain call of the function.

    The statements before the example are taken into the call.
    """
    calls: list[Call] = []
    for example in specification.examples:
        call = _after_session(example, specification)
        if call is None:
            steps = [*chain.from_iterable(map(statements_read, example.session))]
            imported = imports_as_expressions(steps)
            taken = bound_in(specification.program) if imported else frozenset[str]()
            known = {name: made for name, made in imported.items() if name not in taken}
            bound = assignments(example.setup, known)
            before = example.setup if bound is None else ()
            call = read_call("\n".join([*before, example.call]), specification, bound)
        if call is not None and call not in calls:
            calls.append(call)
    return tuple(calls)


def _after_session(example: Example, specification: Specification) -> Call | None:
    """The call of a method, or a script, after all that the session did before the example.

    Nothing is left out of the session: names do not tell which statements count. None for a plain
    function.
    """
    if not example.session:
        return None
    alone = read_call(example.call, specification)
    if not specification.has_receiver and alone and not is_script(alone):
        return None
    source = "\n".join([*example.session, example.call])
    return read_call(source, specification)
