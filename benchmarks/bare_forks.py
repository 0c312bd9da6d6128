"""The least that a process per program takes: forked by a bare interpreter, run, read back.

Nothing is confined, observed, bounded or kept from lying, and the values come back as `marshal`
packs them, all at once at the end. Nothing that forks a process per program takes less.
"""

from __future__ import annotations

import marshal
import subprocess
import sys
from types import TracebackType
from typing import Self, cast

from benchmarks.peers import Values

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


class BareForks:
    """An interpreter that forks for as many programs `at_once`; ends with the `with` block."""

    def __init__(self, at_once: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", FORKING, str(at_once)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate()

    def run(self, programs: list[str], inputs: list[tuple[list[str], int]]) -> Values:
        """The programs are ours, and so is what comes back."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = marshal.dumps((programs, inputs))
        self._process.stdin.write(len(asked).to_bytes(SIZE_BYTES, "little") + asked)
        self._process.stdin.flush()
        size = int.from_bytes(self._process.stdout.read(SIZE_BYTES), "little")
        found = cast("list[bytes]", marshal.loads(self._process.stdout.read(size)))
        return [cast("list[object]", marshal.loads(each)) for each in found]
