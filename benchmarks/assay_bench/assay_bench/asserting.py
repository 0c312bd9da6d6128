"""Makes programs that try statements in their own namespace, inside the sandbox."""

from __future__ import annotations

from assay_sandbox import Observation, Program, Returned

_ENTRY = "_assay_passes"
_SOURCE = f"""

def {_ENTRY}(text):
    exec(text, globals())
    return True
"""
_TRUE = "true"


def asserting(program: Program) -> Program:
    """The program, to be called with the text of an assertion."""
    return Program(program.source + _SOURCE, _ENTRY, program.modules)


def passes(seen: Observation) -> bool:
    """Whether the program called returned True: nothing else is a test that passed."""
    return isinstance(seen, Returned) and seen.value == _TRUE
