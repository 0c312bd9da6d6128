"""What is said of a call is what happened in it, whatever the program does to be seen otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from assay_sandbox import (
    Call,
    Expression,
    Limits,
    LoadFailed,
    Observation,
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
)


def seen(sandbox: Sandbox, source: str, *calls: Call, **limits: Any) -> tuple[Observation, ...]:
    return tuple(sandbox.run(Program(source, "f"), calls, Limits(**limits)))


INTERRUPTING = """
import threading, time, signal, _thread

class Boom(Exception): pass

def handler(number, frame): raise Boom

signal.signal(signal.SIGUSR1, handler)
pestering = False

def pester():
    while True:
        if pestering: _thread.interrupt_main(signal.SIGUSR1)
        time.sleep(0.0003)

threading.Thread(target=pester, daemon=True).start()

def f(x):
    global pestering
    if x == 40:
        end = time.monotonic() + 0.3
        pestering = True
        while True:
            try:
                while time.monotonic() < end: pass
                pestering = False
                time.sleep(0.01)
                break
            except Boom: pass
    return x
"""


def test_a_handler_that_interrupts_our_sending_makes_no_answer_that_of_another_call(
    sandbox: Sandbox,
) -> None:
    for _ in range(3):
        found = seen(sandbox, INTERRUPTING, *(Call((number,)) for number in range(200)))
        told = {n: each.value for n, each in enumerate(found) if isinstance(each, Returned)}
        assert told == {number: str(number) for number in told}
        assert len(told) > 100


@pytest.mark.parametrize(
    "body",
    [
        "held = []\n    while True: held.append(len(held))",
        "held = None\n    while True: held = (held,)",
        "held = []\n    while True: held = [held]",
        "held = {}\n    while True: held[len(held)] = [len(held)]",
    ],
)
def test_who_uses_up_the_memory_is_told_as_that(sandbox: Sandbox, body: str) -> None:
    calls = [Call((1,)), Call((2,))]
    source = f"def f(given):\n    {body}\n"
    found = seen(sandbox, source, *calls, memory_bytes=64 << 20, call_seconds=10)
    assert [type(each) for each in found] == [OutOfMemory] * 2


REAL = "bytes(1 << 40)"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("raise MemoryError('made up')", Raised),
        ("raise MemoryError", Raised),
        ("raise MemoryError('made up') from ValueError()", Raised),
        (REAL, OutOfMemory),
        (f"try: {REAL}\n    except MemoryError: raise", OutOfMemory),
        (f"try: {REAL}\n    except MemoryError as error: raise error", OutOfMemory),
        (f"try: {REAL}\n    except MemoryError: raise MemoryError('too large')", OutOfMemory),
        (f"try: {REAL}\n    except MemoryError as e: raise MemoryError from e", OutOfMemory),
    ],
)
def test_only_who_was_short_of_memory_is_told_as_that(
    sandbox: Sandbox, body: str, kind: type[Observation]
) -> None:
    (found,) = seen(sandbox, f"def f():\n    {body}\n", Call())
    assert type(found) is kind
    assert not isinstance(found, Raised) or found.type_name == "MemoryError"


def test_an_interrupt_is_the_exception_that_programs_expect(sandbox: Sandbox) -> None:
    source = """
import signal

def f(catching):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        if catching: return "caught"
        raise
"""
    caught, raised, again = seen(sandbox, source, Call((True,)), Call((False,)), Call((True,)))
    assert isinstance(raised, Raised)
    assert raised.type_name == "KeyboardInterrupt"
    assert [each.value for each in (caught, again) if isinstance(each, Returned)] == [
        '"caught"',
        '"caught"',
    ]


LARGE = [10**6 + number for number in range(200_000)]


def test_a_large_argument_that_is_as_it_was_is_not_told_as_changed(sandbox: Sandbox) -> None:
    again = "def f(numbers):\n    numbers[5] = int(str(numbers[5]))\n"
    other = "def f(numbers):\n    numbers[5] = 7\n"
    (same,) = seen(sandbox, again, Call((LARGE,)))
    (changed,) = seen(sandbox, other, Call((LARGE,)))
    assert isinstance(same, Returned)
    assert isinstance(changed, Returned)
    assert same.args_after is None
    assert changed.args_after is not None


@pytest.mark.parametrize(
    "call", [Call((), (("given", LARGE),)), Call((Expression("own"),))], ids=["typed", "cyclic"]
)
def test_of_what_cannot_be_written_out_nobody_says_that_it_is_as_it_was(
    sandbox: Sandbox, call: Call
) -> None:
    source = "own = [1]\nown.append(own)\ndef f(given):\n    given[0] = 99\n    return given[0]\n"
    (found,) = seen(sandbox, source, call)
    assert isinstance(found, Returned)
    assert found.args_after is not None


def test_a_deadline_that_a_program_hides_is_told_of_its_own_call(sandbox: Sandbox) -> None:
    source = """
