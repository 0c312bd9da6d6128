"""Isolates Hypothesis: the same values in every process, and no folder in the user's project.

By default Hypothesis mixes in constants that it collects from the modules of the running process.
These modules are Assay's, not the user's. Their constants would make inputs depend on how Assay
was installed, cost time, and be cached in a folder `.hypothesis` wherever the process started.
"""

from __future__ import annotations

import tempfile
from functools import cached_property
from pathlib import Path

from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.internal.constants_ast import Constants

BACKEND = "assay"


class _WithoutLocalConstants(HypothesisProvider):
    """Hypothesis' own provider of values, without the constants of local modules."""

    @cached_property
    def _local_constants(self) -> Constants:
        return Constants()


def register() -> str:
    """Makes the backend known; returns its name, for `settings(backend=…)`."""
    AVAILABLE_PROVIDERS[BACKEND] = _WithoutLocalConstants
    # The cached tables of Unicode categories are worth keeping for as long as this machine runs.
    set_hypothesis_home_dir(Path(tempfile.gettempdir(), "assay-hypothesis"))
    return BACKEND
