"""What a call is given, and what is said of it afterwards."""

from __future__ import annotations

import math
from typing import Any

import pytest

from assay_sandbox import Call, Opaque, Program, Raised, Returned, Sandbox, Value, decode
from assay_sandbox.plain import is_plain

UNCHANGED = None


def after(sandbox: Sandbox, statement: str, given: Value) -> object:
    """The argument after a function whose body is that statement, and that then returns."""
    program = Program(f"def f(x):\n    {statement}\n", "f")
    (seen,) = sandbox.run(program, [Call((given,))])
    assert isinstance(seen, Returned)
    if seen.args_after is None:
        return UNCHANGED
    arguments: Any = decode(seen.args_after)
    return arguments if isinstance(arguments, Opaque) else arguments[0][0]


@pytest.mark.parametrize(
    ("given", "statement", "expected"),
    [
        ([1, 2], "x.append(3)", [1, 2, 3]),
        ([1, 2], "x[0] = True", [True, 2]),
        ([1000], "x[0] = int('1000')", UNCHANGED),
        ([[1], [2]], "x[0] = [1]", UNCHANGED),
        ([[1], [2]], "x[0], x[1] = x[1], x[0]", [[2], [1]]),
        ([[[1]]], "x[0][0].clear()", [[[]]]),
        (([1], 2), "x[0].append(2)", ([1, 2], 2)),
        ({"a": [1]}, "x['a'].append(2)", {"a": [1, 2]}),
        ({"a": ({},)}, "x['a'][0][1] = 2", {"a": ({1: 2},)}),
        ({"a": 1}, "x['a'] = 1", UNCHANGED),
        ({"a": 1}, "x['a'] = 1.0", {"a": 1.0}),
        ({1: "a"}, "x[True] = x.pop(1)", {True: "a"}),
        ({(1, 2): 3}, "x[(1, 2)] += 1", {(1, 2): 4}),
        ({"a": 1}, "x.clear()", {}),
        ({1, 2}, "x.discard(1)", {2}),
        ((1, (2, "a", b"b", 1j, None)), "x", UNCHANGED),
    ],
)
def test_a_change_anywhere_is_shown(
    sandbox: Sandbox, given: Value, statement: str, expected: object
) -> None:
    assert repr(after(sandbox, statement, given)) == repr(expected)


def test_another_order_of_a_dict_is_a_change(sandbox: Sandbox) -> None:
    seen: Any = after(sandbox, "x['a'] = x.pop('a')", {"a": 1, "b": 2})
    assert list(seen) == ["b", "a"]


def test_a_change_before_an_exception_is_shown(sandbox: Sandbox) -> None:
    program = Program("def f(x):\n    x['a'].append(1)\n    raise ValueError\n", "f")
    (seen,) = sandbox.run(program, [Call(({"a": []},))])
    assert isinstance(seen, Raised)
    assert decode(seen.args_after or "") == [[{"a": [1]}], {}]


@pytest.mark.parametrize("given", [[0], [[0]], ({"a": 0},), {"a": [0]}], ids=repr)
def test_what_holds_itself_many_times_over_is_no_reason_to_wait(
    sandbox: Sandbox, given: Value
) -> None:
    """Written out, 2**60 lists: they are looked at no further than their text may be long."""
    many = "y = []\n    for _ in range(60): y = [y, y]\n    "
    inner = (
        "while type(x) is tuple: x = x[0]\n    x.update(a=y) if type(x) is dict else x.append(y)"
    )
    seen = after(sandbox, many + inner, given)
    assert repr(seen) == repr(Opaque("list", "larger than 1048576 bytes"))


def test_the_order_of_a_set_does_not_tell_how_it_came_to_be(sandbox: Sandbox) -> None:
    one, other = set([0, 8]), set([8, 0])  # noqa: C405 (the order in which they are filled)
    assert list(one) != list(other)
    program = Program("def f(x):\n    return list(x)\n", "f")
    first, second = sandbox.run(program, [Call((one,)), Call((other,))])
    assert first == second


def test_what_has_no_end_is_refused(sandbox: Sandbox) -> None:
    endless: list[Any] = []
    endless += [endless] * 1000
    assert not is_plain((endless,))
    with pytest.raises(TypeError, match="nested deeper"):
        sandbox.run(Program("def f(x): pass", "f"), [Call((endless,))])


@pytest.mark.parametrize("statement", ["x.append(1)", "x.reverse()", "x[5] = 'no'"])
def test_a_change_of_what_is_too_large_to_be_shown_is_one_all_the_same(
    sandbox: Sandbox, statement: str
) -> None:
    seen = after(sandbox, statement, list(range(200_000)))
    assert repr(seen) == repr(Opaque("list", "larger than 1048576 bytes"))
    assert after(sandbox, "x", list(range(200_000))) is UNCHANGED


def test_a_ring_made_of_arguments_is_found_by_the_collector(sandbox: Sandbox) -> None:
    source = """
import gc
class Last:
    def __del__(self): print("end")
def f(x):
    x.update(me=x, last=Last()) if type(x) is dict else x.extend((x, Last()))
    del x
    gc.collect()
"""
    for seen in sandbox.run(Program(source, "f"), [Call(({"a": [1]},)), Call(([[1]],))] * 2):
        assert isinstance(seen, Returned)
    again = sandbox.run(Program(source.replace("    del x\n", ""), "f"), [Call(([1],))] * 3)
    assert [each.stdout for each in again if isinstance(each, Returned)] == ["", "end\n", "end\n"]


def test_what_is_taken_out_of_an_argument_ends_there_and_then(sandbox: Sandbox) -> None:
    source = """
class Last:
    def __del__(self): ENDED.append(1)
ENDED = []
def f(x):
    x[0].append(Last())
    del x[0]
    return len(ENDED)
"""
    first, second = sandbox.run(Program(source, "f"), [Call(([[1], [2]],))] * 2)
    assert isinstance(first, Returned)
    assert isinstance(second, Returned)
    assert (first.value, second.value) == ("1", "2")


def test_a_nan_has_no_sign(sandbox: Sandbox) -> None:
    program = Program("import math\ndef f(x):\n    return math.copysign(1, x[0])\n", "f")
    for given in ([math.nan], [-math.nan, [1]]):
        (seen,) = sandbox.run(program, [Call((given,))])
        assert isinstance(seen, Returned)
        assert seen.value == "1.0"
