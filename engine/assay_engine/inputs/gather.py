"""Collects the inputs of one unit from all origins."""

from __future__ import annotations

from assay_engine.inputs.choose import choose
from assay_engine.inputs.examples import example_calls
from assay_engine.inputs.proposed import proposed_calls
from assay_engine.inputs.staging import staged
from assay_engine.inputs.typed import typed_calls
from assay_engine.running.laboratory import Laboratory, materialised
from assay_engine.types import Draw, Input, Origin, Problem, ProblemKind, Specification


async def gather_inputs(
    laboratory: Laboratory, specification: Specification, proposals: Draw, *, limit: int, seed: int
) -> tuple[tuple[Input, ...], tuple[Problem, ...]]:
    """At most `limit` inputs, and what kept an origin from giving any."""
    examples = await materialised(laboratory, specification, example_calls(specification))
    proposed = await materialised(
        laboratory,
        specification,
        [call for reply in proposals.replies for call in proposed_calls(reply.text, specification)],
    )
    examples, proposed = staged(examples, specification), staged(proposed, specification)
    room = limit - len(examples) - len(proposed)
    drawn, missing = typed_calls(specification, [*examples, *proposed], count=room, seed=seed)
    typed = staged(await materialised(laboratory, specification, drawn), specification)
    inputs = choose(
        {Origin.EXAMPLE: examples, Origin.PROPOSED: proposed, Origin.TYPED: typed}, limit=limit
    )
    problems: list[Problem] = []
    if missing is not None:
        problems.append(
            Problem(
                ProblemKind.UNSUPPORTED_TYPE,
                f"No inputs could be generated from types: {missing} is not known. "
                "Annotate it with standard types, or give examples in the docstring.",
            )
        )
    return inputs, tuple(problems)
