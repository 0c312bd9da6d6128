"""The calls of a batch, as the host hands them over."""

from __future__ import annotations

import gc
from marshal import loads

from . import known, watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class BatchInputs:
    """The calls of a batch, and their surroundings.

    By call: `packed` has the packed form of its arguments, `parsed` the arguments themselves. Where
    `watched` has None, `parsed` has their typed JSON, because only the program can make them.
    `modules` are those of standard types among the arguments, and the one that awaits.
    """

    # Written out, because making a named tuple costs every start 2.5 ms.
    __slots__ = ("modules", "packed", "parsed", "scenes", "stdin", "watched")

    def __init__(
        self,
        packed: list[bytes],
        parsed: list[Any],
        watched: list[watching.Watched | None],
        stdin: dict[int, str],
        scenes: dict[int, list[Any]],
        modules: list[str],
    ) -> None:
        self.packed = packed
        self.parsed = parsed
        self.watched = watched
        self.stdin = stdin
        self.scenes = scenes
        self.modules = modules

    def touch(self) -> None:
        """Make this process copy the pages with these objects, which it shares with its parent.

        Reading an object changes its reference count. Otherwise each call would copy its own pages.
        """
        for _arguments, watched in zip(self.parsed, self.watched):  # noqa: B905 (3.9)
            for looked_at in watched or ():
                for _part in looked_at:
                    continue


def read_inputs(content: bytes) -> BatchInputs:
    """The inputs of the host's `wire.inputs_bytes`, made before the first program is called."""
    # The garbage collector need not traverse permanent objects again and again. Arguments are not
    # frozen: a program can make reference cycles of them, which would then never be collected.
    gc.freeze()
    gc.disable()
    packed, tagged, stdin, scenes = loads(content)
    parsed = list(map(loads, packed))
    watched: list[watching.Watched | None] = [
        None if place in tagged else watching.watched(arguments)
        for place, arguments in enumerate(parsed)
    ]
    gc.enable()
    # Plain arguments have no such types, and most inputs are plain.
    typed = content if scenes else b"".join(packed[place] for place in tagged)
    modules = known.named(typed)
    if b"await" in typed or b"async" in typed:
        modules.append("asyncio")
    return BatchInputs(packed, parsed, watched, stdin, scenes, modules)
