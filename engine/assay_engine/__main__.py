"""The console script, and `python -m assay_engine`."""

from __future__ import annotations

import sys

STOPPED = 2


def main() -> None:
    """Runs the command line. Loading it takes long enough to be stopped by Ctrl-C meanwhile."""
    try:
        from assay_engine.cli import main as command_line
    except KeyboardInterrupt:
        sys.stderr.write("assay: stopped\n")
        sys.exit(STOPPED)
    command_line()


if __name__ == "__main__":
    main()
