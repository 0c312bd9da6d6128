"""What can be imported under the user's interpreter, as programs in the sandbox find it."""

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
    """Those of the top-level modules that programs find. Raises `SandboxError`.

    One of which nothing could be learned counts as found: that it is not, its trial will say.
    """
    if not names:
        return frozenset()
    asked = sorted(names)
    # Never called: where programs cannot open files, what they name is imported ahead of them.
    ahead = "".join(f"    import {name}\n" for name in asked)
    program = Program(f"{_SOURCE}\ndef _ahead():\n{ahead}", "importable")
    (row,) = await laboratory.run([program], [Call((name,)) for name in asked])
    return frozenset(
        name
        for name, seen in zip(asked, row, strict=True)
        if not isinstance(seen, Returned) or decode(seen.value) is True
    )
