"""What is said about programs: one program after the other through a real sandbox."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from assay_sandbox import (
    Call,
    Container,
    Crashed,
    Expression,
    Instance,
    Iterated,
    Limits,
    LoadFailed,
    Member,
    Observation,
    Opaque,
    OutOfMemory,
    OutputExceeded,
    Program,
    Raised,
    Refused,
    Returned,
    Sandbox,
    Scalar,
    TimedOut,
    Unserialisable,
    decode,
    encode,
    render,
)
from support.places import placed

MODULE = """
import asyncio, collections, dataclasses, datetime, decimal, enum, fractions, os, pathlib
import sys, typing

class Colour(enum.Enum):
    RED = 1

@dataclasses.dataclass
class Point:
    x: int
    y: int = 2

@dataclasses.dataclass(frozen=True)
class Frozen:
    x: int

Pair = collections.namedtuple("Pair", "left right")

class Typed(typing.NamedTuple):
    left: int

class Slotted:
    __slots__ = ("a", "b")
    def __init__(self):
        self.a = 1

class Stack(list):
    pass

class Ledger:
    def __init__(self):
        self.total = 0
    def add(self, amount):
        self.total += amount
        return self.total
    @staticmethod
    def double(x):
        return 2 * x

class Wrong(ValueError):
    def __str__(self):
        return "because"

async def later(x):
    await asyncio.sleep(0)
    return x * 2

async def stream():
    for number in range(3):
        yield number

def count(n):
    yield from range(n)

def same(x):
    return x

def append(items, extra=None):
    items.append(1)

def untouched(items):
    return sum(items)

def made(name):
    return eval(name)

def fail(name):
    raise globals()[name]("text") if name in globals() else __builtins__.__dict__[name]("text")

def call(source):
    return eval(source)

def forever():
    while True:
        pass

def stubborn():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""


def one(sandbox: Sandbox, entry: str, *args: object, **limits: object) -> Observation:
    program = Program(MODULE, entry)
    (seen,) = sandbox.run(program, [Call(args)], Limits(**{"call_seconds": 5.0, **limits}))  # type: ignore[arg-type]
    return seen


def value(seen: Observation) -> object:
    assert isinstance(seen, Returned), seen
    return decode(seen.value)


PLAIN = [
    None,
    True,
    0,
    -1,
    1 << 53,
    -(1 << 200),
    1.5,
    -0.0,
    float("inf"),
    1e300,
    "",
    "é\u2028\U0001f600",
    "\ud800",
    "\ud83d\ude00",
    b"\x00\xff",
    bytearray(b"x"),
    1j,
    complex(-0.0, float("inf")),
    [],
    [1, [2, [3]]],
    (),
    (1, "a", None),
    {},
    {"a": 1, 2: (3,), (4,): [5], None: {}},
    set(),
    {1, "a", (2,)},
    frozenset({frozenset({1})}),
]


@pytest.mark.parametrize("sent", PLAIN, ids=render)
def test_a_built_in_value_goes_in_and_comes_back_the_same(sandbox: Sandbox, sent: object) -> None:
    seen = one(sandbox, "same", sent)
    assert isinstance(seen, Returned)
    assert seen.value == encode(sent)
    assert seen.args_after is None


WRAPPED = [
    Instance("Point", (("x", 1), ("y", [2]))),
    Instance("Frozen", (("x", 1),)),
    Instance("Pair", (("left", 1), ("right", (2,)))),
    Instance("Typed", (("left", 1),)),
    Instance("Slotted", (("a", 1),)),
    Instance("Stack", (("list", [1, 2]),)),
    Instance("Ledger", (("total", 3), ("note", "set from outside"))),
    Instance("Wrong", (("args", ("text",)),)),
    Member("Colour", "RED"),
    Scalar("decimal.Decimal", "1.10"),
    Scalar("fractions.Fraction", "1/3"),
    Scalar("datetime.date", "2020-02-29"),
    Scalar("datetime.datetime", "2020-02-29T12:00:00+02:00"),
    Scalar("datetime.timedelta", "1,2,3"),
    Scalar("datetime.timezone", "3600"),
    Scalar("uuid.UUID", "0" * 31 + "1"),
    Scalar("pathlib.PurePosixPath", "a/b"),
    Scalar("range", "0,10,3"),
    Scalar("range", f"0,{10**5000:#x},1"),
    Scalar("fractions.Fraction", f"-{10**5000:#x}/3"),
    Scalar("re.Pattern", "34:a+"),
    Scalar("re.Pattern", "b2:a+\xff\n:"),
    Scalar("type", "Point"),
    Scalar("type", "int"),
    Scalar("ellipsis", "..."),
    Container("collections.Counter", {"a": 2}),
    Container("collections.OrderedDict", {"b": 1, "a": 2}),
    Container("collections.deque", [1, 2]),
    Container("collections.deque", ([1, 2], 5)),
    Container("collections.defaultdict", {"a": []}),
    Container("array.array", ["i", [1, 2]]),
    Container("slice", [1, None, 2]),
]


