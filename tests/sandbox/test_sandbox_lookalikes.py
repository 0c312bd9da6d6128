"""Values made to be observed as others: nothing of the program's speaks while they are told."""

from __future__ import annotations

import sys

import pytest

from assay_sandbox import (
    Call,
    Container,
    Instance,
    Program,
    Raised,
    Returned,
    Sandbox,
    Scalar,
    Told,
    Unserialisable,
    decode,
)

LIES = """
import array, collections, datetime, decimal, fractions, gc, pathlib, types, uuid

spoke = []

class Text(str):
    def __format__(self, spec):
        spoke.append("format")
        return "lie"
    __str__ = __repr__ = lambda self: spoke.append("str") or "lie"
    isascii = lambda self: spoke.append("isascii") or True
    def __hash__(self):
        return str.__hash__(self)

class Number(int):
    def __format__(self, spec):
        spoke.append("format")
        return "1"
    __repr__ = __str__ = __index__ = __int__ = lambda self: spoke.append("number") or 1

class Delta(datetime.timedelta):
    def total_seconds(self):
        spoke.append("seconds")
        return 0

class Meta(type):
    def __eq__(cls, other):
        spoke.append("eq")
        return True
    __hash__ = lambda cls: spoke.append("hash") or type.__hash__(cls)

class Zone(datetime.tzinfo, metaclass=Meta):
    utcoffset = lambda self, when: spoke.append("zone")

class Mapping(collections.UserDict):
    def keys(self):
        spoke.append("keys")
        return []

class Plain:
    pass

def spoken(x):
    return spoke

def path(x):
    made = pathlib.PurePosixPath("wrong")
    made._str = Text("right")
    return made

def path_parts(x):
    made = pathlib.PurePosixPath("wrong")
    for name in ("_parts", "_raw_paths", "_tail_cached"):
        if hasattr(made, name) and hasattr(type(made), name):
            setattr(made, name, [Text("right")])
    return made

def fraction(x):
    made = fractions.Fraction(1, 3)
    made._numerator = Number(7)
    return made

def empty_fraction(x):
    return object.__new__(fractions.Fraction)

def empty_path(x):
    return object.__new__(pathlib.PurePosixPath)

class Borrowing:
    __dict__ = Plain.__dict__["__dict__"]

def borrowing(x):
    return Borrowing()

class Slotted:
    __slots__ = ("hidden",)

class Hiding(Slotted):
    __dict__ = Slotted.__dict__["hidden"]

def hiding(x):
    made = Hiding()
    made.hidden = {"shown": 1}
    made.real = 2
    return made

def drawn(x):
    return map(int, ["no number"])

def identifier(x):
    made = uuid.UUID(int=3)
    object.__setattr__(made, "int", Number(7))
    return made

def zone(x):
    return datetime.timezone(Delta(hours=5))

def aware(x):
    return datetime.datetime(2000, 1, 1, tzinfo=Zone())

def proxy(x):
    return types.MappingProxyType(Mapping({1: 2}))

def renamed(x):
    kind = type("Honest", (), {})
    kind.__qualname__ = Text("Other")
    return kind()

def key(x):
    made = Plain()
    made.__dict__[Text("b")] = "wrong"
    return made

def number_key(x):
    made = Plain()
    made.__dict__[1] = "wrong"
    return made

def moved(x):
    made = collections.OrderedDict([("a", 1), ("b", 2)])
    made.move_to_end("a")
    return made

class Key:
    def __init__(self, name):
        self.name = name
    def __hash__(self):
        spoke.append("hash")
        return 1
    def __eq__(self, other):
        spoke.append("eq")
        return self is other

def moved_by_keys(x):
    made = collections.OrderedDict([(Key("a"), "a"), (("b", Key("b")), "b"), ("c", "c")])
    made.move_to_end([*made][0])
    return made
"""


def told(sandbox: Sandbox, text: str, *entries: str) -> list[object]:
    seen = [sandbox.run(Program(text, entry), [Call((0,))])[0] for entry in entries]
    return [decode(one.value) if isinstance(one, Returned) else one for one in seen]


