"""The caller of the sandbox in a trial: a process of its own, with secrets for a program to steal.

It reads one JSON job from standard input, answers in JSON lines, and stays until its input ends,
so that the judge can look for what is left.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from dataclasses import asdict, dataclass, replace
from time import monotonic, sleep
from typing import Any, cast

from assay_sandbox import (
    Call,
    Encoded,
    Instance,
    Iterated,
    Limits,
    Observation,
    Program,
    ProtocolError,
    Returned,
    Sandbox,
    SandboxError,
    Unserialisable,
    decode,
    encode,
)
from support import remains

# All in all within the four seconds after the deadline, including loading.
LIMITS = Limits(call_seconds=1.0, total_seconds=4.5)
HONEST = Program("def f(x):\n    return {'squares': [n * n for n in range(x)]}\n", entry="f")
HONEST_CALLS = tuple(Call((size,)) for size in range(20))
# The host learns of a child's end a moment after its last answer.
SETTLING_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The tool's report on one hostile program."""

    status: str
    text: str
    seconds: float
    observations: int
    equal: bool
    sibling_correct: bool
    next_correct: bool
    # The growth of memory at its peak, and when all was over.
    grown_bytes: int
    kept_bytes: int
    # Descriptors that are left when the sandbox is closed.
    kept_descriptors: tuple[str, ...] = ()


def main() -> int:
    job = cast("dict[str, Any]", json.loads(sys.stdin.readline()))
    # A descriptor that a careless parent leaves open for its children.
    os.set_inheritable(os.open(job["context"]["secret"], os.O_RDONLY), True)
    opened = remains.of_this_process()
    try:
        with Sandbox(tier=job["tier"], workers=2) as sandbox:
            answer = _try(sandbox, Program(job["source"], "f"), job["context"], job["expected"])
        # Only now: zygotes with packages are kept for the next program.
        left_open = _settled(opened).descriptors_beyond(opened)
        answer = replace(answer, kept_descriptors=left_open)
    except SandboxError as error:
        _say({"error": f"{type(error).__name__}: {error}"})
        return 1
    _say(asdict(answer))
    sys.stdin.read()
    return 0


def _say(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _try(sandbox: Sandbox, hostile: Program, context: object, expected: str) -> ToolAnswer:
    correct = sandbox.run(HONEST, HONEST_CALLS)
    _say({"began": sandbox.tier.name})
    before, held, began = _peak_bytes(), remains.of_this_process(), monotonic()
    # The same hostile program beside an honest one, whose answers it must not reach.
    alone = sandbox.run(hostile, [Call((context,))], LIMITS)
    seconds = monotonic() - began
    _hostile, sibling = sandbox.run_many((hostile, HONEST), [Call((context,))], LIMITS)
    following = sandbox.run(HONEST, HONEST_CALLS)
    observations, (observation,) = len(alone), alone
    status, text = _status_of(observation), f"{observation!r}"[:100_000]
    equal = _equals(observation, expected)
    # Freed here: observations belong to the caller, which no longer needs them.
    del alone, observation, _hostile
    kept = remains.of_this_process()
    return ToolAnswer(
        status=status,
        text=text,
        seconds=seconds,
        observations=observations,
        equal=equal,
        sibling_correct=type(sibling[0]).__name__ == "Raised" and _all_returned(correct),
        next_correct=following == correct,
        grown_bytes=max(0, _peak_bytes() - before),
        kept_bytes=max(0, kept.resident_bytes - held.resident_bytes),
    )


def _settled(before: remains.Holdings) -> remains.Holdings:
    """The holdings of this process after it has had time to release what it no longer needs."""
    ends = monotonic() + SETTLING_SECONDS
    while True:
        now = remains.of_this_process()
        if not now.descriptors_beyond(before) or monotonic() > ends:
            return now
        sleep(0.01)


def _status_of(observation: Observation) -> str:
    """`ok`, `cut` for an iteration stopped at its limit, `cycle` for a value that contains itself,
    `opaque`, or the observation's name."""
    if isinstance(observation, Unserialisable):
        return "opaque"
    if not isinstance(observation, Returned):
        return type(observation).__name__
    try:
        value = decode(observation.value)
    except ProtocolError:
        return "undecodable"
    if isinstance(value, Iterated) and not value.complete:
        return "cut"
    # Within a text of the program, the quotes would be escaped.
    return "cycle" if '{"cycle":' in observation.value else "ok"


def _equals(observation: Observation, expected: str) -> bool:
    if not isinstance(observation, Returned) or _status_of(observation) == "undecodable":
        return False
    value = decode(observation.value)
    inside = value.fields if isinstance(value, Instance) else ()
    return (
        observation.value == encode(expected)
        or value == expected
        or any(item == expected for _name, item in inside)
    )


def _all_returned(observations: tuple[Observation, ...]) -> bool:
    wanted = [encode({"squares": [n * n for n in range(size)]}) for size in range(20)]
    found: list[Encoded | None] = [
        observation.value if isinstance(observation, Returned) else None
        for observation in observations
    ]
    return found == wanted


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    sys.exit(main())
