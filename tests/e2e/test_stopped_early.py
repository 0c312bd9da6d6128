"""The command line is stopped before it has come to any command."""

from __future__ import annotations

import subprocess
import sys

STOPPED_WHILE_LOADING = """
import sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "assay_engine.cli.commands":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from assay_engine.__main__ import main
main()
"""


def test_who_stops_it_while_it_is_loading_sees_no_traceback() -> None:
    run = subprocess.run(
        [sys.executable, "-c", STOPPED_WHILE_LOADING], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (2, "", "assay: stopped\n")
