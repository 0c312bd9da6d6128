"""Makes the calls of one batch, one after the other, and answers each."""

from __future__ import annotations

import io
import sys
from sys import getrecursionlimit

from .. import origin
from ..bounds import deadline, streams, wire
from ..bounds.depth import Depth
from ..core import signal
from ..inspecting import kind_of
from ..values import awaiting, decoding, encoding
from ..values.encoding import OPAQUE
from . import failures
from .inputs import Changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from ..scene.stage import Stage
    from .failures import Refusals
    from .inputs import BatchInputs, Watched
    from .recording import CallStopwatch, LineTracer, SharedState

    # Parts of an entry: status, value or its replacement, and arguments after the call.
    Outcome = tuple[int, str, str]

# Bound here, because a program can replace `io.TextIOWrapper`.
_Wrapper = io.TextIOWrapper


def put_back(output: Any) -> None:
    """Restore our standard output; flush the program's, whose buffer belongs to this call."""
    found: Any = getattr(sys, "stdout", None)
    if found is output:
        return
    sys.stdout = output
    if kind_of(found) is _Wrapper:
        try:
            _Wrapper.flush(found)
        except (deadline.OutOfTime, streams.Overstepped):
            raise
        except BaseException:
            # The program's stream may be closed, or lead to a closed one or to the program's code.
            # The call has returned, or raised, before.
            return


NO_KEYWORDS: dict[str, Any] = {}
# Memory held in reserve, for reporting that a program has used up all of its memory.
RESERVED_BYTES = 4 << 20
# Statuses whose answers are sent at once, so that no later call can suppress them. Results and
# exceptions a program could have chosen anyway, and sending takes as long as many a call.
IMPOSED = frozenset((wire.TIMED_OUT, wire.OUT_OF_MEMORY, wire.OUTPUT_EXCEEDED, wire.REFUSED))


