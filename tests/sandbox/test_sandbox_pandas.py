"""What programs of pandas give back and change: told whole, whatever it was built of."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from assay_sandbox import (
    Call,
    Container,
    Expression,
    Instance,
    Limits,
    Observation,
    Opaque,
    Program,
    Returned,
    Sandbox,
    Unserialisable,
    Value,
    decode,
    render,
)

# Importing pandas alone takes longer than most programs.
LIMITS = Limits(call_seconds=20.0, load_seconds=60.0, total_seconds=90.0)
HEAD = "import numpy\nimport pandas\n\n"
SAME = Program(f"{HEAD}def same(value):\n    return value\n", "same")


def run_all(sandbox: Sandbox, program: Program, values: Sequence[Value]) -> list[Observation]:
    return list(sandbox.run(program, [Call((value,)) for value in values], LIMITS))


def told(sandbox: Sandbox, sources: Sequence[str]) -> list[str]:
    """The texts of what the expressions give."""
    texts: list[str] = []
    for seen in run_all(sandbox, SAME, list(map(Expression, sources))):
        assert isinstance(seen, Returned), seen
        texts.append(seen.value)
    return texts


# Expression and how it is shown.
TABLES = {
    "pandas.DataFrame({'a': [1, 2]}, index=['p', 'q'])": None,
    "pandas.DataFrame({'a': [1.5, None], 'b': [True, False]})": (
        "pandas.DataFrame({'a': [1.5, nan], 'b': [True, False]})"
    ),
    "pandas.DataFrame()": None,
    "pandas.DataFrame([[1, 2], [3, 4]], columns=['a', 'a'])": (
        "pandas.DataFrame({'a': [1, 3], 'a': [2, 4]})"
    ),
    "pandas.DataFrame({('a', 'x'): [1], ('a', 'y'): [2]})": None,
    "pandas.DataFrame({'a': [[1], {2}, None]})": None,
    "pandas.DataFrame({'a': [1]}, columns=pandas.Index(['a'], name='n'))": None,
    "pandas.Series([1, 2], name='a')": None,
    "pandas.Series([1, 2], dtype='int32')": None,
    "pandas.Series([1, None], dtype='Int64')": None,
    "pandas.Series([True, None], dtype='boolean')": None,
    "pandas.Series(['x', None], dtype='string')": None,
    "pandas.Series(['x', None], dtype=object)": None,
    "pandas.Series([1, 2], dtype=object)": None,
    "pandas.Series([pandas.NaT, pandas.NA], dtype=object)": None,
    "pandas.Series(pandas.Categorical(['u', None], ['v', 'u'], ordered=True)).cat.codes": (
        "pandas.Series([1, -1], dtype='int8')"
    ),
    "pandas.Series([3, None], dtype=pandas.CategoricalDtype([5, 3], ordered=True))": None,
    "pandas.Series(['2024-01-01 00:00:00', None], dtype='datetime64[us]')": None,
    "pandas.Series(['2024-01-01 01:00:00+01:00'], dtype='datetime64[us, UTC+01:00]')": None,
    "pandas.Series(['-1 days +23:59:59.5'], dtype='timedelta64[ns]')": None,
    "pandas.Series([1, 2]).index": "pandas.Index([0, 1])",
    "pandas.Index([3, 1], name='n')": None,
    "pandas.MultiIndex.from_tuples([(1, 'a'), (2, None)], names=['x', 'y'])": None,
    "pandas.DataFrame({'a': [1]}, index=pandas.MultiIndex.from_tuples([(1, 'a')]))": None,
    "pandas.array([1, None], dtype='Int64')": None,
    "pandas.Timestamp('2024-01-01 00:00:00')": None,
    "pandas.Timestamp('2024-01-01 00:00:00.000000001+01:00')": None,
    "pandas.Timestamp('9999-12-31 00:00:00')": None,
    "pandas.Timedelta('-1 days +23:59:59.5')": None,
    "{pandas.Timestamp('2024-01-01 00:00:00'): pandas.Timedelta('1 days 00:00:00')}": None,
    "pandas.NaT": None,
    "pandas.NA": None,
}


def test_values_of_pandas_are_told_shown_as_one_writes_them_and_made_again(
    sandbox: Sandbox,
) -> None:
    texts = told(sandbox, list(TABLES))
    values = list(map(decode, texts))
    expected = [shown or source for source, shown in TABLES.items()]
    assert list(map(render, values)) == expected
    again = run_all(sandbox, SAME, values)
    assert [seen.value for seen in again if isinstance(seen, Returned)] == texts


def test_a_table_is_told_as_its_labels_and_its_columns(sandbox: Sandbox) -> None:
    (text,) = told(sandbox, ["pandas.DataFrame({3: [1, 2], 4: [0.5, 1]}, index=[7, 8])"])
    labels, rows = [None, "<i8", [3, 4]], [None, "<i8", [7, 8]]
    columns = [["<i8", [1, 2]], ["<f8", [0.5, 1.0]]]
    assert decode(text) == Container("pandas.DataFrame", [labels, rows, columns])


ALIKE = [
    (
        "pandas.DataFrame({'a': [1, 2], 'b': [0.5, 1], 'c': [3, 4]})",
        "pandas.DataFrame({'a': [1, 2]}).assign(b=[0.5, 1.0]).assign(c=[3, 4])",
        "pandas.DataFrame({'c': [3, 4], 'b': [0.5, 1.0], 'a': [1, 2]})[['a', 'b', 'c']]",
        "pandas.DataFrame({'a': [1, 2], 'b': [0.5, 1], 'c': [3, 4]}, index=[0, 1])",
    ),
    (
        "pandas.DataFrame({'a': [1, 3], 'b': [2, 4]})",
        "pandas.DataFrame(numpy.array([[1, 2], [3, 4]]), columns=['a', 'b'])",
        "pandas.DataFrame([[1, 3], [2, 4]], index=['a', 'b']).T",
    ),
    (
        "pandas.date_range('2024-01-01', periods=2, freq='D').as_unit('ns')",
        "pandas.to_datetime(['2024-01-01', '2024-01-02']).as_unit('ns')",
    ),
    (
        "pandas.MultiIndex.from_tuples([(2, 'b')])",
        "pandas.MultiIndex.from_product([[1, 2], ['a', 'b']])[3:]",
    ),
    (
        "pandas.Timestamp('2024-01-01').as_unit('s')",
        "pandas.Timestamp('2024-01-01').as_unit('ns')",
    ),
    (
        "pandas.Series([1, None], dtype='Int64')",
        "pandas.Series([2, None], dtype='Int64') - 1",
    ),
]


def test_equal_tables_are_told_alike_however_they_were_built(sandbox: Sandbox) -> None:
    texts = iter(told(sandbox, [source for sources in ALIKE for source in sources]))
    for sources in ALIKE:
        assert len({next(texts) for _ in sources}) == 1, sources


def test_tables_that_differ_are_told_apart(sandbox: Sandbox) -> None:
    sources = [
        "pandas.DataFrame({'a': [1, 2], 'b': [3, 4]})",
        "pandas.DataFrame({'b': [3, 4], 'a': [1, 2]})",
        "pandas.DataFrame({'a': [1, 2], 'b': [3, 5]})",
        "pandas.DataFrame({'a': [1, 2], 'b': [3.0, 4.0]})",
        "pandas.DataFrame({'a': [1, 2], 'b': [3, 4]}, dtype=object)",
        "pandas.DataFrame({'a': [1, 2], 'b': [3, 4]}, index=[1, 0])",
        "pandas.DataFrame({'a': [1, 2], 'b': [3, 4]}).rename_axis('n')",
        "pandas.DataFrame({'a': [1, 2], 'b': [3, 4]}).astype('Int64')",
        "pandas.DataFrame({'a': [1, 2], 'b': [3, 4]}).astype('category')",
        "pandas.Series([1, 2])",
        "pandas.Series([1, 2], name='a')",
        "pandas.Index([1, 2])",
        "pandas.MultiIndex.from_tuples([(1,), (2,)])",
        "pandas.Timestamp(0)",
        "pandas.Timestamp(0, tz='UTC')",
        "pandas.Timedelta(0)",
    ]
    assert len(set(told(sandbox, sources))) == len(sources)


UNTOLD = {
    "pandas.DataFrame({'a': pandas.period_range('2024', periods=1, freq='D')})": (
        "pandas.DataFrame: a column of pandas.arrays.PeriodArray"
    ),
    "pandas.cut([1], [0, 1])": "pandas.Categorical: labels of pandas.arrays.IntervalArray",
    "pandas.Series([numpy.longdouble(1)] * 2, dtype=numpy.longdouble)": (
        f"pandas.Series: a column of numpy's {'<f16' if sys.maxsize > 1 << 32 else '<f12'}"
    ),
    "pandas.RangeIndex(10**9)": "pandas.RangeIndex: a range of more than 1000000 labels",
}


def test_what_is_not_told_of_a_table_is_named(sandbox: Sandbox) -> None:
    seen = run_all(sandbox, SAME, list(map(Expression, UNTOLD)))
    assert seen == list(map(Unserialisable, UNTOLD.values()))


CHANGES = f"""{HEAD}
table = pandas.DataFrame({{"a": [1, 2]}})

