"""Statements broken over lines."""

from __future__ import annotations

import ast

import pytest

from assay_engine.syntax.layout import laid_out


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("f(1, 2)", 20, ["f(1, 2)"]),
        ("f(111, 222, n=333)", 16, ["f(", "    111,", "    222,", "    n=333,", ")"]),
        ("x = f(111, *b, **c)", 18, ["x = f(", "    111, *b, **c", ")"]),
        ("f([111, 222, 333])", 16, ["f([", "    111,", "    222,", "    333,", "])"]),
        ("f((i for i in x))", 10, ["f(", "    (i for i in x),", ")"]),
        ("A(111, 222).b()", 14, ["A(", "    111, 222", ").b()"]),
        ("x = {1: 111, **b}", 16, ["x = {", "    1: 111, **b", "}"]),
        (
            "(111, {222, 333})",
            14,
            ["(", "    111,", "    {", "        222,", "        333,", "    },", ")"],
        ),
        ("(1111111111,)", 8, ["(1111111111,)"]),
        ("'a long text'", 8, ["'a long text'"]),
        (
            "try:\n    f(111, 222)\nexcept ValueError:\n    pass",
            12,
            [
                "try:",
                "    f(",
                "        111,",
                "        222,",
                "    )",
                "except ValueError:",
                "    pass",
            ],
        ),
        ("with f(1) as x:\n    g(x)", 30, ["with f(1) as x:", "    g(x)"]),
        ("a.b += 1", 4, ["a.b += 1"]),
    ],
)
def test_statements_are_broken_at_brackets_and_say_the_same(
    text: str, width: int, lines: list[str]
) -> None:
    (statement,) = ast.parse(text).body
    assert laid_out(statement, width) == lines
    (after,) = ast.parse("\n".join(lines)).body
    assert ast.dump(after) == ast.dump(statement)
