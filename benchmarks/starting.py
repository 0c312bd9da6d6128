"""How long commands take that have next to nothing to do.

    python -m benchmarks.starting [--beside PYTHON] [--rounds 10]

PYTHON is the interpreter of another environment, with another commit installed: both take turns.
Times are of whole processes, from outside, in seconds; every environment has run each command once
before, so that byte code is there.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODULE = "nothing.py"
COMMANDS = {
    "`assay --version`": ("-m", "assay_engine", "--version"),
    "`assay check` of a file without functions": ("-m", "assay_engine", "check", MODULE),
    "loading the server": ("-c", "import assay_lsp.server"),
}


def seconds(python: str, command: tuple[str, ...], folder: Path) -> float:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    started = time.perf_counter()
    run = subprocess.run(
        [python, *command], cwd=folder, env=environment, capture_output=True, check=False
    )
    if run.returncode not in (0, 1):
        raise SystemExit(run.stderr.decode(errors="replace"))
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description="Start-up times, beside those of another commit.")
    parser.add_argument("--beside", metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    pythons = [sys.executable, *([options.beside] if options.beside else [])]
    print(f"| | {' | '.join(['this', 'beside', 'beside / this'][: 2 * len(pythons) - 1])} |")
    print("|---|" + "---:|" * (2 * len(pythons) - 1))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / MODULE).write_text("NOTHING = 0\n", encoding="utf-8")
        for name, command in COMMANDS.items():
            for python in pythons:
                seconds(python, command, folder)
            rounds = [
                [seconds(python, command, folder) for python in pythons]
                for _ in range(options.rounds)
            ]
            cells = [f"{statistics.median(each):.2f}" for each in zip(*rounds, strict=True)]
            if len(pythons) > 1:
                cells.append(f"{statistics.median(other / own for own, other in rounds):.2f}")
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
