"""A name that stands in sentences holds nothing but a name."""

from __future__ import annotations

import pytest

from assay_sandbox.naming import UNNAMED, type_name


@pytest.mark.parametrize(
    "name",
    [
        "ValueError",
        "make.<locals>.Odd",
        "list[int]",
        "Größe",
        "numpy.ndarray:<i8",
        "numpy.ndarray:|V12",
        "numpy.ndarray:<M8[ns]",
        "numpy.ndarray:<M8[25s]",
    ],
)
def test_what_looks_like_a_name_stays(name: str) -> None:
    assert type_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "a b", "a\n\n![x](y)", "<mailto:x>", "numpy.ndarray:<i8>\n", "a" * 201, "\x1b[31m", "x:y"],
)
def test_what_does_not_is_replaced(name: str) -> None:
    assert type_name(name) == UNNAMED
