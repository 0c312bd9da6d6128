"""Finds inputs on which candidates disagree with the function, where a judgement is worth most."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.deciding.balloting import balloted
from assay_engine.deciding.separating import Contest
from assay_engine.deciding.voting import Standing, Vote
from assay_engine.inputs.admission import Admission
from assay_engine.inputs.examples import example_calls
from assay_engine.inputs.staging import answered
from assay_engine.inputs.typed import typed_calls
from assay_engine.judging.generating import Bench, TriedInput
from assay_engine.running.call_keys import call_key, unknown
from assay_engine.running.materialising import is_carried, materialised
from assay_engine.types import Input, Origin
from assay_sandbox import Call

# Calls that are run on every candidate to find a few that tell them apart.
POOL = 80
_CONTESTED = (Standing.DIFFERS, Standing.ALONE, Standing.SPLIT)


async def disputed(
    bench: Bench, known: Sequence[Call], *, limit: int, seed: int
) -> tuple[TriedInput, ...]:
    """At most `limit` inputs that part the function from candidates which accept them: where the
    candidates are of one mind first, the smallest first, each parting the candidates differently.

    `known` are inputs already used; they lend their values to further ones.
    """
    if not bench.jury.sources or not limit:
        return ()
    specification, laboratory = bench.specification, bench.laboratory
    shown = await materialised(laboratory, specification, example_calls(specification))
    pool = await _pool(bench, known, shown, seed)
    ballot = await balloted(laboratory, contest_of(bench, [*shown, *known]), pool)
    contested = [
        (vote, entry.call)
        for entry, vote in zip(ballot.inputs, ballot.votes, strict=True)
        if vote.standing in _CONTESTED
    ]
    chosen: dict[tuple[tuple[int, ...], ...], TriedInput] = {}
    for vote, call in sorted(contested, key=lambda each: _rank(*each)):
        parting = tuple(behaviour.candidates for behaviour in vote.behaviours)
        chosen.setdefault(parting, TriedInput(call, vote.original.observation))
    return tuple(chosen.values())[:limit]


def contest_of(bench: Bench, meant: Sequence[Call]) -> Contest:
    """The function and its candidates, as a trial has them. `meant`: inputs that somebody meant."""
    jury = bench.jury
    return Contest.between(
        bench.specification, jury.sources, jury.weights, meant, documented=bench.exceptions
    )


async def _pool(
    bench: Bench, known: Sequence[Call], shown: Sequence[Call], seed: int
) -> tuple[Input, ...]:
    """The examples' inputs, and such by type as a trial admits, without those already used."""
    specification = bench.specification
    admission = Admission(specification, shown, known)
    drawn, _ = typed_calls(specification, [*shown, *known], count=POOL, seed=seed)
    typed = admission.fitted(await materialised(bench.laboratory, specification, drawn))
    pool = {Origin.EXAMPLE: shown, Origin.TYPED: unknown(typed, shown)}
    return tuple(
        Input(call, origin)
        for origin, calls in pool.items()
        for call in unknown(answered(calls, known, specification), known)
        if is_carried(call)
    )


def _rank(vote: Vote, call: Call) -> tuple[int, int, str]:
    key = call_key(call)
    return _CONTESTED.index(vote.standing), len(key), key
