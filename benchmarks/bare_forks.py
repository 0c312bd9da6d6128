"""The least that a process per program takes: forked by a bare interpreter, run, read back.

Nothing is confined, observed, bounded or kept from lying, and the values come back as `marshal`
packs them, all at once at the end. Nothing that forks a process per program takes less.
"""

from __future__ import annotations

import marshal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

from benchmarks.peers import Values

Run = Callable[[list[str], list[tuple[list[str], int]]], Values]
SIZE_BYTES = 8
FORKING = """
import gc, marshal, os, select, sys

def answered(source, inputs):
    namespace = {}
    exec(compile(source, "<program>", "exec"), namespace)
    return marshal.dumps([namespace["f"](*each) for each in inputs])

def forked(source, inputs):
    near, far = os.pipe()
    if os.fork() == 0:
        left = answered(source, inputs)
        while left:
            left = left[os.write(far, left):]
        os._exit(0)
    os.close(far)
    return near

def run(programs, inputs, at_once):
    waiting, running, found = list(enumerate(programs)), {}, [b""] * len(programs)
    while waiting or running:
        while waiting and len(running) < at_once:
            number, source = waiting.pop(0)
            running[forked(source, inputs)] = number
        for pipe in select.select(list(running), [], [])[0]:
            part = os.read(pipe, 1 << 18)
            found[running[pipe]] += part
            if not part:
                os.close(pipe)
                del running[pipe]
                os.wait()
    return found

while True:
    size = int.from_bytes(sys.stdin.buffer.read(8), "little")
    if not size:
        break
    programs, inputs = marshal.loads(sys.stdin.buffer.read(size))
    gc.freeze()
    found = marshal.dumps(run(programs, inputs, int(sys.argv[1])))
    sys.stdout.buffer.write(len(found).to_bytes(8, "little") + found)
    sys.stdout.buffer.flush()
"""


@contextmanager
def bare_forks(at_once: int) -> Iterator[Run]:
    """What runs programs on inputs through an interpreter that forks for as many `at_once`."""
    command = [sys.executable, "-I", "-S", "-c", FORKING, str(at_once)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        asking, telling = process.stdin, process.stdout
        assert asking is not None
        assert telling is not None

        def run(programs: list[str], inputs: list[tuple[list[str], int]]) -> Values:
            asked = marshal.dumps((programs, inputs))
            asking.write(len(asked).to_bytes(SIZE_BYTES, "little") + asked)
            asking.flush()
            size = int.from_bytes(telling.read(SIZE_BYTES), "little")
            # The programs are ours, and so is what comes back.
            found = cast("list[bytes]", marshal.loads(telling.read(size)))
            return [cast("list[object]", marshal.loads(each)) for each in found]

        yield run
