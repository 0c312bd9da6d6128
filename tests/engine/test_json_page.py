"""docs/json.md is what the schema says, and the schema says something of every field."""

from __future__ import annotations

import json
import re

from assay_engine.cli.json_report import json_schema, to_json
from support.json_page import PAGE, page

# What a part of a phrase is, is told by its type.
OF_ITSELF = {("Words", "text"), ("Verbatim", "text"), ("Name", "text")}


def test_the_page_is_what_the_schema_gives() -> None:
    assert PAGE.read_text("utf-8") == page(), "`make docs` writes it anew"


def test_every_field_is_spoken_of_in_the_description_of_its_type() -> None:
    unsaid = {
        (name, field)
        for name, definition in json_schema()["$defs"].items()
        for field in definition.get("properties", {})
        if field not in re.findall(r"`(\w+)`", definition["description"])
        and "enum" not in definition["properties"][field]
    }
    assert unsaid == OF_ITSELF


def test_the_name_of_a_file_that_is_not_utf_8_comes_through() -> None:
    said = "caf\udce9.py: not readable, \U0001f600"
    text = to_json((), (said,))
    assert json.loads(text.encode("utf-8"))["unreadable"] == [said]
    assert text.isascii()
