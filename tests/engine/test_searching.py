"""The search for inputs that set programs apart, on programs that are plain functions here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from assay_engine.inputs.mutated import mutations
from assay_engine.search.searching import DRY_MAX, ROUND, Features, search
from assay_engine.values.carried import call_key
from assay_engine.voting.searched import shown_by_vote
from assay_engine.voting.votes import Standing, Vote, vote
from assay_sandbox import Call, Observation, Raised, Returned, encode

Program = Callable[..., Any]


def observed(program: Program, call: Call) -> Observation:
    try:
        return Returned(encode(program(*call.args)))
    except (ValueError, TypeError, IndexError) as error:
        return Raised(type(error).__name__, "")


def votes(programs: Sequence[Program], calls: Sequence[Call]) -> list[Vote]:
    return [
        vote(
            observed(programs[0], call),
            [observed(program, call) for program in programs[1:]],
            [1] * (len(programs) - 1),
            (),
        )
        for call in calls
    ]


def shown(programs: Sequence[Program], calls: Sequence[Call]) -> list[Features]:
    return list(map(shown_by_vote, votes(programs, calls)))


def searched(
    programs: Sequence[Program], seeds: Sequence[Call], count: int, seed: int = 0
) -> list[tuple[Call, ...]]:
    """The rounds that a search asks for."""
    asked: list[tuple[Call, ...]] = []
    rounds = search(seeds, shown(programs, seeds), count=count, seed=seed)
    try:
        calls = next(rounds)
        while True:
            asked.append(calls)
            calls = rounds.send((calls, shown(programs, calls)))
    except StopIteration:
        return asked


def right(items: list[int]) -> list[int]:
    """The items between the first zero and the next, sorted."""
    if 0 not in items:
        return []
    rest = items[items.index(0) + 1 :]
    return sorted(rest[: rest.index(0)] if 0 in rest else rest)


def wrong(items: list[int]) -> list[int]:
    """The same, but that it is confused by a third zero."""
    return sorted(right(items), reverse=items.count(0) > 2)


SEEDS = [Call(([4, 0, 7, 5],)), Call(([3, 1, 2],)), Call(([0],))]


def differs(calls: Sequence[Call]) -> int:
    found = votes([wrong, *[right] * 9], calls)
    return sum(entry.standing is Standing.DIFFERS for entry in found)


def test_a_search_finds_what_as_many_mutations_of_the_seeds_seldom_do() -> None:
    by_search = by_mutation = 0
    for seed in range(8):
        rounds = searched([wrong, *[right] * 9], SEEDS, 300, seed)
        by_search += differs([call for calls in rounds for call in calls])
        by_mutation += differs(mutations(SEEDS, 300, seed))
    assert by_search > 2 * by_mutation


def test_it_keeps_to_its_budget_and_asks_for_nothing_twice() -> None:
    rounds = searched([wrong, *[right] * 9], SEEDS, 100)
    calls = [call for each in rounds for call in each]
    keys = {call_key(call) for call in calls}
    assert len(keys) == len(calls) == 100
    assert keys.isdisjoint(map(call_key, SEEDS))
    assert all(len(each) <= ROUND for each in rounds)


def test_it_ends_when_nothing_new_is_seen() -> None:
    def constant(_items: list[int]) -> int:
        return 1234

    assert len(searched([constant] * 10, SEEDS, 10_000)) == DRY_MAX


def test_it_ends_when_there_is_nothing_to_ask() -> None:
    assert searched([bool] * 10, [Call((True,)), Call((False,))], 100) == []
    assert searched([right] * 10, [], 100) == []
    assert searched([right] * 10, SEEDS, 0) == []


def test_the_same_seed_searches_the_same() -> None:
    programs = [wrong, *[right] * 9]
    assert searched(programs, SEEDS, 100, 3) == searched(programs, SEEDS, 100, 3)
    assert searched(programs, SEEDS, 100, 3) != searched(programs, SEEDS, 100, 4)
