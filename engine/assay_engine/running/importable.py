"""Finds what programs in the sandbox can import under the user's interpreter."""

from __future__ import annotations

from collections.abc import Collection

from assay_engine.running.laboratory import Laboratory
from assay_sandbox import Call, Program, Returned, decode

# Finding the spec of a top-level module executes nothing of it.
_SOURCE = """
import sys
from importlib.util import find_spec

def importable(name):
    try:
        return name in sys.modules or find_spec(name) is not None
    except (ImportError, ValueError):
        return False
"""


async def importable_roots(laboratory: Laboratory, names: Collection[str]) -> frozenset[str]:
    """The top-level modules among `names` that programs find. Raises `SandboxError`.

    A module of which nothing could be learned counts as found. If it is missing, the trial of the
    function will say so.
    """
    if not names:
        return frozenset()
    asked = sorted(names)
    # `_ahead` is never called. It only names the modules: where programs cannot open files, the
    # modules that they name are imported ahead of them.
    ahead = "".join(f"    import {name}\n" for name in asked)
    program = Program(f"{_SOURCE}\ndef _ahead():\n{ahead}", "importable")
    (row,) = await laboratory.run([program], [Call((name,)) for name in asked])
    return frozenset(
        name
        for name, seen in zip(asked, row, strict=True)
        if not isinstance(seen, Returned) or decode(seen.value) is True
    )