@pytest.mark.parametrize("sent", WRAPPED, ids=lambda sent: f"{sent.type_name} {sent!r}"[:60])
def test_a_wrapped_value_is_rebuilt_inside_and_seen_the_same(
    sandbox: Sandbox, sent: object
) -> None:
    program = Program("import array, uuid, re\n" + MODULE, "same")
    (seen,) = sandbox.run(program, [Call((sent,))])
    assert value(seen) == sent


@pytest.mark.parametrize(
    ("equal", "text"),
    [
        (("range(0)", "range(2, 2)", "range(5, 1)", "range(0, 9, -1)", "range(7, 7, 3)"), "0,0,1"),
        (("range(0, 4, 2)", "range(0, 3, 2)"), "0,3,2"),
        (("range(5, -1, -2)", "range(5, 0, -2)"), "5,0,-2"),
        (("range(3, 4)", "range(3, 9, 7)", "range(3, 1, -2)"), "3,4,1"),
        (("range(10)", "range(0, 10, 1)"), "0,10,1"),
        (("range(0, 1 << 70, 1 << 69)",), f"0,{(1 << 69) + 1},{1 << 69}"),
    ],
)
def test_equal_ranges_have_one_text(sandbox: Sandbox, equal: tuple[str, ...], text: str) -> None:
    for source in equal:
        assert value(one(sandbox, "call", source)) == Scalar("range", text)


def test_what_a_generic_class_was_called_as_is_no_part_of_its_object(sandbox: Sandbox) -> None:
    source = """
import collections, typing
T = typing.TypeVar("T")
class Box(typing.Generic[T]):
    def __init__(self, held): self.held = held
def f(source): return eval(source)
"""
    sources = ("Box(1)", "Box[int](1)", "Box[str](1)")
    ordered = ("collections.OrderedDict(a=1)", "collections.OrderedDict[str, int](a=1)")
    seen = sandbox.run(Program(source, "f"), [Call((each,)) for each in (*sources, *ordered)])
    assert {value(each) for each in seen[:3]} == {Instance("Box", (("held", 1),))}
    assert [value(each) for each in seen[3:]] == [
        Container("collections.OrderedDict", {"a": 1})
    ] * 2


def test_an_expression_is_evaluated_in_the_programs_namespace(sandbox: Sandbox) -> None:
    seen = one(sandbox, "same", Expression("Point(7)"))
    assert value(seen) == Instance("Point", (("x", 7), ("y", 2)))


def test_an_input_that_cannot_be_made_is_said_to_be_the_inputs_doing(sandbox: Sandbox) -> None:
    assert one(sandbox, "same", Instance("Nobody", ())) == Unserialisable(
        "input: the program has no Nobody"
    )
    seen = one(sandbox, "same", Expression("1 / 0"))
    assert seen == Unserialisable("input: ZeroDivisionError: division by zero")


def test_methods_are_called_through_their_class(sandbox: Sandbox) -> None:
    ledger = Instance("Ledger", (("total", 4),))
    seen = one(sandbox, "Ledger.add", ledger, 5)
    assert value(seen) == 9
    assert isinstance(seen, Returned)
    assert seen.args_after is not None
    assert decode(seen.args_after) == [[Instance("Ledger", (("total", 9),)), 5], {}]
    assert value(one(sandbox, "Ledger.double", 4)) == 8


