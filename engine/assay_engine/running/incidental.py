"""What Python writes of a process and of a program's text, left out of what is observed.

Addresses stand wherever something has no text of its own (``<function f at 0x7f…>``), and are
others in every process; tracebacks name lines and helpers, which are others in every right program.
Either gets into results, output, files and messages. No docstring speaks of them, and a report that
held an address would be another with every run.
"""

from __future__ import annotations

import re
from dataclasses import replace

from assay_sandbox import Encoded, Observation, Raised, Returned

# As Python ends them, and longer than the 32 bits that programs write of themselves.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{9,16}(?=[>,;:])")
# A text in a value is written as JSON: a line ends with a backslash and an n there.
_END = r"(?:\n|\\n)"
_FRAMES = re.compile(
    rf"(Traceback \(most recent call last\):{_END})(?:  (?:[^\n\\]|\\(?!n))*{_END})+"
)
_LINE = re.compile(r'(<program>(?:\\?")?, line )[0-9]+')
_SIGNS = (" at 0x", "Traceback (", "<program>")


def without_incidentals(observation: Observation) -> Observation:
    """The same object if there are none: addresses, frames of tracebacks, and numbers of lines."""
    if not isinstance(observation, Returned | Raised):
        return observation
    text = observation.value if isinstance(observation, Returned) else observation.message
    told = (text, observation.stdout, observation.args_after, observation.files_after)
    if not any(sign in part for part in told if part is not None for sign in _SIGNS):
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
    return _LINE.sub(r"\1...", _FRAMES.sub(r"\1", _ADDRESS.sub(" at 0x...", text)))
