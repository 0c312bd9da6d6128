"""Addresses of objects, which are others in every process, left out of what is observed.

Python writes them wherever something has no text of its own (``<function f at 0x7f…>``): into
results, output, files and messages. No docstring speaks of them, and a report that held one would
be another with every run.
"""

from __future__ import annotations

import re
from dataclasses import replace

from assay_sandbox import Encoded, Observation, Raised, Returned

_SIGN = " at 0x"
# As Python ends them, and longer than the 32 bits that programs write of themselves.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{9,16}(?=[>,;:])")


def without_addresses(observation: Observation) -> Observation:
    """The same object if there are none."""
    if not isinstance(observation, Returned | Raised):
        return observation
    text = observation.value if isinstance(observation, Returned) else observation.message
    told = (text, observation.stdout, observation.args_after, observation.files_after)
    if not any(part is not None and _SIGN in part for part in told):
        return observation
    left = replace(
        observation,
        stdout=_masked(observation.stdout),
        args_after=_encoded(observation.args_after),
        files_after=_encoded(observation.files_after),
    )
    if isinstance(left, Returned):
        return replace(left, value=Encoded(_masked(left.value)))
    return replace(left, message=_masked(left.message))


def _encoded(text: Encoded | None) -> Encoded | None:
    return None if text is None else Encoded(_masked(text))


def _masked(text: str) -> str:
    return _ADDRESS.sub(f"{_SIGN}...", text)
