"""Lines for standard output, what to do if it can no longer be written, and exit statuses."""

from __future__ import annotations

import os
import sys

from assay_engine.words import one_line


def obeyed_by_nobody(text: str) -> str:
    """The text on one line that neither a terminal nor a runner of CI takes for a command.

    Runners of GitHub Actions obey a line that begins with ``::``, behind blanks, too, or that holds
    ``##[``.
    """
    line = one_line(text).replace("##[", "##\\[")
    said = line.lstrip()
    return f"{line[: -len(said)]}\\{said}" if said.startswith("::") else line


def fails() -> bool:
    """Whether standard output takes nothing more; in that case, lead it away."""
    try:
        # The text that failed before may be gone from the buffer, so only another write tells.
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError:
        lead_away()
        return True
    return False


def unwritten(failure: OSError) -> str:
    reason = failure.strerror
    return f"the output cannot be written ({reason}); make room, or send it elsewhere"


def lead_away() -> None:
    """Lead standard output to nowhere: Python would try to write at its end, too, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


DONE, FINDINGS, COULD_NOT_RUN = 0, 1, 2
