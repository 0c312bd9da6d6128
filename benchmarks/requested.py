"""What a check says of mistakes that the docstring shares, with and without the request itself.

    python -m benchmarks.requested [--base-url URL --model NAME]

An agent writes docstring and code from the same misunderstanding. `planted/requests.jsonl` takes
planted mistakes (see `benchmarks.mistakes`), rewrites the docstring so that it agrees with the
code, and has the request that somebody could have made. Each function is checked by its docstring
alone, and with `--spec` and the request. Replies come from the transcript, or from an endpoint,
which makes the transcript anew. Prints what each check said.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.mistakes import PLANTED, STATUSES, checked

REQUESTS = PLANTED / "requests.jsonl"
TRANSCRIPT = PLANTED / "requests.replies.jsonl.gz"


def rewritten(text: str, qualname: str, said: str, instead: str) -> str:
    """The module's text, where the docstring of one function says something else."""
    scope: ast.AST = ast.parse(text)
    for name in qualname.split("."):
        scope = next(
            each
            for each in ast.iter_child_nodes(scope)
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and each.name == name
        )
    own = ast.get_source_segment(text, scope) or ""
    if own.count(said) != 1:
        raise ValueError(f"{qualname} does not say this once: {said}")
    return text.replace(own, own.replace(said, instead))


def statuses(entry: dict[str, str], options: list[str], environment: dict[str, str]) -> list[str]:
    """What is said of one function by its docstring, and by docstring and request."""
    project, file = entry["file"].split("/")
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, project)
        shutil.copytree(PLANTED / project, root)
        text = (root / file).read_text(encoding="utf-8")
        (root / file).write_text(
            rewritten(text, entry["function"], entry["said"], entry["instead"]), encoding="utf-8"
        )
        Path(folder, "request.txt").write_text(entry["request"], encoding="utf-8")
        target = f"{file}::{entry['function']}"
        for specified in ([], ["--spec", "../request.txt"]):
            store = {"ASSAY_STORE": str(Path(folder, "store.sqlite3"))}
            said = checked(root, [*options, *specified], environment | store, [target])
            found.append(said[target])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="What a check says with the request itself.")
    parser.add_argument("--base-url")
    parser.add_argument("--model", default="reader")
    chosen = parser.parse_args()
    counted: Counter[tuple[str, str]] = Counter()
    entries = [json.loads(line) for line in REQUESTS.read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        transcript = Path(folder, "replies.jsonl")
        environment: dict[str, str] = {}
        if chosen.base_url is None:
            transcript.write_bytes(gzip.decompress(TRANSCRIPT.read_bytes()))
            options = ["--replay", str(transcript)]
        else:
            options = ["--record", str(transcript)]
            environment = {"ASSAY_BASE_URL": chosen.base_url, "ASSAY_MODEL": chosen.model}
        for entry in entries:
            alone, requested = statuses(entry, options, environment)
            counted["docstring alone", alone] += 1
            counted["and the request", requested] += 1
            print(f"{entry['file']}::{entry['function']}: {alone}, with the request {requested}")
        if chosen.base_url is not None:
            # Without the time of day: the same replies make the same file.
            TRANSCRIPT.write_bytes(gzip.compress(transcript.read_bytes(), mtime=0))
    print(f"\n| | {' | '.join(STATUSES)} |", f"|---|{'---:|' * len(STATUSES)}", sep="\n")
    for how in ("docstring alone", "and the request"):
        print(f"| {how} | {' | '.join(str(counted[how, each]) for each in STATUSES)} |")


if __name__ == "__main__":
    main()
