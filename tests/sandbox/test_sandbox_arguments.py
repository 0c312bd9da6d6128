"""What a call is given, and what is said of it afterwards."""

from __future__ import annotations

import math
from typing import Any

import pytest

from assay_sandbox import (
    Call,
    Container,
    Expression,
    Instance,
    Limits,
    Member,
    Opaque,
    Program,
    ProtocolError,
    Raised,
    Returned,
    Sandbox,
    Scalar,
    Unserialisable,
    Value,
    decode,
    render,
)
from assay_sandbox.encoding import is_plain
from assay_sandbox.worker.values import standard_types as known

UNCHANGED = None


# What takes a third of a second on an idle machine may take three on another.
PATIENT = Limits(call_seconds=20)


def after(sandbox: Sandbox, statement: str, given: Value) -> object:
    """The argument after a function whose body is that statement, and that then returns."""
    program = Program(f"def f(x):\n    {statement}\n", "f")
    (seen,) = sandbox.run(program, [Call((given,))], PATIENT)
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


@pytest.mark.parametrize(
    "statement", ["x += [0] * 30_000_000", "x.append(1)", "x.reverse()", "x[5] = 'no'"]
)
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


SHARED = """
import array, collections, dataclasses, datetime, decimal, enum, fractions, pathlib, re, types, uuid

@dataclasses.dataclass
class Point:
    x: int
    y: object = None

class Colour(enum.Enum):
    RED = 1

class Level(enum.IntFlag):
    LOW = 1

class Wrong(ValueError): pass
class Stack(list): pass

class Recent(collections.OrderedDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, (value, "own way"))

class Listing(collections.defaultdict): pass

class Queue(collections.deque):
    def extend(self, items):
        raise ValueError("own way")

class Slotted(collections.deque):
    __slots__ = ("note",)

class Tally(collections.Counter): pass

def noted(it):
    it.note = [1]
    return it

def moved(it):
    it.move_to_end(min(it))
    return it

Pair = collections.namedtuple("Pair", "left right")
"""
# What one program gives back, of every kind that is carried.
CARRIED = [
    *(
        "None",
        "True",
        "'\\ud83d'",
        "1 << 80",
        "1.5",
        "float('-inf')",
        "2j",
        "b'x'",
        "bytearray(b'x')",
    ),
    *("[1, [2]]", "(1,)", "{'a': (1,), 2: None}", "{1, 2}", "frozenset({1})"),
    *(
        "Point(1, Point(2))",
        "Pair(1, [2])",
        "Stack([1])",
        "Wrong('a', 1)",
        "Colour.RED",
        "Level.LOW",
    ),
    *("types.SimpleNamespace(a=1)", "Point", "int", "collections.Counter", "..."),
    *("NotImplemented", "range(1, 9, 2)", "slice(1, None, 2)", "types.MappingProxyType({'a': 1})"),
    *("{'a': 1}.keys()", "{'a': 1}.values()", "{'a': 1}.items()", "array.array('d', [1.5])"),
    *("collections.deque([1])", "collections.deque([1], 5)", "collections.OrderedDict(b=1, a=2)"),
    *("noted(moved(Recent(b=1, a=2)))", "noted(moved(collections.OrderedDict(b=1, a=2)))"),
    *("noted(Listing(list, {'a': [1]}))", "Listing()", "noted(Queue([1, 2], 5))", "Queue()"),
    *("noted(Slotted([1]))", "noted(Tally('aab'))", "noted(collections.Counter('aab'))"),
    *("collections.defaultdict(list, {'a': [1]})", "collections.Counter('aab')"),
    *(
        "decimal.Decimal('1.10')",
        "fractions.Fraction(1, 3)",
        "uuid.UUID(int=7)",
        "re.compile('a+')",
        "re.compile(b'a+', re.I)",
    ),
    *("datetime.date(2020, 2, 29)", "datetime.time(1, 2)", "datetime.datetime(2020, 2, 29, 1)"),
    *("datetime.timedelta(1, 2, 3)", "datetime.timezone(datetime.timedelta(hours=2))"),
    *("pathlib.PosixPath('a/b')", "pathlib.PurePosixPath('/a')", "pathlib.PureWindowsPath('c:/a')"),
]
# Of another system: no program here can have one.
NOT_HERE = {"pathlib.WindowsPath"}


