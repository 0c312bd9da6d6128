"""The shape of what passes between host and child; `worker/wire.py` holds the other half."""

from __future__ import annotations

import json
import marshal
from collections.abc import Sequence
from struct import Struct
from typing import Any, Final, cast

from .codec import encode
from .programs import Call, Limits, Program, Surroundings
from .scenes import scene_value

# First call of the page, its answers, its first entry, bytes of its entries.
PAGE_HEADER: Final = Struct("<qqqq")
NUMBERS_START: Final = 4096
NUMBERS: Final = 2048
TEXT_START: Final = NUMBERS_START + 4 * NUMBERS
TEXT_BYTES: Final = 64 << 10
PAGE_BYTES: Final = TEXT_START + TEXT_BYTES
FRAME_HEADER: Final = Struct("<I16sI?")
TOKEN_BYTES: Final = 16
INPUTS_HEADER: Final = Struct("<Q")
MARSHAL_FORMAT: Final = 2

LOADING: Final = -1
OVERDUE_EXIT: Final = 71
# How a WebAssembly runtime ends whose guest did what its machine does not allow.
TRAPPED_EXIT: Final = 72

(
    RETURNED,
    RAISED,
    TIMED_OUT,
    OUT_OF_MEMORY,
    OUTPUT_EXCEEDED,
    REFUSED,
    UNSERIALISABLE,
    LOAD_FAILED,
) = range(8)


# A place that one digit can say.
LAST_PLACE: Final = 9
# What takes the slower way in the worker.
TAGGED: Final = "t"
NO_KEYWORDS: Final = '],{"dict":[]}]'


def inputs_text(calls: Sequence[Call]) -> bytes:
    """The parsed calls and what is around them; one line of typed JSON per call."""
    lines = [encode([list(call.args), dict(call.kwargs)]) for call in calls]
    stdin = {index: call.stdin for index, call in enumerate(calls) if call.stdin}
    scenes = {
        index: json.loads(encode(scene_value(call.scene)))
        for index, call in enumerate(calls)
        if call.scene is not None
    }
    known = [_known(line, index in scenes) for index, line in enumerate(lines)]
    kinds = "".join(kind for kind, _parsed in known)
    parsed = [arguments for _kind, arguments in known]
    # Parsed here once, so that no child need: plain lists, dicts and leaves, in a form that every
    # interpreter reads several times faster than JSON. Nothing ever comes back in it.
    around = marshal.dumps((parsed, kinds, stdin, scenes), MARSHAL_FORMAT)
    text = "\n".join(lines).encode("ascii")
    return INPUTS_HEADER.pack(len(around)) + around + text


def _known(line: str, staged: bool) -> tuple[str, object]:
    """What kind of call this is, see the worker's `batch.py`, and its arguments' parsed form."""
    parsed: list[Any] = json.loads(line)
    arguments = line[2 : -len(NO_KEYWORDS)]
    if staged or not line.endswith(NO_KEYWORDS) or "{" in arguments:
        return TAGGED, parsed
    positional: list[object] = parsed[0]
    lists = [place for place, argument in enumerate(positional) if type(argument) is list]
    if not lists:
        kind = "i"
    elif any(type(item) is list for place in lists for item in cast("Any", positional[place])):
        kind = "n"
    else:
        kind = str(lists[0]) if len(lists) == 1 and lists[0] <= LAST_PLACE else "f"
    return kind, tuple(positional)


def program_text(
    program: Program,
    limits: Limits,
    surroundings: Surroundings,
    *,
    start: int,
    token: bytes,
    coverage: bool,
) -> bytes:
    """What one child is to do, from call number `start` on."""
    return marshal.dumps(
        {
            "source": program.source,
            "entry": program.entry,
            "modules": tuple(program.modules),
            "start": start,
            "token": token,
            "coverage": coverage,
            "limits": {
                "call_seconds": limits.call_seconds,
                "load_seconds": limits.load_seconds,
                "total_seconds": limits.total_seconds,
                "memory_bytes": limits.memory_bytes,
                "value_bytes": limits.value_bytes,
                "stdout_bytes": limits.stdout_bytes,
                "iterator_items": limits.iterator_items,
            },
            "surroundings": {
                "random_seed": surroundings.random_seed,
                "frozen_time": surroundings.frozen_time,
            },
        },
        MARSHAL_FORMAT,
    )
