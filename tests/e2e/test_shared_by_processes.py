"""Two processes that check the same function at once: one asks and runs, the other waits."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support.check_workspace import answering, workspace
from support.openai_server import Behaviour, Exchange, OpenAIServer, Request

MIDDLE = "def clamp(value, low, high):\n    return sorted((low, value, high))[1]\n"
# Ten candidates, one set of inputs, and what the docstring says of the one that differs.
REQUESTS = 13


def slowly(request: Request) -> Behaviour:
    behave = answering([MIDDLE])(request)

    def after_a_while(exchange: Exchange) -> None:
        if exchange.wait(0.3):
            behave(exchange)

    return after_a_while


def test_one_check_serves_two_processes(tmp_path: Path) -> None:
    with OpenAIServer(slowly) as server:
        own = workspace(tmp_path, server)
        with ThreadPoolExecutor() as pool:
            runs = [
                pool.submit(own.assay, "check", "limits.py", "--format", "json") for _ in range(2)
            ]
            found = [json.loads(run.result().stdout)["reports"][0] for run in runs]
        assert len(server.requests) == REQUESTS
    assert found[0]["findings"] == found[1]["findings"]
    # The one that waited has paid nothing.
    assert sorted(each["cost"]["paid"]["requests"] for each in found) == [0, REQUESTS]