def change(table, how):
    exec(how)
"""


def test_a_table_that_a_call_changes_is_told(sandbox: Sandbox) -> None:
    changes = {
        "table.loc[0, 'a'] = 99": "pandas.DataFrame({'a': [99, 2]})",
        "table['b'] = 1": "pandas.DataFrame({'a': [1, 2], 'b': [1, 1]})",
        "table.drop(columns='a', inplace=True)": "pandas.DataFrame()",
        "table.index = ['p', 'q']": "pandas.DataFrame({'a': [1, 2]}, index=['p', 'q'])",
        "table.T.describe(), len(table.index)": None,
    }
    calls = [Call((Expression("table.copy()"), how)) for how in changes]
    for seen, after in zip(
        sandbox.run(Program(CHANGES, "change"), calls, LIMITS), changes.values(), strict=True
    ):
        assert isinstance(seen, Returned)
        told_after = seen.args_after
        assert (told_after and render(decode(told_after)[0][0])) == after


LYING = f"""{HEAD}
spoke = []

def lie(*args, **kwargs):
    spoke.append("called")
    return 42

def lying(kind, *names):
    for name in names:
        setattr(kind, name, property(lie) if name.startswith("_") and name[1] != "_" else lie)

def f(x):
    table = pandas.DataFrame({{"a": [x, 2], "b": pandas.to_datetime(["2024-01-01", None])}})
    moment = pandas.Timestamp(0)
    lying(pandas.DataFrame, "to_dict", "__eq__", "__repr__", "_mgr", "__getattr__", "__len__")
    lying(pandas.Series, "tolist", "__eq__", "_values", "_name", "__iter__")
    lying(pandas.Index, "tolist", "_values", "_data", "_name", "__iter__", "__len__", "__eq__")
    lying(pandas.RangeIndex, "_range", "__iter__")
    lying(type(table.iloc), "__getitem__")
    lying(pandas.Timestamp, "_value", "tzinfo", "__str__", "isoformat")
    del spoke[:]
    return table, moment, spoke
