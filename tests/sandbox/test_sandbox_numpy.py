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
    Told,
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
            Container("numpy.ndarray:|V", [[1], [(1, 2.0)], [("x", "<i4"), ("y", "<f8")]]),
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
        "numpy.matrix([[1]])",
        # C code keeps all there is of it, and has no method that would tell so.
        "__import__('io').BytesIO(b'x').getbuffer().obj",
    ],
)
def test_what_hides_its_state_is_named_as_that(sandbox: Sandbox, source: str) -> None:
    (seen,) = sandbox.run(SAME, [Call((Expression(source),))])
    assert isinstance(seen, Unserialisable)
    assert "its state cannot be read from outside" in seen.what


OBJECTS = "numpy.array([[1, 'a'], [None, {}]], dtype=object)"
MASKED = "numpy.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]], dtype='<i8')"
NAMES = ("numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray")


def told(sandbox: Sandbox, source: str) -> Told:
    (seen,) = sandbox.run(SAME, [Call((Expression(source),))])
    assert isinstance(seen, Returned), seen
    value = decode(seen.value)
    assert isinstance(value, Told)
    return value


def test_arrays_of_objects_are_told_by_shape_and_items(sandbox: Sandbox) -> None:
    assert told(sandbox, OBJECTS) == Told("numpy.ndarray", ["|O", [2, 2], [1, "a", None, {}]])
    assert told(sandbox, f"{OBJECTS}.T").what == ["|O", [2, 2], [1, None, "a", {}]]
    assert told(sandbox, "numpy.array(None, dtype=object)").what == ["|O", [], [None]]


def test_masked_arrays_are_told_without_what_the_mask_hides(sandbox: Sandbox) -> None:
    found = told(sandbox, MASKED)
    mask = [False, True, False, False]
    assert found.type_name in NAMES
    assert found.what == ["<i8", [2, 2], [1, None, 3, 4], mask]
    assert told(sandbox, MASKED.replace("2]", "9]", 1)) == found
    assert told(sandbox, MASKED.replace("0, 1", "0, 0")) == told(
        sandbox, MASKED.replace("mask=[[0, 1], [0, 0]], ", "")
    )


@pytest.mark.parametrize("given", [OBJECTS, MASKED, "(lambda it: [it])(" + OBJECTS + ")[0]"])
@pytest.mark.parametrize("statement", ["it[0, 0] = 7", "it[:] = 0", "it[1, 0] = numpy.ma.masked"])
def test_a_change_of_an_array_that_no_other_program_can_have_is_seen(
    sandbox: Sandbox, given: str, statement: str
) -> None:
    source = f"import numpy\ndef f(it):\n    {statement}\ndef g(it):\n    it[0, 0]\n"
    changed, left = (
        sandbox.run(Program(source, entry), [Call((Expression(given),))])[0] for entry in "fg"
    )
    assert isinstance(changed, Returned), changed
    assert isinstance(left, Returned)
    assert changed.args_after is not None
    assert left.args_after is None


def test_no_code_of_the_program_runs_while_an_array_is_told(sandbox: Sandbox) -> None:
    source = """
import numpy
armed = []
def speaks(*given, **named):
    if armed: print("spoke")
    return False
class Item:
    __eq__ = __repr__ = __bool__ = __index__ = __float__ = __len__ = speaks
    __hash__ = object.__hash__
def f(kind):
    held = numpy.empty(2, dtype=object)
    held[0], held[1] = Item(), Item()
    made = held if kind == "plain" else numpy.ma.array(held, mask=[0, 1])
    if kind == "replaced":
        numpy.ma.MaskedArray.__array_finalize__ = speaks
        numpy.ma.MaskedArray.tolist = numpy.ma.MaskedArray.view = speaks
    armed.append(1)
    return made
"""
    for kind in ("plain", "masked", "replaced"):
        (seen,) = sandbox.run(Program(source, "f"), [Call((kind,))])
        assert isinstance(seen, Returned), seen
        assert seen.stdout == ""
        assert isinstance(decode(seen.value), Told)


def test_an_array_of_objects_that_is_too_large_is_named_as_that(sandbox: Sandbox) -> None:
    for source in ("numpy.empty(10**6, dtype=object)", "numpy.ma.zeros(10**6)"):
        (seen,) = sandbox.run(SAME, [Call((Expression(source),))])
        assert isinstance(seen, Unserialisable)
        assert seen.what.endswith("larger than 1048576 bytes")


def test_an_item_with_fields_is_told_with_them(sandbox: Sandbox) -> None:
    kinds = ("[('a', 'i4'), ('b', 'f8')]", "[('x', 'i8'), ('y', 'f8')]")
    sources = [f"numpy.array([(1, 2.0)], dtype={kind})[0]" for kind in kinds]
    seen = sandbox.run(SAME, [Call((Expression(source),)) for source in sources])
    one, other = [each.value for each in seen if isinstance(each, Returned)]
    assert one != other
    assert render(decode(one)) == "numpy.void((1, 2.0), dtype=[('a', '<i4'), ('b', '<f8')])"
    (again,) = sandbox.run(SAME, [Call((decode(one),))])
    assert again == Returned(one)


@pytest.mark.parametrize(
    "source",
    [
        "numpy.array([(1, 2.0)], dtype=[('a', 'i4'), ('b', 'f8')])[['b', 'a']][0]",
        "numpy.zeros(2, dtype=numpy.dtype([('a', 'i1'), ('b', 'f8')], align=True))[0]",
        "numpy.zeros(2, dtype=[('a', 'i4', (2, 3)), ('b', [('c', 'u1'), ('d', 'S3')])])",
        "numpy.zeros(2, dtype=[('a', 'i4'), ('b', 'i8'), ('c', 'i4')])[['a', 'c']]",
    ],
)
def test_fields_are_told_in_any_order_and_without_what_is_between_them(
    sandbox: Sandbox, source: str
) -> None:
    (seen,) = sandbox.run(SAME, [Call((Expression(source),))])
    assert isinstance(seen, Returned)
    assert "V8" not in seen.value
    (again,) = sandbox.run(SAME, [Call((decode(seen.value),))])
    assert again == seen
