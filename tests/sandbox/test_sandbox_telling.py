"""What is told of objects that nobody else could be given, and of what leads back to itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay_sandbox import (
    Call,
    Cycle,
    Expression,
    Instance,
    Limits,
    Opaque,
    Program,
    Returned,
    Sandbox,
    Scalar,
    Told,
    Unserialisable,
    decode,
    render,
)
from support.interpreters import interpreters

MODULE = """
import collections, datetime, functools, io, itertools, logging, math, operator, random, threading
import re, time, weakref, xml.etree.ElementTree as tree, zoneinfo

class Holder:
    def __init__(self, held):
        self.held = held
        self.count = 0

    def counted(self):
        self.count += 1

    @functools.cached_property
    def doubled(self):
        return 2 * self.count

def own():
    pass

def of(source):
    return eval(source)

def touched(holder):
    holder.counted()
    return holder.doubled

def looked(holder):
    return holder.doubled

def replaced(holder):
    holder.counted()
    holder.held = (lambda: 0)

class Node:
    def __init__(self, value, parent=None):
        self.value, self.parent, self.children = value, parent, []
        if parent is not None:
            parent.children.append(self)

def family(sizes):
    root = Node(0)
    for size in sizes:
        child = Node(size, root)
        for _ in range(size):
            Node(1, child)
    return root

def walked(sizes):
    pending = [family(sizes)]
    while pending:
        node = pending.pop()
        yield node
        pending += node.children

def tied(count):
    nodes = [Node(place) for place in range(count)]
    for node in nodes:
        node.children = [other for other in nodes if other is not node]
    return nodes[0]

class Ring:
    def __init__(self, length):
        self.next = self
        for _ in range(length - 1):
            ring = Ring.__new__(Ring)
            ring.next, self.next = self.next, ring
"""


def run(sandbox: Sandbox, entry: str, *args: object) -> Returned:
    (seen,) = sandbox.run(Program(MODULE, entry), [Call(args)], Limits(call_seconds=5.0))
    assert isinstance(seen, Returned), seen
    return seen


def told(sandbox: Sandbox, source: str) -> object:
    return decode(run(sandbox, "of", source).value)


@pytest.mark.parametrize(
    ("source", "kind", "what"),
    [
        ("threading.Lock()", "_thread.lock", "unlocked"),
        ("(lambda it: it.acquire() and it)(threading.Lock())", "_thread.lock", "locked"),
        ("threading.RLock()", "_thread.RLock", "unlocked"),
        ("(lambda it: it.acquire() and it)(threading.RLock())", "_thread.RLock", "locked"),
        ("len", "builtin_function_or_method", "len"),
        ("math.sqrt", "builtin_function_or_method", "math.sqrt"),
        ("str.lower", "method_descriptor", "str.lower"),
        ("logging.getLevelName", "function", "logging.getLevelName"),
        ("logging.Logger.warn", "function", "logging.Logger.warn"),
        ("[1].append", "builtin_function_or_method", ([1], "append")),
        ("operator.itemgetter(1, 2)", "operator.itemgetter", (1, 2)),
        ("operator.attrgetter('a.b')", "operator.attrgetter", ("a.b",)),
        ("operator.methodcaller('a', 1)", "operator.methodcaller", ("a", 1)),
        ("math", "module", "math"),
        ("logging.getLogger('a.b')", "logging.Logger", "a.b"),
        ("io.StringIO('ab')", "_io.StringIO", ("ab", 0)),
        ("(lambda it: it.write('ab') and it)(io.StringIO())", "_io.StringIO", ("ab", 2)),
        ("(lambda it: it.close() or it)(io.BytesIO(b'ab'))", "_io.BytesIO", "closed"),
        ("weakref.ref(math)", "weakref.ReferenceType", (Told("module", "math"),)),
        (
            "re.match('(a)(x)?', 'ab')",
            "re.Match",
            ("ab", ((0, 1), (0, 1), (-1, -1))),
        ),
        (
            "functools.lru_cache(math.hypot)",
            "functools._lru_cache_wrapper",
            Told("builtin_function_or_method", "math.hypot"),
        ),
        (
            "functools.partial(int, base=2)",
            "functools.partial",
            (Scalar("type", "int"), (), {"base": 2}),
        ),
        (
            "tree.fromstring('<a b=\"c\">d<e/>f</a>')",
            "xml.etree.ElementTree.Element",
            (
                "a",
                {"b": "c"},
                "d",
                None,
                [Told("xml.etree.ElementTree.Element", ("e", {}, None, "f", []))],
            ),
        ),
    ],
)
def test_what_is_no_data_is_told_by_its_name_or_state(
    sandbox: Sandbox, source: str, kind: str, what: object
) -> None:
    assert told(sandbox, source) == Told(kind, what)


def test_a_bound_method_is_its_name_and_whose_it_is(sandbox: Sandbox) -> None:
    holder = Instance("Holder", (("held", 1), ("count", 0)))
    assert told(sandbox, "Holder(1).counted") == Told("method", (holder, "Holder.counted"))


@pytest.mark.parametrize("source", ["own", "lambda: 0", "Holder.counted", "random.Random(1)"])
def test_what_has_no_name_outside_the_program_equals_nothing(sandbox: Sandbox, source: str) -> None:
    assert isinstance(told(sandbox, f"[{source}][0:1]"), list)
    (inside,) = decode(run(sandbox, "of", f"[{source}]").value)
    assert isinstance(inside, Opaque)


def test_what_a_call_was_given_is_known_again(sandbox: Sandbox) -> None:
    given = Expression("Holder([lambda: 1, random.Random(3), itertools.count(5), lambda: 2])")
    after = decode(run(sandbox, "touched", given).args_after or "")
    functions = [Told("function", 0), Told("random.Random", 1), Told("function", 3)]
    held = [functions[0], functions[1], Told("itertools.count", 2), functions[2]]
    assert after == [[Instance("Holder", (("held", held), ("count", 1)))], {}]
    another = decode(run(sandbox, "replaced", Expression("Holder(lambda: 1)")).args_after or "")
    (fields,) = [dict(each.fields) for each in another[0]]
    assert isinstance(fields["held"], Opaque)


def test_what_one_call_was_given_is_nothing_to_the_next(sandbox: Sandbox) -> None:
    source = "kept = []\ndef f(it):\n    kept.append(it)\n    return kept[0]\n"
    program = Program(source, "f")
    first, second = sandbox.run(program, [Call((Expression("lambda: 1"),))] * 2)
    assert isinstance(first, Returned)
    assert decode(first.value) == Told("function", 0)
    assert second == Unserialisable("function: a function")


CALLING = """
class Texts(tuple):
    __iter__ = __len__ = None