import sys, time

def f(kind):
    if kind == "late":
        began = time.process_time()
        try:
            while time.process_time() - began < 2: pass
        except BaseException: pass
        type(sys.stdout).write.__closure__[0].cell_contents.exceeded = False
    print(kind)
    return kind
"""
    first, late, last = seen(
        sandbox, source, Call(("one",)), Call(("late",)), Call(("two",)), call_seconds=0.3
    )
    assert isinstance(late, TimedOut)
    assert [each.stdout for each in (first, last) if isinstance(each, Returned)] == [
        "one\n",
        "two\n",
    ]


def test_a_call_that_is_in_c_code_all_the_while_has_its_time_only(sandbox: Sandbox) -> None:
    source = "def f(count):\n    sum(range(count))\n    return count\n"
    calls = [Call((60_000_000,)), Call((3,))]
    found = seen(sandbox, source, *calls, call_seconds=0.2)
    assert isinstance(found[0], TimedOut)
    assert isinstance(found[1], Returned)


def test_entries_of_a_kind_of_dict_are_told_without_asking_keys(sandbox: Sandbox) -> None:
    source = """
lying = False

class Key:
    def __init__(self, number): self.number = number
    def __hash__(self): return 1
    def __eq__(self, other): return lying

class Kind(dict): pass

def f():
    global lying
    kind = Kind()
    kind[Key(1)] = "one"
    kind[Key(2)] = "two"
    lying = True
    return kind
"""
    (found,) = seen(sandbox, source, Call())
    assert isinstance(found, Returned)
    assert '"one"' in found.value
    assert '"two"' in found.value


def test_fields_that_a_class_hides_are_not_told_as_none(sandbox: Sandbox) -> None:
    source = """
class Hiding:
    __dict__ = property(lambda self: {})

def f(number):
    hiding = Hiding()
    hiding.number = number
    return hiding
"""
    (found,) = seen(sandbox, source, Call((1,)))
    assert isinstance(found, Unserialisable)


@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_who_removes_a_stream_harms_no_call(sandbox: Sandbox, stream: str) -> None:
    source = f"import sys\ndef f(n):\n    if n == 1: del sys.{stream}\n    return n\n"
    found = seen(sandbox, source, *(Call((number,)) for number in range(4)))
    assert [each.value for each in found if isinstance(each, Returned)] == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    "taking",
    [
        "sys.stdout.seek(0); sys.stdout.truncate()",
        "sys.stdout.take()",
        "io.StringIO",
        "sys.stdout.printed.parts.clear()",
        "[each.parts.clear() for each in vars(sys.stdout).values() if hasattr(each, 'parts')]",
    ],
)
def test_what_was_printed_cannot_be_taken_back(sandbox: Sandbox, taking: str) -> None:
    source = f"""
import io, sys

def f(n):
    print("evidence")
    try:
        {taking}
        io.StringIO.seek(sys.stdout, 0)
    except Exception: pass
    return n
"""
    (found,) = seen(sandbox, source, Call((1,)))
    assert isinstance(found, Returned)
    assert found.stdout == "evidence\n"


def test_no_attribute_of_a_stream_moves_its_bound(sandbox: Sandbox) -> None:
    source = """
import sys

def f(n):
    for name in [*vars(sys.stdout), "limit"]:
        setattr(sys.stdout, name, 1 << 40)
    print("x" * 200)
"""
    (found,) = seen(sandbox, source, Call((1,)), stdout_bytes=100)
    assert found == OutputExceeded(100)


def test_an_exception_has_the_type_and_message_that_it_was_raised_with(sandbox: Sandbox) -> None:
    source = """
class Other(KeyError): pass

class Own(ValueError):
    def __str__(self):
        self.__class__ = Later
        return "said"

class Later(ValueError): pass

def f(which):
    raise Own if which else ValueError("\\ud83d\\ude00")
"""
    surrogates, renamed = seen(sandbox, source, Call((0,)), Call((1,)))
    assert isinstance(surrogates, Raised)
    assert isinstance(renamed, Raised)
    assert surrogates.message == "\\ud83d\\ude00"
    assert (renamed.type_name, renamed.message) == ("Own", "said")


def test_a_message_that_grows_as_it_is_told_is_cut_and_harms_no_other_call(
    sandbox: Sandbox,
) -> None:
    source = """
