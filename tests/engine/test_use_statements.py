"""Uses of helpers, written as the statements that they stand for."""

from __future__ import annotations

import ast

import pytest

from assay_engine.source.parsing import parse_expression
from assay_engine.source.uses import as_blocks


@pytest.mark.parametrize(
    ("use", "blocks", "asked"),
    [
        ("caught(f, 1, n=2)", [], "f(1, n=2)"),
        ("inside(m, lambda x: g(x))", ["with m as x:\n    result = g(x)"], "result"),
        ("inside(m, lambda x: 1)", ["with m:\n    result = 1"], "result"),
        (
            "(inside(m, lambda x: x), d)",
            ["with m as x:\n    result = x"],
            "(result, d)",
        ),
        (
            "(caught(f, 1), seen)",
            ["try:\n    f(1)\nexcept Exception:\n    pass"],
            "seen",
        ),
        (
            "(caught(inside, m, lambda x: x.y), d)",
            ["try:\n    with m as x:\n        x.y\nexcept Exception:\n    pass"],
            "d",
        ),
        # What is asked before a block cannot be asked behind it.
        ("(d, caught(f, 1))", [], None),
        # What a block raises is all that there is to see.
        ("caught(inside, m, lambda x: 1 / 0)", [], None),
        ("inside(m, g)", [], None),
        ("g(caught(f, 1))", [], None),
        ("f(1)", [], None),
    ],
)
def test_a_use_of_helpers_becomes_statements_and_what_is_asked_then(
    use: str, blocks: list[str], asked: str | None
) -> None:
    expression = parse_expression(use)
    assert expression is not None
    statements, left = as_blocks(expression)
    assert [ast.unparse(each) for each in statements] == blocks
    assert (None if left is None else ast.unparse(left)) == asked
