"""What is said of the functions of published libraries without a model: by their examples alone.

    python -m benchmarks.libraries --interpreter PYTHON [--beside PYTHON] NAME...

NAME is a package, or a module, that is installed for the interpreter; the libraries' code runs in
the sandbox. `--beside` is the Python of another environment, with another commit installed. What a
published library's function is said to get wrong is wrongly said as a rule, so each is printed, for
a reader to look at.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from msgspec import Struct

FIND = "import importlib.util, sys; print(importlib.util.find_spec(sys.argv[1]).origin)"
# Without a model, and without the settings of whoever measures.
KEPT = ("PATH", "LANG", "TMPDIR")


class Said(Struct, frozen=True):
    """How many functions have a docstring, how many of these are put on trial, which of them are
    said to fail an example of theirs, and how long it took."""

    documented: int
    tried: int
    failing: tuple[str, ...]
    seconds: float


def place_of(name: str, interpreter: str) -> Path:
    run = subprocess.run(
        [interpreter, "-c", FIND, name], capture_output=True, text=True, check=False
    )
    if run.returncode:
        raise SystemExit(f"{name} is not installed for {interpreter}")
    origin = Path(run.stdout.strip())
    return origin.parent if origin.name == "__init__.py" else origin


def said_of(place: Path, interpreter: str, assay: str) -> Said:
    """What the engine of one environment says of a copy, which is a project of its own."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "project", place.name)
        if place.is_dir():
            shutil.copytree(place, copy, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            copy.parent.mkdir()
            shutil.copy(place, copy)
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        started = time.perf_counter()
        run = subprocess.run(
            [
                assay,
                "-m",
                "assay_engine",
                "check",
                "--format=json",
                f"--interpreter={interpreter}",
                ".",
            ],
            cwd=folder,
            env=environment | {"HOME": folder},
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - started
    try:
        reports = json.loads(run.stdout)["reports"]
    except ValueError as failure:
        raise SystemExit(run.stderr) from failure
    documented = [
        each for each in reports if "no-docstring" not in [p["kind"] for p in each["problems"]]
    ]
    return Said(
        len(documented),
        sum(each["verdict"]["status"] != "unsupported" for each in documented),
        tuple(
            f"{each['path']}:{each['line']} {each['qualname']}: {finding['message']}"
            for each in reports
            for finding in each["findings"]
            if finding["code"] == "ASY103"
        ),
        seconds,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--interpreter", required=True)
    parser.add_argument("--beside")
    parser.add_argument("names", nargs="+", metavar="NAME")
    options = parser.parse_args()
    sides = [each for each in (sys.executable, options.beside) if each]
    print("| library | documented |" + " tried | fail an example | s |" * len(sides))
    print("|---|---:|" + "---:|---:|---:|" * len(sides))
    told: list[str] = []
    for name in options.names:
        place = place_of(name, options.interpreter)
        rows = [said_of(place, options.interpreter, side) for side in sides]
        cells = "".join(f" {x.tried} | {len(x.failing)} | {x.seconds:.0f} |" for x in rows)
        print(f"| {name} | {rows[0].documented} |{cells}", flush=True)
        told += [f"{name}: {each}" for each in rows[0].failing]
    print("", *told, sep="\n")


if __name__ == "__main__":
    main()