LONG = "\\udc80" * 1667

class Said(ValueError):
    def __str__(self): return LONG

def f(n):
    if n == 3: raise Said if kind else ValueError(LONG)
    return n
"""
    for kind in (True, False):
        found = seen(sandbox, f"kind = {kind}\n{source}", *(Call((n,)) for n in range(6)))
        raised = found[3]
        assert isinstance(raised, Raised)
        assert raised.message == ("\\udc80" * 1667)[:10_000]
        assert [n for n, each in enumerate(found) if isinstance(each, Returned)] == [0, 1, 2, 4, 5]
    (failed,) = seen(sandbox, f"{source}\nraise ValueError(LONG)", Call((1,)))
    assert isinstance(failed, LoadFailed)
    assert failed.message == ("\\udc80" * 1667)[:10_000]


def test_an_ordered_dict_that_is_torn_is_named_as_what_cannot_be_told(sandbox: Sandbox) -> None:
    source = """
from collections import OrderedDict

def f():
    torn = OrderedDict(a=1)
    dict.__delitem__(torn, "a")
    return torn
"""
    (found,) = seen(sandbox, source, Call())
    assert isinstance(found, Unserialisable)


def test_a_text_that_lies_about_itself_is_printed_as_it_is(sandbox: Sandbox) -> None:
    source = """
class Lying(str):
    def __len__(self): return 0
    def __str__(self): return "other"

def f():
    import sys
    sys.stdout.write(Lying("true"))
"""
    (found,) = seen(sandbox, source, Call())
    assert isinstance(found, Returned)
    assert decode(found.value) is None
    assert found.stdout == "true"


@pytest.mark.parametrize(
    ("then", "kind"),
    [
        ("while True: pass", TimedOut),
        ("held = [0]\n    while True: held += held", OutOfMemory),
        ("while True: print('more')", OutputExceeded),
        ("open('/etc/passwd')", Refused),
        ("return lambda: 0", Unserialisable),
    ],
)
def test_what_a_stopped_call_had_printed_is_told(
    sandbox: Sandbox, then: str, kind: type[Observation]
) -> None:
    source = f"def f():\n    print('evidence')\n    {then}\n"
    limits: dict[str, Any] = {"memory_bytes": 256 << 20, "stdout_bytes": 1000}
    (found,) = seen(sandbox, source, Call(), call_seconds=2.0, **limits)
    assert isinstance(found, kind)
    assert isinstance(found, TimedOut | OutOfMemory | OutputExceeded | Refused | Unserialisable)
    assert found.stdout.startswith("evidence\n")


ASKED = """
armed = []

class Name(str):
    def __hash__(self):
        return hash(str.__str__(self)[1:])
    def __eq__(self, other):
        if armed:
            raise armed[0]
        return False

Asked = type("Asked", (), {Name("+__dict__"): 1, Name("+__module__"): 1})

def asked(error):
    it = Asked()
    it.x = 1
    armed.append(error())
    return it

def plain(it): return it
def within(it): return [it]
def drawn(it): yield it
async def awaited(it): return it
async def streamed(it): yield it
def generator(it): return [drawn(it)]

def f(error, how):
    return how(asked(error))

def g(error, given):
    given.append(asked(error))
    return 1
"""
RAISED = ("SystemExit", "KeyboardInterrupt", "GeneratorExit", "MemoryError", "ValueError")


@pytest.mark.parametrize("error", RAISED)
@pytest.mark.parametrize("how", ["plain", "within", "drawn", "awaited", "streamed", "generator"])
def test_what_is_raised_while_a_result_is_told_is_not_what_the_call_did(
    sandbox: Sandbox, error: str, how: str
) -> None:
    (found,) = seen(sandbox, ASKED, Call((Expression(error), Expression(how))))
    assert isinstance(found, Unserialisable), found
    assert found.what.endswith(f"what is in it cannot be told: {error}")


@pytest.mark.parametrize("error", RAISED)
def test_what_is_raised_while_arguments_are_told_is_not_what_the_call_did(
    sandbox: Sandbox, error: str
) -> None:
    call = Call((Expression(error), []))
    (found,) = sandbox.run(Program(ASKED, "g"), [call])
    assert isinstance(found, Returned), found
    assert decode(found.value) == 1


def test_what_an_iterator_raises_is_what_the_call_did(sandbox: Sandbox) -> None:
    source = "def f():\n    yield [1]\n    raise SystemExit(3)\n"
    (found,) = seen(sandbox, source, Call())
    assert isinstance(found, Raised)
    assert found.type_name == "SystemExit"


FLUSHED = """
import io, sys

