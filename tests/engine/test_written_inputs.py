"""Arguments that are source text: what of it is data, and what is made of that."""

from __future__ import annotations

import ast
import math
from random import Random

import pytest

from assay_engine.deciding.shrinking import smaller_values
from assay_engine.inputs.material import material_of
from assay_engine.inputs.mutated import mutations
from assay_engine.inputs.written import literals_in, rewritten, source_of
from assay_sandbox import Call, Expression, Instance, Value

TABLE = "pd.DataFrame({'a': [1, 2, 3], 'b': ['x', 'y', None]}, columns=['a', 'b'])"


@pytest.mark.parametrize(
    ("source", "values"),
    [
        (TABLE, [{"a": [1, 2, 3], "b": ["x", "y", None]}]),
        ("np.array([[1, 2], [3, 4]], dtype='int64')", [[[1, 2], [3, 4]]]),
        ("np.zeros((2, 3))", [(2, 3)]),
        ("np.arange(-4, 10)", [-4, 10]),
        ("pd.Series([1.5], index=['p'], name='n')", [[1.5], ["p"]]),
        ("pd.DataFrame([{'a': 1}]).set_index(['a'])", [[{"a": 1}]]),
        ("pd.DataFrame({'at': pd.to_datetime(['2024-02-29']), 'n': [1]})", [["2024-02-29"], [1]]),
        ("pd.DataFrame({'at': [pd.Timestamp('2024-02-29')], 'n': [1]})", [[1]]),
        ("[Node(1, [2]), Node({3})]", [1, [2], {3}]),
        ("Graph(edges=[(1, 2)])", [[(1, 2)]]),
        ("pd.DataFrame({'a': [1]})['a'].rename('b').T", [{"a": [1]}]),
        ("2 * np.array([1, 2]) + np.ones(3)", [[1, 2], 3]),
        ("lambda x: x + 1", []),
        ("re.compile('[0-9]+')", []),
        ("np.array([f(1), *rest])", [1]),
        ("np.array(", []),
    ],
)
def test_what_a_constructor_is_handed_is_data(source: str, values: list[Value]) -> None:
    assert literals_in(Expression(source)) == values


def test_a_table_keeps_its_columns_and_stays_even() -> None:
    calls = mutations([Call((Expression(TABLE),))], 300, seed=0)
    assert len(calls) == 300
    lengths: set[int] = set()
    for call in calls:
        assert call.args[0].source.endswith(", columns=['a', 'b'])")
        (table,) = literals_in(call.args[0])
        assert list(table) == ["a", "b"]
        assert len(table["a"]) == len(table["b"])
        lengths.add(len(table["a"]))
    assert {1, 2, 3, 4, 6} <= lengths
    assert 0 not in lengths
    tables = [literals_in(call.args[0])[0] for call in calls]
    assert any(len(table["b"]) > len({*table["b"]}) for table in tables), "no tie was made"


def test_what_cannot_be_changed_stays() -> None:
    expression = Expression("re.compile('a')")
    assert rewritten(expression, material_of([]), Random(0)) is expression
    assert mutations([Call((expression,))], 5, seed=0) == ()


def test_what_is_not_a_number_leaves_a_text_that_can_be_read() -> None:
    sources = {
        call.args[0].source
        for call in mutations([Call((Expression("np.array([0.5, 1.5])"),))], 400, seed=0)
    }
    assert any("float('nan')" in source for source in sources)
    for source in sources:
        ast.parse(source, mode="eval")


def test_smaller_tables_lose_whole_rows_first() -> None:
    smaller = [each.source for each in smaller_values(Expression(TABLE))]
    assert smaller[:2] == [
        TABLE.replace("[1, 2, 3]", "[2, 3]").replace("['x', 'y', None]", "['y', None]"),
        TABLE.replace("[1, 2, 3]", "[1, 3]").replace("['x', 'y', None]", "['x', None]"),
    ]
    assert TABLE.replace("[1, 2, 3]", "[1, 0, 3]") in smaller


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ([1, "nan", float("inf")], "[1, 'nan', float('inf')]"),
        (-math.inf, "-float('inf')"),
        ({"a": (math.nan,)}, "{'a': (float('nan'),)}"),
        ("infinity", "'infinity'"),
        (Instance("Point", (("x", math.nan),)), "Point(x=float('nan'))"),
    ],
)
def test_source_text_of_a_value_can_be_evaluated(value: Value, source: str) -> None:
    assert source_of(value) == source
