"""Constants of programs and prose: which are taken, and that mutations use them."""

from __future__ import annotations

from typing import Any

import pytest

from assay_bench.generating.boundaries import PLANTED_MAX
from assay_bench.generating.constants import CONSTANTS_MAX, constants_of
from assay_bench.generating.mutated import mutations
from assay_sandbox import Call, Value


@pytest.mark.parametrize(
    ("program", "constants"),
    [
        ("def f(n):\n    return n == 1337", (1337, 1336, 1338)),
        ("def f(n):\n    return n < -40", (-40, -41, -39, 40, 39, 41)),
        ("def f(n):\n    return n > 2.5", (2.5,)),
        ("def f(s):\n    return s == 'north' or s == b'x'", ("north", b"x")),
        ("def f(p):\n    return p in [(5, 'a')]", ((5, "a"), 5, 4, 6, "a")),
        ("def f(p):\n    return p == (7, 7)", ((7, 7), 7, 6, 8)),
        ("def f(n):\n    return n + 1 - 2 * 0 + True", ()),
        ("def f(n):\n    return 1 << (10 ** 5000)", (10, 9, 11, 5000, 4999, 5001)),
        ("'Module'\ndef f(n):\n    'Adds 77.'\n    raise ValueError('not 88')", ()),
        ("def f(n):\n    assert n, 'no n'\n    print('done')\n    return f'{n} items'", ()),
        ("def f(s):\n    return s == '" + "x" * 41 + "'", ()),
        ("def f(n:\n", ()),
        ("\0", ()),
    ],
)
def test_constants_are_what_a_program_compares_with(
    program: str, constants: tuple[Value, ...]
) -> None:
    assert constants_of([program]) == constants


def test_prose_has_constants_as_well() -> None:
    prose = "At least 18 years, or 'minor'. Version v2x of 3.5 isn't what it's for."
    assert constants_of([], prose) == (18, 17, 19, 3.5, "minor")


def test_large_tables_do_not_crowd_out_the_rest() -> None:
    table = f"TABLE = {list(range(100, 10_000))}\ndef f(n):\n    return n == 54321\n"
    found = constants_of([table])
    assert len(found) <= CONSTANTS_MAX
    assert 54321 in found


def test_the_same_constants_of_many_programs_are_one() -> None:
    program = "def f(n):\n    return n == 1337"
    assert constants_of([program, program + " or n == 99"]) == (1337, 1336, 1338, 99, 98, 100)


def mutants(seed: Value, *constants: Value) -> list[Any]:
    return [call.args[0] for call in mutations([Call((seed,))], 400, 0, constants)]


def test_constants_are_put_into_values_of_their_type() -> None:
    assert 1337 in mutants(4, 1337, "north")
    assert 1337.0 in mutants(4.5, 1337)
    assert {"north", "northabc", "abcnorth"} <= set(mutants("abc", 1337, "north"))
    assert any(1337 in each for each in mutants([4, 5], 1337))
    assert [7, 8] in mutants([4, 5], [7, 8])
    assert any("north" in each for each in mutants({"a": 1}, "north"))
    assert any(1337 in each for each in mutants({4, 5}, 1337))
    assert b"\xff\xfe" in mutants(b"abc", b"\xff\xfe")


def test_constants_are_lengths_too() -> None:
    assert any(len(each) == 53 for each in mutants("abc", 53))
    assert any(len(each) == 53 for each in mutants([1, 2], 53))


def test_no_program_is_made_to_count_to_a_large_constant() -> None:
    assert PLANTED_MAX < 10**9 + 7
    assert 10**9 + 7 not in mutants(4, 10**9 + 7)
    assert any(10**9 + 7 in each for each in mutants([4, 5], 10**9 + 7))
