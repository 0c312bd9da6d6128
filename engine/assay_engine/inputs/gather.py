"""Collects the inputs of one unit: the most trusted origin first, each input once, up to a limit.

All of them are inputs that somebody meant: an example of the docstring, or a call that the model
proposes after reading it. Inputs that are made up from types or by mutation found no mistake more
beside these, and accused right functions (benchmarks/notes/inputs.md).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.compare.executor import Executor
from assay_engine.compare.materialising import materialised, materialised_each
from assay_engine.inputs.admission import Admission
from assay_engine.inputs.proposed import Proposal, by_turns, example_calls, proposals_in
from assay_engine.inputs.staging import staged
from assay_engine.types import Draw, Input, Origin, Problem, ProblemKind, Specification
from assay_engine.values.carried import call_key
from assay_engine.values.describing import call_text
from assay_engine.words import count
from assay_sandbox import Call

_NONE_READ = Problem(
    ProblemKind.NO_INPUTS,
    "Nothing that the model proposed as inputs can be read as a call of it; try another model.",
)
OPEN_MAX = 5
SHOWN_CHARACTERS = 80


class Gathered(Struct, frozen=True):
    """The inputs of a unit, and what was found out on the way.

    `partitions` maps each part of the input space that the model named to the keys of the calls
    proposed for it. `problems` are the reasons why there are no proposals.
    """

    inputs: tuple[Input, ...]
    partitions: Mapping[str, Collection[str]] = {}
    problems: tuple[Problem, ...] = ()


async def gather_inputs(
    executor: Executor, specification: Specification, proposals: Draw, *, limit: int
) -> Gathered:
    """Gather at most `limit` inputs, and those that the docstring does not decide.

    Only the docstring's own examples may have other types than the annotations say.
    """
    examples = await materialised(executor, specification, example_calls(specification))
    examples = staged(examples, specification)
    replies = proposals.replies
    read = [each for reply in replies for each in proposals_in(reply.text, specification)]
    made = [
        (replace(proposal, call=each.call), each.evaluated)
        for proposal, each in zip(
            read,
            await materialised_each(executor, specification, [each.call for each in read]),
            strict=True,
        )
        if each is not None
    ]
    admission = Admission(specification)
    admitted = by_turns([each for each, told in made if admission.admits(told)])
    proposed = _staged([each for each in admitted if not each.is_open], specification)
    left_open = _staged([each for each in admitted if each.is_open], specification)
    problems: list[Problem] = []
    if replies and not read:
        problems.append(_NONE_READ)
    if read and not admitted:
        said = f"None of {count(len(read), 'input')} that the model proposed"
        fault = "is of the annotated types" if made else "can be created here"
        first = call_text(read[0].call, specification, SHOWN_CHARACTERS)
        problem = Problem(ProblemKind.NO_INPUTS, f"{said} {fault}: the first is {first}.")
        problems.append(problem)
    # An example decides what the docstring is said to leave open.
    shown = set(map(call_key, examples))
    undecided = [
        Input(each.call, Origin.OPEN, each.partition)
        for each in left_open
        if call_key(each.call) not in shown
    ]
    return Gathered(
        (*chosen(examples, proposed, limit=limit), *undecided[:OPEN_MAX]),
        _partitions(read, proposed),
        tuple(problems),
    )


def _staged(proposals: Sequence[Proposal], specification: Specification) -> list[Proposal]:
    calls = staged([each.call for each in proposals], specification)
    return [replace(each, call=call) for each, call in zip(proposals, calls, strict=True)]


def _partitions(
    read: Sequence[Proposal], proposed: Sequence[Proposal]
) -> Mapping[str, Collection[str]]:
    """The keys of the calls proposed for each part of the input space that the model named.

    A call that was proposed for several parts is listed under each.
    """
    keys: dict[str, set[str]] = {each.partition: set() for each in read if each.partition}
    keys |= {name: set() for each in read for name in each.further if name not in keys}
    for each in proposed:
        for name in each.partitions:
            keys[name].add(call_key(each.call))
    return keys


AFFORDED_MIN = 20
AFFORDED_MAX = 400


def inputs_within(calls: int, programs: int) -> int:
    """How many inputs a budget of program calls allows for so many programs."""
    return max(AFFORDED_MIN, min(AFFORDED_MAX, calls // max(1, programs)))


def chosen(
    examples: Sequence[Call], proposed: Sequence[Proposal], *, limit: int
) -> tuple[Input, ...]:
    """Distinct inputs, at most `limit`, those of the examples first.

    Each has the part of the input space that its call was first proposed for.
    """
    partitions: dict[str, str] = {}
    for each in proposed:
        partitions.setdefault(call_key(each.call), each.partition)
    calls = [(call, Origin.EXAMPLE) for call in examples]
    calls += [(each.call, Origin.PROPOSED) for each in proposed]
    found: dict[str, Input] = {}
    for call, origin in calls:
        key = call_key(call)
        found.setdefault(key, Input(call, origin, partitions.get(key, "")))
    return tuple(found.values())[:limit]
