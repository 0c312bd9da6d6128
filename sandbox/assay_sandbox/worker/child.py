"""One program in one process: confine, load, run the batch, end."""

from __future__ import annotations

import gc
import json
import marshal
import os
import signal
import sys
from typing import Any, Dict, List

from . import (
    batch,
    confinement,
    coverage,
    decoding,
    encoding,
    imports,
    known,
    loading,
    refusals,
    streams,
    surroundings,
    wire,
)

# Where the host's descriptors are put before everything above them is closed.
FIRST_KEPT = 3
PIPE, PAGE, PROGRAM, INPUTS = range(FIRST_KEPT, FIRST_KEPT + 4)
MAXIMUM_OPEN = 1 << 16
OUT_OF_THE_WAY = 1000
# What a child needs before its own limit counts: the page and its thread's stack.
CHILD_OVERHEAD = 32 << 20


def main(tier: str, descriptors: List[int], base_bytes: int) -> None:
    """Does not return. `descriptors`: pipe, page, program, inputs."""
    status = 1
    try:
        _keep(descriptors)
        job = json.loads(_read_all(PROGRAM))
        inputs = _read_inputs()
        out = wire.Wire(PIPE, PAGE, bytes.fromhex(job.pop("token")))
        for descriptor in (PAGE, PROGRAM, INPUTS):
            os.close(descriptor)
        limits: Dict[str, Any] = job["limits"]
        _import_named(job["source"], tier)
        confinement.confine_child(
            tier,
            base_bytes + CHILD_OVERHEAD + limits["memory_bytes"],
            int(limits["total_seconds"]) + 2,
        )
        _run(out, job, inputs)
        status = 0
    finally:
        # Neither `atexit` nor threads nor buffers of the program get another word.
        os._exit(status)


def _keep(descriptors: List[int]) -> None:
    """Our four descriptors at fixed numbers, everything else closed."""
    # By way of numbers that are out of the way, lest one overwrite another.
    for place, descriptor in enumerate(descriptors, OUT_OF_THE_WAY):
        os.dup2(descriptor, place)
    for offset in range(len(descriptors)):
        os.dup2(OUT_OF_THE_WAY + offset, FIRST_KEPT + offset)
    os.closerange(INPUTS + 1, MAXIMUM_OPEN)


def _read_all(descriptor: int) -> bytes:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def _read_inputs() -> batch.Inputs:
    """The parsed calls; one line of typed JSON per call; one about all of them."""
    content = memoryview(_read_all(INPUTS))
    (length,) = wire.INPUTS_HEADER.unpack_from(content)
    start = wire.INPUTS_HEADER.size
    *lines, last = bytes(content[start + length :]).decode("ascii").split("\n")
    about = json.loads(last)
    stdin = {int(index): text for index, text in about["stdin"].items()}
    gc.disable()
    parsed: List[Any] = marshal.loads(content[start : start + length])
    # What waits for its call is not worth looking through again and again.
    gc.freeze()
    gc.enable()
    return batch.Inputs(lines, parsed, about["kinds"], stdin)


def _import_named(source: str, tier: str) -> None:
    for name in (*known.MODULES, "random"):
        if name in source:
            __import__(name)
    if "async" in source or "await" in source:
        __import__("asyncio")
    if tier == confinement.SECCOMP:
        imports.import_ahead(source)


def _run(out: wire.Wire, job: Dict[str, Any], inputs: batch.Inputs) -> None:
    limits: Dict[str, Any] = job["limits"]
    start: int = job["start"]
    modules: Dict[str, str] = dict(job["modules"])
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    encoder = encoding.Encoder(
        limits["value_bytes"], limits["iterator_items"], frozenset((loading.PROGRAM_MODULE,))
    )
    encoder.learn()
    refused = refusals.Refusals()
    refused.watch()
    tracer = coverage.Tracer() if job["coverage"] else None
    around = job["surroundings"]
    if around["frozen_time"] is not None:
        surroundings.freeze_clock(around["frozen_time"])
    seed = surroundings.seeder(around["random_seed"], [job["source"], *modules.values()])
    if seed is not None:
        seed()
    loading.serve_modules(modules)
    output = streams.redirect(limits["stdout_bytes"])
    sys.argv = [loading.PROGRAM_FILE]
    running = batch.Batch(out, output, refused, encoder, tracer, limits)

    def load() -> Any:
        namespace = loading.load(job["source"])
        return namespace, loading.resolve(namespace, job["entry"])

    loaded = running.load(start, load)
    if loaded is not None:
        namespace, function = loaded
        if tracer is not None:
            tracer.arm()
        running.run(function, decoding.Decoder(namespace), seed, inputs, start)
        out.add(len(inputs.lines), wire.DONE, 0.0, "")
    out.flush()
