"""How many of the recorded candidates carry a caution: nearly all of them only compute."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from assay_engine.dependencies.modules import workspace_modules
from assay_engine.fixes.cautions.cautions import caution_about
from assay_engine.sampling.candidates import gather
from assay_engine.sampling.prompting import candidate_prompt
from assay_engine.specification.specification import specify
from assay_engine.syntax.units import find_units
from assay_engine.types import Reply, Usage

ROOT = Path(__file__).parents[2]
PROJECTS = ("examples", "benchmarks/planted/backoffice", "benchmarks/planted/storefront")


def recorded() -> Iterator[tuple[str, str, str, str]]:
    """Of each recorded reply the file, its text, the function's name, and the candidate."""
    for project in (ROOT / each for each in PROJECTS):
        (transcript,) = project.glob("replies.jsonl*")
        content = transcript.read_bytes()
        lines = (gzip.decompress(content) if transcript.suffix == ".gz" else content).splitlines()
        replies: dict[str, list[str]] = {}
        for line in map(json.loads, lines[1:]):
            if line["prompt"]["name"] == "candidate":
                replies.setdefault(line["prompt"]["user"], []).append(line["text"])
        for path in sorted(project.glob("*.py")):
            text = path.read_text()
            for unit in find_units(text)[0]:
                specification = specify(text, unit, workspace=workspace_modules(path, project))
                prompt = candidate_prompt(specification, temperature=1, max_tokens=1)
                for reply in replies.pop(prompt.user, ()):
                    drawn = [Reply(reply, 0, Usage(), cached=True)]
                    for candidate in gather(drawn, specification)[0]:
                        yield path.name, text, unit.name, candidate.source


def test_of_the_recorded_candidates_one_carries_a_caution() -> None:
    every = list(recorded())
    found = [(path, name, caution_about(text, code, name)) for path, text, name, code in every]
    said = [(path, name, each.code) for path, name, each in found if each is not None]
    assert len(every) == 635
    assert said == [("frames.py", "min_max_scale", "warnings.catch_warnings")]
