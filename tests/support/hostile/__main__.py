"""Tries hostile programs on this machine: ``PYTHONPATH=tests python -m support.hostile``.

One JSON line each, and an exit status of 0 only if all of them were contained, 2 if nothing can be
said.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from assay_sandbox import self_check
from assay_sandbox.tiers import ORDER
from support.hostile.judge import Unjudgeable, judge, read_manifest

OWN_PROGRAMS = Path(__file__).parents[2] / "sandbox" / "hostile"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m support.hostile", description=__doc__)
    parser.add_argument("--tier", choices=ORDER, help="this one, not the strongest there is")
    parser.add_argument("--hostile", type=Path, default=OWN_PROGRAMS, metavar="DIR")
    parser.add_argument("--only", metavar="NAME", help="one program of the folder")
    chosen = parser.parse_args()
    if self_check.main(["--tier", chosen.tier] if chosen.tier else []):
        return 2
    programs = [each for each in read_manifest(chosen.hostile) if chosen.only in (None, each.name)]
    contained = 0
    for program in programs:
        try:
            sentence = judge(program, chosen.tier)
        except Unjudgeable as error:
            sys.stderr.write(f"{program.name} could not be tried: {error}\n")
            return 2
        contained += sentence.contained
        said = {"name": sentence.name, "contained": sentence.contained, **asdict(sentence)}
        sys.stdout.write(f"{json.dumps(said)}\n")
        sys.stdout.flush()
    sys.stderr.write(f"{contained} of {len(programs)} contained\n")
    return 0 if contained == len(programs) > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
