"""Where an endpoint caches prompts, the first candidate's request goes ahead of the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.caching_endpoint import CachingEndpoint
from support.check_workspace import MODULE, RIGHT_MODULE, workspace
from support.openai_server import OpenAIServer

SHORT = "Limit a value"
# About 1,300 tokens.
LONG = f"{'Bounds are whole numbers, and so are values. ' * 100}\n\n    {SHORT}"


@pytest.mark.parametrize(
    ("docstring", "cached"),
    [(LONG, [False, True, True, True]), (SHORT, [False] * 4)],
    ids=["long", "too short for a cache"],
)
def test_the_first_candidate_goes_ahead_once_a_cache_was_seen(
    tmp_path: Path, docstring: str, cached: list[bool]
) -> None:
    serve = CachingEndpoint()
    with OpenAIServer(serve) as server:
        made = workspace(tmp_path, server)

        def check(module: str) -> int:
            serve.cached.clear()
            made.module.write_text(module, encoding="utf-8")
            run = made.assay("check", "limits.py", "--format", "json")
            (report,) = json.loads(run.stdout)["reports"]
            return report["cost"]["paid"]["cached_tokens"]

        # Nothing is known of the endpoint; the other six find what the first four have asked.
        check(MODULE.replace(SHORT, f"{docstring} strictly"))
        assert serve.cached == [False] * 4 + [True] * 6
        tokens = check(RIGHT_MODULE.replace(SHORT, docstring))
        assert serve.cached == cached
        assert (tokens > 3 * 1024) is any(cached)
