"""Arguments that are source text: what of it is data, and what is made of that."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from random import Random

import pytest
from msgspec import structs

from assay_engine.inputs.literals import literals_in
from assay_engine.inputs.material import material_of
from assay_engine.inputs.mutated import mutations
from assay_engine.inputs.written import rewritten
from assay_engine.search.shrinking import REWRITINGS_MAX, shrink, smaller_values
from assay_engine.values.spelling import source_of
from assay_sandbox import Call, Container, Expression, Instance, Scalar, Value

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
        (
            "pd.DataFrame({'at': [pd.Timestamp('2024-02-29'), pd.NaT], 'n': [1, None]})",
            [
                {
                    "at": [Expression("pd.Timestamp('2024-02-29')"), Expression("pd.NaT")],
                    "n": [1, None],
                }
            ],
        ),
        ("np.array([1.0, np.inf, -float('inf')])", [[1.0, math.inf, -math.inf]]),
        ("pd.Series(['x y']).str.split(' ', n=1)", [["x y"]]),
        ("pd.DataFrame({'a': [1]}).T.rename({'a': 'b'})", [{"a": [1]}]),
        ("(np.array([1, 2]) * 2).round(2)", [[1, 2]]),
        ("-np.array([[1], [2]])", [[[1], [2]]]),
        ("pd.DataFrame({'é': [1], 'ü': ['中']}, index=[3])", [{"é": [1], "ü": ["中"]}, [3]]),
        ("f([*xs, 1], {**ys, 'a': 1}, {f: 1})", []),
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
    assert [literal.value for literal in literals_in(source)] == values


def test_a_table_keeps_its_columns_and_stays_even() -> None:
    calls = mutations([Call((Expression(TABLE),))], 300, seed=0)
    assert len(calls) == 300
    lengths: set[int] = set()
    for call in calls:
        assert call.args[0].source.endswith(", columns=['a', 'b'])")
        ((_, _, table),) = map(structs.astuple, literals_in(call.args[0].source))
        assert list(table) == ["a", "b"]
        assert len(table["a"]) == len(table["b"])
        lengths.add(len(table["a"]))
    assert {1, 2, 3, 4, 6} <= lengths
    assert 0 not in lengths
    tables = [literals_in(call.args[0].source)[0].value for call in calls]
    rows = [list(zip(table["a"], table["b"], strict=True)) for table in tables]
    # A tie in one column, and not a row that is there twice.
    assert any(len({b for _, b in each}) < len({*each}) for each in rows)


def test_what_cannot_be_changed_stays() -> None:
    expression = Expression("re.compile('a')")
    assert rewritten(expression, material_of([]), Random(0)) is expression
    assert mutations([Call((expression,))], 5, seed=0) == ()


def test_what_is_not_a_number_leaves_a_text_that_can_be_read() -> None:
    seed = Call((Expression("np.array([0.5, 1.5, np.nan])"),))
    sources = {call.args[0].source for call in mutations([seed], 400, seed=0)}
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
    for source in smaller:
        (literal,) = literals_in(source)
        assert list(literal.value) == ["a", "b"]
        assert len(literal.value["a"]) == len(literal.value["b"]) > 0


async def test_a_table_is_made_small_and_not_nothing() -> None:
    async def everything_shows(calls: Sequence[Call]) -> list[bool]:
        return [True] * len(calls)

    table = "pd.DataFrame({'n': [31, 31, 5], 'name': ['ab', 'c', 'd']}, index=[5, 6, 7])"
    (shown,) = (await shrink(Call((Expression(table),)), everything_shows)).args
    assert shown.source == "pd.DataFrame({'n': [0], 'name': ['']}, index=[0])"


def test_a_long_array_is_changed_and_made_small_without_end() -> None:
    array = Expression(f"np.array({list(range(5000))})")
    assert len(mutations([Call((array,))], 20, seed=0)) == 20
    assert len(list(smaller_values(array))) == REWRITINGS_MAX


def test_what_is_not_finite_and_large_integers_stay_data() -> None:
    (literal,) = literals_in(f"np.array([{'9' * 4000}, float('nan')])")
    assert literal.value[0] == 10**4000 - 1
    assert source_of([10**5000]).startswith("[0x")
    source = Expression("pd.DataFrame({'a': [1.5, float('nan')], 'b': [pd.NA, 2]})")
    calls = mutations([Call((source,))], 50, seed=0)
    assert len(calls) == 50
    for call in calls:
        (table,) = (literal.value for literal in literals_in(call.args[0].source))
        assert len(table["a"]) == len(table["b"])


def test_constants_are_planted_into_arrays() -> None:
    calls = mutations([Call((Expression("np.array([1, 2])"),))], 300, seed=0, constants=[977])
    assert any("977" in call.args[0].source for call in calls)


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ([1, "nan", float("inf")], "[1, 'nan', float('inf')]"),
        (-math.inf, "float('-inf')"),
        ({"a": (math.nan,)}, "{'a': (float('nan'),)}"),
        (complex(0, math.inf), "complex(0.0, float('inf'))"),
        (Instance("inf", (("x", 1),)), "inf(x=1)"),
        (
            Instance("Stay", (("start", Scalar("datetime.date", "2024-02-29")),)),
            "Stay(start=__import__('datetime').date(2024, 2, 29))",
        ),
        (
            [Scalar("datetime.datetime", "2024-02-29T12:00:00+00:00")],
            (
                "[__import__('datetime').datetime(2024, 2, 29, 12, 0, "
                "tzinfo=__import__('datetime').timezone.utc)]"
            ),
        ),
        (Scalar("decimal.Decimal", "1.5"), "__import__('decimal').Decimal('1.5')"),
        (Container("collections.Counter", {"a": 1}), "__import__('collections').Counter({'a': 1})"),
        (
            Container("collections.OrderedDict", {"a": math.nan}),
            "__import__('collections').OrderedDict({'a': float('nan')})",
        ),
        ("infinity", "'infinity'"),
        (Instance("Point", (("x", math.nan),)), "Point(x=float('nan'))"),
    ],
)
def test_source_text_of_a_value_can_be_evaluated(value: Value, source: str) -> None:
    assert source_of(value) == source
