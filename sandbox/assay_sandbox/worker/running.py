"""What every worker does once it is confined: load one program and run its batch."""

from __future__ import annotations

import sys
from types import FunctionType

from . import (
    batch,
    clocks,
    coverage,
    decoding,
    encoding,
    filing,
    imports,
    known,
    loading,
    needs,
    refusals,
    sharing,
    stage,
    steps,
    stopwatch,
    streams,
    surroundings,
    wire,
)
from .core import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Sequence

    from .deadline import Ticker
    from .inputs import BatchInputs

# What can be recorded of each call beside the observation.
WATCHES = {
    "lines": coverage.LineTracer,
    "seconds": stopwatch.CallStopwatch,
    "shared": sharing.SharedState,
}
# What shows lines of a program, by way of `linecache`.
SHOWING = (
    "breakpoint", "doctest", "inspect", "linecache", "logging", "pdb", "traceback", "unittest"
)  # fmt: skip


def import_needed(job: dict[str, Any], inputs: BatchInputs, common: Sequence[str]) -> bool:
    """Import the modules that a job needs. Returns whether its calls are to be seeded.

    These have the types that the encoder should know, seed and await calls, wait, take references
    to the clock, or have functions that scenes' files are put behind. It does not matter which
    modules happen to be loaded: a program does the same in the first run of a worker as in any
    later one. `common`: modules that will be loaded anyway before long.
    """
    texts: list[str] = [job["source"], *dict(job["modules"]).values()]
    types = needs.types_of(texts)
    chance = types is None or any("random" in text for text in texts)
    wanted = set(known.MODULES if types is None else types).union(inputs.modules)
    if chance:
        wanted.add("random")
    if _awaits(texts):
        wanted.add("asyncio")
    wanted.update(
        name
        for name in ("threading", "queue")
        if any(f"import {name}" in text or f"from {name} " in text for text in texts)
    )
    if _shows_lines(texts):
        wanted.add("linecache")
    if types is None or inputs.scenes or job["surroundings"]["frozen_time"] is not None:
        wanted.update(common)
    if "collections" in wanted:
        # In a process that has run for a while, `collections` has this submodule.
        wanted.add("collections.abc")
    imports.import_present(tuple(sorted(wanted.difference(sys.modules))))
    if inputs.scenes:
        filing.import_keepers()
    return chance


class Prepared:
    """What all programs need: made before there is a program, and before a child is forked."""

    def __init__(self) -> None:
        self.encoder = _encoder()
        self.standard = streams.Streams()
        # The interpreter's own streams lead nowhere any more.
        self.standard.install()


class Ready:
    """A program about to run: all is done except for running its text. `chance`: whether calls are
    to be seeded."""

    def __init__(
        self,
        out: wire.Wire,
        job: dict[str, Any],
        inputs: BatchInputs,
        prepared: Prepared,
        ticker: Ticker,
        *,
        chance: bool,
    ) -> None:
        limits: dict[str, Any] = job["limits"]
        modules: dict[str, str] = dict(job["modules"])
        # As at a usual start, even if the process that started the caller had it ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        encoder = prepared.encoder
        # Modules that the program names may have been loaded since the encoder was made.
        encoder.learn()
        encoder.bound(limits["value_bytes"], limits["iterator_items"])
        refused = refusals.Refusals(out.under_way)
        refused.watch()
        self._watch = WATCHES[job["watch"]](job["source"]) if job["watch"] else None
        texts = (job["source"], *modules.values())
        self._awaits = _awaits(texts)
        around = job["surroundings"]
        usual = clocks.MOMENT if around["skips_waits"] else None
        if around["frozen_time"] is not None:
            usual = around["frozen_time"]
        clock = clocks.Clock(usual, skips=around["skips_waits"])
        self._clock = clock if inputs.scenes or usual is not None else None
        if self._clock is not None:
            clocks.stop(clock, texts)
        anew: list[Callable[[], None]] = []
        if chance:
            anew.append(surroundings.seeder(around["random_seed"]))
            anew[0]()
            surroundings.unseed_packages()
        if self._clock is not None and clocks.may_ask(texts):
            anew.append(clock.begin)
        self._anew = tuple(anew)
        loading.serve_modules(modules)
        if _shows_lines(texts):
            loading.show_lines({"": job["source"], **modules})
        prepared.standard.printed.limit = limits["stdout_bytes"]
        sys.argv = [loading.PROGRAM_FILE]
        if hasattr(sys, "orig_argv"):
            sys.orig_argv = [sys.executable, loading.PROGRAM_FILE]
        self._staging: stage.Stage | None = None
        if inputs.scenes:
            recorder = _encoder()
            recorder.bound(limits["value_bytes"], limits["iterator_items"])
            self._staging = stage.Stage(inputs.scenes, clock, recorder, limits["value_bytes"])
        self._out = out
        self._inputs = inputs
        self._start: int = job["start"]
        self._entry: str = job["entry"]
        self._batch = batch.BatchRun(
            out,
            prepared.standard,
            refused,
            encoder,
            self._watch,
            limits,
            self._staging,
            ticker,
            alarming=ticker.leaves_alarms and any(map(_sets_alarms, texts)),
        )
        self._text = loading.ProgramText(job["source"])

    def run(self) -> None:
        loaded = self._batch.load(self._start, self._loaded, self._text.seconds)
        if loaded is not None:
            namespace, function = loaded
            if self._watch is not None:
                self._watch.arm(namespace)
            is_call = function is FunctionType.__call__
            decoder = decoding.Decoder(
                namespace, self._batch.loop, awaits=self._awaits, is_call=is_call
            )
            self._batch.run(function, decoder, self._anew, self._inputs, self._start)
        self._out.flush(done=loaded is not None)

    def _loaded(self) -> tuple[dict[str, Any], Any]:
        if self._staging is not None:
            self._staging.install()
        namespace = self._text.run()
        if self._awaits or "asyncio" in self._inputs.modules:
            namespace[steps.AWAITED] = self._batch.loop.awaited
        if self._clock is not None:
            # What waits in the modules that the program has imported.
            clocks.patch_waits(self._clock)
        if self._staging is not None:
            self._staging.complete(namespace)
        return namespace, loading.resolve(namespace, self._entry)


def _awaits(texts: Iterable[str]) -> bool:
    return any(word in text for word in ("async", "await") for text in texts)


def _shows_lines(texts: Iterable[str]) -> bool:
    return any(word in text for text in texts for word in SHOWING)


def _sets_alarms(text: str) -> bool:
    return "alarm" in text or "setitimer" in text


def _encoder() -> encoding.Encoder:
    encoder = encoding.Encoder(frozenset((loading.PROGRAM_MODULE,)))
    encoder.learn()
    return encoder