class BatchRun:
    """Everything that stays the same from call to call."""

    def __init__(
        self,
        out: wire.Wire,
        standard: streams.Streams,
        refused: Refusals,
        encoder: encoding.Encoder,
        watch: LineTracer | CallStopwatch | SharedState | None,
        limits: dict[str, Any],
        staging: Stage | None,
        ticker: deadline.Ticker,
        *,
        alarming: bool,
    ) -> None:
        self._wire = out
        self._clock = deadline.Deadline(out, standard.printed, ticker)
        self._output = standard.output
        self._printed = standard.printed
        self._refused = refused
        self._encoder = encoder
        self._watch = watch
        self._stage = staging
        self._alarming = alarming
        self._call_seconds: float = limits["call_seconds"]
        self._load_seconds: float = limits["load_seconds"]
        self._items: int = limits["iterator_items"]
        # What is to be set anew before every call.
        self._anew: tuple[Callable[[], None], ...] = ()
        self._depth = Depth()
        # Of the call under way.
        self.loop = awaiting.Loop()
        self._changes = Changes(encoder, staging)
        # Not a bytearray, which writes its zeros: the pages of `bytes` are never touched.
        self._reserve: bytes | None = bytes(RESERVED_BYTES)

    def begin_load(self, seconds: float) -> None:
        """Begin the time for loading, of which so many `seconds` were used beforehand."""
        self._clock.arm()
        self._clock.start(self._load_seconds)
        if seconds > self._load_seconds:
            self._clock.strike()

    def load(self, start: int, loading: Callable[[], Any]) -> Any:
        """Return what `loading` gives; if it fails, answer call `start` and return None."""
        try:
            found = loading()
            self._clock.stop()
            self._depth.make_room()
            if self._printed.exceeded:
                raise streams.Overstepped
        except BaseException as error:
            self._clock.stop()
            self._depth.make_room()
            over = self._over()
            kind, message = failures.loading(error, over, self._encoder, self._load_seconds)
            self._wire.begin(start)
            self._wire.answer(wire.entry(wire.LOAD_FAILED, failures.texts(kind, message)))
            return None
        self._printed.settle()
        return found

    def run(
        self,
        function: Any,
        decoder: decoding.Decoder,
        anew: tuple[Callable[[], None], ...],
        inputs: BatchInputs,
        start: int,
    ) -> None:
        """Call `function` with every line's arguments from `start` on."""
        packed, parsed, stdin = inputs.packed, inputs.parsed, inputs.stdin
        self._anew = anew
        output, depth = self._output, self._depth
        no_input = streams.InputStream("")
        sys.stdout = output
        self._wire.begin(start)
        self._clock.seconds = self._call_seconds
        plain = not (anew or stdin or self._stage or self._watch or self._alarming)
        index = start
        # Not `while index < …`, for the reason that the loop in `_usual` is a `for`.
        while True:
            if index == len(packed):
                break
            watched = inputs.watched[index]
            if plain and watched is not None and not depth.lowered:
                # Usual calls, the only ones whose speed matters.
                index = self._usual(function, inputs, index, no_input)
                continue
            if stdin or getattr(sys, "stdin", None) is not no_input:
                sys.stdin = streams.InputStream(stdin[index]) if index in stdin else no_input
            arguments = parsed[index]
            # Drop our references, so that no later call finds or keeps alive these arguments.
            parsed[index] = inputs.watched[index] = None
            try:
                if watched is None:
                    outcome = self._tagged(index, function, arguments, decoder)
                else:
                    self._begin_anew()
                    outcome = self._call(function, arguments, NO_KEYWORDS, watched, packed[index])
                # As in `_usual`.
                arguments = watched = None
                self._clock.stop()
                if self._alarming:
                    # An alarm that this call has set must not end the next call.
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except BaseException as error:
                self._reserve = None
                outcome = self._failed_again(error)
            self._finish(*outcome)
            index += 1

    def _usual(
        self, function: Any, inputs: BatchInputs, index: int, no_input: streams.InputStream
    ) -> int:
        """Make calls from `index` on, up to one of another kind; return the index of that one.

        Does the same as `_call` for plain arguments with nothing around them. It is written out,
        because all that a usual call needs costs no more than calling `_call` would.
        """
        packed, parsed, all_watched = inputs.packed, inputs.parsed, inputs.watched
        clock, printed, output = self._clock, self._printed, self._output
        usual, answer = self._encoder.usual, self._wire.answer
        depth, usual_depth = self._depth, self._depth.usual
        value: Any = None
        # A `for`, because CPython 3.11 specialises no loop that ends in a conditional jump.
        for current in range(index, len(packed)):
            watched = all_watched[current]
            if watched is None or depth.lowered:
                return current
            try:
                if sys.stdin is not no_input:
                    sys.stdin = no_input
            except AttributeError:
                sys.stdin = no_input
            arguments = parsed[current]
            parsed[current] = all_watched[current] = None
            status = wire.RETURNED
            try:
                clock.running = True
                try:
                    value = function(*arguments)
                    if getrecursionlimit() < usual_depth:
                        # Only `_call` gives the depth back, so no further call is usual.
                        depth.make_room()
                    try:
                        if sys.stdout is not output:
                            put_back(output)
                    except AttributeError:
                        put_back(output)
                    after = ""
                    text = usual(value)
                    if not text:
                        text = self._text(value)
                        if text[:9] == OPAQUE:
                            status = wire.UNSERIALISABLE
                    # `watching.unchanged`, spelled out.
                    for items, before, alike in watched:
                        if len(items) != len(before) or not all(map(alike, items, before)):
                            after = self._changes.told(arguments, NO_KEYWORDS, packed[current])
                            break
                except BaseException as error:
                    self._reserve = None
                    status, text, after = self._raised(
                        error, arguments, NO_KEYWORDS, watched, packed[current]
                    )
                # What finalisers do, print and take belongs to this call. And a large result must
                # not occupy memory beside the next one.
                value = arguments = watched = items = before = None
                clock.running = False
            except BaseException as error:
                self._reserve = None
                status, text, after = self._failed_again(error)
            if status or after or printed.parts or printed.exceeded or clock.struck:
                self._finish(status, text, after)
            else:
                answer(text)
        return len(packed)

    def _tagged(
        self, index: int, function: Any, arguments: Any, decoder: decoding.Decoder
    ) -> Outcome:
        staged = False
        try:
            self._clock.start(self._call_seconds)
            try:
                decoder.begin()
                # Arguments may be the end of steps, which are taken as the call is.
                self._begin_anew()
                if self._stage is not None and self._stage.enter(index):
                    staged = True
                    self._stage.seed()
                positional = tuple(decoder.value(arguments[0]))
                keywords = decoder.keywords(arguments[1])
                if decoder.script is not None:
                    function, positional = decoder.script, ()
                line = self._changes.before(positional, keywords)
                self._clock.stop()
            except Exception as error:
                self._clock.stop()
                if self._watch is not None:
                    self._watch.begin()
                if origin.step_of(error):
                    # As in `_raised`; there are no arguments yet.
                    self._clock.start(self._call_seconds)
                    self.loop.close()
                    return self._judged(error, "")
                name, message = failures.described(error, self._encoder)
                ours = type(error) is decoding.Unbuildable
                what = f"input: {message}" if ours else f"input: {name}: {message}"
                return wire.UNSERIALISABLE, failures.texts(what[: failures.MESSAGE_MAX]), ""
            return self._call(function, positional, keywords, None, line)
        finally:
            self.loop.drop()
            self._changes.end()
            if self._stage is not None and staged:
                self._stage.leave()

    def _begin_anew(self) -> None:
        for begin in self._anew:
            begin()

    def _call(
        self,
        function: Any,
        positional: tuple[Any, ...],
        keywords: dict[str, Any],
        watched: Watched | None,
        before: bytes | str,
    ) -> Outcome:
        """Make one call. `before`: see `Changes.told`. Its time runs until all it made is freed."""
        if self._watch is not None:
            self._watch.begin()
        self._clock.running = True
        try:
            self._depth.give_back()
            value = function(*positional, **keywords) if keywords else function(*positional)
            if self._watch is not None:
                self._watch.end()
            self._depth.make_room()
            put_back(self._output)
            text = self._text(value)
            self.loop.close()
            after = self._changes.after(positional, keywords, watched, before)
        except BaseException as error:
            self._reserve = None
            return self._raised(error, positional, keywords, watched, before)
        return wire.RETURNED, text, after

    def _text(self, value: Any) -> str:
        """The text of what the call returned, or of the result of awaiting that."""
        if awaiting.is_awaited(value):
            return self.loop.text(value, self._encoder, self._depth, self._items)
        return self._encoder.value(value, drawing=True)

    def _finish(self, status: int, text: str, after: str) -> None:
        """Answer with everything there is to report about a call."""
        over = self._over()
        if over is not None:
            # Checked last: the program's `__str__` or `__del__` may have caught the exception.
            status, text = over, ""
        elif status == wire.RETURNED and text[:9] == OPAQUE:
            status = wire.UNSERIALISABLE
        try:
            output = self._printed.take()
            watched = "" if self._watch is None else self._watch.take()
            plain = status == wire.RETURNED and not (after or output or watched)
            line = text if plain else wire.entry(status, text, after, output, watched)
        except MemoryError:
            # The memory that the program holds leaves no room for the answer.
            self._reserve = None
            self._printed.discard()
            line = wire.entry(wire.OUT_OF_MEMORY, "")
        self._wire.answer(line)
        if status in IMPOSED:
            self._clock.send_what_is_held()
        self._set_aside()

    def _set_aside(self) -> None:
        if self._reserve is None:
            try:
                self._reserve = bytes(RESERVED_BYTES)
            except MemoryError:
                # The program still holds its memory; there may be room after another call.
                return

    def _raised(
        self,
        error: BaseException,
        positional: tuple[Any, ...],
        keywords: dict[str, Any],
        watched: Watched | None,
        before: bytes | str,
    ) -> Outcome:
        self._depth.make_room()
        if self._watch is not None:
            self._watch.end()
        # Describing the error can run the program's code, such as its `__str__`, and so can
        # replacing its standard output. Both get a call's time.
        self._clock.start(self._call_seconds)
        self.loop.close()
        put_back(self._output)
        return self._judged(error, self._changes.after(positional, keywords, watched, before))

    def _failed_again(self, error: BaseException) -> Outcome:
        """The deadline struck while a failure was being described, or objects were freed."""
        self._clock.stop()
        return self._judged(error, "")

    def _judged(self, error: BaseException, after: str) -> Outcome:
        call = self._wire.under_way()
        status, text = failures.judge(error, self._encoder, self._refused, call)
        return status, text, after

    def _over(self) -> int | None:
        """Which bound was overstepped since the last failure, even if the program caught that."""
        struck, self._clock.struck = self._clock.struck, False
        if struck:
            return wire.TIMED_OUT
        return wire.OUTPUT_EXCEEDED if self._printed.exceeded else None
