"""Finds inputs that show what the votes say, the most telling ones first, and reproduces each.

An input is shown as somebody meant it: a smaller one might be an input that nobody means. What a
function does with a limit of nought or an empty text may be all that there is to show, so such
inputs are only ranked lower. A nought inside an object, or inside an argument of a call that is
written as source text, does not count: times begin with it. A nought among items hardly counts.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from msgspec.structs import replace

from assay_engine.compare.behaviours import same_behaviour
from assay_engine.compare.ensemble import Ensemble, votes_on
from assay_engine.compare.executor import Executor
from assay_engine.compare.votes import ACCUSING, Standing, Vote, accepts
from assay_engine.syntax.expressions import STATEMENTS_MAX, statements_of
from assay_engine.syntax.parsing import parse
from assay_engine.types import Origin
from assay_engine.values.carried import call_key, is_expression
from assay_engine.values.parts import parts_of
from assay_sandbox import Call, Instance, Observation, Raised, Returned, Value

# How many inputs are tried before giving up. The first one reproduces unless chance is at work.
TRIES_MAX = 5
# How many accusing inputs are found at most. The docstring may leave the first of them open.
COUNTEREXAMPLES_MAX = 3
# Of longer inputs a reader, or the model that is asked about them, sees only a part.
LONG_CHARACTERS = 600

_TRUST = {origin: rank for rank, origin in enumerate(Origin)}


async def counterexamples(
    executor: Executor, ensemble: Ensemble, votes: Sequence[Vote], standings: Sequence[Standing]
) -> tuple[Vote, ...]:
    """The most telling votes with one of these standings, as far as they reproduce.

    Those on other kinds of input come first. Of inputs that the docstring does not decide, there is
    at most one.
    """
    found: list[Vote] = []
    # One of each partition comes first.
    known: set[str] = set()
    first: list[Vote] = []
    others: list[Vote] = []
    for each in most_telling(votes, standings, ensemble.documented):
        name = each.input.partition
        (others if name in known else first).append(each)
        known.update(filter(None, [name]))
    for seen in (first + others)[:TRIES_MAX]:
        again = await _reproduced(executor, ensemble, seen)
        if again is None:
            continue
        found.append(again)
        if len(found) == COUNTEREXAMPLES_MAX or seen.input.origin is Origin.OPEN:
            break
    return tuple(found)


async def _reproduced(executor: Executor, ensemble: Ensemble, seen: Vote) -> Vote | None:
    """The vote again, if a run in fresh processes, with other seeds, agrees.

    If it does not, earlier calls may have made the difference. Then the vote is what this run and
    another in fresh processes show. The message of an exception is part of it only if all runs
    repeat it: a message may name an address.
    """
    shown = seen
    (again,) = await votes_on(executor, ensemble, [seen.input], second=True, anew=True)
    if not _is_the_same(ensemble, again, seen):
        (shown,) = await votes_on(executor, ensemble, [seen.input], anew=True)
        if shown.standing is not seen.standing or not _is_the_same(ensemble, again, shown):
            return None
    raised = [each.original.observation for each in (seen, shown, again)]
    messages = {each.message if isinstance(each, Raised) else "" for each in raised}
    return replace(shown, message=messages.pop() if len(messages) == 1 else "")


def _is_the_same(ensemble: Ensemble, vote: Vote, seen: Vote) -> bool:
    # If the function may differ only in the order of items, the candidates' order has to be the
    # same in every run, whatever the seeds.
    usual = ensemble.policy
    policy = usual.strict if ensemble.strict else usual
    return (
        vote.standing is seen.standing
        and same_behaviour(vote.original.observation, seen.original.observation, usual)
        and same_behaviour(vote.leading.observation, seen.leading.observation, policy)
    )


def most_telling(
    votes: Sequence[Vote], standings: Sequence[Standing], documented: Collection[str]
) -> list[Vote]:
    """The votes with one of these standings, on the most telling input first.

    Examples come before proposals. Among equals, these come first, in this order: the earlier
    standing, clear votes, votes in which fewest candidates do what an accused original does, plain
    differences, inputs that are not long, few steps, few empty arguments, few empty items, and
    short inputs.
    """

    def key(vote: Vote) -> tuple[int, ...]:
        entry = vote.input
        accusing = vote.standing in ACCUSING
        clearness = vote.leading.weight if accusing else vote.second_weight
        other = vote.original if accusing else vote.behaviours[1]
        return (
            _TRUST[entry.origin],
            standings.index(vote.standing),
            -clearness,
            vote.original.weight if accusing else 0,
            _obscurity(vote.leading.observation, other.observation, documented),
            len(call_key(entry.call)) > LONG_CHARACTERS,
            steps_before(entry.call),
            emptiness(entry.call),
            empty_items(entry.call),
            len(call_key(entry.call)),
        )

    return sorted((vote for vote in votes if vote.standing in standings), key=key)


def _obscurity(one: Observation, other: Observation, documented: Collection[str]) -> int:
    """How hard a difference is to see, from 0 (plain) to 2.

    0: both outcomes are returned values or documented exceptions, and they differ. 1: only one of
    them is, or neither. 2: both return the same value, and differ only in what was done besides.
    """
    if not (accepts(one, documented) and accepts(other, documented)):
        return 1
    alike = isinstance(one, Returned) and isinstance(other, Returned) and one.value == other.value
    return 2 if alike else 0


_PLAIN = (int, float, str, bytes, list, tuple, set, dict)


def emptiness(call: Call) -> int:
    """How many whole arguments are nought, empty or None, or objects with nothing else in them.

    In source text, the arguments of the calls written there are counted.
    """
    return sum(
        _nothings_in(value.source) if is_expression(value) else _is_nothing(value)
        for value in call.values
    )


def empty_items(call: Call) -> int:
    """How many items of lists and the like, at any depth, are nought, empty or None."""
    return sum(
        _is_nothing(item)
        for value in call.values
        if isinstance(value, list | tuple | set | frozenset | dict)
        for item in _items_in(value)
    )


def _items_in(value: Value) -> Iterator[Value]:
    """The items of a value at any depth, without objects and their contents.

    The contents of an object may be empty by default.
    """
    for part in parts_of(value):
        if not isinstance(part, Instance):
            yield part
            yield from _items_in(part)


def steps_before(call: Call) -> int:
    """How many steps lie between making the object that is called and calling it.

    A loop counts as the greatest number of steps that there may be.
    """
    return sum(_steps_in(value.source) for value in call.values if is_expression(value))


def _is_nothing(value: Value) -> bool:
    if isinstance(value, Instance):
        return bool(value.fields) and all(_is_nothing(part) for _, part in value.fields)
    plain = value is None or isinstance(value, _PLAIN)
    return plain and not value and value is not False


# A cache, since the same inputs are ranked again whenever further ones are added.
@lru_cache(maxsize=4096)
def _nothings_in(source: str) -> int:
    tree = parse(source)
    if not isinstance(tree, ast.Module):
        return 0
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    given = [[*call.args, *(keyword.value for keyword in call.keywords)] for call in calls]
    return sum(map(_says_nothing, chain.from_iterable(given)))


@lru_cache(maxsize=4096)
def _steps_in(source: str) -> int:
    # The first step makes the object. The last one is the object itself or what is called.
    loops = (ast.comprehension, ast.For, ast.AsyncFor, ast.While)
    has_loop = [
        any(isinstance(node, loops) for node in ast.walk(step))
        for step in statements_of(source)[1:-1]
    ]
    return sum(STATEMENTS_MAX if each else 1 for each in has_loop)


def _says_nothing(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=value):
            return value is None or (not value and value is not False)
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
        case _:
            return False
