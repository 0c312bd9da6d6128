"""Says how programs are confined on this machine: ``python -m assay_sandbox.self_check``.

The canaries that every sandbox begins with are run. The exit status is 2 if nothing confines.
"""

from __future__ import annotations

import argparse
import sys

from .errors import SandboxError
from .sandbox import Sandbox
from .tiers import ORDER


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m assay_sandbox.self_check", description=__doc__)
    parser.add_argument(
        "--tier",
        metavar="T",
        help=f"try this tier ({', '.join(ORDER)}), not the strongest there is",
    )
    try:
        with Sandbox(tier=parser.parse_args(arguments).tier) as sandbox:
            report = sandbox.tier
    except SandboxError as error:
        _tell(f"unavailable: {error}", *error.remedies)
        return 2
    held = ", ".join(canary.name for canary in report.canaries if canary.held)
    _tell(
        f"tier {report.name}: {report.description}; canaries held: {held};"
        f" found in {report.seconds * 1000:.0f} ms",
        *report.shortfalls,
    )
    return 0


def _tell(*lines: str) -> None:
    sys.stderr.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
