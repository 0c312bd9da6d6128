"""One task's programs in one process, called as the source experiments call them.

Arguments are not copied between the reference's look at an input and the two calls compared, so the
next program sees what a program did to its arguments in place. Results are compared when both calls
are over. Both affect the measurement. That is why all programs of a task share a process, as in the
experiments, although this lets one program disturb another.

Runs inside the sandbox; the programs are modules served from memory.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from assay_bench.worker.likeness import alike

REFERENCE_MODULE = "assay_reference"
CANDIDATE_MODULE = "assay_candidate_"
# The number of the reference, in place of a candidate's.
REFERENCE = -1

Function = Callable[..., Any]


class _Nowhere:
    """Standard output for programs that print: printed text counts for nothing here."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        return


class LoadedTask:
    """The loaded reference and the loaded candidates, `candidates` of them."""

    def __init__(self, entry: str, candidates: int) -> None:
        sys.stdout = _Nowhere()
        # There is no stand-in for it, as for a candidate: without a reference nothing is measured.
        self._reference = _loaded(REFERENCE_MODULE, entry)
        self._candidates = [_load(f"{CANDIDATE_MODULE}{n}", entry) for n in range(candidates)]
        self._seeds: dict[int, tuple[Any, ...]] = {}

    def accepts(self, arguments: list[Any]) -> bool:
        """Whether the reference takes this input."""
        sys.stdout = _Nowhere()
        try:
            self._reference(*arguments)
        except Exception:
            return False
        return True

    def differ(
        self, first: int, second: int, arguments: list[Any], seed: int | None, again: bool
    ) -> bool:
        """Whether two programs, by number, differ on an input.

        `seed` is the number of the seed if the input is an unchanged seed: all inputs from one seed
        are the same objects. `again` shows the input to the reference first, which may change it.
        """
        sys.stdout = _Nowhere()
        given = tuple(arguments)
        if seed is not None:
            given = self._seeds.setdefault(seed, given)
        elif again:
            _called(self._reference, given)
        left = _called(self._program(first), given)
        right = _called(self._program(second), given)
        return not alike(left, right)

    def _program(self, number: int) -> Function:
        return self._reference if number == REFERENCE else self._candidates[number]


def _loaded(module: str, entry: str) -> Function:
    return getattr(import_module(module), entry)


def _load(module: str, entry: str) -> Function:
    try:
        return _loaded(module, entry)
    except Exception:
        return _not_loaded


def _not_loaded(*_args: Any, **_kwargs: Any) -> Any:
    # The experiments went on with a stand-in whose every call raises this type.
    raise TypeError("this program could not be loaded")


def _called(function: Function, arguments: list[Any] | tuple[Any, ...]) -> Any:
    """The result of a call; an exception is a result like any other."""
    try:
        return function(*arguments)
    except Exception as error:
        return error
