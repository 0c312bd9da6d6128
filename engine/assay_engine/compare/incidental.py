"""Finds where the original does otherwise than a consensus in what may be nobody's business.

The order of a dict's items, the names of a table's axes, an exception that the docstring does not
mention, an argument left alone, a part that the result shares with an argument: candidates often
agree on these because the docstring asks for them, and sometimes because that is how one writes
such a function. What no consensus of candidates shares is no ground, and what they share accuses
nobody before the docstring was asked.

Changes what functions return, to see whether their arguments change along with it.

Only parts that result and arguments have in common are changed. So what a program keeps for itself,
such as a constant that it returns, is left as it was for the next call.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.compare.counterexamples import counterexamples
from assay_engine.compare.ensemble import Ensemble, votes_on
from assay_engine.compare.executor import Executor
from assay_engine.compare.votes import Standing, Vote
from assay_engine.values.carried import value_of
from assay_engine.values.parts import nodes_of
from assay_sandbox import Container, Expression, Instance, Program, Returned, Value

_HOLDERS = (list, dict, set, Container, Expression, Instance)


async def incidental_counterexamples(
    executor: Executor, ensemble: Ensemble, votes: Sequence[Vote]
) -> tuple[Vote, ...]:
    """The votes by which the original could be accused if everything counted.

    Parts that results share with arguments are looked for only if nothing else is found, since
    programs have to be run once more for it.
    """
    strictly = [vote.strictly for vote in votes if vote.strictly is not None]
    found = await counterexamples(executor, ensemble.strictly, strictly, [Standing.DIFFERS])
    if found:
        return found
    changing = sharing(ensemble)
    changed = await votes_on(executor, changing, [vote.input for vote in filter(_may_share, votes)])
    return await counterexamples(executor, changing, changed, [Standing.DIFFERS])


def _may_share(vote: Vote) -> bool:
    """Whether the original agrees with the candidates, and returns and is given what can change."""
    seen = vote.original.observation
    return (
        vote.standing is Standing.AGREES
        and isinstance(seen, Returned)
        and _holds(value_of(seen.value))
        and any(map(_holds, vote.input.call.values))
    )


def _holds(value: Value) -> bool:
    return any(isinstance(node, _HOLDERS) for node in nodes_of(value))


# What is added to parts in common. It stands in the arguments afterwards.
LATER = "added to the result afterwards"
# What is called in the place of the function, in the same class if that is a method.
CHANGED = "_assay_changed"

_SOURCE = f"""

def _assay_holders(value):
    from collections import deque
    from enum import Enum
    holders, pending, seen = [], [value], set()
    while pending:
        part = pending.pop()
        if id(part) in seen or isinstance(part, (Enum, type)):
            continue
        seen.add(id(part))
        if isinstance(part, dict):
            pending += dict.values(part)
            holders.append(part)
        elif isinstance(part, (list, set, deque)):
            pending += part
            holders.append(part)
        elif isinstance(part, (tuple, frozenset)):
            pending += part
        elif type(getattr(part, "__dict__", None)) is dict:
            pending += part.__dict__.values()
    return holders

def _assay_returned(result, given):
    from copy import deepcopy
    own = {{id(part) for part in _assay_holders(given)}}
    common = [part for part in _assay_holders(result) if id(part) in own]
    if not common:
        return result
    try:
        before = deepcopy(result)
    except Exception:
        return result
    for part in common:
        if isinstance(part, dict):
            dict.__setitem__(part, {LATER!r}, True)
        elif isinstance(part, set):
            set.add(part, {LATER!r})
        else:
            part.append({LATER!r})
    return before

def _assay_changing(function):
    async def awaited(result, given):
        return _assay_returned(await result, given)
    def changed(*args, **kwargs):
        result, given = function(*args, **kwargs), (args, kwargs)
        if type(result) is type(awaiting):
            return awaited(result, given)
        return _assay_returned(result, given)
    async def nothing():
        pass
    awaiting = nothing()
    awaiting.close()
    return changed
"""


def sharing(ensemble: Ensemble) -> Ensemble:
    """The ensemble in which results are changed where they share parts with the arguments."""
    return replace(ensemble, programs=tuple(map(_with_later_changes, ensemble.programs)))


def _with_later_changes(program: Program) -> Program:
    """The program with another function in the place of its entry, which adds to every list, dict
    and set that the result has in common with the arguments, and gives the result as it was before.

    A result that cannot be copied is left alone.
    """
    owner, _, _ = program.entry.rpartition(".")
    path = f"{owner}.{CHANGED}" if owner else CHANGED
    made = f"\n{path} = _assay_changing({program.entry})\n"
    return Program(program.source + _SOURCE + made, path, program.place)
