"""What loads where programs are confined: what a function needs of its module, what can be imported
under the user's interpreter, and which of several definitions is the one in use.

A definition in a branch (`if`, `try`), or before a `from ... import *`, need not be the one that
its name leads to in the end. Only loading the module shows it, which happens in the sandbox.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Collection, Sequence
from itertools import chain, pairwise
from weakref import WeakValueDictionary

from assay_engine import digest
from assay_engine.advice import Advice
from assay_engine.compare.executor import Executor
from assay_engine.dependencies.modules import absolute_name
from assay_engine.dependencies.readable import is_code
from assay_engine.specification.specification import in_pieces, running_definitions
from assay_engine.specification.supportable import imported_roots, is_wrapping
from assay_engine.syntax.parsing import statements_in
from assay_engine.syntax.text import Source, first_line, is_star_import, read_source
from assay_engine.syntax.units import Cut
from assay_engine.types import Problem, ProblemKind, Specification
from assay_engine.values.carried import value_of
from assay_engine.words import short
from assay_sandbox import (
    Call,
    LoadFailed,
    Place,
    Program,
    Raised,
    Returned,
    SandboxError,
    decode,
)

_ENTRY = "_assay_loaded"
# As many files are checked at once, and a few more.
LOADS_KEPT = 8
# What a framework says of its set-up has room.
REASON_CHARACTERS = 200
_PACKAGE_FILE = "/__init__.py"
_NOT_THERE = ("ImportError", "ModuleNotFoundError")
_LOAD_SOURCE = f"""

def {_ENTRY}(within, later):
    import importlib, sys
    for each in later:
        try:
            importlib.import_module(each)
        except BaseException:
            continue
    files = (getattr(each, "__file__", None) for each in list(sys.modules.values()))
    return sorted({{each for each in files if type(each) is str and each.startswith(within)}})
"""


class Loads:
    """What loads. All functions of a file share the text of their module, which is loaded once."""

    def __init__(self) -> None:
        # Texts that load in their places, each with what `rests_on` gives.
        self._known: dict[tuple[str, Place], dict[str, str]] = {}
        # Modules that do not load as a whole, each with the reason.
        self._failed: dict[tuple[str, Place | None], Problem] = {}
        # The functions of a file ask for its module at the same time.
        self._under_way: WeakValueDictionary[tuple[str, Place | None], asyncio.Lock] = (
            WeakValueDictionary()
        )

    def try_again(self) -> None:
        """Forget what did not load: what was missing may have been installed since."""
        self._failed.clear()

    async def loaded(
        self, executor: Executor, specification: Specification
    ) -> Specification | Problem:
        """The specification with a text that loads: that of the function's module, or, if that does
        not load as a whole, what the function needs of it.

        A failure to load is no fault of the function: the sandbox has no network and an empty
        environment, and no files but those of the interpreter and the project's code.
        """
        key = specification.running_text, specification.place
        async with self._under_way.setdefault(key, asyncio.Lock()):
            whole = self._failed.get(key) or await self._once(executor, specification)
            if whole is None:
                return specification
            if specification.in_place is not None:
                while len(self._failed) >= LOADS_KEPT:
                    self._failed.pop(next(iter(self._failed)))
                self._failed[key] = whole
        pieces = in_pieces(specification)
        if specification.in_place is None or await self._once(executor, pieces) is not None:
            return whole
        return pieces

    async def _once(self, executor: Executor, specification: Specification) -> Problem | None:
        """Why the text does not load; None if it does."""
        text, place = specification.running_text, specification.place
        if place is not None and (text, place) in self._known:
            return None
        roots = () if place is None else tuple(f"{root}/" for root in place.roots)
        ((seen,),) = await executor.run(
            [Program(text + _LOAD_SOURCE, _ENTRY, place)],
            [Call((roots, _imported_later(text, place)))],
        )
        if isinstance(seen, LoadFailed):
            return not_loaded(seen)
        if place is not None:
            told = value_of(seen.value) if isinstance(seen, Returned) else None
            if not isinstance(told, list):
                # It loads, but nothing shows what with.
                return None
            # What the module says of itself is believed as far as it names files that it may read.
            loaded = {each for each in place.files if each in told}
            # What is no code may be opened by any module that is loaded, from where that lies.
            folders = {each.rpartition("/")[0] + "/" for each in (*loaded, place.file)}
            beside = [each for each in place.files if not is_code(each)]
            loaded.update(each for each in beside if each.startswith(tuple(folders)))
            loaded |= _before(place, loaded | {place.file})
            while len(self._known) >= LOADS_KEPT:
                self._known.pop(next(iter(self._known)), None)
            states = {each: digest.of_path(each) for each in sorted(loaded - {place.file})}
            self._known[text, place] = states
        return None

    def rests_on(self, specification: Specification) -> dict[str, str] | None:
        """The digests, by path, of the files that what was seen of the function may rest on, as
        they were then: those loaded for it, and those beside them that are no code; empty for those
        that were not there. None if nothing is known of that, because it did not load, say."""
        if specification.place is None:
            return {}
        for each in (specification, in_pieces(specification)):
            if each.place is not None and (each.running_text, each.place) in self._known:
                return self._known[each.running_text, each.place]
        return None


def _imported_later(text: str, place: Place | None) -> list[str]:
    """The project's modules that the text may import, and not only as it loads."""
    if place is None:
        return []
    starts = [(each, root) for root in place.roots for each in place.files if each.startswith(root)]
    own = {each[len(root) + 1 :].partition("/")[0].removesuffix(".py") for each, root in starts}
    is_package = place.file.endswith(_PACKAGE_FILE)
    package = place.module if is_package else place.module.rpartition(".")[0]
    names: set[str] = set()
    for node in ast.walk(read_source(text).tree):
        if isinstance(node, ast.Import):
            names.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = absolute_name(node.module or "", node.level, package) or ""
            names.update((base, *(f"{base}.{each.name}" for each in node.names)))
    return sorted(each for each in names if each.partition(".")[0] in own)


