"""Calls read out of text: values where they are literals, expressions where they are not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from assay_engine.compare.executor import Executor
from assay_engine.inputs.calls import assignments, read_call
from assay_engine.inputs.proposed import (
    PARTITION_CHARACTERS,
    Proposal,
    by_turns,
    example_calls,
    proposals_in,
)
from assay_engine.values.describing import call_text
from assay_sandbox import Call, Expression, Script
from support.specifying import specified
from support.trials import put_on_trial, scripted

MODULE = '''
import asyncio
from dataclasses import dataclass


@dataclass
class Span:
    """A span."""

    start: int
    end: int

    def length(self, scale=1):
        """How long."""
        return (self.end - self.start) * scale

    @classmethod
    def parse(cls, text):
        """Read a span."""
        return cls(*map(int, text.split("-")))

    @staticmethod
    def origin(a, b):
        """Where both start."""
        return min(a, b)


def f(x, y=0):
    """Add.

    >>> f(1)
    1
    >>> items = [3, 1]
    >>> f(items, y=[2])
    [3, 1, 2]
    >>> items.append(4)
    >>> f(items)
    """
    return x + y
'''


@pytest.mark.parametrize(
    ("qualname", "source", "call"),
    [
        ("f", "f(1)", Call((1,))),
        ("f", "f(-1, y=(2, [3]))", Call((-1,), (("y", (2, [3])),))),
        ("f", "f(Span(1, 2))", Call((Expression("Span(1, 2)"),))),
        ("f", "await f(1)", Call((1,))),
        ("f", "asyncio.run(f(1))", Call((1,))),
        ("f", "sorted(f(1))", Call((1,))),
        ("Span.length", "Span(1, 2).length()", Call((Expression("Span(1, 2)"),))),
        ("Span.length", "Span.length(Span(1, 2))", Call((Expression("Span(1, 2)"),))),
        ("Span.parse", "Span.parse('1-2')", Call(("1-2",))),
        ("Span.origin", "Span.origin(1, 2)", Call((1, 2))),
        ("f", "g(1)", None),
        ("f", "f(1) + 1", Call((Script("f(1) + 1"),))),
        ("f", "f(1) == 3", Call((1,))),
        ("f", "assert f(1) == 3", Call((1,))),
        ("f", "x = f(1)", Call((1,))),
        ("f", "import math\nf(io.BytesIO)", Call((Expression("__import__('io').BytesIO"),))),
        ("f", "x = [1]\nf(x, y=x)", Call((Expression("x = [1]\nx"),), (("y", Expression("x")),))),
        ("f", "seen = []\nf(lambda: seen)", Call((Script("seen = []\n(f(lambda: seen), seen)"),))),
        ("f", "with a as x:\n    f(x)", Call((Script("with a as x:\n    result = f(x)\nresult"),))),
        ("f", "try:\n    f(1)\nexcept TypeError:\n    pass", None),
        ("f", "f(*items)", Call((Script("f(*items)"),))),
        ("f", "f(...)", None),
        ("f", "lambda: f(1)", None),
        ("f", "f(*[1, *(2,)], **{'a b': 3})", Call((1, 2), (("a b", 3),))),
        ("f", "f(", None),
        ("f", "f" * 30_000, None),
        ("f", "f(" * 300 + ")" * 300, None),
    ],
)  # fmt: skip
def test_read_call(qualname: str, source: str, call: Call | None) -> None:
    assert read_call(source, specified(MODULE, qualname)) == call


def test_assignments_are_written_out() -> None:
    assert assignments(("a = [1]", "b = (a, 2)")) == {"a": "[1]", "b": "([1], 2)"}
    assert assignments(("import math", "a = 1")) == {"a": "1"}
    assert assignments(("a = [1]", "a.append(2)")) is None


def test_examples_after_other_statements_are_left_out() -> None:
    assert example_calls(specified(MODULE, "f")) == (
        Call((1,)),
        Call((Expression("[3, 1]"),), (("y", [2]),)),
    )


def test_proposals_survive_lists_prompts_and_prose() -> None:
    reply = """Here are some:
```python
f(1, 2),
>>> f(2)
- f(3)
12. f(4)
`f(5)`
f(1, 2)
len(f(6))
f(7) # seven
```
"""
    assert proposals_in(reply, specified(MODULE, "f")) == tuple(
        Proposal(Call(args))
        for args in [(1, 2), (2,), (3,), (4,), (5,), (Script("len(f(6))"),), (7,)]
    )


@pytest.mark.parametrize(
    "reply",
    [
        "f(\n    1,\n)\nassert f(2) == 3",
        "First print(f(1)), then g(f(2)).",
        "- `f(1)`: one\n- `f(2) -> 3`",
        '{"calls": ["f(1)", "f(2)"]}',
        "| f(1) | f( |\n| f(2) | 3 |",
    ],
)
def test_where_no_line_is_a_call_calls_are_found_within(reply: str) -> None:
    found = proposals_in(f"# kind\n{reply}", specified(MODULE, "f"))
    assert [each.call.args[0] for each in found] == [1, 2]
    assert {each.partition for each in found} == {"kind"}


SHARED = """# fakes
import json

