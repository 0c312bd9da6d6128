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
        project = tmp_path / "pyproject.toml"
        project.write_text("[tool.assay.sampling]\nrequest_seconds = 60\n", encoding="utf-8")

        def check(module: str, *, together: int) -> int:
            serve.expect(together)
            made.module.write_text(module, encoding="utf-8")
            run = made.assay("check", "limits.py", "--format", "json")
            (report,) = json.loads(run.stdout)["reports"]
            return report["cost"]["paid"]["cached_tokens"]

        # Nothing is known of the endpoint; the other six find what the first four have asked.
        check(MODULE.replace(SHORT, f"{docstring} strictly"), together=4)
        assert serve.cached == [False] * 4 + [True] * 6
        tokens = check(RIGHT_MODULE.replace(SHORT, docstring), together=1 if any(cached) else 4)
        assert serve.cached == cached
        assert (tokens > 3 * 1024) is any(cached)
