"""Milliseconds that a program takes which lives in a project, and what its zygote takes once.

    python -m benchmarks.places [--interpreter PYTHON] [--programs N] ROOT FILE...

Each FILE is a module of the project at ROOT. Its whole text is run N times at its place, and so is
a trivial program; told are the medians of wall time, for a machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

from assay_engine.compare.executor import FIRST_SURROUNDINGS
from assay_engine.dependencies.modules import workspace_modules
from assay_engine.dependencies.readable import with_files
from assay_engine.syntax.text import read_source
from assay_sandbox import Call, Program, Sandbox

NOTHING = "\n\ndef _nothing():\n    return None\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--interpreter", type=Path, default=Path(sys.executable))
    parser.add_argument("--programs", type=int, default=30)
    parser.add_argument("root", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    root = options.root.resolve()
    with Sandbox(options.interpreter.absolute(), surroundings=FIRST_SURROUNDINGS) as sandbox:
        sandbox.start()
        for file in options.files:
            text = file.read_text()
            modules = workspace_modules(file, root)
            place = modules.place(read_source(text))
            listing = time.perf_counter()
            place = None if place is None else with_files(place, root, text)
            listing = time.perf_counter() - listing
            program = Program(text + NOTHING, "_nothing", place)
            begun = time.perf_counter()
            sandbox.run(program, [Call()])
            once = time.perf_counter() - begun
            times = {"in place": program, "trivial": Program(NOTHING, "_nothing")}
            medians = {
                name: statistics.median(_seconds(sandbox, each) for _ in range(options.programs))
                for name, each in times.items()
            }
            told = ", ".join(f"{name} {1000 * each:.1f} ms" for name, each in medians.items())
            print(f"{file}: {told}; listed in {1000 * listing:.0f} ms, first run {once:.2f} s")


def _seconds(sandbox: Sandbox, program: Program) -> float:
    begun = time.perf_counter()
    sandbox.run(program, [Call()])
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