def test_what_one_program_gives_back_another_can_be_given(sandbox: Sandbox) -> None:
    one = Program(f"{SHARED}def f(which): return [{', '.join(CARRIED)}][which]\n", "f")
    other = Program(f"{SHARED}def f(given): return given\n", "f")
    told = sandbox.run(one, [Call((which,)) for which in range(len(CARRIED))])
    texts = [seen.value for seen in told if isinstance(seen, Returned)]
    again = sandbox.run(other, [Call((decode(text),)) for text in texts])
    assert [getattr(seen, "value", seen) for seen in again] == texts
    assert len(texts) == len(CARRIED)
    standard = {f"{module}.{name}" for module, kinds in known._SCALARS.items() for name in kinds}
    values = map(decode, texts)
    assert {seen.type_name for seen in values if isinstance(seen, Scalar)} >= standard - NOT_HERE


@pytest.mark.parametrize(
    ("given", "statement", "shown"),
    [
        (
            "Recent(a=1)",
            "x['b'] = 2",
            "Recent(OrderedDict={'a': (1, 'own way'), 'b': (2, 'own way')})",
        ),
        ("Recent(a=1)", "x.note = 2", "Recent(OrderedDict={'a': (1, 'own way')}, note=2)"),
        (
            "noted(collections.OrderedDict(b=1, a=2))",
            "x.move_to_end('b')",
            "collections.OrderedDict(OrderedDict={'a': 2, 'b': 1}, note=[1])",
        ),
        ("Listing(list)", "x['a']", "Listing(defaultdict={'a': []}, default_factory=list)"),
        (
            "Listing(lambda: 1)",
            "x['a']",
            "Listing(defaultdict={'a': 1}, default_factory=<function>)",
        ),
        (
            "Listing(list)",
            "x.default_factory = None",
            "Listing(defaultdict={})",
        ),
        ("Queue([1], 2)", "x.append(3); x.append(4)", "Queue(deque=[3, 4], maxlen=2)"),
        ("noted(Slotted([1]))", "x.note.append(2)", "Slotted(deque=[1], note=[1, 2])"),
        (
            "noted(collections.Counter('a'))",
            "x['a'] += 1",
            "collections.Counter(dict={'a': 2}, note=[1])",
        ),
    ],
)
def test_a_change_of_what_a_class_of_the_program_keeps_is_seen(
    sandbox: Sandbox, given: str, statement: str, shown: str
) -> None:
    source = f"{SHARED}def f(x):\n    {statement}\ndef g(x):\n    pass\n"
    (changed,) = sandbox.run(Program(source, "f"), [Call((Expression(given),))])
    assert isinstance(changed, Returned)
    after: Any = decode(changed.args_after or "null")
    assert render(after[0][0]) == shown
    (left,) = sandbox.run(Program(source, "g"), [Call((Expression(given),))])
    assert isinstance(left, Returned)
    assert left.args_after is None


ATTACK = "print('FORGED')"


@pytest.mark.parametrize(
    "given",
    [
        Scalar("builtins.eval", ATTACK),
        Scalar("os.system", ATTACK),
        Scalar("eval", ATTACK),
        Scalar("type", "print"),
        Container("builtins.eval", ATTACK),
        Container("builtins.exec", ATTACK),
        Container("numpy.fromfile", "/etc/hostname"),
        Container("pandas.eval", ATTACK),
        Instance("print", ()),
        Member("f.__globals__", "f"),
        Member("list", "f"),
    ],
    ids=repr,
)
def test_no_value_calls_what_it_names(sandbox: Sandbox, given: Value) -> None:
    """A program can write anything in the place of a value, which its caller may hand on."""
    program = Program("import os\ndef f(x):\n    return 'honest'\n", "f")
    (seen,) = sandbox.run(program, [Call((given,))])
    assert isinstance(seen, Unserialisable)
    assert seen.what.startswith("input: ")
    assert "Error" not in seen.what
    assert seen.stdout == ""


FORGING = """
import os, sys
def f(text):
    frame = sys._getframe()
    while not hasattr(frame.f_locals.get("out"), "answer"):
        frame = frame.f_back
    wire = frame.f_locals["out"]
    wire.answer(text)
    wire.flush(done=True)
    os._exit(0)
"""


def test_an_expression_in_an_answer_is_no_value(sandbox: Sandbox) -> None:
    forged = '[{"expression":"print(1)"}]'
    (seen,) = sandbox.run(Program(FORGING, "f"), [Call((forged,))])
    assert isinstance(seen, Returned)
    assert seen.value == forged
    with pytest.raises(ProtocolError, match="an expression where a program has answered"):
        decode(seen.value)
    assert decode(forged, expressions=True) == [Expression("print(1)")]
