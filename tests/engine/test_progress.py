"""What whoever waits for a check is told of it."""

from __future__ import annotations

from pathlib import Path

from assay_engine.config.configuration import EngineOptions
from assay_engine.engine import Engine
from assay_engine.types import Progress, SourceText
from support.check_workspace import RIGHT_MODULE, answering
from support.openai_server import OpenAIServer


async def test_replies_are_counted_as_they_come(tmp_path: Path) -> None:
    seen: list[Progress] = []
    with OpenAIServer(answering()) as server:
        environment = {"ASSAY_BASE_URL": server.base_url, "ASSAY_MODEL": "m"}
        options = EngineOptions(store_path=str(tmp_path / "store.db"), environment=environment)
        with Engine.open(options) as engine:
            # A function without a docstring is none of those that are counted.
            text = f"{RIGHT_MODULE}\n\ndef bare():\n    return 1\n"
            source = SourceText("limits.py", text, None)
            async for _ in engine.check(source, listen=seen.append):
                pass
    stages = [each.stage for each in seen]
    begun = stages.index("asking for candidates")
    counted = [f"asking for candidates, {number} of at most 11 replies" for number in range(1, 6)]
    assert stages[begun + 1 : begun + 7] == [*counted, "running candidates"]
    assert {each.total for each in seen} == {1}
