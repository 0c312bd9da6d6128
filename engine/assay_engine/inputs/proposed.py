"""Reads the inputs that the model proposes, by partition, from the lines of a reply.

Inputs from the docstring's own examples.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, islice
from operator import itemgetter

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.inputs.calls import assignments, bound_in, read_call
from assay_engine.inputs.staging import SETTINGS, placed, setting
from assay_engine.models.thoughts import without_thoughts
from assay_engine.source.expressions import imports_as_expressions
from assay_engine.source.parsing import parse_expression
from assay_engine.types import Example, Specification, UnitKind
from assay_engine.values.carried import call_key
from assay_engine.values.spelling import spelled_out
from assay_engine.words import short
from assay_sandbox import Call

PROPOSALS_MAX = 60
PARTITION_CHARACTERS = 80
LINES_MAX = 2_000
# Begins the comment above a call on which the docstring does not decide.
OPEN = "open:"
_CLOSING = re.compile(r"\)")
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
    """A proposal for every line of the reply that is a call of the function.

    Prose and fences are passed over. A line that is a comment names the partition of the calls
    that follow, or after ``open:`` a question that the docstring leaves open. A setting like
    ``files = {…}`` holds for the calls that follow, until it is set again. If no line is a call,
    calls are looked for within lines, and across them.
    """
    lines = without_thoughts(reply).splitlines()[:LINES_MAX]
    return _read(lines, specification) or _read(_calls_alone(lines, specification), specification)


def _read(lines: Sequence[str], specification: Specification) -> tuple[Proposal, ...]:
    found: dict[str, Proposal] = {}
    settings: dict[str, object] = {}
    partition, is_open = "", False
    for line in lines:
        if line.lstrip().startswith("#"):
            named = line.strip(_AROUND_NAME)
            is_open = named.lower().startswith(OPEN)
            named = named[len(OPEN) :].lstrip() if is_open else named
            partition = short(named, PARTITION_CHARACTERS)
            continue
        around = setting(line.strip()) if line.lstrip().startswith(SETTINGS) else None
        if around is not None:
            settings[around[0]] = around[1]
            continue
        call = read_call(spelled_out(_bare(line), specification), specification)
        call = None if call is None else placed(call, settings)
        if call is not None:
            known = found.get(key := call_key(call))
            if known is None:
                found[key] = Proposal(call, partition, is_open=is_open)
            elif known.is_open or is_open:
                # What the docstring leaves open for one reason, it does not decide for another.
                found[key] = known if known.is_open else Proposal(call, partition, is_open=True)
            else:
                found[key] = _again(known, partition)
        if len(found) == PROPOSALS_MAX:
            break
    return tuple(found.values())


# Brackets that close after so many others, or later, are taken for prose.
_CLOSING_MAX = 50


def _calls_alone(lines: Sequence[str], specification: Specification) -> list[str]:
    """The comments, and each call that is written somewhere between them on a line of its own.

    What a method is called on may be anything, so its calls are not looked for.
    """
    if specification.has_receiver or specification.gives_functions:
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


def _again(known: Proposal, partition: str) -> Proposal:
    if not partition or partition in known.partitions:
        return known
    return replace(known, further=(*known.further, partition))


def _bare(line: str) -> str:
    """The line without list markers, prompts and a trailing comma."""
    text = line.strip().lstrip("-*").strip().removeprefix(">>>").strip().strip("`").strip()
    head, dot, rest = text.partition(". ")
    if dot and head.isdigit():
        text = rest
    return text.removesuffix(",").removesuffix(";")


def example_calls(specification: Specification) -> tuple[Call, ...]:
    """One call per example that is a plain call of the function.

    The statements before the example are taken into the call.
    """
    calls: list[Call] = []
    for example in specification.examples:
        call = _after_session(example, specification) or _after_setup(example, specification)
        if call is not None and call not in calls:
            calls.append(call)
    return tuple(calls)


def _after_session(example: Example, specification: Specification) -> Call | None:
    """The call of a method, or a use, after all that the session did before the example.

    Nothing is left out of the session: names do not tell which statements count. None for a plain
    function.
    """
    has_state = specification.unit.kind is UnitKind.METHOD or specification.gives_functions
    if not has_state or not example.session:
        return None
    source = "\n".join([*example.session, example.call])
    return read_call(source, specification, _imported(example, specification))


def _after_setup(example: Example, specification: Specification) -> Call | None:
    imported = _imported(example, specification)
    bound = None if specification.gives_functions else assignments(example.setup, imported)
    before = example.setup if bound is None else ()
    return read_call("\n".join([*before, example.call]), specification, bound)


def _imported(example: Example, specification: Specification) -> dict[str, str]:
    """The names that the example imports and the program does not bind, with expressions."""
    if not any("import" in text for text in example.session):
        return {}
    return imports_as_expressions(example.session, bound_in(specification.program))
