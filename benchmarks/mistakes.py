"""What a check says of everyday functions, some of them with planted mistakes.

    python -m benchmarks.mistakes [PROJECT...] [--base-url URL --model NAME]

`planted/` holds two small projects, and `webshop`, whose functions take types of other modules and
are checked where it is named. Readers wrote them, as developers have a model write functions,
and labelled each function: right, wrong (a mistake that contradicts the docstring was planted), or
ambiguous (the docstring leaves two readings open). Other readers, who saw each prompt alone, wrote
the replies. The command line checks each file, with replies from the project's transcript; with an
endpoint, replies come from there, and the transcript is made anew. Prints how many functions of
each label got which verdict, and those whose verdict is not the one that their label suggests.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

PLANTED = Path(__file__).parent / "planted"
TRANSCRIPT = "replies.jsonl.gz"
PROJECTS = ("backoffice", "storefront")
EXPECTED = {"right": "trusted", "wrong": "suspect", "ambiguous": "ambiguous"}
STATUSES = ("trusted", "suspect", "ambiguous", "abstained")


def checked(
    project: Path,
    options: list[str],
    environment: dict[str, str],
    targets: list[str] | None = None,
) -> dict[str, str]:
    """The status of each function that was put on trial, by `file::name`."""
    what = targets or sorted(each.name for each in project.glob("*.py"))
    command = [sys.executable, "-m", "assay_engine", "check", *what, "--format", "json", *options]
    done = subprocess.run(
        command,
        cwd=project,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        check=False,
    )
    reports = json.loads(done.stdout)["reports"]
    return {
        f"{report['path']}::{report['qualname']}": report["verdict"]["status"] for report in reports
    }


def replayed(project: Path, store: Path) -> dict[str, str]:
    transcript = store.with_suffix(".jsonl")
    transcript.write_bytes(gzip.decompress((project / TRANSCRIPT).read_bytes()))
    return checked(project, ["--replay", str(transcript)], {"ASSAY_STORE": str(store)})


def recorded(project: Path, store: Path, base_url: str, model: str) -> dict[str, str]:
    transcript = store.with_suffix(".jsonl")
    endpoint = {"ASSAY_BASE_URL": base_url, "ASSAY_MODEL": model, "ASSAY_STORE": str(store)}
    found = checked(project, ["--record", str(transcript)], endpoint)
    # Without the time of day: the same replies make the same file.
    (project / TRANSCRIPT).write_bytes(gzip.compress(transcript.read_bytes(), mtime=0))
    return found


def table(counted: Counter[tuple[str, str]]) -> str:
    lines = [f"| | {' | '.join(STATUSES)} |", f"|---|{'---:|' * len(STATUSES)}"]
    for label in EXPECTED:
        numbers = " | ".join(str(counted[label, status]) for status in STATUSES)
        lines.append(f"| {label} | {numbers} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a check says of planted mistakes.")
    parser.add_argument("projects", nargs="*", default=PROJECTS)
    parser.add_argument("--base-url")
    parser.add_argument("--model", default="reader")
    options = parser.parse_args()
    counted: Counter[tuple[str, str]] = Counter()
    others: list[str] = []
    for project in (PLANTED / name for name in options.projects):
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder, "store.sqlite3")
            if options.base_url is None:
                statuses = replayed(project, store)
            else:
                statuses = recorded(project, store, options.base_url, options.model)
        for line in (project / "labels.jsonl").read_text(encoding="utf-8").splitlines():
            label = json.loads(line)
            status = statuses[f"{label['file']}::{label['function']}"]
            counted[label["kind"], status] += 1
            if status != EXPECTED[label["kind"]]:
                where = f"{project.name}/{label['file']}::{label['function']}"
                others.append(f"{where}: {label['kind']}, {status}. {label['note']}".rstrip(". "))
    print(table(counted))
    print("", *others, sep="\n")


if __name__ == "__main__":
    main()
