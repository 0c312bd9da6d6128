"""How long commands take that have next to nothing to do.

    python -m benchmarks.starting [--beside PYTHON] [--rounds 10]

PYTHON is the interpreter of another environment, with another commit installed: both take turns.
Times are of whole processes, from outside, in seconds.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

from benchmarks.beside import print_table

MODULE = "nothing.py"
COMMANDS = {
    "`assay --version`": ("-m", "assay_engine", "--version"),
    "`assay check` of a file without functions": ("-m", "assay_engine", "check", MODULE),
    "loading the server": ("-c", "import assay_lsp.server"),
}


def seconds(command: tuple[str, ...], folder: Path, python: str) -> float:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    started = time.perf_counter()
    run = subprocess.run(
        [python, *command], cwd=folder, env=environment, capture_output=True, check=False
    )
    if run.returncode not in (0, 1):
        raise SystemExit(run.stderr.decode(errors="replace"))
    return time.perf_counter() - started


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / MODULE).write_text("NOTHING = 0\n", encoding="utf-8")
        rows = {name: partial(seconds, each, folder) for name, each in COMMANDS.items()}
        print_table("Start-up times, beside those of another commit.", rows)


if __name__ == "__main__":
    main()
