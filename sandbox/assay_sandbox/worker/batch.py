"""The calls of one batch, one after the other, and what is said about each."""

from __future__ import annotations

import io
import sys
import types
from marshal import dumps
from operator import is_
from sys import getrecursionlimit
from time import monotonic
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from . import (
    coverage,
    deadline,
    decoding,
    encoding,
    failures,
    refusals,
    stage,
    streams,
    wire,
)

# Without references: their presence depends on who else holds an object.
MARSHAL_FORMAT = 2
NO_KEYWORDS: Dict[str, Any] = {}

# What the host found out about a call's arguments, so that no child need look again: nothing to
# change, lists of what cannot change, other plain JSON, anything else.
IMMUTABLE, FLAT, NESTED, TAGGED = "i", "f", "n", "t"


class Inputs(NamedTuple):
    """The calls of a batch: typed JSON and its parsed form, a letter each, what is around them."""

    lines: List[str]
    parsed: List[Any]
    kinds: str
    stdin: Dict[int, str]
    scenes: Dict[int, List[Any]]


class Batch:
    """Everything that stays the same from call to call."""

    def __init__(
        self,
        out: wire.Wire,
        output: streams.Output,
        refused: refusals.Refusals,
        encoder: encoding.Encoder,
        tracer: Optional[coverage.Tracer],
        limits: Dict[str, Any],
        staging: Optional[stage.Stage],
    ) -> None:
        self._wire = out
        self._clock = deadline.Deadline(out)
        self._output = output
        self._refused = refused
        self._encoder = encoder
        self._tracer = tracer
        self._stage = staging
        self._call_seconds: float = limits["call_seconds"]
        self._load_seconds: float = limits["load_seconds"]
        self._items: int = limits["iterator_items"]
        self._seed: Optional[Callable[[], None]] = None
        self._recursion_limit = getrecursionlimit()

    def load(self, index: int, loading: Callable[[], Any]) -> Any:
        """What `loading` gives; None if it failed, which has then been said for call `index`."""
        self._clock.arm()
        seconds = 0.0
        try:
            self._clock.start(self._load_seconds)
            found = loading()
            self._clock.stop()
        except BaseException as error:
            seconds = self._clock.stop()
            kind, message = failures.loading(error, self._encoder, self._load_seconds)
            self._wire.add(index, wire.LOAD_FAILED, seconds, failures.texts(kind, message))
            return None
        # What importing printed belongs to no call.
        self._output.take()
        return found

    def run(
        self,
        function: Any,
        decoder: decoding.Decoder,
        seed: Optional[Callable[[], None]],
        inputs: Inputs,
        start: int,
    ) -> None:
        """Call `function` with every line's arguments from `start` on."""
        lines, parsed, kinds, stdin, _scenes = inputs
        self._seed = seed
        output, refused = self._output, self._refused
        no_input = io.StringIO()
        self._wire.begin(start)
        for index in range(start, len(lines)):
            refused.event = ""
            sys.stdout = output
            sys.stdin = io.StringIO(stdin[index]) if index in stdin else no_input
            arguments = parsed[index]
            # Nobody else shall find, or keep alive, what this call was given.
            parsed[index] = None
            try:
                kind = kinds[index]
                if kind == TAGGED:
                    self._tagged(index, function, arguments, decoder)
                    continue
                positional = arguments[0]
                before: Any = None
                if kind == FLAT:
                    before = _likeness(positional)
                elif kind == NESTED:
                    before = dumps(positional, MARSHAL_FORMAT)
                self._call(index, function, positional, NO_KEYWORDS, before, lines[index])
            except BaseException as error:
                # The deadline struck while a failure was being described.
                self._clock.stop()
                self._failed(index, error, 0.0, "")

    def _tagged(self, index: int, function: Any, arguments: Any, decoder: decoding.Decoder) -> None:
        self._clock.start(self._call_seconds)
        try:
            positional = decoder.value(arguments[0])
            keywords = decoder.keywords(arguments[1])
            line = self._arguments(positional, keywords)
            staged = self._stage is not None and self._stage.enter(index)
            self._clock.stop()
        except Exception as error:
            seconds = self._clock.stop()
            name, message = failures.described(error, self._encoder)
            ours = type(error) is decoding.Unbuildable
            what = f"input: {message}" if ours else f"input: {name}: {message}"
            self._wire.add(index, wire.UNSERIALISABLE, seconds, failures.texts(what))
            return
        try:
            # No plain copy to compare first: an empty one never equals.
            self._call(index, function, positional, keywords, b"", line)
        finally:
            if self._stage is not None and staged:
                self._stage.leave()

    def _changed(
        self, positional: List[Any], keywords: Dict[str, Any], before: Any, line: str
    ) -> str:
        """The arguments' text if it differs from `line`, else nothing.

        `before` is a cheap likeness from before the call: if that still fits, so does `line`.
        """
        if before is None:
            return ""
        if not isinstance(before, bytes):
            if all(map(_same_items, *before)):
                return ""
        else:
            try:
                if before and dumps(positional, MARSHAL_FORMAT) == before:
                    return ""
            except ValueError:
                # There is something in it now that is not plain.
                pass
        after = self._arguments(positional, dict(keywords))
        changed = "" if after == line else after
        return changed if self._stage is None else self._stage.told(changed)

    def _arguments(self, positional: List[Any], keywords: Dict[str, Any]) -> str:
        try:
            return self._encoder.value([positional, keywords], drawing=False)
        except encoding.Unencodable as reason:
            return self._encoder.opaque(reason.kind, reason.reason)

    def _call(
        self,
        index: int,
        function: Any,
        positional: List[Any],
        keywords: Dict[str, Any],
        before: Any,
        line: str,
    ) -> None:
        clock, output = self._clock, self._output
        if self._seed is not None:
            self._seed()
        if self._stage is not None:
            self._stage.seed()
        if self._tracer is not None:
            self._tracer.begin()
        clock.ignored = 0
        clock.seconds = self._call_seconds
        clock.started = began = monotonic()
        clock.running = True
        try:
            value = function(*positional, **keywords)
            if getrecursionlimit() != self._recursion_limit:
                # What follows is ours, and it was not the program's to make room for.
                sys.setrecursionlimit(self._recursion_limit)
            seen: object = value
            kind = type(seen)
            if kind is types.CoroutineType or kind is types.AsyncGeneratorType:
                text = self._awaited(value)
            else:
                text = self._encoder.value(value, drawing=True)
            after = "" if before is None else self._changed(positional, keywords, before, line)
            if output.exceeded:
                raise streams.TooMuchOutput
            clock.running = False
            seconds = monotonic() - began
        except BaseException as error:
            seconds = clock.stop()
            # Describing can run code of the program, its `__str__` say: it gets its time.
            clock.start(self._call_seconds)
            self._failed(index, error, seconds, self._changed(positional, keywords, before, line))
            return
        printed = output.take() if output.used else b""
        if text.startswith('{"opaque"'):
            self._wire.add(index, wire.UNSERIALISABLE, seconds, text, after)
            return
        self._wire.add(index, wire.RETURNED, seconds, text, after, printed, self._covered())

    def _awaited(self, value: Any) -> str:
        import asyncio

        seen: object = value
        if type(seen) is types.CoroutineType:
            return self._encoder.value(asyncio.run(value), drawing=True)
        items, complete = asyncio.run(_collected(value, self._items))
        return self._encoder.drawn("async_generator", items, complete)

    def _covered(self) -> str:
        return "" if self._tracer is None else self._tracer.take()

    def _failed(self, index: int, error: BaseException, seconds: float, after: str) -> None:
        status, text = failures.judge(error, self._encoder, self._refused)
        self._clock.stop()
        self._output.exceeded = False
        self._wire.add(index, status, seconds, text, after, self._output.take(), self._covered())


async def _collected(source: Any, limit: int) -> Tuple[List[Any], bool]:
    items: List[Any] = []
    async for item in source:
        if len(items) >= limit:
            return items, False
        items.append(item)
    return items, True


def _likeness(positional: List[object]) -> Tuple[List[Any], List[Any]]:
    """The lists among the arguments, and copies of them."""
    lists: List[Any] = [items for items in positional if type(items) is list]
    return lists, [items[:] for items in lists]


def _same_items(now: List[Any], saved: List[Any]) -> bool:
    """Whether a list of what cannot change still holds the very same things."""
    return len(now) == len(saved) and all(map(is_, now, saved))
