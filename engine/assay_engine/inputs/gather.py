"""Collects the inputs of one unit from all origins.

Mixes inputs of all origins: the most trusted first, each once, up to the budget.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.executor.executor import Executor
from assay_engine.executor.materialising import materialised, materialised_each
from assay_engine.inputs.admission import Admission
from assay_engine.inputs.constructing import as_annotated, constructed, once_only
from assay_engine.inputs.mutated import mutations
from assay_engine.inputs.proposed import Proposal, by_turns, example_calls, proposals_in
from assay_engine.inputs.staging import staged
from assay_engine.inputs.typed import typed_calls
from assay_engine.types import MEANT, Draw, Input, Origin, Problem, ProblemKind, Specification
from assay_engine.values.carried import call_key
from assay_engine.values.describing import call_text
from assay_engine.words import count
from assay_sandbox import Call, Value

_NONE_READ = Problem(
    ProblemKind.NO_INPUTS,
    "Nothing that the model proposed as inputs can be read as a call of it; try another model.",
)
OPEN_MAX = 5
# So many inputs that somebody meant are enough: what made-up ones add to them accuses nobody.
MEANT_ENOUGH = 8
SHOWN_CHARACTERS = 80
_NONE_MADE = Problem(
    ProblemKind.UNSUPPORTED_TYPE,
    "No inputs could be made from types: the constructors refused every one that was tried. "
    "Give examples in the docstring.",
)


class Gathered(Struct, frozen=True):
    """The inputs of a unit, and what was found out on the way.

    `are_enough` tells whether there are enough inputs that somebody meant. `admission` decides
    which further inputs may be added. `partitions` maps each part of the input space that the model
    named to the keys of the calls proposed for it. `problems` are the reasons why an origin gave no
    inputs.
    """

    inputs: tuple[Input, ...]
    admission: Admission
    are_enough: bool = True
    partitions: Mapping[str, Collection[str]] = {}
    problems: tuple[Problem, ...] = ()


async def gather_inputs(
    executor: Executor,
    specification: Specification,
    proposals: Draw,
    *,
    limit: int,
    seed: int,
    constants: Sequence[Value] = (),
    more: bool = False,
) -> Gathered:
    """Gather at most `limit` inputs, and those that the docstring does not decide.

    Inputs are made up if fewer than `MEANT_ENOUGH` are meant, or if `more` is asked for. Only the
    docstring's own examples may have other types than the annotations say.
    """
    examples = await materialised(executor, specification, example_calls(specification))
    replies = proposals.replies
    read = [each for reply in replies for each in proposals_in(reply.text, specification)]
    made = await _made(executor, specification, read)
    admission = Admission(specification, examples, [told for _, told in made])
    examples = staged(examples, specification)
    admitted = by_turns([each for each, told in made if admission.admits(told)])
    left_open = [each for each in admitted if each.is_open]
    admitted = [each for each in admitted if not each.is_open]
    proposed = staged([each.call for each in admitted], specification)
    meant = {Origin.EXAMPLE: examples, Origin.PROPOSED: proposed}
    problems: list[Problem] = []
    if replies and not read:
        problems.append(_NONE_READ)
    if read and not (admitted or left_open):
        problems.append(_none_proposed(read, made, specification))
    are_enough = len(examples) + len(proposed) >= MEANT_ENOUGH
    made_up: Mapping[Origin, Sequence[Call]] = {}
    if more or not are_enough:
        made_up, lacking = await _made_up(
            executor,
            specification,
            admission,
            [*examples, *proposed],
            limit=limit,
            seed=seed,
            constants=constants,
        )
        problems += lacking
    inputs = choose({**meant, **made_up}, limit=limit, seed=seed)
    return Gathered(
        (
            *_with_partitions(inputs, proposed, admitted),
            *_undecided(left_open, examples, specification),
        ),
        admission,
        are_enough,
        _partitions(read, proposed, admitted),
        tuple(problems),
    )


def _undecided(
    left_open: Sequence[Proposal], examples: Sequence[Call], specification: Specification
) -> list[Input]:
    """The inputs that the docstring does not decide, but for those on which an example does."""
    shown = set(map(call_key, examples))
    calls = staged([each.call for each in left_open], specification)
    return [
        Input(call, Origin.OPEN, each.partition)
        for call, each in zip(calls, left_open, strict=True)
        if call_key(call) not in shown
    ][:OPEN_MAX]


async def _made_up(
    executor: Executor,
    specification: Specification,
    admission: Admission,
    seeds: Sequence[Call],
    *,
    limit: int,
    seed: int,
    constants: Sequence[Value],
) -> tuple[Mapping[Origin, Sequence[Call]], list[Problem]]:
    """Inputs that nobody meant, by origin, and why there are none of some origin."""
    room = max(0, limit - len(seeds))
    wanted = round(room * SHARES[Origin.TYPED])
    drawn, missing = typed_calls(specification, seeds, count=wanted, seed=seed)
    constructible = await materialised(executor, specification, drawn)
    typed = staged(admission.fitted(constructible), specification)
    if (given := as_annotated(specification, typed)) != typed:
        typed = await materialised(executor, specification, given)
    changed = mutations([*seeds, *typed], room - len(typed), seed, constants)
    mutated = await built(executor, specification, changed, [*seeds, *typed])
    # These are made from admitted calls, so they are admitted, too.
    once = await materialised(executor, specification, once_only(specification, [*seeds, *typed]))
    made_up = {Origin.TYPED: typed, Origin.MUTATED: [*once, *admission.fitted(mutated)]}
    found = len(seeds) + sum(map(len, made_up.values()))
    # Types are not missed where mutations of the other inputs make up for them.
    if missing is not None and found < limit / 2:
        return made_up, [_no_types(missing, others=found > 0)]
    return made_up, [_NONE_MADE] if drawn and not constructible else []


def _with_partitions(
    inputs: Sequence[Input], proposed: Sequence[Call], admitted: Sequence[Proposal]
) -> tuple[Input, ...]:
    """The inputs, each with the part of the input space that its call was first proposed for.

    `proposed` holds the call of each proposal in `admitted`, in the same order.
    """
    partitions: dict[str, str] = {}
    for call, each in zip(proposed, admitted, strict=True):
        partitions.setdefault(call_key(call), each.partition)
    return tuple(
        replace(entry, partition=partitions.get(call_key(entry.call), "")) for entry in inputs
    )


def _partitions(
    read: Sequence[Proposal], proposed: Sequence[Call], admitted: Sequence[Proposal]
) -> Mapping[str, Collection[str]]:
    """The keys of the calls proposed for each part of the input space that the model named.

    A call that was proposed for several parts is listed under each.
    """
    keys: dict[str, set[str]] = {each.partition: set() for each in read if each.partition}
    keys |= {name: set() for each in read for name in each.further if name not in keys}
    for call, each in zip(proposed, admitted, strict=True):
        for name in each.partitions:
            keys[name].add(call_key(call))
    return keys


async def _made(
    executor: Executor, specification: Specification, read: Sequence[Proposal]
) -> list[tuple[Proposal, Call]]:
    """The proposals whose arguments can be made, each with the call that shows its arguments.

    The proposal itself holds the call that is run. A use is shown as it is.
    """
    made = await materialised_each(executor, specification, [each.call for each in read])
    return [
        (
            replace(proposal, call=each.call),
            each.call if specification.gives_functions else each.evaluated,
        )
        for each, proposal in zip(made, read, strict=True)
        if each is not None
    ]


async def built(
    executor: Executor,
    specification: Specification,
    changed: Sequence[Call],
    seeds: Sequence[Call],
) -> tuple[Call, ...]:
    """The calls that were changed from the seeds, with their objects made by constructors."""
    return await materialised(executor, specification, constructed(specification, changed, seeds))


def _none_proposed(
    read: Sequence[Proposal], made: Sequence[object], specification: Specification
) -> Problem:
    """The problem that says why none of the model's proposals is run."""
    said = f"Of {count(len(read), 'input')} that the model proposed, none"
    first = call_text(read[0].call, specification, SHOWN_CHARACTERS)
    fault = "is of the annotated types" if made else "can be made here"
    return Problem(ProblemKind.NO_INPUTS, f"{said} {fault}: the first is {first}.")