class Fake:
    def __init__(self, text):
        self.text = text

    def get(self):
        return json.loads(self.text)

# typical
f(Fake("1").get())
f(Fake("2"), y=len("a"))

fake = Fake("3")
fake.text = "4"
f(fake.get(), fake)

f(5)
f(6)
"""


def test_a_paragraph_is_a_script_or_a_call_a_line() -> None:
    specification = specified(MODULE, "f")
    found = [each.call for each in proposals_in(SHARED, specification)]
    texts = [call_text(each, specification, 500) for each in found]
    fake = (
        "import json; class Fake: def __init__(self, text): self.text = text; "
        "def get(self): return json.loads(self.text); "
    )
    assert texts == [
        f"{fake}f(Fake('1').get())",
        f"{fake}f(Fake('2'), y=len('a'))",
        f"{fake}fake = Fake('3'); fake.text = '4'; f(fake.get(), fake)",
        "f(5)",
        "f(6)",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "f(...)",
        "f([...])",
        f"f({'[' * 120}{']' * 120})",
        f"f(x{'.a' * 400})",
        f"f({'not ' * 900}x)",
        f"f(g{'()' * 2000})",
        f"f(g(0x{'f' * 5000}))",
        f"f(np.nan, g(0x{'f' * 5000}))",
        f"f(np.nan, {'not ' * 900}x)",
    ],
    ids=lambda line: line[:12],
)
def test_a_line_that_cannot_be_carried_costs_itself_alone(line: str) -> None:
    assert proposals_in(f"f(1)\n{line}\nf(2)", specified(MODULE, "f")) == (
        Proposal(Call((1,))),
        Proposal(Call((2,))),
    )


def test_a_comment_names_the_partition_of_the_calls_below_it() -> None:
    reply = """# Kinds of input
```python
f(1)

# - typical ones:
f(2)
f(1)
## **Ties**
f(True)  # a bool
#
f(3)
# \x1b[2J%s
f(4)
```
"""
    long = "x" * 100
    found = proposals_in(reply % long, specified(MODULE, "f"))
    assert [(each.call.args[0], each.partition) for each in found[:4]] == [
        (1, "Kinds of input"),
        (2, "typical ones"),
        (True, "Ties"),
        (3, ""),
    ]
    assert type(found[2].call.args[0]) is bool
    assert found[4].partition.startswith("\\x1b[2Jx")
    assert len(found[4].partition) == PARTITION_CHARACTERS


def test_the_partitions_take_turns() -> None:
    named = [("a", 1), ("a", 2), ("b", 3), ("a", 4), ("c", 5), ("b", 6)]
    turns = by_turns([Proposal(Call((number,)), name) for name, number in named])
    assert [each.call.args[0] for each in turns] == [1, 3, 5, 2, 6, 4]


def test_what_has_no_literal_is_proposed_whether_or_not_its_module_is_there() -> None:
    plain = specified(MODULE, "f")
    (proposal,) = proposals_in("f([1.0, np.nan, -math.inf], 'np.nan')", plain)
    assert proposal.call.args == (
        Expression("[1.0, __import__('math').nan, -__import__('math').inf]"),
        "np.nan",
    )
    assert call_text(proposal.call, plain) == "f([1.0, math.nan, -math.inf], 'np.nan')"
    program = f"import numpy as np\n{plain.program}"
    (proposal,) = proposals_in("f(np.nan, 2)", replace(plain, program=program))
    assert proposal.call.args == (Expression("np.nan"), 2)
    assert proposals_in("f(np.nan", plain) == ()


async def test_a_proposal_names_arguments_as_no_python_name_can_be(executor: Executor) -> None:
    text = '''
def query(**fields: str) -> str:
    """The fields as name=value, in order of their names, with & between them."""
    return "&".join(f"{name}={value}" for name, value in fields.items())
'''
    right = text.replace("fields.items()", "sorted(fields.items())")
    calls = ["query(q='a')", "query(**{'b-c': '1', 'a': '2'})"]
    report = await put_on_trial(executor, text, "query", scripted([right], calls))
    assert report.findings[0].message.startswith("query(**{'b-c': '1'}, a='2'): all 10")
