"""What an agent makes of the answers of `assay mcp` on the planted functions.

    python -m benchmarks.agents

`planted/` holds two small projects (see `benchmarks.mistakes`). A stand-in for an agent, with the
SDK's own client, asks for a check of each file, asks `explain` of each function that is suspect,
puts the candidate of the answer's difference in its place, and asks again. It reads nothing but the
answers. Replies come from the projects' transcripts. Prints what it changed, by the labels, what
the second check says of that, and the characters of answers that it was handed for a function that
is suspect: the check's share and the explanation.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from benchmarks.mistakes import PLANTED, PROJECTS, TRANSCRIPT

# An answer that is not finished says so; the stand-in then asks again.
SECONDS = "900"


async def asked(client: Client, tool: str, **arguments: object) -> tuple[str, dict[str, Any]]:
    answer = await client.call_tool(tool, arguments)
    (content,) = answer.content
    text = str(getattr(content, "text", ""))
    return text, answer.structured_content or {}


def mended(folder: Path, explanation: str) -> bool:
    """Apply the difference in an explanation; whether there is one that applies."""
    lines = [each.removeprefix("    ") for each in explanation.splitlines()]
    first = next((at for at, each in enumerate(lines) if each.startswith("--- ")), None)
    if first is None:
        return False
    kept: list[str] = []
    for line in lines[first:]:
        if line and line[0] not in "-+@ \\":
            break
        kept.append(line)
    done = subprocess.run(
        ["patch", "-p1", "--forward"],
        cwd=folder,
        input="\n".join(kept) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode == 0


async def worked_on(folder: Path, transcript: Path) -> tuple[dict[str, str], list[int]]:
    """What became of each suspect function, by `file::name`, and the characters handed back."""
    became: dict[str, str] = {}
    handed: list[int] = []
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "assay_engine", "mcp", "--seconds", SECONDS, "--replay", str(transcript)],
        cwd=folder,
        env={"ASSAY_STORE": str(transcript.with_suffix(".db"))},
    )
    async with Client(server) as client:
        for file in sorted(each.name for each in folder.glob("*.py")):
            text, told = await asked(client, "check_function", file=file, functions_max=1000)
            suspect = [
                each["function"] for each in told["functions"] if each["verdict"] == "suspect"
            ]
            for name in suspect:
                why, _ = await asked(client, "explain", file=file, function=name)
                handed.append(len(text) // len(told["functions"]) + len(why))
                if not mended(folder, why):
                    became[f"{file}::{name}"] = "left"
                    continue
                _, again = await asked(client, "check_function", file=file, function=name)
                became[f"{file}::{name}"] = again["functions"][0]["verdict"]
    return became, handed


def main() -> None:
    counted: Counter[tuple[str, str]] = Counter()
    handed: list[int] = []
    for project in (PLANTED / name for name in PROJECTS):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary, project.name)
            shutil.copytree(project, folder, ignore=shutil.ignore_patterns("*.gz", "*.jsonl"))
            transcript = Path(temporary, "replies.jsonl")
            transcript.write_bytes(gzip.decompress((project / TRANSCRIPT).read_bytes()))
            became, characters = asyncio.run(worked_on(folder, transcript))
        handed += characters
        for line in (project / "labels.jsonl").read_text(encoding="utf-8").splitlines():
            label = json.loads(line)
            what = became.get(f"{label['file']}::{label['function']}", "not suspect")
            counted[label["kind"], what] += 1
            if what not in ("not suspect", "trusted"):
                print(f"{project.name}/{label['file']}::{label['function']}: {what}")
    for (kind, what), number in sorted(counted.items()):
        print(f"{kind}: {what}: {number}")
    print(f"characters handed back for a suspect function: {median(handed):.0f} (median)")


if __name__ == "__main__":
    main()
