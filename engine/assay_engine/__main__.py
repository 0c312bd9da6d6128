"""The entry point of the console script and of `python -m assay_engine`."""

from __future__ import annotations

import sys

STOPPED = 2


def main() -> None:
    """Run the command line.

    Loading it takes long enough for the user to press Ctrl-C meanwhile.
    """
    try:
        from assay_engine.cli import main as command_line
    except KeyboardInterrupt:
        sys.stderr.write("assay: stopped\n")
        sys.exit(STOPPED)
    command_line()


if __name__ == "__main__":
    main()