class Names(dict):
    keys = __iter__ = None
def f(it, times):
    for number in range(times):
        it(number)
def g(it):
    it.__defaults__ = Texts(([1],))
    it.__kwdefaults__ = Names(kept=[1])
def h(it):
    it.__defaults__ = ([], *range(99), [2])
def own(number, kept=[]):
    kept.append(number)
def passing(it):
    it(lambda: 1)
def failing(it):
    it(ValueError("no number"))
class Name(str):
    seen = []
    def __eq__(self, other):
        Name.seen.append(other)
        return False
    __hash__ = str.__hash__
def named(it):
    it.__kwdefaults__ = {Name("it"): [1], Name("kept"): [2]}
"""


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ("lambda it, kept=[]: kept.append(it)", [("kept", [0, 1])]),
        ("lambda *it, kept={}: kept.update([(it, 0)])", [("kept", {(0,): 0, (1,): 0})]),
        ("lambda it, last=[], all=set(): all.add(it)", [("all", {0, 1}), ("last", [])]),
    ],
)
def test_what_an_inputs_function_keeps_in_its_defaults_is_told(
    sandbox: Sandbox, source: str, kept: object
) -> None:
    program = Program(CALLING, "f")
    (seen,) = sandbox.run(program, [Call((Expression(source), 2))])
    assert isinstance(seen, Returned)
    (function, _), _ = decode(seen.args_after or "")
    assert function.what[0] == 0
    assert sorted(function.what[1:]) == kept


def test_what_a_programs_own_function_keeps_there_is_its_own(sandbox: Sandbox) -> None:
    (seen,) = sandbox.run(Program(CALLING, "f"), [Call((Expression("own"), 2))])
    assert isinstance(seen, Returned)
    assert seen.args_after is None


@pytest.mark.parametrize(("entry", "what"), [("g", 0), ("h", (0, ("kept", [2])))])
def test_what_a_program_puts_in_the_place_of_defaults_runs_nothing(
    sandbox: Sandbox, entry: str, what: object
) -> None:
    call = Call((Expression("lambda it, kept=[]: it"),))
    (seen,) = sandbox.run(Program(CALLING, entry), [call])
    assert isinstance(seen, Returned)
    (function,), _ = decode(seen.args_after or "")
    assert function == Told("function", what)


@pytest.mark.parametrize("entry", ["passing", "failing", "named"])
def test_only_plain_data_that_is_kept_is_told(sandbox: Sandbox, entry: str) -> None:
    call = Call((Expression("lambda it, kept=[]: kept.append(it)"),))
    (seen,) = sandbox.run(Program(CALLING, entry), [call])
    assert isinstance(seen, Returned)
    (function,), _ = decode(seen.args_after or "")
    assert function == Told("function", 0)
    again = sandbox.run(Program(CALLING, entry), [call])
    assert again == (seen,)


def test_looking_at_what_is_kept_runs_nothing_of_the_program(sandbox: Sandbox) -> None:
    source = CALLING + (
        "def both(it, first):\n    if first:\n        named(it)\n    return list(Name.seen)\n"
    )
    given = Expression("lambda it, kept=[]: it")
    seen = sandbox.run(Program(source, "both"), [Call((given, True)), Call((given, False))])
    assert [decode(each.value) for each in seen if isinstance(each, Returned)] == [[], []]


def test_what_a_property_remembers_is_no_part_of_an_object(sandbox: Sandbox) -> None:
    assert run(sandbox, "looked", Expression("Holder(1)")).args_after is None
    after = decode(run(sandbox, "touched", Expression("Holder(1)")).args_after or "")
    assert after == [[Instance("Holder", (("held", 1), ("count", 1)))], {}]


PYDANTIC = """
class Model:
    __slots__ = ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__")
    __fields_set__ = property(lambda self: self.__pydantic_fields_set__)
    def __init__(self, **given):
        object.__setattr__(self, "__pydantic_fields_set__", set(given))
        object.__setattr__(self, "__pydantic_extra__", None)
        self.__dict__.update({"name": "x", **given})
    def copied(self):
        fields = set(self.__pydantic_fields_set__)
        return sorted(fields)
