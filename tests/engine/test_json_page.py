"""docs/json.md speaks of all that `assay schema` has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay_engine.cli.json_report import schema, to_json

PAGE = Path(__file__).resolve().parents[2] / "docs" / "json.md"


def test_every_field_of_the_schema_is_named_in_its_page() -> None:
    text = re.sub(r"```.*?```", "", PAGE.read_text("utf-8"), flags=re.DOTALL)
    code = " ".join(re.findall(r"`([^`]+)`", text))
    named = set(re.findall(r"\w+", code))
    fields = set(_fields(schema()))
    assert {"reports", "verdict", "prompt_tokens", "is_baseline"} <= fields
    assert fields - named == set()


def test_the_name_of_a_file_that_is_not_utf_8_comes_through() -> None:
    said = "caf\udce9.py: not readable, \U0001f600"
    text = to_json((), (said,))
    assert json.loads(text.encode("utf-8"))["unreadable"] == [said]
    assert "\U0001f600" in text


def _fields(schema: dict[str, Any]) -> Iterator[str]:
    for definition in schema["$defs"].values():
        yield from definition.get("properties", {})