def test_coroutines_are_awaited_and_generators_are_drawn_from(sandbox: Sandbox) -> None:
    assert value(one(sandbox, "later", 21)) == 42
    assert value(one(sandbox, "stream")) == Iterated("async_generator", (0, 1, 2), True)
    assert value(one(sandbox, "count", 2)) == Iterated("generator", (0, 1), True)
    cut = one(sandbox, "count", 5000, iterator_items=3)
    assert value(cut) == Iterated("generator", (0, 1, 2), False)
    assert value(one(sandbox, "call", "map(abs, [-1])")) == Iterated("map", (1,), True)


def test_changed_arguments_are_shown_and_unchanged_ones_are_not(sandbox: Sandbox) -> None:
    program = Program(MODULE, "append")
    seen = sandbox.run(program, [Call(([],)), Call(([],), (("extra", {1: 2}),))])
    after = [decode(each.args_after or "") for each in seen if isinstance(each, Returned)]
    assert after == [[[[1]], {}], [[[1]], {"extra": {1: 2}}]]
    unchanged = one(sandbox, "untouched", [1, 2])
    assert isinstance(unchanged, Returned)
    assert unchanged.args_after is None


def test_a_call_cannot_change_the_arguments_of_the_next(sandbox: Sandbox) -> None:
    program = Program("def f(items):\n    items.append(len(items))\n    return items\n", "f")
    seen = sandbox.run(program, [Call(([],))] * 3)
    assert {each.value for each in seen if isinstance(each, Returned)} == {encode([0])}


def test_exceptions_are_named_with_their_message_and_lineage(sandbox: Sandbox) -> None:
    assert one(sandbox, "fail", "KeyError") == Raised(
        "KeyError", "'text'", ("LookupError", "Exception", "BaseException")
    )
    assert one(sandbox, "fail", "Wrong") == Raised(
        "Wrong", "because", ("ValueError", "Exception", "BaseException")
    )
    assert one(sandbox, "fail", "SystemExit") == Raised("SystemExit", "text", ("BaseException",))
    assert isinstance(one(sandbox, "fail", "KeyboardInterrupt"), Raised)


def test_standard_output_is_what_was_printed_in_that_call(sandbox: Sandbox) -> None:
    program = Program(
        "import sys\nprint('loading')\n"
        "def f(x):\n    print(x)\n    sys.stderr.write('no')\n    sys.stdout.buffer.write(b'!')\n",
        "f",
    )
    seen = sandbox.run(program, [Call(("é",)), Call((2,))])
    assert [each.stdout for each in seen if isinstance(each, Returned)] == ["é\n!", "2\n!"]


def test_standard_input_is_the_calls_own_and_then_ends(sandbox: Sandbox) -> None:
    program = Program("def f():\n    return [input(), input('again? ')]\n", "f")
    seen = sandbox.run(program, [Call(stdin="a\nb\n"), Call(stdin="a\n"), Call()])
    assert value(seen[0]) == ["a", "b"]
    assert [type(each).__name__ for each in seen[1:]] == ["Raised", "Raised"]