def f(it):
    return it, it.copied()
"""


def test_how_a_model_was_made_is_no_part_of_it_and_is_there_again(sandbox: Sandbox) -> None:
    seen = sandbox.run(
        Program(PYDANTIC, "f"),
        [Call((Expression(source),)) for source in ("Model()", "Model(name='x')")],
    )
    one, other = [decode(each.value) for each in seen if isinstance(each, Returned)]
    fields = (("__pydantic_extra__", None), ("name", "x"))
    assert one == (Instance("Model", fields), [])
    assert other == (Instance("Model", fields), ["name"])
    (again,) = sandbox.run(Program(PYDANTIC, "f"), [Call((one[0],))])
    assert isinstance(again, Returned)
    assert decode(again.value) == other


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("(lambda it: it.append(it) or it)([1])", [1, Cycle(1)]),
        ("(lambda it: it.update(a=[it]) or it)({})", {"a": [Cycle(2)]}),
        ("(lambda it: it.append((it, it)) or it)([])", [(Cycle(2), Cycle(2))]),
        ("Ring(1)", Instance("Ring", (("next", Cycle(1)),))),
        ("Ring(2)", Instance("Ring", (("next", Instance("Ring", (("next", Cycle(2)),))),))),
        # Twice, and in no circle.
        ("(lambda it: [it, [it]])([])", [[], [[]]]),
    ],
)
def test_what_leads_back_to_itself_is_told_whole(
    sandbox: Sandbox, source: str, expected: object
) -> None:
    assert told(sandbox, source) == expected


def test_trees_whose_nodes_know_their_parents_are_told_apart(sandbox: Sandbox) -> None:
    texts = [run(sandbox, "family", sizes).value for sizes in ([1, 2], [1, 2], [2, 1], [1, 1, 1])]
    assert texts[0] == texts[1]
    assert len(set(texts)) == 3
    shown = render(decode(texts[0]))
    assert shown.startswith("Node(value=0, parent=None, children=[Node(value=1, parent=..., ")


def test_an_iteration_over_what_leads_back_to_itself_is_drawn_from_once(sandbox: Sandbox) -> None:
    drawn = decode(run(sandbox, "walked", [1, 0]).value)
    assert [dict(each.fields)["value"] for each in drawn.items] == [0, 0, 1, 1]
    assert drawn.complete


def test_a_ring_that_is_too_long_is_named_as_such(sandbox: Sandbox) -> None:
    (seen,) = sandbox.run(Program(MODULE, "of"), [Call(("Ring(200)",))])
    assert seen == Unserialisable("Ring: nested deeper than 100 levels")


def test_what_is_tied_to_each_other_in_every_way_is_named_as_such(sandbox: Sandbox) -> None:
    (seen,) = sandbox.run(Program(MODULE, "tied"), [Call((40,))])
    assert seen == Unserialisable("Node: leads back to itself in too many ways")


BERLIN = 'zoneinfo.ZoneInfo("Europe/Berlin")'


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (f"datetime.datetime(2024, 7, 1, tzinfo={BERLIN})", "2024-07-01T00:00:00+02:00"),
        (f"datetime.datetime(2024, 10, 27, 2, 30, tzinfo={BERLIN})", "2024-10-27T02:30:00+02:00"),
        (
            f"datetime.datetime(2024, 10, 27, 2, 30, fold=1, tzinfo={BERLIN})",
            "2024-10-27T02:30:00+01:00",
        ),
    ],
)
def test_moments_keep_their_zone_when_they_are_handed_on(
    sandbox: Sandbox, source: str, text: str
) -> None:
    moment = Scalar("datetime.datetime", f"{text}[Europe/Berlin]")
    assert told(sandbox, source) == moment
    program = "def f(at):\n    return at, at.tzinfo, at.utcoffset().seconds // 3600\n"
    (seen,) = sandbox.run(Program(program, "f"), [Call((moment,))])
    assert isinstance(seen, Returned)
    hours = int(text[-4])
    assert decode(seen.value) == (moment, Scalar("zoneinfo.ZoneInfo", "Europe/Berlin"), hours)


def test_a_program_has_no_say_in_what_is_told(sandbox: Sandbox) -> None:
    source = """