@pytest.mark.parametrize(
    "entry",
    [
        *("path", "path_parts", "fraction", "empty_fraction", "identifier", "aware"),
        *("key", "number_key", "empty_path", "hiding"),
    ],
)
def test_what_is_not_plain_inside_a_known_type_is_not_carried(sandbox: Sandbox, entry: str) -> None:
    (seen,) = told(sandbox, LIES, entry)
    assert isinstance(seen, Unserialisable), seen


def test_what_leads_to_the_fields_of_another_class_leads_to_none_of_its_own(
    sandbox: Sandbox,
) -> None:
    (seen,) = told(sandbox, LIES, "borrowing")
    if sys.version_info >= (3, 15):
        # There it leads to the fields of any object.
        assert seen == Instance("Borrowing", ())
    else:
        assert isinstance(seen, Unserialisable)


UNEQUAL = """
import datetime

def zone(x):
    return datetime.timezone(datetime.timedelta(microseconds=x))

def error(x):
    return OSError(2, "missing", f"file {x}")

def two_files(x):
    return FileExistsError(17, "there", "a", None, f"file {x}")
"""


@pytest.mark.parametrize("entry", ["zone", "error", "two_files"])
def test_unequal_values_have_unequal_texts_and_can_be_inputs_again(
    sandbox: Sandbox, entry: str
) -> None:
    first, second = sandbox.run(Program(UNEQUAL, entry), [Call((0,)), Call((5,))])
    assert isinstance(first, Returned)
    assert isinstance(second, Returned)
    assert first.value != second.value
    same = Program(f"{UNEQUAL}\ndef same(x): return x\n", "same")
    assert sandbox.run(same, [Call((decode(second.value),))]) == (second,)


def test_what_an_iterator_raises_is_the_program_s(sandbox: Sandbox) -> None:
    (seen,) = told(sandbox, LIES, "drawn")
    assert isinstance(seen, Raised)
    assert seen.type_name == "ValueError"


@pytest.mark.parametrize(
    "entry",
    [
        *("path", "path_parts", "fraction", "identifier", "zone", "aware", "proxy", "renamed"),
        *("key", "moved_by_keys"),
    ],
)
def test_nothing_of_the_program_speaks_while_a_value_is_told(sandbox: Sandbox, entry: str) -> None:
    text = f"""{LIES}
def twice(again):
    if again:
        return list(spoke)
    made = {entry}(0)
    spoke.clear()
    return made
"""
    _value, spoken = sandbox.run(Program(text, "twice"), [Call((0,)), Call((1,))])
    assert isinstance(spoken, Returned)
    assert decode(spoken.value) == []


def test_known_types_are_told_as_they_are(sandbox: Sandbox) -> None:
    zone, moved, proxy = told(sandbox, LIES, "zone", "moved", "proxy")
    assert zone == Scalar("datetime.timezone", "18000")
    assert isinstance(moved, Container)
    assert list(moved.items) == ["b", "a"]  # pyright: ignore[reportArgumentType, reportUnknownArgumentType]
    assert isinstance(proxy, Container)
    assert isinstance(proxy.items, Instance)


def test_the_order_of_a_dict_is_told_whatever_its_keys_are(sandbox: Sandbox) -> None:
    (moved,) = told(sandbox, LIES, "moved_by_keys")
    assert isinstance(moved, Container)
    first, second = (Instance("Key", (("name", name),)) for name in "ab")
    assert list(moved.items.items()) == [(("b", second), "b"), ("c", "c"), (first, "a")]  # pyright: ignore


def test_a_class_that_is_called_like_a_built_in_one_is_another(sandbox: Sandbox) -> None:
    own = "class ValueError(Exception): pass\ndef f(x): raise ValueError('bad')\n"
    set_by_hand = """
class Own(Exception): pass
Own.__module__, Own.__qualname__ = "builtins", "ValueError"
def f(x): raise Own("bad")
"""
    real = "def f(x): raise ValueError('bad')\n"
    below = "class Own(ValueError): pass\ndef f(x): raise Own('bad')\n"
    group = "def f(x): raise ExceptionGroup('bad', [ValueError()])\n"
    seen = [
        sandbox.run(Program(text, "f"), [Call((0,))])[0] for text in (own, set_by_hand, real, below)
    ]
    first, second, third, fourth = seen
    assert isinstance(first, Raised)
    assert first == second
    assert first != third
    assert isinstance(third, Raised)
    assert isinstance(fourth, Raised)
    assert first.type_name == "__mp_main__.ValueError"
    assert third.type_name == "ValueError"
    assert fourth.type_name == "Own"
    assert fourth.lineage == ("ValueError", "Exception", "BaseException")
    (grouped,) = sandbox.run(Program(group, "f"), [Call((0,))])
    assert isinstance(grouped, Raised)
    assert grouped.type_name == "ExceptionGroup"