def test_values_that_cannot_be_carried_are_named(sandbox: Sandbox) -> None:
    assert one(sandbox, "call", "lambda: 1") == Unserialisable("function: a function")
    inside = value(one(sandbox, "call", "[1, lambda: 1]"))
    assert inside == [1, inside[1]] if isinstance(inside, list) else False
    assert isinstance(inside[1], Opaque)
    assert inside[1] != inside[1]
    large = one(sandbox, "call", "'x' * 5000", value_bytes=1000)
    assert large == Unserialisable("str: larger than 1000 bytes")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("[0] * 30_000_000", "list"),
        ("(0,) * 1_000_000", "tuple"),
        ("['x' * 5000] * 1000", "list"),
        ("{'a': [None] * 30_000_000}", "list"),
        ("dict.fromkeys(range(1_000_000))", "dict"),
        ("collections.Counter(range(1_000_000))", "collections.Counter"),
        ("bytearray(10_000_000)", "bytearray"),
        ("collections.deque([0]) * 30_000_000", "collections.deque"),
        ("__import__('array').array('b', bytes(100_000_000))", "array.array"),
    ],
)
def test_of_what_is_too_large_the_container_is_named_at_once(
    sandbox: Sandbox, source: str, name: str
) -> None:
    seen = one(sandbox, "call", source)
    assert seen == Unserialisable(f"{name}: larger than 1048576 bytes")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("import sys; sys.setrecursionlimit(30); return [[[[[[1]]]]]]", "[[[[[[1]]]]]]"),
        ("import builtins; builtins.len = builtins.type = None; return [1, 'a']", '[1,"a"]'),
        ("import json, time; json.loads = time.monotonic = None; return 1.5", "1.5"),
        ("import sys; sys.stdout = None; sys.modules.clear(); return (1,)", '{"tuple":[1]}'),
    ],
)
def test_what_a_program_does_to_its_interpreter_does_not_change_what_is_seen(
    sandbox: Sandbox, body: str, expected: str
) -> None:
    seen = sandbox.run(Program(f"def f():\n    {body}\n", "f"), [Call()] * 2)
    assert seen[0] == Returned(encode(decode(expected)))


def test_classes_cannot_answer_for_themselves(sandbox: Sandbox) -> None:
    source = """
class Meta(type):
    def __hash__(cls):
        raise KeyError
    def __eq__(cls, other):
        return True
class Liar(list, metaclass=Meta):
    __class__ = property(lambda self: int)
    def __iter__(self):
        return iter("lies")
    def __len__(self):
        return 10 ** 12
    __repr__ = __str__ = lambda self: "1"
def f():
    liar = Liar([1, 2])
    liar.__init__([3])
    return [liar, Liar]
class Quiet(Exception):
    def __str__(self):
        raise SystemExit
def g():
    raise Quiet
"""
    (seen,) = sandbox.run(Program(source, "f"), [Call()])
    assert value(seen) == [Instance("Liar", (("list", [3]),)), Scalar("type", "Liar")]
    (raised,) = sandbox.run(Program(source, "g"), [Call()])
    assert raised == Raised(
        "Quiet", "<its message raised SystemExit>", ("Exception", "BaseException")
    )


def test_deadlines_end_a_call_and_the_batch_goes_on(sandbox: Sandbox) -> None:
    source = "import time\ndef f(x):\n    if x == 1:\n        time.sleep(60)\n    return x\n"
    seen = sandbox.run(
        Program(source, "f"), [Call((number,)) for number in range(4)], Limits(call_seconds=0.3)
    )
    assert [type(each).__name__ for each in seen] == [
        "Returned",
        "TimedOut",
        "Returned",
        "Returned",
    ]


@pytest.mark.parametrize("entry", ["forever", "stubborn"])
def test_a_program_that_keeps_timing_out_is_given_up(sandbox: Sandbox, entry: str) -> None:
    limits = Limits(call_seconds=0.2, timeouts_before_giving_up=2)
    seen = sandbox.run(Program(MODULE, entry), [Call()] * 4, limits)
    lost = TimedOut(0.2, whole_batch=True)
    assert seen == (TimedOut(0.2), TimedOut(0.2), lost, lost)


def test_the_batch_has_a_deadline_of_its_own(sandbox: Sandbox) -> None:
    program = Program("import time\ndef f():\n    time.sleep(0.3)\n", "f")
    seen = sandbox.run(program, [Call()] * 20, Limits(total_seconds=1.0))
    assert isinstance(seen[0], Returned)
    assert seen[-1] == TimedOut(1.0, whole_batch=True)


@pytest.mark.parametrize(
    ("source", "how"),
    [
        ("os._exit(3)", "ended itself with status 3"),
        ("os.abort()", "ended by SIGABRT"),
        ("os.kill(os.getpid(), 9)", "ended by SIGKILL"),
    ],
)
def test_a_crash_is_that_calls_and_the_batch_goes_on(
    sandbox: Sandbox, source: str, how: str
) -> None:
    program = Program(
        f"import os\ndef f(x):\n    if x == 1:\n        {source}\n    return x\n", "f"
    )
    seen = sandbox.run(program, [Call((number,)) for number in range(4)])
    assert seen[1] == Crashed(how)
    assert [value(each) for each in (seen[0], *seen[2:])] == [0, 2, 3]


