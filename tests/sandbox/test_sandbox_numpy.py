"""What programs of numpy give back, and what hides its state from everybody."""

from __future__ import annotations

import pytest

from assay_sandbox import (
    Call,
    Container,
    Expression,
    Program,
    Returned,
    Sandbox,
    Unserialisable,
    Value,
    decode,
    render,
)

SAME = Program("import numpy\n\ndef same(value):\n    return value\n", "same")


@pytest.mark.parametrize(
    "source", ["numpy.zeros(10_000_000)", "numpy.broadcast_to(numpy.int8(0), (10**10,))"]
)
def test_an_array_that_is_too_large_is_named_at_once(sandbox: Sandbox, source: str) -> None:
    (seen,) = sandbox.run(SAME, [Call((Expression(source),))])
    assert seen == Unserialisable("numpy.ndarray: larger than 1048576 bytes")


def given_back(sandbox: Sandbox, source: str) -> Value:
    """The value of an expression; its text makes the same value again."""
    (seen,) = sandbox.run(SAME, [Call((Expression(source),))])
    assert isinstance(seen, Returned), seen
    value = decode(seen.value)
    (again,) = sandbox.run(SAME, [Call((value,))])
    assert isinstance(again, Returned), again
    assert again.value == seen.value
    return value


@pytest.mark.parametrize(
    "source",
    [
        "numpy.array([])",
        "numpy.array([1.5, 2.0])",
        "numpy.array([[1, 2], [3, 4]])",
        "numpy.array(3)",
        "numpy.empty((0, 3))",
        "numpy.array([1.0, 2.0], dtype='<f4')",
        "numpy.array(['ab', 'c'], dtype='<U2')",
        "numpy.float64(2.5)",
    ],
)
def test_an_array_is_shown_as_it_would_be_typed(sandbox: Sandbox, source: str) -> None:
    assert render(given_back(sandbox, source)) == source


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("numpy.int64(3)", Container("numpy.int64", 3)),
        ("numpy.float32(0.5)", Container("numpy.float32", 0.5)),
        ("numpy.str_('a')", Container("numpy.str_", "a")),
        ("{numpy.int64(1), 2}", {Container("numpy.int64", 1), 2}),
        ("numpy.datetime64('1970-01-03')", Container("numpy.datetime64", ("<M8[D]", 2))),
        ("numpy.timedelta64(5, 'ns')", Container("numpy.timedelta64", ("<m8[ns]", 5))),
        ("numpy.arange(2)", Container("numpy.ndarray:<i8", [[2], [0, 1]])),
        (
            "numpy.array([(1, 2.0)], dtype=[('x', '<i4'), ('y', '<f8')])",
            Container("numpy.ndarray:|V12", [[1], [(1, 2.0)], [("x", "<i4"), ("y", "<f8")]]),
        ),
    ],
)
def test_values_of_numpy_are_told_whole(sandbox: Sandbox, source: str, value: Value) -> None:
    assert given_back(sandbox, source) == value


def test_a_number_of_numpy_is_shown_as_one_writes_it(sandbox: Sandbox) -> None:
    assert render(given_back(sandbox, "numpy.int64(3)")) == "numpy.int64(3)"


@pytest.mark.parametrize(
    "source",
    [
        "numpy.longdouble(1)",
        "numpy.array([object()])",
        # C code keeps all there is of it, and has no method that would tell so.
        "__import__('io').BytesIO(b'x').getbuffer().obj",
    ],
)
def test_what_hides_its_state_is_named_as_that(sandbox: Sandbox, source: str) -> None:
    (seen,) = sandbox.run(SAME, [Call((Expression(source),))])
    assert isinstance(seen, Unserialisable)
    assert "its state cannot be read from outside" in seen.what
