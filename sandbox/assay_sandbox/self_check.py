"""Tries hostile programs on this machine: ``python -m assay_sandbox.self_check``.

One line each, and an exit status of 0 only if all of them were contained, 2 if nothing can be said.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from .errors import SandboxError
from .sandbox import Sandbox
from .tiers import ORDER
from .trial.judge import Hostile, Sentence, Unjudgeable, judge

OWN_PROGRAMS = Path(__file__).parent / "hostile"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m assay_sandbox.self_check", description=__doc__)
    parser.add_argument(
        "--tier",
        metavar="T",
        help=f"try this tier ({', '.join(ORDER)}), not the strongest there is",
    )
    parser.add_argument(
        "--hostile", type=Path, metavar="DIR", help="a folder of programs with manifest.json"
    )
    parser.add_argument("--only", metavar="NAME", help="one program of the folder")
    chosen = parser.parse_args(arguments)
    folder: Path | None = chosen.hostile
    programs = read_manifest(OWN_PROGRAMS if folder is None else folder)
    if chosen.only is not None:
        programs = [program for program in programs if program.name == chosen.only]
    if not _say_tier(chosen.tier):
        return 2
    if not sys.platform.startswith("linux"):
        _tell("The hostile programs are judged by what /proc shows, which only Linux has.")
        return 2
    sentences: list[Sentence] = []
    for program in programs:
        try:
            sentence = judge(program, chosen.tier)
        except Unjudgeable as error:
            _tell(f"{program.name} could not be tried: {error}")
            return 2
        sentences.append(sentence)
        _say(sentence, as_json=folder is not None)
    contained = sum(sentence.contained for sentence in sentences)
    _tell(f"{contained} of {len(sentences)} contained")
    return 0 if sentences and contained == len(sentences) else 1


def read_manifest(folder: Path) -> list[Hostile]:
    """The programs of a folder, in the order of its `manifest.json`."""
    entries = cast("list[dict[str, Any]]", json.loads((folder / "manifest.json").read_text()))
    return [
        Hostile(
            entry["name"],
            (folder / entry["file"]).read_text(),
            tuple(entry["checks"]),
            bool(entry.get("harness_action")),
        )
        for entry in entries
    ]


def _say_tier(tier: str | None) -> bool:
    try:
        with Sandbox(tier=tier) as sandbox:
            report = sandbox.tier
    except SandboxError as error:
        _tell(f"unavailable: {error}", *error.remedies)
        return False
    held = ", ".join(canary.name for canary in report.canaries if canary.held)
    _tell(
        f"tier {report.name}: {report.description}; canaries held: {held};"
        f" found in {report.seconds * 1000:.0f} ms",
        *report.shortfalls,
    )
    return True


def _tell(*lines: str) -> None:
    """To the person who runs this; standard output is for the verdicts."""
    sys.stderr.write("".join(f"{line}\n" for line in lines))


def _say(sentence: Sentence, *, as_json: bool) -> None:
    if as_json:
        said = {"name": sentence.name, "contained": sentence.contained, **asdict(sentence)}
        line = json.dumps(said)
    else:
        verdict = "contained    " if sentence.contained else "NOT CONTAINED"
        failed = f"  {', '.join(sentence.failed)}" if sentence.failed else ""
        line = (
            f"{verdict} {sentence.name:22} {sentence.status:16} {sentence.seconds:6.2f} s{failed}"
        )
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
