"""What every worker does once it is confined: load one program and run its batch.

A zygote imports common modules while it waits. A program must not see how far that has come, so a
child imports the modules that make a difference, unless the program's text shows, before any of it
runs, that it does not need them.
"""

from __future__ import annotations

import sys

from .. import imports
from ..bounds import streams, wire
from ..core import signal
from ..scene import clocks, filing, stage
from ..values import decoding, encoding, scripts, standard_types
from . import batch, failures, loading, recording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Sequence

    from ..bounds.deadline import Ticker
    from .inputs import BatchInputs

# Modules that use no randomness, and have no submodules that other code must import first. Of types
# that are told apart, a program gets through them only values of the modules listed with each.
_PLAIN: dict[str, tuple[str, ...]] = {
    "contextlib": ("collections",),
    "json": ("re",),
    "typing": ("collections", "re"),
    **dict.fromkeys(
        (
            "__future__", "_socket", "abc", "base64", "binascii", "bisect", "cmath", "copy",
            "dataclasses", "functools", "hashlib", "heapq", "itertools", "keyword", "math",
            "numbers", "operator", "os", "string", "struct", "sys", "time", "types", "unicodedata",
        ),
        (),
    ),
}  # fmt: skip


# Characters between the words of a statement, or around a statement that is within a string.
_BETWEEN = str.maketrans(dict.fromkeys(",()\"'", " "))


def types_of(texts: Iterable[str]) -> set[str] | None:
    """The modules whose types a program's values may have; None if it may use any module."""
    found: set[str] = set()
    whole = "\n".join(texts)
    if "modules" in whole:
        # The program may inspect which modules are loaded.
        return None
    for line in whole.replace(";", "\n").splitlines():
        if "import" not in line:
            continue
        words = line.translate(_BETWEEN).split()
        if "import" not in words:
            if "__import__" in line or "importlib" in line:
                return None
            # A word that contains "import", such as "important".
            continue
        # A line that has neither of the two plain forms may import anything.
        for name in {"import": words[1:], "from": words[1:2]}.get(words[0], [line]):
            top = name.partition(".")[0]
            if top not in _PLAIN and top not in standard_types.MODULES:
                return None
            found.update(_PLAIN.get(top, (top,)))
    return found


