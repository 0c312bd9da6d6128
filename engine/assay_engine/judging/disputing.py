"""Finds inputs on which candidates disagree with the function, where a judgement is worth most."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.deciding.voting import Standing, Vote, vote
from assay_engine.inputs.choose import call_key
from assay_engine.inputs.examples import example_calls
from assay_engine.inputs.staging import answered
from assay_engine.inputs.typed import typed_calls
from assay_engine.judging.generating import Bench, TriedInput
from assay_engine.running.comparing import same_behaviour
from assay_engine.running.laboratory import program_of
from assay_engine.running.materialising import is_carried, materialised
from assay_sandbox import Call, Observation

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
    calls = await _pool(bench, known, seed)
    own, votes = await votes_on(bench, calls)
    (again,) = await bench.laboratory.run(
        [program_of(bench.specification)], calls, bench.exceptions, second=True
    )
    contested = [
        index
        for index, entry in enumerate(votes)
        if entry.standing in _CONTESTED and same_behaviour(own[index], again[index])
    ]
    contested.sort(key=lambda index: _rank(votes[index], calls[index]))
    chosen: dict[tuple[tuple[int, ...], ...], TriedInput] = {}
    for index in contested:
        parting = tuple(behaviour.candidates for behaviour in votes[index].behaviours)
        chosen.setdefault(parting, TriedInput(calls[index], own[index]))
    return tuple(chosen.values())[:limit]


async def votes_on(
    bench: Bench, calls: Sequence[Call]
) -> tuple[tuple[Observation, ...], tuple[Vote, ...]]:
    """What the function did on each call, and what its candidates make of it."""
    specification, jury = bench.specification, bench.jury
    own, *rows = await bench.laboratory.run(
        [
            program_of(specification),
            *(program_of(specification, source) for source in jury.sources),
        ],
        calls,
        bench.exceptions,
    )
    votes = [
        vote(own[index], [row[index] for row in rows], jury.weights, bench.exceptions)
        for index in range(len(calls))
    ]
    return own, tuple(votes)


async def _pool(bench: Bench, known: Sequence[Call], seed: int) -> tuple[Call, ...]:
    """Inputs by type, and the examples' own, without those already used."""
    specification = bench.specification
    examples = await materialised(bench.laboratory, specification, example_calls(specification))
    drawn, _ = typed_calls(specification, [*examples, *known], count=POOL, seed=seed)
    typed = await materialised(bench.laboratory, specification, drawn)
    used = {call_key(call) for call in known}
    distinct = {
        call_key(call): call
        for call in answered([*examples, *typed], known, specification)
        if is_carried(call)
    }
    return tuple(call for key, call in distinct.items() if key not in used)


def _rank(entry: Vote, call: Call) -> tuple[int, int, str]:
    key = call_key(call)
    return _CONTESTED.index(entry.standing), len(key), key