def test_an_instance_of_a_class_called_int_can_be_an_input_again(sandbox: Sandbox) -> None:
    text = """
class int:
    def __init__(self): self.x = 1
def f(x): return int()
def g(x): return type(x) is int and x.x
"""
    (made,) = told(sandbox, text, "f")
    assert made == Instance("__mp_main__.int", (("x", 1),))
    (seen,) = sandbox.run(Program(text, "g"), [Call((made,))])
    assert isinstance(seen, Returned)
    assert decode(seen.value) == 1


def test_a_module_put_in_the_place_of_numpy_tells_nothing(sandbox: Sandbox) -> None:
    text = """
import sys, types
class dtype: hasobject, str = False, "<i8"
class ndarray:
    dtype, shape = dtype, (1,)
    tolist = lambda self: [42]
ndarray.__module__ = "numpy"
numpy = types.ModuleType("numpy")
numpy.ndarray = numpy.generic = ndarray
sys.modules["numpy"] = numpy
def f(x): return ndarray()
"""
    assert told(sandbox, text, "f") == [Instance("numpy.ndarray", ())]


CALLED_LIKE = """
def called_like(module, name, slots):
    return type(name, (), {"__module__": module, **({"__slots__": slots} if slots else {})})

def filled(made, x):
    for name in getattr(type(made), "__slots__", ("name", "__wrapped__", "_s", "_df")):
        setattr(made, name, "a")
    if not hasattr(type(made), "__slots__"):
        made.x = x
    else:
        setattr(made, type(made).__slots__[0], x)
    return made
"""


@pytest.mark.parametrize(
    ("module", "name", "slots"),
    [
        ("logging", "Logger", ()),
        ("logging", "RootLogger", ()),
        ("functools", "_lru_cache_wrapper", ()),
        ("polars.series.series", "Series", ()),
        ("random", "Random", ()),
        ("numpy.random.mtrand", "RandomState", ()),
        ("_thread", "lock", ("locked",)),
        ("functools", "partial", ("func", "args", "keywords", "__reduce__")),
        ("functools", "_lru_cache_wrapper", ("cache_info", "__wrapped__")),
        ("xml.etree.ElementTree", "Element", ("tag", "attrib", "text", "tail", "append")),
        ("re", "Match", ("expand", "re", "string", "regs")),
        ("zoneinfo", "ZoneInfo", ("utcoffset", "key")),
    ],
)
def test_a_class_that_is_called_like_one_of_a_library_is_told_whole(
    sandbox: Sandbox, module: str, name: str, slots: tuple[str, ...]
) -> None:
    text = f"""{CALLED_LIKE}
def f(x):
    return filled(called_like({module!r}, {name!r}, {slots!r})(), x)
"""
    one, other = sandbox.run(Program(text, "f"), [Call(("a",)), Call(("b",))])
    assert isinstance(one, Returned), one
    assert isinstance(other, Returned), other
    assert isinstance(decode(one.value), Instance)
    assert one.value != other.value


def test_a_getter_with_keywords_calls_nothing_of_the_program(sandbox: Sandbox) -> None:
    text = """
import functools, operator
def f(x):
    if x:
        functools.partial = lambda *given, **named: print("called") or "lie"
    return operator.methodcaller("a", k=1)
"""
    one, other = sandbox.run(Program(text, "f"), [Call((0,)), Call((1,))])
    assert isinstance(one, Returned)
    assert isinstance(other, Unserialisable)
    assert other.stdout == ""


def test_types_that_a_program_puts_elsewhere_are_told_as_before(sandbox: Sandbox) -> None:
    text = """
import json, types
def f(x):
    types.ModuleType = types.FunctionType = types.MappingProxyType = int
    return [json, json.dumps, [x].append]
"""
    (found,) = told(sandbox, text, "f")
    assert found == [
        Told("module", "json"),
        Told("function", "json.dumps"),
        Told("builtin_function_or_method", ([0], "append")),
    ]
