"""Which large packages a program imports at its top, so that a zygote can have done it before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from .programs import Call, Program, Surroundings

# Those that take long to import, and the ones among them that they import themselves.
_LARGE: Final[dict[str, tuple[str, ...]]] = {
    "networkx": (),
    "numpy": (),
    "pandas": ("numpy",),
    "scipy": ("numpy",),
    "sympy": (),
}
# Of a statement that stands for itself at the margin. What is written otherwise is imported by the
# program alone, which takes longer and comes to the same.
_IMPORT: Final = re.compile(rf"^(?:import|from)[ \t]+({'|'.join(_LARGE)})\b", re.MULTILINE)


def imported_first(program: Program) -> tuple[str, ...]:
    """Names in alphabetical order. They hang on the program alone, as what is seen of it must."""
    if any(name.partition(".")[0] in _LARGE for name, _source in program.modules):
        # A module of the user's own, found instead of a package or by one.
        return ()
    sources = (program.source, *(source for _name, source in program.modules))
    found = {name for source in sources for name in _IMPORT.findall(source)}
    implied = {other for name in found for other in _LARGE[name]}
    return tuple(sorted(found - implied))


def can_be_imported_first(calls: Sequence[Call], surroundings: Surroundings) -> bool:
    """Not where clocks stand still: packages take what they want of a clock on being imported."""
    return surroundings.frozen_time is None and all(call.scene is None for call in calls)
