"""Checks whether what a function needs of its module loads where programs are confined."""

from __future__ import annotations

from assay_engine.reading.imports import is_cut
from assay_engine.running.laboratory import Laboratory
from assay_engine.types import Problem, ProblemKind, Specification
from assay_engine.words import short
from assay_sandbox import Call, LoadFailed, Program

_ENTRY = "_assay_loaded"
_NOT_THERE = ("ImportError", "ModuleNotFoundError")
_SOURCE = f"""

def {_ENTRY}():
    return None
"""


async def not_loaded(laboratory: Laboratory, specification: Specification) -> Problem | None:
    """Why nothing of the function can be observed here; None if its module loads.

    A failure to load is no fault of the function: the sandbox has no network and an empty
    environment, and no files but those of the interpreter and the project's modules.
    """
    program = Program(specification.program + _SOURCE, _ENTRY, specification.modules)
    ((seen,),) = await laboratory.run([program], [Call()])
    if not isinstance(seen, LoadFailed):
        return None
    what = f"{seen.type_name}: {short(seen.message)}".rstrip(": ")
    if seen.type_name in _NOT_THERE and is_cut(specification.modules):
        return Problem(
            ProblemKind.NOT_RUN,
            "It comes by more modules of the workspace than a function may bring into the sandbox "
            f"({what}); have its module import fewer as it loads.",
        )
    return Problem(
        ProblemKind.NOT_RUN,
        f"What it needs of its module does not load in the sandbox ({what}), where there is no "
        "network and the environment is empty; have the module reach outside only when it is "
        "called.",
    )
