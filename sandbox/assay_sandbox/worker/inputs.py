"""The calls of a batch, as the host hands them over."""

from __future__ import annotations

import gc
from marshal import loads

from . import known, watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional


class Inputs:
    """The calls of a batch, and what is around them.

    By call: the packed form of its arguments; what it is called with, or typed JSON of that where
    `watched` has None, because it can only be made in the program. `modules` are those of standard
    types among the arguments.
    """

    # Written out: making a named tuple costs every start 2.5 ms.
    __slots__ = ("modules", "packed", "parsed", "scenes", "stdin", "watched")

    def __init__(
        self,
        packed: List[bytes],
        parsed: List[Any],
        watched: List[Optional[watching.Watched]],
        stdin: Dict[int, str],
        scenes: Dict[int, List[Any]],
        modules: List[str],
    ) -> None:
        self.packed = packed
        self.parsed = parsed
        self.watched = watched
        self.stdin = stdin
        self.scenes = scenes
        self.modules = modules

    def touch(self) -> None:
        """Have this process copy the pages that these are on, which whoever forked it has, too.

        Looking at an object counts a reference in it. Every call copies those of its own otherwise.
        """
        for _arguments, watched in zip(self.parsed, self.watched):  # noqa: B905 (3.9)
            for looked_at in watched or ():
                for _part in looked_at:
                    continue


def read_inputs(content: bytes) -> Inputs:
    """What the host's `wire.inputs_bytes` says, made for the first program that is called."""
    # What is there for good is not worth looking through again and again. What a call is given is
    # not frozen: a program can make rings of it, which nobody else would ever find.
    gc.freeze()
    gc.disable()
    packed, tagged, stdin, scenes = loads(content)
    parsed = list(map(loads, packed))
    watched: List[Optional[watching.Watched]] = [
        None if place in tagged else watching.watched(arguments)
        for place, arguments in enumerate(parsed)
    ]
    gc.enable()
    # What is plain has none, and most inputs are.
    typed = content if scenes else b"".join(packed[place] for place in tagged)
    return Inputs(packed, parsed, watched, stdin, scenes, known.named(typed))
