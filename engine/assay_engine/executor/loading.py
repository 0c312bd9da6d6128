"""What loads where programs are confined: what a function needs of its module, what can be imported
under the user's interpreter, and which of several definitions is the one in use.

A definition in a branch (`if`, `try`), or before a `from ... import *`, need not be the one that
its name leads to in the end. Only loading the module shows it, which happens in the sandbox.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from itertools import chain, pairwise

from assay_engine.executor.executor import Executor
from assay_engine.source.imports import is_cut
from assay_engine.source.parsing import statements_in
from assay_engine.source.specification import cut_in_program, definitions_in_program
from assay_engine.source.supportable import imported_roots
from assay_engine.source.text import Source, first_line, is_star_import, read_source
from assay_engine.source.units import Cut
from assay_engine.types import Problem, ProblemKind, Specification
from assay_engine.values.carried import value_of
from assay_engine.words import short
from assay_sandbox import Call, LoadFailed, Program, Raised, Returned, SandboxError, decode

_ENTRY = "_assay_loaded"
_NOT_THERE = ("ImportError", "ModuleNotFoundError")
_LOAD_SOURCE = f"""

def {_ENTRY}():
    return None
"""


async def not_loaded(executor: Executor, specification: Specification) -> Problem | None:
    """Why nothing of the function can be observed here; None if its module loads.

    A failure to load is no fault of the function: the sandbox has no network and an empty
    environment, and no files but those of the interpreter and the project's modules.
    """
    program = Program(specification.program + _LOAD_SOURCE, _ENTRY, specification.modules)
    ((seen,),) = await executor.run([program], [Call()])
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


# Finding the spec of a top-level module executes nothing of it.
_IMPORT_SOURCE = """
import sys
from importlib.util import find_spec

def importable(name):
    try:
        return name in sys.modules or find_spec(name) is not None
    except (ImportError, ValueError):
        return False
"""

_SOURCE = """

def {entry}():
    import inspect
    code = getattr(inspect.unwrap({found}), "__code__", None)
    if code is None or code.co_filename != {entry}.__code__.co_filename:
        return 0
    return code.co_firstlineno
"""


async def importable_roots(executor: Executor, names: Collection[str]) -> frozenset[str]:
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
    program = Program(f"{_IMPORT_SOURCE}\ndef _ahead():\n{ahead}", "importable")
    (row,) = await executor.run([program], [Call((name,)) for name in asked])
    return frozenset(
        name
        for name, seen in zip(asked, row, strict=True)
        if not isinstance(seen, Returned) or decode(seen.value) is True
    )


class KnownImports:
    """The top-level modules that are there, or about which the interpreter could not be asked.

    The interpreter is asked again about a missing module: it may have been installed since.
    """

    def __init__(self) -> None:
        self._found: set[str] = set()
        self._supposed: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._found or name in self._supposed

    async def learn(self, executor: Executor, specifications: Sequence[Specification]) -> None:
        """Ask the interpreter, in one go, which imports of some specifications it can find."""
        # In a thread, because all modules that come along are read for this.
        roots = await asyncio.to_thread(lambda: [imported_roots(each) for each in specifications])
        wanted = frozenset(chain.from_iterable(roots)) - self._found
        try:
            found = await importable_roots(executor, wanted)
        except SandboxError:
            # Every trial is about to report this failure, which is no module's fault.
            self._supposed |= wanted
        else:
            self._supposed -= wanted
            self._found |= found


_LIVE_ENTRY = "_assay_live"


async def not_live(executor: Executor, specification: Specification) -> Problem | None:
    """Why a definition cannot be observed, namely because its name leads elsewhere.

    None if the definition is the one in use, or if the program cannot be loaded at all, which the
    trial will say.
    """
    source = read_source(specification.program)
    cut = cut_in_program(specification, source)
    definitions = definitions_in_program(specification, source)
    if cut is None or (
        len(definitions) == 1 and _is_unconditional(cut) and not _may_be_replaced(source, cut)
    ):
        return None
    asking = specification.program + _SOURCE.format(
        entry=_LIVE_ENTRY, found=specification.callable_path
    )
    program = Program(asking, _LIVE_ENTRY, specification.modules)
    ((seen,),) = await executor.run([program], [Call()])
    if not isinstance(seen, Returned | Raised):
        return None
    line = value_of(seen.value) if isinstance(seen, Returned) else 0
    live = [
        number
        for number, each in enumerate(definitions)
        if isinstance(line, int) and first_line(each.node) <= line <= each.node.lineno
    ]
    if live == [specification.definition]:
        return None
    return Problem(ProblemKind.UNSUPPORTED_SHAPE, _reason(specification, len(definitions), live))


def _reason(specification: Specification, count: int, live: list[int]) -> str:
    name = f"`{specification.unit.name}`"
    if not live:
        return (
            f"Once its module is loaded, {name} leads elsewhere than to this definition, which "
            "cannot be observed; give it a name of its own."
        )
    return (
        f"Of the {count} definitions of {name}, number {live[0] + 1} is in use once the module is "
        f"loaded; this one, number {specification.definition + 1}, cannot be observed. "
        "Give it a name of its own to have it checked."
    )


def _is_unconditional(cut: Cut) -> bool:
    """Whether a definition stands in no branch.

    It stands directly in the module, or directly in a class or function that does.
    """
    around = [*cut.enclosing, cut.node]
    return around[0].col_offset == 0 and all(
        inner in outer.body for outer, inner in pairwise(around)
    )


def _may_be_replaced(source: Source, cut: Cut) -> bool:
    """Whether the module has a star import after the definition.

    It may bring along, say, a faster implementation in C by the same name.
    """
    end = cut.unit.span.end
    return any(
        is_star_import(node) and source.span(node).start > end
        for node in statements_in(source.tree.body)
    )
