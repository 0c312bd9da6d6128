"""Lists, tuples and dicts that lead back to themselves."""

from __future__ import annotations

from .inspecting import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Set

VISITS_MAX = 1 << 12


def contains_itself(value: Any) -> bool:
    """Whether following lists, tuples and dicts leads back to where one came from."""
    path: List[Any] = [iter((value,))]
    above: List[int] = []
    # The same as a set: the path may be long.
    among_above: Set[int] = set()
    for _ in range(VISITS_MAX):
        try:
            item = next(path[-1])
        except StopIteration:
            path.pop()
            if not path:
                return False
            among_above.discard(above.pop())
            continue
        seen: object = item
        kind = identity(type(seen))
        if kind == identity(dict):
            inside: Any = [*item, *item.values()]
        elif kind in (identity(list), identity(tuple), identity(frozenset)):
            inside = item
        else:
            continue
        if identity(item) in among_above:
            return True
        above.append(identity(item))
        among_above.add(identity(item))
        path.append(iter(inside))
    return False