"""


def test_a_program_that_replaces_methods_and_properties_changes_nothing(sandbox: Sandbox) -> None:
    (seen,) = run_all(sandbox, Program(LYING, "f"), [1])
    assert isinstance(seen, Returned), seen
    table, moment, spoke = decode(seen.value)
    assert render(table).startswith("pandas.DataFrame({'a': [1, 2], 'b': pandas.array(['2024-01-01")
    assert render(moment) == "pandas.Timestamp('1970-01-01 00:00:00')"
    assert spoke == []


LOOKALIKES = f"""{HEAD}
def made(name, **fields):
    kind = type(name, (), {{"__module__": "pandas"}})
    value = kind()
    value.__dict__.update(fields)
    return value

def f(x):
    table = pandas.DataFrame({{"a": [1]}})
    if x == 0:
        return made("DataFrame")
    if x == 1:
        return made("DataFrame", _mgr=made("BlockManager", axes=[1, 2], blocks=(3,)))
    if x == 2:
        return made("Series", _mgr=made("BlockManager", axes=[1], blocks=(2,)))
    if x == 3:
        return made("MultiIndex", _names=[1], _levels=[2], _codes=[3])
    if x == 4:
        return made("Categorical", _data=3)
    if x == 5:
        return made("Timestamp", _value=3, _creso=10)
    if x == 6:
        # Parts of a table that do not fit together any more.
        table._mgr = pandas.DataFrame({{"a": [1], "b": [0.5]}})._mgr
        table._mgr.blocks = table._mgr.blocks[1:]
        return table
    if x == 7:
        index = pandas.CategoricalIndex(["a"])
        index._data._dtype._categories = pandas.Index([])
        return index
    made_up = pandas.DataFrame.__new__(pandas.DataFrame)
    return [made_up, type("DataFrame", (pandas.DataFrame,), {{}})({{"a": [1]}})]
"""


def test_what_only_claims_to_be_of_pandas_does_no_harm(sandbox: Sandbox) -> None:
    *seen, last = run_all(sandbox, Program(LOOKALIKES, "f"), range(9))
    for each in seen:
        assert isinstance(each, Unserialisable), each
        assert each.what.startswith("pandas.")
    assert isinstance(last, Returned)
    (made_up, derived) = decode(last.value)
    assert isinstance(made_up, Opaque)
    assert isinstance(derived, Instance)


@pytest.mark.parametrize("name", ["NaTType", "NAType"])
def test_an_object_called_like_what_is_missing_keeps_its_fields(
    sandbox: Sandbox, name: str
) -> None:
    text = (
        f"{HEAD}\ndef f(x):\n    value = type({name!r}, (), {{'__module__': 'pandas'}})()\n"
        "    value.x = x\n    return value\n"
    )
    (seen,) = run_all(sandbox, Program(text, "f"), [3])
    assert isinstance(seen, Returned), seen
    assert decode(seen.value) == Instance(f"pandas.{name}", (("x", 3),))


def test_contents_that_the_worker_would_not_write_are_shown_all_the_same() -> None:
    for contents in (None, 3, [], {}, [1, 2, 3], [[1], [2], [[3]]], [[None, "<M8", ["x"]], 1, 2]):
        shown = render(Container("pandas.DataFrame", contents))
        assert shown == f"pandas.DataFrame({contents!r})"


def test_parts_that_make_no_value_of_pandas_are_named(sandbox: Sandbox) -> None:
    (seen,) = run_all(sandbox, SAME, [Container("pandas.Period", 3)])
    assert seen == Unserialisable("input: no pandas.Period can be made of what is told of one")