# What can be recorded of each call beside the observation.
WATCHES = {
    "lines": recording.LineTracer,
    "seconds": recording.CallStopwatch,
    "shared": recording.SharedState,
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
    texts = _texts(job)
    types = types_of(texts)
    chance = types is None or any("random" in text for text in texts)
    wanted = set(standard_types.MODULES if types is None else types).union(inputs.modules)
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
    """What all programs need: made before there is a program, and before a child is forked.

    `place`: where all of them live; without one, a program may bring along its own.
    """

    def __init__(self, place: loading.Place | None = None) -> None:
        self.place = place
        # One that stands still already, if the project's modules are imported before the fork.
        self.clock: clocks.Clock | None = None
        self.encoder = _encoder(place)
        self.standard = streams.Streams()
        # The interpreter's own streams lead nowhere any more.
        self.standard.install()

    def stop_clocks(self, around: dict[str, Any]) -> None:
        """Let clocks stand still from now on, if programs want them to."""
        usual = _usual_moment(around)
        if usual is not None:
            self.clock = clocks.Clock(usual, skips=around["skips_waits"])
            clocks.stop(self.clock, (ANYTHING,))


def _usual_moment(around: dict[str, Any]) -> float | None:
    if around["frozen_time"] is not None:
        return around["frozen_time"]
    return clocks.MOMENT if around["skips_waits"] else None


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
        self._place = prepared.place
        if self._place is None and job["place"] is not None:
            self._place = loading.Place(job["place"])
        if self._place is not None:
            self._place.text = job["source"]
        # As at a usual start, even if the process that started the caller had it ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        encoder = prepared.encoder if prepared.place is self._place else _encoder(self._place)
        if prepared.clock is None:
            # Modules that the program names may have been loaded since the encoder was made.
            encoder.learn()
        encoder.bound(limits["value_bytes"], limits["iterator_items"])
        refused = failures.Refusals(out.under_way)
        refused.watch()
        self._watch = WATCHES[job["watch"]](job["source"]) if job["watch"] else None
        texts = _texts(job)
        self._awaits = _awaits(texts)
        around = job["surroundings"]
        usual = _usual_moment(around)
        clock = prepared.clock or clocks.Clock(usual, skips=around["skips_waits"])
        self._clock = clock if inputs.scenes or usual is not None else None
        if self._clock is not None and prepared.clock is None:
            clocks.stop(clock, texts)
        anew: list[Callable[[], None]] = []
        if chance:
            anew.append(stage.seeder(around["random_seed"]))
            anew[0]()
            stage.unseed_packages()
        if self._clock is not None and clocks.may_ask(texts):
            anew.append(clock.begin)
        self._anew = tuple(anew)
        if _shows_lines(texts):
            loading.show_lines(job["source"], self._place)
        prepared.standard.printed.limit = limits["stdout_bytes"]
        sys.argv = [loading.PROGRAM_FILE]
        if hasattr(sys, "orig_argv"):
            sys.orig_argv = [sys.executable, loading.PROGRAM_FILE]
        self._staging: stage.Stage | None = None
        if inputs.scenes:
            recorder = _encoder(self._place)
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
            alarming=ticker.leaves_alarms and _sets_alarms(job["source"]),
        )
        self.text = loading.ProgramText(job["source"])

    def begin(self) -> None:
        """From here on it loads."""
        self._batch.begin_load(self.text.seconds)
        if self._staging is not None:
            self._staging.install()

    def load_and_run(self) -> None:
        def load() -> dict[str, Any]:
            self.begin()
            return self.text.run() if self._place is None else self.text.import_in(self._place)

        self.run(load)

    def run(self, load: Callable[[], dict[str, Any]]) -> None:
        """Make all calls of the function in the namespace that `load` gives, or say what it
        raises."""
        loaded = self._batch.load(self._start, lambda: self._loaded(load()))
        if loaded is not None:
            namespace, function = loaded
            if self._watch is not None:
                self._watch.arm(namespace)
            decoder = decoding.Decoder(namespace, self._batch.loop, awaits=self._awaits)
            self._batch.run(function, decoder, self._anew, self._inputs, self._start)
        self._out.flush(done=loaded is not None)

    def _loaded(self, namespace: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        if self._awaits or "asyncio" in self._inputs.modules:
            namespace[scripts.AWAITED] = self._batch.loop.awaited
            namespace[scripts.ENTERED] = self._batch.loop.entered
        if self._clock is not None:
            # What waits in the modules that the program has imported.
            clocks.patch_waits(self._clock)
        if self._staging is not None:
            self._staging.complete(namespace)
        return namespace, loading.resolve(namespace, self._entry)


# What is looked for in the texts of a program. The modules of its project may have any of it.
ANYTHING = "modules datetime now today time random async threading traceback"


def _texts(job: dict[str, Any]) -> tuple[str, ...]:
    """The texts that say what a program may use."""
    return (job["source"],) if job["place"] is None else (job["source"], ANYTHING)


def _awaits(texts: Iterable[str]) -> bool:
    return any(word in text for word in ("async", "await") for text in texts)


def _shows_lines(texts: Iterable[str]) -> bool:
    return any(word in text for text in texts for word in SHOWING)


def _sets_alarms(text: str) -> bool:
    return "alarm" in text or "setitimer" in text


def _encoder(place: loading.Place | None) -> encoding.Encoder:
    own = loading.PROGRAM_MODULE if place is None else place.module
    encoder = encoding.Encoder(frozenset((own,)))
    encoder.learn()
    return encoder