class Raw(io.RawIOBase):
    def writable(self): return True
    def write(self, data): raise error

class Own:
    def write(self, text): return len(text)
    def flush(self): raise error

error = None
Wrapper = io.TextIOWrapper

def f(kind, how):
    global error
    error = kind()
    sys.stdout = Own() if how == "own" else Wrapper(io.BufferedWriter(Raw()))
    print("x")
    if how == "own":
        io.TextIOWrapper = Own
    if how == "instance":
        sys.stdout.flush = Own().flush
    return 1
"""


@pytest.mark.parametrize("error", [*RAISED, "OSError"])
@pytest.mark.parametrize("how", ["usual", "own", "instance"])
def test_what_is_raised_while_output_is_put_back_is_not_what_the_call_did(
    sandbox: Sandbox, error: str, how: str
) -> None:
    for found in seen(sandbox, FLUSHED, *[Call((Expression(error), how))] * 2):
        assert isinstance(found, Returned), found
        assert decode(found.value) == 1


def test_what_was_too_large_to_be_told_is_gone_by_the_next_call(sandbox: Sandbox) -> None:
    source = """
import weakref
kept = []

class Large:
    def __init__(self): self.items = [0] * 3_000_000

def f(argument):
    alive = sum(each() is not None for each in kept)
    value = Large()
    kept.append(weakref.ref(value))
    if argument is not None:
        argument.append(value)
        return alive
    return alive if len(kept) > 4 else value
"""
    found = seen(sandbox, source, *[Call((None,))] * 5)
    assert [type(each) for each in found] == [Unserialisable] * 4 + [Returned]
    assert found[-1] == Returned("0")
    arguments = seen(sandbox, source, *[Call(([],))] * 3)
    assert [decode(each.value) for each in arguments if isinstance(each, Returned)] == [0, 0, 0]


def test_classes_of_what_was_returned_are_gone_by_the_next_calls(sandbox: Sandbox) -> None:
    source = """
import gc, weakref
kept = []

def f():
    class Made: pass
    kept.append(weakref.ref(Made))
    gc.collect()
    return sum(each() is not None for each in kept), Made()
"""
    found = seen(sandbox, source, *[Call()] * 5)
    counts = [decode(each.value) for each in found if isinstance(each, Returned)]
    assert [count[0] for count in counts if isinstance(count, tuple)] == [1] * 5


def test_only_what_an_input_holds_is_passed_on(sandbox: Sandbox) -> None:
    source = """
exec(compile("def g(): raise ValueError('mine')", "<input>", "exec"))

def f(x): return g()
"""
    (found,) = seen(sandbox, source, Call((1,)))
    assert isinstance(found, Raised)
    assert not found.passed_on


@pytest.mark.parametrize(
    "answering",
    [
        "def __getattribute__(self, name): raise KeyError(name)",
        "__traceback__ = property(lambda self: 1 / 0)",
        "__traceback__ = None",
    ],
)
def test_an_exception_is_not_asked_where_it_comes_from(sandbox: Sandbox, answering: str) -> None:
    source = f"""
class E(Exception):
    {answering}

def f(): raise E("x")
"""
    (found,) = seen(sandbox, source, Call())
    assert isinstance(found, Raised)
    assert (found.type_name, found.message) == ("E", "x")


def test_what_a_text_is_does_not_depend_on_codecs_of_the_program(sandbox: Sandbox) -> None:
    source = """
import codecs

def instead(error):
    return (b"A\\0\\0\\0" if isinstance(error, UnicodeEncodeError) else "A", error.end)

codecs.register_error("surrogatepass", instead)

def f(given, text):
    return given == text, text
"""
    longer = "\ud800\udc00" + "\U0001f600x" * 5000 + "\udfff"
    calls = [Call((text, Expression(repr(text)))) for text in ("\ud83d", longer)]
    first, second = seen(sandbox, source, *calls)
    assert isinstance(first, Returned)
    assert isinstance(second, Returned)
    assert decode(first.value) == (True, "\ud83d")
    assert decode(second.value) == (True, longer)


def test_how_numbers_are_written_does_not_depend_on_the_context_of_the_program(
    sandbox: Sandbox,
) -> None:
    source = """
import decimal

def f(given, capitals):
    decimal.getcontext().capitals = capitals
    return [given, *map(decimal.Decimal, ("-1.50E-9", "Infinity", "1.50"))]
"""
    given = Scalar("decimal.Decimal", "1E+3")
    first, second = seen(sandbox, source, Call((given, 1)), Call((given, 0)))
    assert isinstance(first, Returned)
    assert first.args_after is None
    assert second == first