def _no_types(missing: str, *, others: bool) -> Problem:
    said = f"No inputs are made from types, since {missing} is not known here"
    if not others:
        return Problem(ProblemKind.UNSUPPORTED_TYPE, f"{said}.")
    return Problem(
        ProblemKind.UNSUPPORTED_TYPE,
        f"{said}: there are those of the docstring and of the model, and changes of these. Further "
        "examples in the docstring make a check more thorough.",
    )


# Shares of the room that is left beside inputs that somebody meant, where both origins have enough:
# half are made from types, half from seeds.
SHARES = {Origin.TYPED: 0.5, Origin.MUTATED: 0.5}
AFFORDED_MIN = 20
AFFORDED_MAX = 400


def inputs_within(calls: int, programs: int) -> int:
    """How many inputs a budget of program calls allows for so many programs."""
    return max(AFFORDED_MIN, min(AFFORDED_MAX, calls // max(1, programs)))


def choose(calls: Mapping[Origin, Sequence[Call]], *, limit: int, seed: int) -> tuple[Input, ...]:
    """Distinct inputs, at most `limit`: the trusted ones in order, then the others by their shares.

    Any prefix of the chosen inputs is mixed like the whole, so that a budget can be cut.
    """
    chosen: dict[str, Input] = {}
    for entry in _in_order(calls, Random(seed)):
        if len(chosen) == limit:
            break
        chosen.setdefault(call_key(entry.call), entry)
    return tuple(chosen.values())


def _in_order(calls: Mapping[Origin, Sequence[Call]], random: Random) -> Iterator[Input]:
    for origin in MEANT:
        for call in calls.get(origin, ()):
            yield Input(call, origin)
    waiting = {origin: iter(calls.get(origin, ())) for origin in SHARES}
    while waiting:
        origins = list(waiting)
        (origin,) = random.choices(origins, [SHARES[each] for each in origins])
        call = next(waiting[origin], None)
        if call is None:
            del waiting[origin]
        else:
            yield Input(call, origin)