def test_records_finished_before_a_crash_are_not_computed_again(sandbox: Sandbox) -> None:
    source = (
        "import os\nseen = []\n"
        "def f(x):\n    seen.append(x)\n"
        "    if x == 500:\n        os._exit(1)\n    return len(seen)\n"
    )
    seen = sandbox.run(Program(source, "f"), [Call((number,)) for number in range(502)])
    assert [value(each) for each in seen[:500]] == list(range(1, 501))
    assert isinstance(seen[500], Crashed)
    assert value(seen[501]) == 1


def test_memory_and_output_have_limits(sandbox: Sandbox) -> None:
    assert one(sandbox, "call", "len(b'x' * (1 << 33))") == OutOfMemory(1 << 30)
    assert one(sandbox, "call", "print('x' * 100)", stdout_bytes=99) == OutputExceeded(99)
    program = Program("def f():\n    return 'x' * 100000\n", "f")
    seen = sandbox.run(program, [Call()] * 50, Limits(batch_bytes=1 << 20))
    assert seen[-1] == OutputExceeded(1 << 20)


def test_what_the_confinement_refuses_is_named(sandbox: Sandbox) -> None:
    assert one(sandbox, "call", "open('/etc/passwd')") == Refused("open '/etc/passwd'")
    assert one(sandbox, "call", "os.fork()") == Refused("os.fork")
    seen = one(sandbox, "call", "__import__('socket').socket()")
    assert isinstance(seen, Refused)
    missing = one(sandbox, "call", "open('/nowhere/at/all')")
    assert isinstance(missing, Raised)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("def f(:\n", "SyntaxError"),
        ("1 / 0\n", "ZeroDivisionError"),
        ("g = 1\n", "NameError"),
        ("import no_such_module\n", "ModuleNotFoundError"),
        ("while True:\n    pass\n", "TimeoutError"),
        ("raise SystemExit\n", "SystemExit"),
    ],
)
def test_a_program_that_does_not_load_says_why_for_every_call(
    sandbox: Sandbox, source: str, kind: str
) -> None:
    seen = sandbox.run(Program(source, "f"), [Call()] * 3, Limits(load_seconds=1.0))
    assert len(set(seen)) == 1
    assert isinstance(seen[0], LoadFailed)
    assert seen[0].type_name == kind


def test_a_crash_while_loading_is_every_calls(sandbox: Sandbox) -> None:
    seen = sandbox.run(Program("import os\nos._exit(2)\n", "f"), [Call()] * 2)
    assert seen == (Crashed("ended itself with status 2"),) * 2


def test_a_class_that_a_call_makes_cannot_be_compared_by_its_name(sandbox: Sandbox) -> None:
    source = (
        "class Known:\n    pass\n"
        "def f(n):\n    class Made:\n        size = n\n    return [Known, int, Made]\n"
    )
    (seen,) = sandbox.run(Program(source, "f"), [Call((1,))])
    assert isinstance(seen, Returned)
    assert seen.value.count("opaque") == 1
    assert '"Known"' in seen.value
    assert '"opaque":["type","it is made by a call' in seen.value


def test_no_calls_and_no_programs_are_nothing(sandbox: Sandbox) -> None:
    assert sandbox.run(Program("1 / 0", "f"), []) == ()
    assert sandbox.run_many((), [Call()]) == ()


def test_observations_are_streamed_as_they_come(sandbox: Sandbox) -> None:
    source = "import time\ndef f(x):\n    time.sleep(x)\n    return x\n"
    stream = sandbox.stream(
        Program(source, "f"), [Call((0,)), Call((30,))], Limits(call_seconds=60.0, total_seconds=60)
    )
    began = time.monotonic()
    assert next(stream)[0] == 0
    # Long before the second call is over; the rest is killed by closing.
    assert time.monotonic() - began < 15
    stream.close()  # type: ignore[attr-defined]


