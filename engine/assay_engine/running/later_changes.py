"""Changes what a function returned, to see whether its arguments change along with it."""

from __future__ import annotations

# What is added to the result. It stands in arguments that have a part in common with that.
LATER = "added to the result afterwards"
# What is called in the place of the function.
CHANGED = "_assay_changed"


def with_later_changes(program: str, path: str) -> str:
    """The program with a function that calls the one under this dotted path, and then adds to every
    list, dict and set in what that returned. It gives what was returned, as it was before.

    Results that cannot be copied, or hold nothing that can change, are left alone.
    """
    return f"""{program}

def {CHANGED}(*args, **kwargs):
    result = {path}(*args, **kwargs)
    holders = (dict, list, set, tuple)
    if type(result) not in holders and type(getattr(result, "__dict__", None)) is not dict:
        return result
    from copy import deepcopy
    try:
        before = deepcopy(result)
    except Exception:
        return result
    pending, seen = [result], set()
    while pending:
        part = pending.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        kind = type(part)
        if kind is dict:
            pending += part.values()
            part[{LATER!r}] = True
        elif kind in (list, tuple, set):
            pending += part
            if kind is not tuple:
                (part.append if kind is list else part.add)({LATER!r})
        elif type(getattr(part, "__dict__", None)) is dict:
            pending += part.__dict__.values()
    return before
"""
