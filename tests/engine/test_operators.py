"""Special methods on trial: called as everybody calls them, and compared by what comes of that."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.inputs.calls import read_call
from assay_engine.types import Status
from assay_sandbox import Call, Expression, Script
from support.specifying import specified
from support.trials import put_on_trial, scripted

METHODS = (
    *(
        "__contains__",
        "__len__",
        "__getitem__",
        "__setitem__",
        "__delitem__",
        "__call__",
        "__iter__",
    ),
    *("__eq__", "__lt__", "__add__", "__radd__", "__neg__", "__repr__", "__format__"),
)
BITS = "class Bits:\n" + "".join(
    f'    def {name}(self, *given):\n        """Says it."""\n' for name in METHODS
)
IT = Expression("Bits()")


@pytest.mark.parametrize(
    ("method", "written", "call"),
    [
        ("__contains__", "2 in Bits()", Call((IT, 2))),
        ("__contains__", "2 not in Bits()", Call((IT, 2))),
        ("__len__", "len(Bits())", Call((IT,))),
        ("__getitem__", "Bits()[1, 2]", Call((IT, (1, 2)))),
        ("__getitem__", "Bits()[1:]", Call((IT, Expression("slice(1, None, None)")))),
        ("__call__", "Bits()(2, 3)", Call((IT, 2, 3))),
        ("__repr__", "repr(Bits())", Call((IT,))),
        ("__iter__", "sorted(Bits())", Call((IT,))),
        ("__iter__", "list(iter(Bits()))", Call((IT,))),
        ("__eq__", "Bits() == 3", Call((IT, 3))),
        ("__lt__", "Bits() < Bits()", Call((IT, IT))),
        ("__add__", "Bits() + 2", Call((IT, 2))),
        ("__radd__", "2 + Bits()", Call((IT, 2))),
        ("__neg__", "-Bits()", Call((IT,))),
        ("__format__", "format(Bits(), '>3')", Call((IT, ">3"))),
        ("__len__", "Bits().__len__()", Call((IT,))),
        # Of a literal it is another method that is called, and of two objects the left one's.
        ("__radd__", "Bits() + Bits()", Call((Script("Bits() + Bits()"),))),
        ("__eq__", "3 == Bits()", Call((Script("3 == Bits()"),))),
        ("__len__", "1 + 2", None),
    ],
)
def test_an_operator_calls_its_method(method: str, written: str, call: Call | None) -> None:
    assert read_call(written, specified(BITS, f"Bits.{method}")) == call


@pytest.mark.parametrize(
    ("method", "written"),
    [
        ("__call__", "it = Bits(); it(2)"),
        ("__setitem__", "it = Bits(); it[1, 2] = 3"),
        ("__delitem__", "it = Bits(); it[1] = 3; del it[1]"),
        ("__len__", "it: Bits = Bits(); it[1] = 2; size = len(it)"),
    ],
)
def test_steps_end_in_what_calls_the_method(method: str, written: str) -> None:
    call = read_call(written, specified(BITS, f"Bits.{method}"))
    assert call is not None
    assert str(call.args[0]).count("Bits()") == 1


KEY = '''
class Key:
    """A key with a number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        """Whether both are keys with the same number; a key equals nothing else."""
        return isinstance(other, Key) and self.number == other.number
'''
DEFERRING = KEY.replace(
    "return isinstance(other, Key) and self.number == other.number",
    "return self.number == other.number if isinstance(other, Key) else NotImplemented",
)
COMPARED = ["Key(1) == Key(1)", "Key(1) == Key(2)", "Key(1) == 1", "Key(0) == None"]


async def test_what_leaves_the_answer_to_python_answers_as_python(executor: Executor) -> None:
    model = scripted([DEFERRING], COMPARED)
    report = await put_on_trial(executor, KEY, "Key.__eq__", model)
    assert report.verdict.status is Status.TRUSTED
    wrong = KEY.replace("isinstance(other, Key) and ", "")
    accused = await put_on_trial(executor, wrong, "Key.__eq__", scripted([DEFERRING], COMPARED))
    assert accused.verdict.status is Status.SUSPECT


async def test_an_example_that_compares_something_else_is_no_input(executor: Executor) -> None:
    text = KEY.replace(
        'a key equals nothing else."""',
        "a key equals nothing else.\n\n        >>> hash(1) == hash(Key(1).number)\n"
        '        True\n        """',
    ).replace("isinstance(other, Key)", "isinstance(other, self.__class__)")
    report = await put_on_trial(executor, text, "Key.__eq__", scripted([DEFERRING], COMPARED))
    assert report.verdict.status is Status.TRUSTED
