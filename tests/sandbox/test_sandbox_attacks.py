"""Programs that try to be seen otherwise than they are, and what is seen of each call.

The table holds those that need nothing but a sandbox. Programs that try to get out are in
`hostile/`, where a judge looks on from outside.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest

from assay_sandbox import (
    Call,
    Expression,
    Instance,
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


class Said(NamedTuple):
    """An observation of this kind that has these fields, whatever else it has."""

    kind: type[Observation]
    fields: dict[str, object]


def said(kind: type[Observation], **fields: object) -> Said:
    return Said(kind, fields)


class Attack(NamedTuple):
    """`calls`: the argument of `f` in each, or the whole call. `seen`: the value that each returns,
    its observation, or the kind of that."""

    source: str
    calls: Sequence[object]
    seen: Sequence[object]
    limits: dict[str, Any] = {}  # noqa: RUF012 (never changed)
    # How the output of each call begins.
    printed: str = ""
    # "" for the strongest there is.
    tiers: tuple[str, ...] = ("",)


NOTHING = Call()
REAL = "bytes(1 << 40)"
LARGE = [10**6 + number for number in range(200_000)]
LONG = "\\udc80" * 1667
RAISED = ("SystemExit", "KeyboardInterrupt", "GeneratorExit", "MemoryError", "ValueError")
MESSAGE = """
LONG = "\\udc80" * 1667

class Said(ValueError):
    def __str__(self): return LONG

def f(n):
    if n == 3: raise Said if kind else ValueError(LONG)
    return n
"""
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
"""
ASKED_OF_ARGUMENTS = ASKED.replace("def f(error, how)", "def g(error, how)") + (
    "def f(error, given):\n    given.append(asked(error))\n    return 1\n"
)
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
CODECS = """
import codecs

def instead(error):
    return (b"A\\0\\0\\0" if isinstance(error, UnicodeEncodeError) else "A", error.end)

codecs.register_error("surrogatepass", instead)

def f(given, text):
    return given == text, text
"""
LONGER = "\ud800\udc00" + "\U0001f600x" * 5000 + "\udfff"
WHOSE_PERMISSION = """
import errno
def f(how):
    import colorsys
    if how == "words":
        raise PermissionError("only admins")
    if how == "number":
        raise PermissionError(errno.EACCES, "only admins")
    if how == "file":
        raise PermissionError(errno.EACCES, "only admins", "/secret")
    try:
        open("/etc/passwd")
    except OSError:
        import this
        raise
"""
DEPTH = "import sys\nsys.setrecursionlimit({})\ndef f(n):\n    {}\n"
COUNTED = "return 0 if n == 0 else 1 + f(n - 1)"
COUNTED_IN_LISTS = "return 0 if n[0] == 0 else 1 + f([n[0] - 1])"
LATER_LIMIT = """
import sys
def g(n):
    return 0 if n == 0 else 1 + g(n - 1)
def f(n):
    if n[0] < 0:
        sys.setrecursionlimit(-n[0])
        return None
    return g(n[0])
"""

ALL = ("N", "L", "B", "S")
LATE = {
    "a date that is read": (
        """
from datetime import datetime
def f(x):
    return datetime.strptime("2024-01-02", "%Y-%m-%d").year
""",
        2024,
    ),
    "encodings": (
        """
def f(x):
    names = ("cp1252", "idna", "cp437", "latin-1")
    return [text.encode(name).hex() for text, name in zip(("€", "bü.de", "é", "é"), names)]
""",
        ["80", b"xn--b-eha.de".hex(), "82", "e9"],
    ),
    "an unknown encoding": (
        """
def f(x):
    try:
        "a".encode("no-such-encoding")
    except LookupError:
        return "unknown"
""",
        "unknown",
    ),
    "a pool of threads": (
        """
from concurrent.futures import ThreadPoolExecutor
def f(x):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(abs, [-1, -2]))
""",
        [1, 2],
    ),
    "a thread of an event loop": (
        """
import asyncio
async def f(x):
    return await asyncio.to_thread(sum, [1, 2])
""",
        3,
    ),
    "a message": (
        """
from email.message import EmailMessage
def f(x):
    message = EmailMessage()
    message["Subject"] = "ü"
    message.set_content("hé")
    return "=?utf-8?" in message.as_string()
""",
        True,
    ),
    "a name that is worked out": (
        """
import importlib
def f(x):
    return importlib.import_module("color" + "sys").rgb_to_hsv(0, 0, 0)[2]
""",
        0,
    ),
}