def test_cancelling_returns_promptly_with_the_rest_timed_out(sandbox: Sandbox) -> None:
    cancelled = threading.Event()
    threading.Timer(0.5, cancelled.set).start()
    began = time.monotonic()
    program = Program("import time\ndef f():\n    time.sleep(50)\n", "f")
    limits = Limits(call_seconds=60.0, total_seconds=60.0)
    seen = sandbox.run_many((program,) * 4, [Call()] * 2, limits, cancelled=cancelled)
    assert time.monotonic() - began < 15
    assert seen == ((TimedOut(60.0, whole_batch=True),) * 2,) * 4


def test_several_threads_share_one_sandbox(sandbox: Sandbox) -> None:
    found: dict[int, tuple[tuple[Observation, ...], ...]] = {}

    def use(number: int) -> None:
        program = Program(f"def f(x):\n    return x * {number}\n", "f")
        found[number] = sandbox.run_many((program,) * 3, [Call((x,)) for x in range(50)])

    threads = [threading.Thread(target=use, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for number in range(4):
        for seen in found[number]:
            assert [value(each) for each in seen] == [x * number for x in range(50)]


@pytest.mark.parametrize(
    ("given", "passed_on"),
    [
        ("lambda x: 1 / x", True),
        ("lambda x: (lambda: {}[x])()", True),
        ("lambda x: x.clear()", True),
        ("len", False),
        ("lambda: 1", False),
        ("5", False),
    ],
)
def test_it_is_told_whether_an_exception_began_in_a_function_that_was_given(
    sandbox: Sandbox, given: str, passed_on: bool
) -> None:
    program = Program("def f(g):\n    return g(0)\n", "f")
    (seen,) = sandbox.run(program, [Call((Expression(given),))])
    assert isinstance(seen, Raised)
    assert seen.passed_on is passed_on


def test_what_an_input_calls_by_itself_is_not_passed_on(sandbox: Sandbox) -> None:
    program = Program("def f(use):\n    return use()\n\nuse = type(f).__call__\n", "use")
    wrong = Call((Expression("lambda: f()"),))
    right = Call((Expression("lambda: f(lambda: 1 / 0)"),))
    first, second = sandbox.run(program, [wrong, right])
    assert isinstance(first, Raised)
    assert isinstance(second, Raised)
    assert (first.passed_on, second.passed_on) == (False, True)


def test_a_broken_down_moment_is_told_by_its_numbers(sandbox: Sandbox) -> None:
    source = "import time\n\ndef f(moment): return moment or time.gmtime(0)\n"
    (seen,) = sandbox.run(Program(source, "f"), [Call((None,))])
    assert isinstance(seen, Returned)
    told = decode(seen.value)
    assert told == Container("time.struct_time", (1970, 1, 1, 0, 0, 0, 3, 1, 0))
    (again,) = sandbox.run(Program(source, "f"), [Call((told,))])
    assert again == seen


def test_an_input_that_fails_at_length_is_no_fault_of_the_program(sandbox: Sandbox) -> None:
    program = Program("def f(x):\n    return x\n", "f")
    calls = [Call((Expression("{}['" + "x" * 9_995 + "']"),)), Call((1,))]
    failed, fine = sandbox.run(program, calls)
    assert isinstance(failed, Unserialisable)
    assert failed.what.startswith("input: KeyError: 'xxx")
    assert fine == Returned("1")


def test_a_program_finds_its_own_lines(sandbox: Sandbox, tmp_path: Path) -> None:
    source = """
import inspect, traceback
import other

def small():
    return 1  # one

def f():
    try:
        other.fail()
    except ZeroDivisionError:
        return inspect.getsource(small), traceback.format_exc()
"""
    place = placed(tmp_path, {"other.py": "def fail():\n    return 1 / 0\n"})
    program = Program(source, "f", place)
    (seen,) = sandbox.run(program, [Call()])
    assert isinstance(seen, Returned), seen
    own, trace = decode(seen.value)
    assert own == "def small():\n    return 1  # one\n"
    assert '"<program>", line 10, in f\n    other.fail()\n' in trace
    assert f'"{tmp_path}/other.py", line 2, in fail\n    return 1 / 0\n' in trace
