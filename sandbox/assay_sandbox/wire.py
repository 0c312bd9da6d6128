"""The shape of what passes between host and child; `worker/wire.py` holds the other half."""

from __future__ import annotations

import json
import marshal
import re
from collections.abc import Sequence
from struct import Struct
from typing import Final

from .codec import encode
from .programs import Call, Limits, Program, Surroundings
from .scenes import scene_value

PAGE_HEADER: Final = Struct("<qq")
BUFFER_START: Final = 4096
BUFFER_BYTES: Final = 64 << 10
PAGE_BYTES: Final = BUFFER_START + BUFFER_BYTES
FRAME_HEADER: Final = Struct("<I16s")
RECORD: Final = Struct("<IBdIIII")
TOKEN_BYTES: Final = 16
INPUTS_HEADER: Final = Struct("<Q")
MARSHAL_FORMAT: Final = 2

LOADING: Final = -1
OVERDUE_EXIT: Final = 71

(
    RETURNED,
    RAISED,
    TIMED_OUT,
    OUT_OF_MEMORY,
    OUTPUT_EXCEEDED,
    REFUSED,
    UNSERIALISABLE,
    LOAD_FAILED,
    DONE,
) = range(9)


# What takes the slower way in the worker: see `_kind`.
TAGGED: Final = "t"
NO_KEYWORDS: Final = '],{"dict":[]}]'


def inputs_text(calls: Sequence[Call]) -> bytes:
    """The parsed calls; one line of typed JSON per call; one about all of them."""
    lines = [encode([list(call.args), dict(call.kwargs)]) for call in calls]
    stdin = {index: call.stdin for index, call in enumerate(calls) if call.stdin}
    scenes = {
        index: json.loads(encode(scene_value(call.scene)))
        for index, call in enumerate(calls)
        if call.scene is not None
    }
    kinds = [TAGGED if index in scenes else _kind(line) for index, line in enumerate(lines)]
    about = {"kinds": "".join(kinds), "stdin": stdin, "scenes": scenes}
    # Parsed here once, so that no child need: plain lists, dicts and leaves, in a form that every
    # interpreter reads several times faster than JSON. Nothing ever comes back in it.
    parsed = marshal.dumps([json.loads(line) for line in lines], MARSHAL_FORMAT)
    text = "\n".join([*lines, json.dumps(about)]).encode("ascii")
    return INPUTS_HEADER.pack(len(parsed)) + parsed + text


def _kind(line: str) -> str:
    """Found out once for every child: `i`mmutable, `f`lat or `n`ested plain JSON, or `t`agged."""
    arguments = line[2 : -len(NO_KEYWORDS)]
    if not line.endswith(NO_KEYWORDS) or "{" in arguments:
        return TAGGED
    if "[" not in arguments:
        return "i"
    # A list within a list begins before the one around it ends.
    flat = all("[" not in part for part in re.findall(r"\[([^\]]*)", arguments))
    return "f" if flat else "n"


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
    return json.dumps(
        {
            "source": program.source,
            "entry": program.entry,
            "modules": program.modules,
            "start": start,
            "token": token.hex(),
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
        }
    ).encode("ascii")
