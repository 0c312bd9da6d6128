"""The types among which an annotation leaves the choice."""

from __future__ import annotations

import ast

import pytest

from assay_engine.syntax.expressions import aliases_of, alternatives
from assay_engine.syntax.text import read_source

ALIASES = aliases_of(
    read_source("Number = int | float\nTable = dict[str, int]\nOwn = 'list[Own] | Own'")
)


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("int", ["int"]),
        ("int | str | None", ["int", "str", "None"]),
        ("typing.Optional[list[int]]", ["list[int]", "None"]),
        ("Union[int, 'str | None', Optional[bytes]]", ["int", "str", "None", "bytes", "None"]),
        ("t.Union[int]", ["int"]),
        ("'int | None'", ["int", "None"]),
        ("Annotated[int | str, 'of either']", ["int", "str"]),
        ("ClassVar[Number]", ["int", "float"]),
        ("Number | Table", ["int", "float", "dict[str, int]"]),
        ("Own", ["list[Own]"]),
        ("Union[Number, Optional[Number]]", ["int", "float", "None"]),
        ("list[int | str]", ["list[int | str]"]),
        ("int |", []),
        ("", []),
        (None, []),
    ],
)
def test_alternatives(annotation: str | None, expected: list[str]) -> None:
    assert [ast.unparse(each) for each in alternatives(annotation, ALIASES)] == expected


def test_alternatives_however_deep_they_are() -> None:
    assert len(alternatives(" | ".join(["int"] * 700))) == 700
    nested = "int"
    for _ in range(40):
        nested = f"Optional[{nested}]"
    assert [ast.unparse(each) for each in alternatives(nested)] == ["int", *["None"] * 40]
