"""Changes what functions return, to see whether their arguments change along with it.

Only parts that result and arguments have in common are changed. So what a program keeps for itself,
such as a constant that it returns, is left as it was for the next call.
"""

from __future__ import annotations

from msgspec.structs import replace

from assay_engine.deciding.separating import Contest
from assay_sandbox import Program

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


def sharing(contest: Contest) -> Contest:
    """The contest in which results are changed where they share parts with the arguments."""
    return replace(contest, programs=tuple(map(_with_later_changes, contest.programs)))


def _with_later_changes(program: Program) -> Program:
    """The program with another function in the place of its entry, which adds to every list, dict
    and set that the result has in common with the arguments, and gives the result as it was before.

    A result that cannot be copied is left alone.
    """
    owner, _, _ = program.entry.rpartition(".")
    path = f"{owner}.{CHANGED}" if owner else CHANGED
    made = f"\n{path} = _assay_changing({program.entry})\n"
    return Program(program.source + _SOURCE + made, path, program.modules)
