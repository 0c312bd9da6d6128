"""How long it takes to find out what is to be checked of a file: what every save begins with.

    python -m benchmarks.looking [--beside PYTHON] [--rounds 10]

PYTHON is the interpreter of another environment, with another commit installed: both take turns.
The files are modules of the standard library that this commit runs under, large ones and such with
large classes. Seconds are those of the processor, of one look at a file by a process that has just
loaded the engine.
"""

from __future__ import annotations

import importlib.util
import subprocess
from functools import partial
from pathlib import Path

from benchmarks.beside import print_table

MODULES = ("argparse", "ast", "datetime", "fractions", "inspect", "tarfile", "typing")
LOOK = """
import sys, time
from pathlib import Path
from assay_engine.check.worklist import worklist
from assay_engine.types import SourceText, Tier

text = Path(sys.argv[1]).read_text("utf-8")
started = time.process_time()
worklist(SourceText(sys.argv[1], text, None), Tier.STANDARD, ())
print(time.process_time() - started)
"""


def seconds(path: str, python: str) -> float:
    run = subprocess.run([python, "-c", LOOK, path], capture_output=True, text=True, check=False)
    if run.returncode:
        raise SystemExit(run.stderr)
    return float(run.stdout)


def path_of(module: str) -> str:
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        raise SystemExit(f"{module} is no file of this interpreter's")
    return found.origin


def main() -> None:
    rows = {}
    for module in MODULES:
        path = path_of(module)
        lines = len(Path(path).read_text("utf-8").splitlines())
        rows[f"`{module}` ({lines} lines)"] = partial(seconds, path)
    print_table("Looks at files, beside those of another commit.", rows)


if __name__ == "__main__":
    main()