import math, sys, zoneinfo
class Modules(dict):
    def get(self, *what): print("asked")
class ZoneInfo(zoneinfo.ZoneInfo):
    key = "Europe/Paris"
    def utcoffset(self, at):
        print("asked")
class Text(str):
    def __eq__(self, other): print("asked")
    __hash__ = str.__hash__
    def split(self, by): print("asked")
    def __format__(self, how): print("asked")
def f():
    pass
f.__module__ = Text("math")
f.__qualname__ = Text("sqrt")
def made():
    math.__name__ = Text("maths")
    sys.modules = Modules(sys.modules)
    return [f, ZoneInfo("UTC"), math.sqrt]
"""
    (seen,) = sandbox.run(Program(source, "made"), [Call(())])
    assert isinstance(seen, Returned)
    assert seen.stdout == ""
    *others, root = decode(seen.value)
    assert all(isinstance(each, Opaque) for each in others)
    assert root == Told("builtin_function_or_method", "sqrt")


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("given.read()", None),
        ("given.seek(0, 2)", None),
        ("given.write('c')", "io.StringIO('cb')"),
        ("given.close()", "<_io.StringIO: closed>"),
    ],
)
def test_an_open_file_is_changed_by_what_is_written_and_not_by_reading(
    sandbox: Sandbox, body: str, left: str | None
) -> None:
    program = Program(f"import io\ndef f(given):\n    {body}\n", "f")
    (seen,) = sandbox.run(program, [Call((Expression("io.StringIO('ab')"),))])
    assert isinstance(seen, Returned)
    after = None if seen.args_after is None else decode(seen.args_after)
    assert after == left if left is None else render(after[0][0]) == left


PATHS = """
from pathlib import PosixPath, PurePosixPath

class Own(PurePosixPath):
    pass

class Kept(PosixPath):
    __slots__ = ("other",)

class Lookalike:
    __slots__ = ("_str", "_hash")

def use(*paths):
    for path in paths:
        str(path), hash(path), path.parts, path == Own("c"), path < type(path)("d"), path.name

def f(path, used):
    plain, own, kept = PosixPath("a//b"), Own("a/b"), Kept("a/b")
    kept.other = Lookalike()
    kept.other._str = 5
    if used:
        use(path, plain, own, kept)
    return plain, own, kept
"""


@pytest.mark.parametrize("python", interpreters(), ids=lambda path: path.name)
def test_nothing_is_told_of_a_path_that_it_only_remembers(python: Path) -> None:
    with Sandbox(python, workers=1) as sandbox:
        calls = [Call((Expression("Own('x/y')"), used)) for used in (False, True)]
        unused, used = sandbox.run(Program(PATHS, "f"), calls)
    assert isinstance(unused, Returned), unused
    assert used == unused
    assert used.args_after is None
    _plain, own, kept = decode(unused.value)
    assert ("other", Instance("Lookalike", (("_str", 5),))) in kept.fields
    assert len(own.fields) in (1, 3)