WRITING = """
import os

def f(folders):
    made = []
    for folder in folders:
        for flags in (os.O_CREAT | os.O_RDWR, os.O_TMPFILE | os.O_RDWR):
            name = folder if flags & os.O_TMPFILE == os.O_TMPFILE else folder + "/assay-written"
            try:
                os.close(os.open(name, flags, 0o600))
                made.append(name)
            except OSError:
                pass
    return made
"""
FOLDERS = ("/", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/etc", "/usr", "/usr/lib", "/run")

TERMINAL = """
import os

def f(x):
    try:
        os.close(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return "none"
    return "opened"
"""

DEVICES = """
import contextlib, os

def f(x):
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        print("noise")
    with open(os.devnull, "ab") as nowhere:
        nowhere.write(b"noise")
    with open(os.devnull, "r+b", buffering=0) as nowhere:
        nowhere.write(b"noise")
    with open("/dev/urandom", "rb") as some, open("/dev/zero", "rb") as none:
        return [len(some.read(3)), none.read(2).hex()]
"""

# A task that is refused is an error number; one that were not would share a stack, and crash.
TASKS = """
import ctypes, errno, platform, threading

CLONE = {"x86_64": 56, "aarch64": 220}[platform.machine()]
CLOSE_RANGE = 436

def call(*arguments):
    ctypes.set_errno(0)
    return libc.syscall(*map(ctypes.c_long, arguments)), errno.errorcode.get(ctypes.get_errno())

def f(flags):
    global libc
    libc = ctypes.CDLL(None, use_errno=True)
    told = [call(CLONE, flag, 0, 0, 0, 0) for flag in flags]
    told += [call(CLOSE_RANGE, 1000, 1001, flag) for flag in (0, 2, 4, 6)]
    thread = threading.Thread(target=told.append, args=("ran",))
    thread.start()
    thread.join()
    return told
"""
MEMORY, FOLDERS_OF, FILES, HANDLERS, THREAD = 0x100, 0x200, 0x400, 0x800, 0x10000
INCOMPLETE = [
    THREAD | MEMORY | HANDLERS,
    THREAD | MEMORY | HANDLERS | FOLDERS_OF,
    THREAD | MEMORY | HANDLERS | FILES,
    THREAD | MEMORY | HANDLERS | FILES | FOLDERS_OF | 0x10000000,
    MEMORY | FOLDERS_OF | FILES | HANDLERS,
]
SHARED_MEMORY = """
def f(what):
    if what == "shared":
        from multiprocessing.shared_memory import SharedMemory
        return SharedMemory(create=True, size=10).name
    if what == "lock":
        import multiprocessing
        return multiprocessing.Lock()
    if what == "pool":
        from multiprocessing.pool import ThreadPool
        return ThreadPool(2).map(abs, [-1])
    import mmap
    return len(mmap.mmap(-1, 100))
"""
ATTACKS: dict[str, Attack] = {
    # What the tiers of Linux hold back, and what they let honest programs do nevertheless.
    "no text chooses what is imported before the filter": Attack(
        """
import sys
if False:
    import json.tool, wsgiref.util, unittest.__main__, test.support
    from email import _policybase, contentmanager
def f(names):
    return [name in sys.modules for name in names]
""",
        [["json.tool", "wsgiref.util", "unittest.__main__", "test.support", "email.message"]],
        # The last is one of those that are always there.
        [[False] * 4 + [True]],
        tiers=("S",),
    ),
    **{
        f"imported late where no file can be opened: {name}": Attack(
            source, [0], [expected], tiers=("S",)
        )
        for name, (source, expected) in LATE.items()
    },
    "a file is left for the next program": Attack(WRITING, [FOLDERS], [[]], tiers=ALL),
    "a terminal is opened": Attack(TERMINAL, [0], ["none"], tiers=ALL),
    "devices that are given": Attack(DEVICES, [0], [[3, "0000"]], tiers=("N", "L", "B")),
    # The kernel counts them by account, and has no name for the limit in `resource`.
    "signals that wait are few": Attack(
        "import resource\ndef f(x):\n    return resource.getrlimit(11)[1] <= 64\n",
        [0],
        [True],
        tiers=ALL,
    ),
    "another device is written to": Attack(
        "def f(x):\n    open('/dev/zero', 'wb')\n", [0], [Refused], tiers=("N", "L")
    ),
    "a task has descriptors of its own": Attack(
        TASKS,
        [INCOMPLETE],
        [[*[(-1, "EPERM")] * len(INCOMPLETE), *[(0, None), (-1, "EPERM")] * 2, "ran"]],
        tiers=ALL,
    ),
    "locks between processes": Attack(
        SHARED_MEMORY,
        ["shared", "lock", "pool", "mapping"],
        [
            Refused("_posixshmem.shm_open"),
            Refused("_multiprocessing.SemLock"),
            Refused("_multiprocessing.SemLock"),
            Refused("mmap.__new__ -1"),
        ],
        tiers=ALL,
    ),
    "a file that may not be written": Attack(
        "def f():\n    open('report.txt', 'w')\n",
        [NOTHING],
        [Refused("open 'report.txt'")],
        tiers=ALL,
    ),
    # Memory, and who was short of it.
    **{
        f"memory is used up by {body}": Attack(
            f"def f(given):\n    {body}\n",
            [1, 2],
            [OutOfMemory] * 2,
            {"memory_bytes": 64 << 20, "call_seconds": 10},
        )
        for body in (
            "held = []\n    while True: held.append(len(held))",
            "held = None\n    while True: held = (held,)",
            "held = []\n    while True: held = [held]",
            "held = {}\n    while True: held[len(held)] = [len(held)]",
        )
    },
    **{
        f"a MemoryError of its own: {body}": Attack(
            f"def f():\n    {body}\n", [NOTHING], [said(Raised, type_name="MemoryError")]
        )
        for body in (
            "raise MemoryError('made up')",
            "raise MemoryError",
            "raise MemoryError('made up') from ValueError()",
        )
    },
    **{
        f"a real MemoryError: {body}": Attack(f"def f():\n    {body}\n", [NOTHING], [OutOfMemory])
        for body in (
            REAL,
            f"try: {REAL}\n    except MemoryError: raise",
            f"try: {REAL}\n    except MemoryError as error: raise error",
            f"try: {REAL}\n    except MemoryError: raise MemoryError('too large')",
            f"try: {REAL}\n    except MemoryError as e: raise MemoryError from e",
        )
    },
    "what was too large to be told is gone by the next call": Attack(
        """
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
""",
        [*[None] * 5, [], [], []],
        [*[Unserialisable] * 4, Returned("0"), 0, 0, 0],
    ),
    "classes of what was returned are gone by the next calls": Attack(
        """
import gc, weakref
kept = []

def f():
    class Made: pass
    kept.append(weakref.ref(Made))
    gc.collect()
    return sum(each() is not None for each in kept), Made()
""",
        [NOTHING] * 5,
        [(1, Instance("f.<locals>.Made", ()))] * 5,
    ),
    # Exceptions: their kind, their message, and where they come from.
    "an interrupt is the exception that programs expect": Attack(
        """
import signal

def f(catching):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        if catching: return "caught"
        raise
""",
        [True, False, True],
        ["caught", said(Raised, type_name="KeyboardInterrupt"), "caught"],
    ),
    "an exception has the type and message that it was raised with": Attack(
        """
class Other(KeyError): pass

class Own(ValueError):
    def __str__(self):
        self.__class__ = Later
        return "said"

class Later(ValueError): pass

def f(which):
    raise Own if which else ValueError("\\ud83d\\ude00")
""",
        [0, 1],
        [
            said(Raised, message="\\ud83d\\ude00"),
            said(Raised, type_name="Own", message="said"),
        ],
    ),
    **{
        f"a message that grows as it is told, own {kind}": Attack(
            f"kind = {kind}\n{MESSAGE}",
            range(6),
            [0, 1, 2, said(Raised, message=LONG[:10_000]), 4, 5],
        )
        for kind in (True, False)
    },
    "a message that grows while loading": Attack(
        f"{MESSAGE}\nraise ValueError(LONG)", [1], [said(LoadFailed, message=LONG[:10_000])]
    ),
    "only what an input holds is passed on": Attack(
        "exec(compile(\"def g(): raise ValueError('mine')\", '<input>', 'exec'))\n"
        "def f(x): return g()\n",
        [1],
        [said(Raised, passed_on=False)],
    ),
    **{
        f"an exception is not asked where it comes from: {answering}": Attack(
            f'class E(Exception):\n    {answering}\ndef f(): raise E("x")\n',
            [NOTHING],
            [said(Raised, type_name="E", message="x")],
        )
        for answering in (
            "def __getattribute__(self, name): raise KeyError(name)",
            "__traceback__ = property(lambda self: 1 / 0)",
            "__traceback__ = None",
        )
    },
    "what an iterator raises is what the call did": Attack(
        "def f():\n    yield [1]\n    raise SystemExit(3)\n",
        [NOTHING],
        [said(Raised, type_name="SystemExit")],
    ),
    **{
        f"{error} while a result is told, {how}": Attack(
            ASKED,
            [Call((Expression(error), Expression(how)))],
            [Unserialisable(f"{kind}: what is in it cannot be told: {error}")],
        )
        for error in RAISED
        for how, kind in {
            "plain": "Asked",
            "within": "list",
            "drawn": "generator",
            "awaited": "Asked",
            "streamed": "async_generator",
            "generator": "list",
        }.items()
    },
    **{
        f"{error} while arguments are told": Attack(
            ASKED_OF_ARGUMENTS, [Call((Expression(error), []))], [1]
        )
        for error in RAISED
    },
    **{
        f"{error} while output is put back, {how}": Attack(
            FLUSHED, [Call((Expression(error), how))] * 2, [1, 1]
        )
        for error in (*RAISED, "OSError")
        for how in ("usual", "own", "instance")
    },
    "errors of its own are not what the confinement refused": Attack(
        WHOSE_PERMISSION,
        ["words", "number", "file", "open"],
        [Raised, Raised, Raised, Refused("open '/etc/passwd'")],
    ),
    # Time.
    "a deadline that a program hides is told of its own call": Attack(
        """
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
""",
        ["one", "late", "two"],
        [said(Returned, stdout="one\n"), TimedOut, said(Returned, stdout="two\n")],
        {"call_seconds": 0.3},
    ),
    "a call that is in C code all the while has its time only": Attack(
        "def f(count):\n    sum(range(count))\n    return count\n",
        [60_000_000, 3],
        [TimedOut, 3],
        {"call_seconds": 0.2},
    ),
    **{
        f"a deadline is swallowed: {caught} {instead}, {more}": Attack(
            f"class Slow: pass\ndef f(x):\n    try:\n        while x: pass\n    {caught}\n"
            f"        {instead if caught != 'finally:' else f'if x: {instead}'}\n",
            [more, 0],
            [TimedOut(0.2), None],
            {"call_seconds": 0.2, "load_seconds": 5.0},
        )
        for caught in ("except:", "except BaseException:", "finally:")
        for instead in (
            'return "fallback"',
            "raise ValueError",
            "raise" if caught != "finally:" else "raise TimeoutError",
            "return Slow()",
        )
        for more in (1, [1])
    },
    "a deadline is swallowed while a message is made": Attack(
        """
class Late(Exception):
    def __str__(self):
        try:
            while True: pass
        except BaseException:
            return "harmless"
def f(x):
    raise Late
""",
        [1],
        [TimedOut(0.2)],
        {"call_seconds": 0.2},
    ),
    "a deadline is swallowed while loading": Attack(
        "try:\n    while True: pass\nexcept BaseException: pass\ndef f(x): return x\n",
        [1],
        [LoadFailed("TimeoutError", "not loaded within 0.2 s")],
        {"load_seconds": 0.2},
    ),
    "a deadline that did not strike cannot be raised": Attack(
        "def f(name):\n    kinds = BaseException.__subclasses__()\n"
        "    raise next(kind for kind in kinds if kind.__name__ == name)\n",
        ["OutOfTime", "TooMuchOutput", "Overstepped"],
        [Raised] * 3,
    ),
    # Output, and the streams.
    **{
        f"who removes {stream} harms no call": Attack(
            f"import sys\ndef f(n):\n    if n == 1: del sys.{stream}\n    return n\n",
            range(4),
            range(4),
        )
        for stream in ("stdin", "stdout")
    },
    **{
        f"what was printed is not taken back by {taking}": Attack(
            f"""
import io, sys

def f(n):
    print("evidence")
    try:
        {taking}
        io.StringIO.seek(sys.stdout, 0)
    except Exception: pass
    return n
""",
            [1],
            [Returned("1", stdout="evidence\n")],  # pyright: ignore[reportArgumentType]
        )
        for taking in (
            "sys.stdout.seek(0); sys.stdout.truncate()",
            "sys.stdout.take()",
            "io.StringIO",
            "sys.stdout.printed.parts.clear()",
            "[each.parts.clear() for each in vars(sys.stdout).values() if hasattr(each, 'parts')]",
        )
    },
    "no attribute of a stream moves its bound": Attack(
        "import sys\ndef f(n):\n    for name in [*vars(sys.stdout), 'limit']:\n"
        "        setattr(sys.stdout, name, 1 << 40)\n    print('x' * 200)\n",
        [1],
        [OutputExceeded(100)],
        {"stdout_bytes": 100},
    ),
    "too much output is not swallowed by raising something else": Attack(
        "def f(x):\n    try: print('x' * x)\n    finally: raise ValueError\n",
        [1 << 26, 1],
        [OutputExceeded, Raised],
    ),
    "a text that lies about itself is printed as it is": Attack(
        """
class Lying(str):
    def __len__(self): return 0
    def __str__(self): return "other"

def f():
    import sys
    sys.stdout.write(Lying("true"))
""",
        [NOTHING],
        [Returned("null", stdout="true")],  # pyright: ignore[reportArgumentType]
    ),
    **{
        f"what a stopped call had printed is told: {then}": Attack(
            f"def f():\n    print('evidence')\n    {then}\n",
            [NOTHING],
            [kind],
            {"call_seconds": 2.0, "memory_bytes": 256 << 20, "stdout_bytes": 1000},
            "evidence\n",
        )
        for then, kind in {
            "while True: pass": TimedOut,
            "held = [0]\n    while True: held += held": OutOfMemory,
            "while True: print('more')": OutputExceeded,
            "open('/etc/passwd')": Refused,
            "return lambda: 0": Unserialisable,
        }.items()
    },
    # Values and arguments.
    "a large argument is as it was": Attack(
        "def f(numbers):\n    numbers[5] = int(str(numbers[5]))\n",
        [LARGE],
        [said(Returned, args_after=None)],
    ),
    "entries of a kind of dict are told without asking keys": Attack(
        """
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
""",
        [NOTHING],
        [
            Returned(
                '{"instance":["Kind",[["dict",{"dict":[[{"instance":["Key",[["number",1]]]},"one"],'  # pyright: ignore[reportArgumentType]
                '[{"instance":["Key",[["number",2]]]},"two"]]}]]]}'
            )
        ],
    ),
    "fields that a class hides are not told as none": Attack(
        """
class Hiding:
    __dict__ = property(lambda self: {})

def f(number):
    hiding = Hiding()
    hiding.number = number
    return hiding
""",
        [1],
        [Unserialisable],
    ),
    "an ordered dict that is torn": Attack(
        "from collections import OrderedDict\ndef f():\n    torn = OrderedDict(a=1)\n"
        "    dict.__delitem__(torn, 'a')\n    return torn\n",
        [NOTHING],
        [Unserialisable],
    ),
    "codecs of the program": Attack(
        CODECS,
        [Call((text, Expression(repr(text)))) for text in ("\ud83d", LONGER)],
        [(True, "\ud83d"), (True, LONGER)],
    ),
    "a decimal context of the program": Attack(
        """
import decimal

def f(given, capitals):
    decimal.getcontext().capitals = capitals
    return [given, *map(decimal.Decimal, ("-1.50E-9", "Infinity", "1.50"))]
""",
        [Call((Scalar("decimal.Decimal", "1E+3"), capitals)) for capitals in (1, 0)],
        [[Scalar("decimal.Decimal", text) for text in ("1E+3", "-1.50E-9", "Infinity", "1.50")]]
        * 2,
    ),
    # The recursion limit is the program's, and does not keep its value from being told.
    "a high limit set while loading": Attack(
        DEPTH.format(100_000, COUNTED), [5, 3000, 3000], [5, 3000, 3000]
    ),
    "a high limit and nested lists": Attack(
        DEPTH.format(100_000, COUNTED_IN_LISTS), [[5], [3000], [3000]], [5, 3000, 3000]
    ),
    "a low limit": Attack(DEPTH.format(60, COUNTED), [5, 300, 5], [5, Raised, 5]),
    "a low limit and a deep value": Attack(
        DEPTH.format(60, "for _ in range(50): n = [n]\n    return n"), [1], [Returned]
    ),
    "a limit set in a call holds for the next": Attack(
        LATER_LIMIT,
        [[500], [-100], [500], [20], [-5000], [3000], [3000]],
        [500, None, Raised, 20, None, 3000, 3000],
    ),
}


@pytest.mark.parametrize(
    ("name", "tier"), [(name, tier) for name, each in ATTACKS.items() for tier in each.tiers]
)
def test_what_is_seen_is_what_happened(
    sandbox: Sandbox, in_tier: Callable[[str], Sandbox], name: str, tier: str
) -> None:
    if tier and not sys.platform.startswith("linux"):
        pytest.skip("the tiers are those of Linux")
    box = in_tier(tier) if tier else sandbox
    attack = ATTACKS[name]
    calls = [each if isinstance(each, Call) else Call((each,)) for each in attack.calls]
    found = box.run(
        Program(attack.source, "f"), calls, Limits(**{"call_seconds": 5.0, **attack.limits})
    )
    for seen, expected in zip(found, attack.seen, strict=True):
        if isinstance(expected, type):
            assert type(seen) is expected, seen
        elif isinstance(expected, Said):
            assert type(seen) is expected.kind, seen
            assert {each: getattr(seen, each) for each in expected.fields} == expected.fields
        elif isinstance(expected, Observation):
            assert seen == expected
        else:
            assert isinstance(seen, Returned), seen
            assert decode(seen.value) == expected
        assert getattr(seen, "stdout", "").startswith(attack.printed)


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
        program = Program(INTERRUPTING, "f")
        found = sandbox.run(program, [Call((number,)) for number in range(200)])
        told = {n: each.value for n, each in enumerate(found) if isinstance(each, Returned)}
        assert told == {number: str(number) for number in told}
        assert len(told) > 100


CYCLIC = "own = [1]\nown.append(own)\ndef f(given):\n    given[0] = 99\n    return given[0]\n"


@pytest.mark.parametrize(
    "call",
    [Call((LARGE,)), Call((), (("given", LARGE),)), Call((Expression("own"),))],
    ids=["large", "typed", "cyclic"],
)
def test_of_what_cannot_be_written_out_nobody_says_that_it_is_as_it_was(
    sandbox: Sandbox, call: Call
) -> None:
    (found,) = sandbox.run(Program(CYCLIC, "f"), [call])
    assert isinstance(found, Returned)
    assert found.args_after is not None


@pytest.mark.parametrize(
    "body",
    [
        "return Lasting(x)",
        "return [Lasting(x)] * 3",
        "return (Lasting(x) for _ in range(3))",
        "kept = Lasting(x); raise ValueError",
        "raise Keeping(x)",
        "x.append(Lasting(x)) if x else None",
    ],
)
# Each is another kind of call to the worker: one plain list, nested lists, anything else.
@pytest.mark.parametrize("more", [(), ([[0]],), ({0},)], ids=["usual", "nested", "tagged"])
@pytest.mark.parametrize(
    "end", ["while self.x: pass", "self.x and print('gone')"], ids=["hangs", "prints"]
)
def test_what_a_call_leaves_to_be_destroyed_is_its_own_matter(
    sandbox: Sandbox, body: str, more: tuple[object, ...], end: str
) -> None:
    text = f"""
class Lasting:
    def __init__(self, x): self.x = bool(x)
    def __del__(self):
        {end}
class Keeping(ValueError):
    def __init__(self, x): self.kept = Lasting(x)
def f(x, *more):
    {body}
"""
    before, late, after = sandbox.run(
        Program(text, "f"),
        [Call((x, *more)) for x in ([], [1], [])],
        Limits(call_seconds=0.2, load_seconds=5.0),
    )
    assert before == after
    if "print" in end:
        assert isinstance(late, Returned | Raised)
        assert late.stdout.startswith("gone\n")
    else:
        assert late == TimedOut(0.2)


def test_compiling_counts_as_loading_whether_or_not_the_program_had_to_wait_for_its_turn(
    sandbox: Sandbox,
) -> None:
    quick = Program("import time\ndef f():\n    time.sleep(0.3)\n", "f")
    endless = Program("x = [1, 2, 3]\n" * 100_000 + "def f():\n    return 1\n", "f")
    broken = Program("def f(:\n", "f")
    limits = Limits(load_seconds=0.1)
    seen = sandbox.run_many([endless, quick, endless, broken, quick, endless], [Call()], limits)
    for number, (one,) in enumerate(seen):
        if number in (0, 2, 5):
            assert isinstance(one, LoadFailed), one
            assert "0.1 s" in one.message
    assert isinstance(seen[1][0], Returned)
    assert isinstance(seen[3][0], LoadFailed)
    assert seen[3][0].type_name == "SyntaxError"
