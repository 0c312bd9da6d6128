"""The format of data between host and child; `worker/wire.py` is the other half."""

from __future__ import annotations

import json
import marshal
from collections.abc import Sequence
from dataclasses import asdict
from struct import Struct
from typing import Any, Final, Literal, TypeAlias

from .encoding import encode, is_plain
from .programs import Call, Limits, Program, Surroundings, scene_value

# The page's first call, number of answers, first entry, bytes of entries.
PAGE_HEADER: Final = Struct("<qqqq")
NUMBERS_START: Final = 4096
NUMBERS: Final = 2048
TEXT_START: Final = NUMBERS_START + 4 * NUMBERS
TEXT_BYTES: Final = 64 << 10
PAGE_BYTES: Final = TEXT_START + TEXT_BYTES
FRAME_HEADER: Final = Struct("<I16sI?")
TOKEN_BYTES: Final = 16
MARSHAL_FORMAT: Final = 2
Watch: TypeAlias = Literal["", "lines", "seconds", "shared"]

LOADING: Final = -1
OVERDUE_EXIT: Final = 71
TORN_EXIT: Final = 73

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


def inputs_bytes(calls: Sequence[Call]) -> bytes:
    """Arguments of each call, which of them are typed JSON, and the calls' surroundings."""
    tagged = _tagged(calls)
    packed = [_packed(call, tagged=index in tagged) for index, call in enumerate(calls)]
    stdin = {index: call.stdin for index, call in enumerate(calls) if call.stdin}
    scenes = {
        index: json.loads(encode(scene_value(call.scene)))
        for index, call in enumerate(calls)
        if call.scene is not None
    }
    return marshal.dumps((packed, tagged, stdin, scenes), MARSHAL_FORMAT)


def _tagged(calls: Sequence[Call]) -> set[int]:
    """Which calls are written as typed JSON: those with more than plain arguments."""
    simple = [index for index, call in enumerate(calls) if call.scene is None and not call.kwargs]
    return set(range(len(calls))).difference(simple) | _not_plain(calls, simple)


def _not_plain(calls: Sequence[Call], among: Sequence[int]) -> set[int]:
    """Calls whose arguments are not plain. By halves: most are, and many are checked at once."""
    if is_plain(*[calls[index].args for index in among]):
        return set()
    if len(among) == 1:
        return set(among)
    middle = len(among) // 2
    return _not_plain(calls, among[:middle]) | _not_plain(calls, among[middle:])


def _packed(call: Call, *, tagged: bool) -> bytes:
    """Arguments in a format that every interpreter reads several times faster than text. The host
    never reads it."""
    given: Any = tuple(call.args)
    if tagged:
        given = json.loads(encode([list(call.args), dict(call.kwargs)]))
    return marshal.dumps(given, MARSHAL_FORMAT)


def program_text(
    program: Program,
    limits: Limits,
    surroundings: Surroundings,
    *,
    start: int,
    token: bytes,
    watch: Watch = "",
    texts: bool = False,
) -> bytes:
    """The job of one child, from call number `start` on. `watch`: what to record of each call
    beside the observation. `texts`: whether the project comes along, since no file can be
    opened; else the zygote has its place."""
    place = program.place.told(texts=True) if program.place is not None and texts else None
    return marshal.dumps(
        {
            "source": program.source,
            "entry": program.entry,
            "place": place,
            "start": start,
            "token": token,
            "watch": watch,
            "limits": asdict(limits),
            "surroundings": asdict(surroundings),
        },
        MARSHAL_FORMAT,
    )
