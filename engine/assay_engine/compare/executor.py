"""Runs programs on inputs through the sandbox, off the event loop, and keeps what was observed.

What Python writes about a process and a program's text is left out of observations. Addresses stand
wherever something has no text of its own (``<function f at 0x7f…>``), and differ in every process.
Tracebacks name lines and helper functions, which differ in every right program. Both get into
results, output, files and messages. No docstring speaks of them, and a report that held an address
would differ with every run.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, cast

from msgspec import Struct, field, structs

from assay_engine.compare.behaviours import normalised
from assay_engine.config.settings import Execution
from assay_engine.syntax.expressions import ANSWERING, OPERATOR, with_operator
from assay_engine.types import Specification
from assay_engine.values.carried import call_key, value_of
from assay_sandbox import (
    Call,
    Covered,
    Encoded,
    Limits,
    Observation,
    Opaque,
    Program,
    Raised,
    Returned,
    Sandbox,
    Surroundings,
    encode,
)

# What a program finds in an executor's two sandboxes. Programs that wait are compared by what they
# do, and nobody waits for them.
FIRST_SURROUNDINGS = Surroundings(skips_waits=True)
OTHER_SURROUNDINGS = Surroundings(hash_seed=1, random_seed=1, skips_waits=True)


# How long the modules of a project may take to load, where each program does that for itself.
LOAD_SECONDS = 10.0

Row = tuple[Observation, ...]
_Batch = tuple[bool, Program, str]
_Result = TypeVar("_Result")


class Tally(Struct):
    """How many calls of programs were made."""

    calls: int = 0


class Executor(Struct, frozen=True):
    """Two sandboxes that differ in hash and random seeds, and the limits programs run under.

    Behaviour that a program shows in both is its own; behaviour that differs is chance.
    `known` has what programs did on calls, by sandbox, program and calls. A trial comes back to the
    same programs: at its second look, and when it tries a replacement.
    """

    first: Sandbox
    second: Sandbox
    limits: Limits
    tally: Tally = field(default_factory=Tally)
    known: dict[_Batch, Row] | None = None

    def for_trial(self) -> Executor:
        """The same executor for one trial: it counts that trial's calls alone, and runs nothing
        twice that the trial has run."""
        return structs.replace(self, tally=Tally(), known={})

    async def run(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        documented: Collection[str] = (),
        *,
        second: bool = False,
        anew: bool = False,
    ) -> tuple[Row, ...]:
        """One row of observations per program, without incidentals. Equal programs run once; with
        `anew`, also those of which it is known what they do.

        Exceptions are named by the documented types that they derive from. If the awaiting task is
        cancelled, the children are killed.
        """
        if not programs or not calls:
            return tuple(() for _ in programs)
        runner = self.second if second else self.first
        known = {} if self.known is None else self.known
        written = "\n".join(map(call_key, calls))
        batches = {each: (second, each, written) for each in programs}
        missing = [each for each, batch in batches.items() if anew or batch not in known]
        self.tally.calls += len(missing) * len(calls)
        if missing:
            rows = await _cancellable(
                lambda cancelled: runner.run_many(missing, calls, self.limits, cancelled=cancelled)
            )
            known |= zip([batches[each] for each in missing], rows, strict=True)
        return tuple(
            tuple(_seen(entry, documented) for entry in known[batches[each]]) for each in programs
        )

    async def run_twice(
        self, program: Program, calls: Sequence[Call], documented: Collection[str] = ()
    ) -> tuple[Row, Row]:
        """Run a program in both sandboxes at the same time. If one fails, the other is ended."""
        both = [
            asyncio.ensure_future(self.run([program], calls, documented, second=second))
            for second in (False, True)
        ]
        try:
            (first,), (second,) = await asyncio.gather(*both)
        finally:
            for each in both:
                each.cancel()
        return first, second

    async def covered(
        self, program: Program, calls: Sequence[Call], documented: Collection[str] = ()
    ) -> tuple[Covered, ...]:
        """The same as `run` of one program, with the lines of every call; several times slower."""
        if not calls:
            return ()
        self.tally.calls += len(calls)
        seen = await _cancellable(
            lambda cancelled: self.first.run_covered(
                program, calls, self.limits, cancelled=cancelled
            )
        )
        return tuple(
            replace(entry, observation=_seen(entry.observation, documented)) for entry in seen
        )

    async def changed(self, program: Program, calls: Sequence[Call]) -> frozenset[str]:
        """The names of what the calls change of what the program shares with others."""
        if not calls:
            return frozenset()
        self.tally.calls += len(calls)
        return await _cancellable(
            lambda cancelled: self.first.run_comparing(
                program, calls, self.limits, cancelled=cancelled
            )
        )


def _seen(observation: Observation, documented: Collection[str]) -> Observation:
    return normalised(without_incidentals(observation), documented)


async def _cancellable(work: Callable[[threading.Event], _Result]) -> _Result:
    """Do the work in a thread; set the event if nobody waits for its result any more."""
    cancelled = threading.Event()
    try:
        return await asyncio.to_thread(work, cancelled)
    except asyncio.CancelledError:
        cancelled.set()
        raise


@contextmanager
def open_executor(
    limits: Limits, interpreter: Path | None = None, *, workers: int | None = None
) -> Generator[Executor]:
    """An executor whose sandboxes are closed at the end. Nothing is started until it is used."""
    with (
        Sandbox(interpreter, workers=workers, surroundings=FIRST_SURROUNDINGS) as first,
        Sandbox(interpreter, workers=workers, surroundings=OTHER_SURROUNDINGS) as second,
    ):
        yield Executor(first, second, limits)


def limits_of(execution: Execution) -> Limits:
    return Limits(
        call_seconds=execution.call_seconds,
        load_seconds=LOAD_SECONDS,
        total_seconds=execution.batch_seconds,
        memory_bytes=execution.memory_bytes,
    )


def program_of(specification: Specification, source: str | None = None) -> Program:
    """The program of a specification, with `source` in place of its own text if given."""
    text, entry = source or specification.running_text, specification.callable_path
    if specification.unit.name in ANSWERING and len(specification.parameters) == 2:
        text, entry = with_operator(text, entry), OPERATOR
    return Program(text, entry, specification.place)


# An address as Python writes it at the end of such a text. It is longer than the 32-bit numbers
# that programs write themselves. Before it, there may be names in brackets
# (``<function f.<locals>.<lambda> at 0x…>``) and addresses that have been masked already. A program
# itself has written whatever stands outside of brackets.
_ADDRESS = re.compile(
    r"(<[^\W\d](?:[^<>\n]|<[a-z]{1,20}>|<[^<>\n]{1,200} at 0x\.\.\.>){0,500}? at 0x)"
    r"[0-9a-fA-F]{9,16}(?=[>,;: ])"
)
# One pair of brackets has two addresses at most: a weak reference's, and its object's.
_PASSES_MAX = 3
_HEADER = "Traceback (most recent call last):"
# A frame stands behind a bar where the exception is one of a group.
_FRAME = re.compile(r'( *(?:\| +)?)File "[^"\n]*", line [0-9]+, in ')
_REPEATED = re.compile(r"\[Previous line repeated [0-9]+ more times?\]")
_LINE = re.compile(r'(<program>"?, line )[0-9]+')
_SIGNS = (" at 0x", _HEADER, "<program>")
# A text in JSON, or the rest of one that does not end. Every quote begins a match, so that nothing
# is looked at twice.
_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)


def without_incidentals(observation: Observation) -> Observation:
    """An observation without addresses, frames of tracebacks and numbers of lines.

    It is the same object if there are none.
    """
    if not isinstance(observation, Returned | Raised):
        return observation
    text = observation.value if isinstance(observation, Returned) else observation.message
    told = (text, observation.stdout, observation.args_after, observation.files_after)
    if not any(_has_signs(part) for part in told if part is not None):
        return observation
    left = replace(
        observation,
        stdout=_masked(observation.stdout),
        args_after=_within(observation.args_after),
        files_after=_within(observation.files_after),
    )
    if isinstance(left, Returned):
        left = replace(left, value=_within(left.value))
    else:
        left = replace(left, message=_masked(left.message))
    return observation if left == observation else left


def _has_signs(text: str) -> bool:
    return any(sign in text for sign in _SIGNS)


def _within(encoded: Encoded | None) -> Encoded | None:
    """An encoded value with every text in it masked.

    It stays as it was if two of its members or keys would become one, or if it cannot be read. The
    encoded text is what is masked, since a value may be nested deeper than calls in Python.
    """
    if encoded is None or not _has_signs(encoded):
        return encoded
    masked = _TEXT.sub(_masked_in_json, encoded)
    if masked == encoded:
        return encoded
    value = value_of(Encoded(masked))
    if isinstance(value, Opaque):
        return encoded
    try:
        # Encoded again, because sets are written in the order of their members' texts.
        return encode(value)
    except (TypeError, RecursionError):
        return encoded


def _masked_in_json(found: re.Match[str]) -> str:
    written = found.group()
    if not _has_signs(written):
        return written
    try:
        return json.dumps(_masked(cast("str", json.loads(written))))
    except ValueError:
        return written


def _masked(text: str) -> str:
    if not _has_signs(text):
        return text
    for _ in range(_PASSES_MAX):
        text, count = _ADDRESS.subn(r"\1...", text)
        if not count:
            break
    return _LINE.sub(r"\1...", _without_frames(text))


def _without_frames(text: str) -> str:
    """A text without the lines below traceback headers that name a place, and deeper ones."""
    if _HEADER not in text:
        return text
    kept: list[str] = []
    margin: str | None = None
    is_led_to = False
    for line in text.split("\n"):
        if is_led_to:
            frame = _FRAME.match(line)
            if frame is not None and margin in (None, frame[1]):
                margin = frame[1]
                continue
            if margin is not None and line.startswith(margin):
                # The frame's source, or how often the frame was repeated.
                rest = line[len(margin) :]
                if rest.startswith(" ") or _REPEATED.fullmatch(rest):
                    continue
        is_led_to, margin = line.endswith(_HEADER), None
        kept.append(line)
    return "\n".join(kept)
