"""What only the newest interpreters have: values of Python 3.14 and 3.15."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay_sandbox import (
    Call,
    Container,
    Instance,
    Observation,
    Program,
    Returned,
    Sandbox,
    Told,
    Value,
    decode,
)
from support.interpreters import interpreters

MODULE = """
class Settings(frozendict):
    pass

UNSET = sentinel("UNSET")

def of(source):
    return eval(source)

def given(value):
    return type(value).__name__, value

def changed(value):
    value["a"].append(1)

class Untold:
    def __hash__(self):
        print("asked")
        return 1

    def __eq__(self, other):
        print("asked")
        return True
"""


def _since(minor: int) -> list[Path]:
    return [
        python for python in interpreters() if int(python.name.removeprefix("python3.")) >= minor
    ]


@pytest.fixture(scope="module")
def newest() -> Iterator[Sandbox]:
    found = _since(15)
    if not found:
        pytest.skip("there is no Python 3.15 on this machine")
    with Sandbox(found[-1]) as sandbox:
        yield sandbox


def run(sandbox: Sandbox, entry: str, argument: Value) -> Observation:
    (seen,) = sandbox.run(Program(MODULE, entry), [Call((argument,))])
    return seen


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("frozendict(b=[1], a=2)", Container("frozendict", {"b": [1], "a": 2})),
        ("frozendict()", Container("frozendict", {})),
        ("{frozendict(a=1): 2}", {Container("frozendict", {"a": 1}): 2}),
        ("Settings(a=1)", Instance("Settings", (("frozendict", {"a": 1}),))),
        ("UNSET", Told("sentinel", "UNSET")),
        (
            't"a {1 + 1!r:>5}"',
            Told(
                "string.templatelib.Template",
                (
                    ("a ", ""),
                    (Told("string.templatelib.Interpolation", (2, "1 + 1", "r", ">5")),),
                ),
            ),
        ),
    ],
)
def test_what_a_value_is_made_of_is_told(newest: Sandbox, source: str, value: Value) -> None:
    seen = run(newest, "of", source)
    assert isinstance(seen, Returned), seen
    assert decode(seen.value) == value


def test_the_keys_of_a_frozendict_are_not_asked(newest: Sandbox) -> None:
    seen = run(newest, "of", "frozendict({Untold(): 1, 2: Untold()})")
    assert isinstance(seen, Returned)
    # Once, as it is made.
    assert seen.stdout == "asked\n"


def test_a_frozendict_is_given_as_one_and_a_change_within_is_seen(newest: Sandbox) -> None:
    value = Container("frozendict", {"a": [0]})
    back = run(newest, "given", value)
    assert isinstance(back, Returned)
    assert decode(back.value) == ("frozendict", value)
    changed = run(newest, "changed", value)
    assert isinstance(changed, Returned)
    assert changed.args_after is not None
    assert decode(changed.args_after)[0] == [Container("frozendict", {"a": [0, 1]})]
