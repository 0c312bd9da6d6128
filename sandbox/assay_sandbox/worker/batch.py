"""The calls of one batch, one after the other, and what is said about each."""

from __future__ import annotations

import io
import marshal
import sys
import types
from json import loads
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import coverage, deadline, decoding, encoding, failures, refusals, streams, wire

NO_KEYWORDS = '],{"dict":[]}]'
# Without references: their presence depends on who else holds an object.
MARSHAL_FORMAT = 2

Changed = Callable[[], str]


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
    ) -> None:
        self._wire = out
        self._clock = deadline.Deadline(out)
        self._output = output
        self._refused = refused
        self._encoder = encoder
        self._tracer = tracer
        self._call_seconds: float = limits["call_seconds"]
        self._load_seconds: float = limits["load_seconds"]
        self._items: int = limits["iterator_items"]
        self._seed: Optional[Callable[[], None]] = None

    def load(self, index: int, loading: Callable[[], Any]) -> Any:
        """What `loading` gives; None if it failed, which has then been said for call `index`."""
        self._clock.arm()
        self._refused.begin()
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
        lines: List[str],
        inputs: Dict[int, str],
        start: int,
    ) -> None:
        """Call `function` with every line's arguments from `start` on."""
        parsed: List[Any] = loads("[%s]" % ",".join(lines[start:]))
        self._seed = seed
        no_input = io.StringIO()
        for index in range(start, len(lines)):
            line = lines[index]
            self._wire.begin(index)
            self._refused.begin()
            self._output.begin()
            sys.stdin = io.StringIO(inputs[index]) if index in inputs else no_input
            try:
                arguments = parsed[index - start]
                if line.endswith(NO_KEYWORDS) and "{" not in line[: -len(NO_KEYWORDS)]:
                    self._plain(index, function, arguments[0], line)
                else:
                    self._tagged(index, function, arguments, decoder)
            except BaseException as error:
                # The deadline struck while a failure was being described.
                self._clock.stop()
                self._failed(index, error, 0.0, "")

    def _plain(self, index: int, function: Any, arguments: List[Any], line: str) -> None:
        """A call whose arguments are plain JSON, so that `line` says how they were before."""
        if "[" not in line[2 : -len(NO_KEYWORDS)]:
            self._call(index, function, arguments, {}, None)
            return
        before = marshal.dumps(arguments, MARSHAL_FORMAT)

        def changed() -> str:
            try:
                if marshal.dumps(arguments, MARSHAL_FORMAT) == before:
                    return ""
            except ValueError:
                # There is something in it now that is not plain, or not finite.
                pass
            after = self._arguments(arguments, {})
            return "" if after == line else after

        self._call(index, function, arguments, {}, changed)

    def _tagged(self, index: int, function: Any, arguments: Any, decoder: decoding.Decoder) -> None:
        self._clock.start(self._call_seconds)
        try:
            positional = decoder.value(arguments[0])
            keywords = decoder.keywords(arguments[1])
            before = self._arguments(positional, keywords)
            self._clock.stop()
        except Exception as error:
            seconds = self._clock.stop()
            name, message = failures.described(error, self._encoder)
            ours = type(error) is decoding.Unbuildable
            what = f"input: {message}" if ours else f"input: {name}: {message}"
            self._wire.add(index, wire.UNSERIALISABLE, seconds, failures.texts(what))
            return

        def changed() -> str:
            after = self._arguments(positional, keywords)
            return "" if after == before else after

        self._call(index, function, positional, keywords, changed)

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
        changed: Optional[Changed],
    ) -> None:
        if self._seed is not None:
            self._seed()
        if self._tracer is not None:
            self._tracer.begin()
        self._clock.start(self._call_seconds)
        try:
            value = function(*positional, **keywords)
            seen: object = value
            kind = type(seen)
            if kind is types.CoroutineType or kind is types.AsyncGeneratorType:
                text = self._awaited(value)
            else:
                text = self._encoder.value(value, drawing=True)
            after = "" if changed is None else changed()
            if self._output.exceeded:
                raise streams.TooMuchOutput
            seconds = self._clock.stop()
        except BaseException as error:
            seconds = self._clock.stop()
            # Describing can run code of the program, its `__str__` say: it gets its time.
            self._clock.start(self._call_seconds)
            after = "" if changed is None else changed()
            self._failed(index, error, seconds, after)
            return
        if text.startswith('{"opaque"'):
            self._wire.add(index, wire.UNSERIALISABLE, seconds, text, after)
            self._output.take()
            return
        self._wire.add(
            index, wire.RETURNED, seconds, text, after, self._output.take(), self._covered()
        )

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
