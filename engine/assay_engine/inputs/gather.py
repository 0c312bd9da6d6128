"""Collects the inputs of one unit from all origins."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay_engine.inputs.choose import SHARES, choose
from assay_engine.inputs.constructing import constructed
from assay_engine.inputs.examples import example_calls
from assay_engine.inputs.fitting import Types
from assay_engine.inputs.mutated import mutations
from assay_engine.inputs.preconditions import preconditions_of
from assay_engine.inputs.proposed import proposed_calls
from assay_engine.inputs.staging import staged
from assay_engine.inputs.typed import typed_calls
from assay_engine.running.laboratory import Laboratory, materialised
from assay_engine.types import Draw, Input, Origin, Problem, ProblemKind, Specification
from assay_sandbox import Call, Value


async def gather_inputs(
    laboratory: Laboratory,
    specification: Specification,
    proposals: Draw,
    *,
    limit: int,
    seed: int,
    constants: Sequence[Value] = (),
) -> tuple[tuple[Input, ...], tuple[Problem, ...]]:
    """At most `limit` inputs, and what kept an origin from giving any.

    Only the docstring's own examples may be of other types than the annotations say, or other than
    the docstring states of its arguments.
    """
    examples = await materialised(laboratory, specification, example_calls(specification))
    read = [
        call for reply in proposals.replies for call in proposed_calls(reply.text, specification)
    ]
    proposed = await fitting(laboratory, specification, read)
    examples, proposed = staged(examples, specification), staged(proposed, specification)
    seeds = [*examples, *proposed]
    room = max(0, limit - len(seeds))
    wanted = round(room * SHARES[Origin.TYPED])
    drawn, missing = typed_calls(specification, seeds, count=wanted, seed=seed)
    typed = staged(await fitted(laboratory, specification, drawn), specification)
    mutated = await mutated_calls(
        laboratory,
        specification,
        [*seeds, *typed],
        count=room - len(typed),
        seed=seed,
        constants=constants,
    )
    inputs = choose(
        {
            Origin.EXAMPLE: examples,
            Origin.PROPOSED: proposed,
            Origin.TYPED: typed,
            Origin.MUTATED: mutated,
        },
        limit=limit,
        seed=seed,
    )
    return inputs, () if missing is None else (_no_types(missing),)


async def mutated_calls(
    laboratory: Laboratory,
    specification: Specification,
    seeds: Sequence[Call],
    *,
    count: int,
    seed: int,
    constants: Sequence[Value],
) -> tuple[Call, ...]:
    """At most `count` mutations of the seeds that fit the annotations and what is stated."""
    changed = mutations(seeds, count, seed, constants)
    return await fitted(laboratory, specification, constructed(specification, changed, seeds))


async def fitting(
    laboratory: Laboratory, specification: Specification, calls: Sequence[Call]
) -> tuple[Call, ...]:
    """The calls, with their arguments as values, that are admitted."""
    made = await materialised(laboratory, specification, calls)
    return tuple(filter(admission(specification), made))


async def fitted(
    laboratory: Laboratory, specification: Specification, calls: Sequence[Call]
) -> tuple[Call, ...]:
    """The same of calls that were made up, each changed to keep what is stated if it can be."""
    made = await materialised(laboratory, specification, calls)
    mended = map(preconditions_of(specification).mended, made)
    return tuple(filter(admission(specification), mended))


def admission(specification: Specification) -> Callable[[Call], bool]:
    """Whether a call's arguments are of the annotated types and as the docstring states.

    Of any types where the docstring speaks of a TypeError: there, types are what is on trial.
    """
    types, stated = Types(specification), preconditions_of(specification)
    of_any_type = "TypeError" in specification.documented_exceptions

    def admits(call: Call) -> bool:
        return (of_any_type or types.fit(call)) and stated.keep(call)

    return admits


def _no_types(missing: str) -> Problem:
    return Problem(
        ProblemKind.UNSUPPORTED_TYPE,
        f"No inputs could be generated from types: {missing} is not known. "
        "Annotate it with standard types, or give examples in the docstring.",
    )
