"""`assay bench` is a distribution of its own: without it, the command line says how to get it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import assay_bench

WITHOUT = """
import sys
sys.path = [each for each in sys.path if each != {folder!r}]
from assay_engine.__main__ import main
main()
"""


def without_the_extra(*arguments: str) -> subprocess.CompletedProcess[str]:
    folder = str(Path(assay_bench.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-c", WITHOUT.format(folder=folder), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_without_the_extra_the_command_says_how_to_get_it() -> None:
    done = without_the_extra("bench", "incoherence")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "Error: `assay bench` is not installed; in a clone of Assay, "
        "`pip install ./benchmarks/assay_bench` adds it\n"
    )


def test_without_the_extra_help_lists_the_other_commands() -> None:
    done = without_the_extra("--help")
    assert done.returncode == 0
    assert "\n  server " in done.stdout
    assert "bench" not in done.stdout
