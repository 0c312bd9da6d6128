"""The schema of `[tool.assay]` for editors: current, and of one mind with what reads the table."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from assay_engine.config.configuration import EngineOptions, excluded, settings_for
from assay_engine.config.settings import BOUNDS, JudgeMode
from assay_engine.errors import ConfigurationError
from support.json_page import SCHEMA, settings_schema

DOCUMENTED = Path(__file__).resolve().parents[2] / "docs" / "configuration.md"


def is_valid(table: object) -> bool:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema).is_valid(table)


def is_read(table: str, folder: Path) -> bool:
    (folder / "pyproject.toml").write_text(table, "utf-8")
    try:
        settings_for(EngineOptions(root=str(folder)))
        excluded(str(folder))
    except ConfigurationError:
        return False
    return True


def assay(table: str) -> Any:
    return tomllib.loads(table)["tool"]["assay"]


def test_it_is_current() -> None:
    assert SCHEMA.read_text("utf-8") == settings_schema(), "`make docs` writes it"


def test_the_documented_table_is_valid_and_complete() -> None:
    text = DOCUMENTED.read_text("utf-8").partition("```toml\n[tool.assay]\n")[2]
    table = assay("[tool.assay]\n" + text.partition("```")[0])
    assert is_valid(table)
    sections = json.loads(SCHEMA.read_text("utf-8"))["properties"]
    assert {*table} == {*sections}
    assert {
        f"{section}.{key}"
        for section in table.keys() - {"exclude", "judge"}
        for key in table[section]
    } == {*BOUNDS}


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_are_those_of_the_settings(name: str, tmp_path: Path) -> None:
    section, _, key = name.partition(".")
    least, most = BOUNDS[name]
    for value in (least, most, least - 1, most + 1, '"x"', True):
        written = str(value).lower() if isinstance(value, bool) else value
        table = f"[tool.assay.{section}]\n{key} = {written}\n"
        assert is_valid(assay(table)) == is_read(table, tmp_path), table


@pytest.mark.parametrize(
    "table",
    [
        'exclude = ["a/", "*.py"]',
        'exclude = "a/"',
        "exclude = [1]",
        *(f'judge = "{mode}"' for mode in JudgeMode),
        'judge = "often"',
        "sampling = 3",
        "colour = 3",
        "[tool.assay.execution]\nunconfined = true",
        "[tool.assay.sampling]\ncandidate = 5",
        '[tool.assay.endpoint]\nbase_url = "x"',
    ],
)
def test_what_one_takes_the_other_takes(table: str, tmp_path: Path) -> None:
    text = f"[tool.assay]\n{table}\n"
    assert is_valid(assay(text)) == is_read(text, tmp_path)