def _before(place: Place, loaded: Collection[str]) -> set[str]:
    """The files that would have been imported in place of these, had they been there."""
    found: set[str] = set()
    for path in loaded:
        at = next((at for at, each in enumerate(place.roots) if path.startswith(f"{each}/")), None)
        if at is None:
            continue
        first, *inner = path[len(place.roots[at]) + 1 :].removesuffix(".py").split("/")
        # In the other roots the outermost name counts: in those that come before, and, if
        # that is a plain folder here, in all. Within a folder, packages go before modules.
        is_plain = bool(inner) and f"{place.roots[at]}/{first}{_PACKAGE_FILE}" not in place.files
        for root in place.roots if is_plain else place.roots[:at]:
            found |= {f"{root}/{first}{end}" for end in (_PACKAGE_FILE, ".py")}
        folder = f"{place.roots[at]}/{first}"
        for name in inner:
            found.add(folder + _PACKAGE_FILE)
            folder += f"/{name}"
        if is_code(path):
            found.add(folder + _PACKAGE_FILE)
    return {each for each in found.difference(place.files) if "/__init__/" not in each}


def not_loaded(seen: LoadFailed) -> Problem:
    what = f"{seen.type_name}: {short(seen.message, REASON_CHARACTERS)}".rstrip(": ")
    if seen.type_name in _NOT_THERE:
        return Problem(
            ProblemKind.MISSING_IMPORT,
            f"Its module cannot be imported here ({what}); install what is missing for the "
            f"interpreter that runs it, or {Advice.OTHER_INTERPRETER}.",
        )
    if seen.out_of_time:
        return Problem(
            ProblemKind.NOT_RUN,
            f"Its module takes too long to load ({short(seen.message)}); move its slow work into "
            "functions.",
        )
    return Problem(
        ProblemKind.NOT_RUN,
        f"Its module does not load in the sandbox ({what}), which has no network, environment "
        "variables or configured framework; make it load without these, or move the function to a "
        "module that does.",
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
    """Why a definition cannot be observed, namely because its name leads elsewhere: to another
    definition, or to what a decorator has put in its place.

    None if the definition is the one in use, or if the program cannot be loaded at all, which the
    trial will say.
    """
    source = read_source(specification.running_text)
    definitions, own = running_definitions(specification)
    if own >= len(definitions) or (
        len(definitions) == 1
        and _is_unconditional(definitions[own])
        and not _may_be_replaced(source, definitions[own])
        and all(
            is_wrapping(each, specification, source)
            for each in definitions[own].node.decorator_list
        )
    ):
        return None
    asking = specification.running_text + _SOURCE.format(
        entry=_LIVE_ENTRY, found=specification.callable_path
    )
    program = Program(asking, _LIVE_ENTRY, specification.place)
    ((seen,),) = await executor.run([program], [Call()])
    if not isinstance(seen, Returned | Raised):
        return None
    line = value_of(seen.value) if isinstance(seen, Returned) else 0
    live = [
        number
        for number, each in enumerate(definitions)
        if isinstance(line, int) and first_line(each.node) <= line <= each.node.lineno
    ]
    if live == [own]:
        return None
    reason = _reason(specification, len(definitions), own, live)
    return Problem(ProblemKind.UNSUPPORTED_SHAPE, reason)


def _reason(specification: Specification, count: int, own: int, live: list[int]) -> str:
    name = f"`{specification.unit.name}`"
    if not live:
        return (
            f"Once its module is loaded, {name} no longer refers to this definition, so it cannot "
            "be run; give it a unique name."
        )
    return (
        f"Of the {count} definitions of {name}, number {live[0] + 1} is used once the module is "
        f"loaded; this one, number {own + 1}, cannot be run. Give it a unique name to check it."
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
