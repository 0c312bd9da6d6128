"""Programs that live in a project: what they find there, what stays closed, and what each sees of
the others."""

from __future__ import annotations

import os
import py_compile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay_sandbox import (
    Call,
    Limits,
    LoadFailed,
    Place,
    Program,
    Raised,
    Refused,
    Returned,
    Sandbox,
    SandboxUnavailable,
    Surroundings,
    decode,
    encode,
)
from support.packages import RUNNING, why_not
from support.places import placed

TIERS = ("N", "L", "B", "S")
# A package whose modules import each other in a circle, with a registry that a metaclass keeps, a
# file beside them, a module named like one of the standard library's, and one that imports by name.
SHOP = {
    "shop/__init__.py": "from .money import total\nfrom . import late\nTAX = 7\n",
    "shop/money.py": """
import types as standard
from . import types
from .registry import Base, KNOWN
import shop

class Own(Base):
    pass

def total(amount):
    return [amount * types.RATE + shop.TAX, __name__, sorted(KNOWN), standard.__name__]
""",
    "shop/types.py": "RATE = 3\n",
    "shop/registry.py": """
KNOWN = []

class Keeping(type):
    def __init__(cls, name, bases, members):
        super().__init__(name, bases, members)
        KNOWN.append(name)

class Base(metaclass=Keeping):
    pass
""",
    "shop/late.py": """
import importlib, pkgutil
from shop.money import Own
import shop.plugins as plugins
FOUND = [importlib.import_module(each.name).NAME
         for each in pkgutil.iter_modules(plugins.__path__, "shop.plugins.")]
class Later(Own):
    pass
""",
    "shop/plugins/one.py": "NAME = 1\n",
    "shop/plugins/two.py": "NAME = 2\n",
}
LOOKING = "\ndef looks():\n    import shop.late\n    return [total(2), shop.late.FOUND]\n"


@pytest.fixture(params=TIERS)
def confined(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with Sandbox(tier=request.param, surroundings=Surroundings(skips_waits=True)) as sandbox:
        try:
            sandbox.start()
        except SandboxUnavailable as failure:
            pytest.skip(f"tier {request.param} is not available here: {failure}")
        yield sandbox


def test_a_module_runs_among_the_others_of_its_project(confined: Sandbox, tmp_path: Path) -> None:
    place = placed(tmp_path, SHOP, "shop.money")
    text = SHOP["shop/money.py"]
    other = text.replace("* types.RATE", "* types.RATE + 100")

    seen = confined.run_many(
        [Program(each + LOOKING, "looks", place) for each in (text, other)], [Call()]
    )

    values = [decode(row[0].value) if isinstance(row[0], Returned) else row[0] for row in seen]
    kept = ["shop.money", ["Base", "Later", "Own"], "types"]
    assert values == [[[13, *kept], [1, 2]], [[113, *kept], [1, 2]]]


def test_each_module_runs_once(confined: Sandbox, tmp_path: Path) -> None:
    """Also those that take, of a package under way, what the module on trial gives it."""
    text = "def f():\n    import shop.log\n    return shop.log.LINES\n"
    files = {
        "shop/__init__.py": "import shop.log\nfrom shop.own import f\n"
        "import shop.taking.more, shop.using\n",
        "shop/own.py": text,
        "shop/log.py": "LINES = []\n",
        "shop/using.py": "import shop\nshop.log.LINES.append('using')\nclass X:\n    f = shop.f\n",
        "shop/taking/__init__.py": "from shop.log import LINES\nLINES.append('taking')\n"
        "from shop import f\n",
        "shop/taking/more.py": "from shop.log import LINES\nLINES.append('more')\n",
    }
    (seen,) = confined.run(Program(text, "f", placed(tmp_path, files, "shop.own")), [Call()])
    assert isinstance(seen, Returned), seen
    assert decode(seen.value) == ["taking", "more", "using"]


def test_a_module_that_changes_is_compiled_anew(confined: Sandbox, tmp_path: Path) -> None:
    """Though its file has the same size and time, as after a quick edit."""
    given = "import shop.rate\ndef f():\n    return shop.rate.RATE, "
    texts = {name: f"{given}'{name}'\n" for name in "ab"}
    files = {"shop/__init__.py": "", "shop/rate.py": "RATE = 1\n"}
    for rate in (1, 2):
        files |= {f"shop/{name}.py": text for name, text in texts.items()}
        files["shop/rate.py"] = f"RATE = {rate}\n"
        for name, text in texts.items():
            place = replace(placed(tmp_path, files, f"shop.{name}"), state=str(rate))
            os.utime(tmp_path / "shop/rate.py", (1, 1))
            (seen,) = confined.run(Program(text, "f", place), [Call()])
            assert isinstance(seen, Returned), seen
            assert decode(seen.value) == (rate, name)


def test_what_is_not_listed_stays_closed(confined: Sandbox, tmp_path: Path) -> None:
    inside = {"shop.py": "def read(path):\n    return open(path).read()\n", "rates.json": "[1]"}
    place = placed(tmp_path / "project", inside, "shop")
    beside = placed(tmp_path / "project", {".env": "KEY=1", "other/secret.py": "KEY = 1"})
    link = tmp_path / "project" / "link.json"
    link.symlink_to(tmp_path / "project" / ".env")
    outside = tmp_path / "outside.txt"
    outside.write_text("private")
    module = tmp_path / "project" / "linked.py"
    module.symlink_to(tmp_path / "project" / "other" / "secret.py")
    pipe = tmp_path / "project" / "pipe.py"
    os.mkfifo(pipe)
    # They are listed all the same, as if they had been files a moment ago.
    listed = replace(place, files=(*place.files, str(link), str(module), str(pipe)))
    paths = [*beside.files, str(link), str(outside), f"{tmp_path}/project/../outside.txt"]

    seen = confined.run(
        Program(inside["shop.py"], "read", listed), [Call((path,)) for path in paths]
    )

    missing = ("FileNotFoundError", "PermissionError")
    assert all(isinstance(each, Refused) or each.type_name in missing for each in seen), seen
    for name, kinds in (
        ("other.secret", ("ModuleNotFoundError",)),
        ("linked", ("ModuleNotFoundError", *missing)),
    ):
        loading = Program(f"def f():\n    import {name}\n", "f", listed)
        (found,) = confined.run(loading, [Call()])
        assert isinstance(found, Raised | Refused)
        assert isinstance(found, Refused) or found.type_name in kinds


# What a candidate may try, to run what its text has taken the place of. Each says what it got.
WAYS = {
    "read": "ns = {}\n    exec(open(__file__).read(), ns)\n    return ns['f'](5)",
    "compiled": """import importlib.util, marshal
    ns = {}
    path = importlib.util.cache_from_source(__file__)
    exec(marshal.loads(open(path, "rb").read()[16:]), ns)
    return ns["f"](5)""",
    "run": "import runpy\n    return runpy.run_path(__file__)['f'](5)",
    "run by name": "import runpy\n    return runpy.run_module('shop.own')['f'](5)",
    "again": "return again('shop.own').f(5)",
    "reloaded": "import importlib\n    return importlib.reload(sys.modules['shop.own']).f(5)",
    "by another name": "return again('own').f(5)",
    "as data": """import pkgutil
    ns = {}
    exec(pkgutil.get_data("shop", "own.py"), ns)
    return ns["f"](5)""",
    "by its lines": """import linecache
    linecache.clearcache()
    ns = {}
    exec("".join(linecache.getlines(__file__)), ns)
    return ns["f"](5)""",
    "by a loader": """from importlib.machinery import SourceFileLoader
    ns = {}
    exec(SourceFileLoader("shop.own", __file__).get_code("shop.own"), ns)
    return ns["f"](5)""",
    "in memory": """import gc, types
    mark, known = "".join(("unheard", "-of")), set()
    due = [*gc.get_objects(), sys.modules, sys._getframe(1)]
    while due:
        each = due.pop()
        if id(each) in known:
            continue
        known.add(id(each))
        if type(each) is bytes and mark.encode() in each:
            return 1005
        if type(each) is str and mark in each and each is not mark:
            return 1005
        due += gc.get_referents(each)
        if type(each) is types.CodeType:
            due += each.co_consts
        elif type(each) is types.FrameType:
            due += (each.f_back, each.f_locals)
    return len(known) > 10_000""",
}
AGAIN = """
import sys, shop.helper
DEPTH = []
def again(name):
    DEPTH.append(name) if name not in DEPTH else sys.exit("no original")
    del sys.modules["shop.own"]
    return __import__("importlib").import_module(name)
"""


def test_no_program_finds_the_function_whose_place_it_takes(
    confined: Sandbox, tmp_path: Path
) -> None:
    original = "import shop.helper\ndef f(x):\n    'unheard-of'\n    return x + 1000\n"
    files = {"shop/__init__.py": "", "shop/helper.py": "import own\n", "shop/own.py": original}
    place = placed(tmp_path, files, "shop.own")
    place = replace(place, roots=(*place.roots, str(tmp_path / "shop")))
    py_compile.compile(place.file)
    programs = [
        Program(f"{AGAIN}def f(x):\n    if x == 1: return 2\n    {way}\n", "f", place)
        for way in WAYS.values()
    ]
    seen = confined.run_many(programs, [Call((1,)), Call((0,))], Limits(call_seconds=20))

    assert [row[0] for row in seen] == [Returned("2")] * len(WAYS)
    found = {way: row[1] for way, row in zip(WAYS, seen, strict=True)}
    assert found.pop("in memory") == Returned("true")
    assert not [way for way, each in found.items() if isinstance(each, Returned)], found
    # Each ends as a program would that stood there: it finds its own text, or none.
    kinds = {each.type_name for each in found.values() if isinstance(each, Raised)}
    assert kinds <= {"SystemExit", "KeyError", "RecursionError", "FileNotFoundError"}, found


@pytest.mark.parametrize("tier", ["N", "L", "B"])
def test_nor_where_the_project_is_installed(
    tier: str, environment: Callable[[str], Path], tmp_path: Path
) -> None:
    """Its own file there, a copy that is installed, and one that was compiled in its place."""
    folder = environment("NAME = 'numpy'").resolve()
    (packages,) = folder.glob("lib/*/site-packages")
    original = "def f(path):\n    return 'original'\n"
    files = {"shop/__init__.py": "", "shop/own.py": original, "shop/near.py": "NEAR = 1\n"}
    installed = placed(packages, files, "shop.own")
    copied = placed(tmp_path / "project", files, "shop.own")
    compiled = str(packages / "shop/own.cpython-311-x86_64-linux-gnu.so")
    Path(compiled).write_text(original)
    paths = [copied.file, py_compile.compile(copied.file), installed.file, compiled]
    paths += [str(py_compile.compile(installed.file)), str(packages / "shop/near.py")]
    reading = "import numpy, shop.near\ndef f(path):\n    return open(path).read()\n"

    with Sandbox(RUNNING, tier=tier, virtual_environment=folder) as sandbox:
        if why_not(tier):
            pytest.skip(why_not(tier))
        for place in (installed, copied):
            seen = sandbox.run(Program(reading, "f", place), [Call((path,)) for path in paths])
            *closed, near = seen
            assert near == Returned(encode("NEAR = 1\n")), place
            missing = [
                each.type_name == "FileNotFoundError" for each in closed if isinstance(each, Raised)
            ]
            assert all(missing), closed
            assert len(missing) + sum(isinstance(each, Refused) for each in closed) == 5, closed


READING = '''
import inspect, linecache, pkgutil, sys, traceback, unittest
from dataclasses import dataclass

@dataclass
class Kept:
    """Of the program."""
    x: int = 1

def f():
    try:
        raise ValueError
    except ValueError:
        line = traceback.format_exc().splitlines()[-2].strip()
    module = sys.modules[__name__]
    whole = inspect.getsource(module)
    same = [linecache.getlines(__file__), pkgutil.get_data("shop", "own.py").decode(),
            __loader__.get_source(__name__)]
    return [inspect.getsource(f).count(chr(10)), inspect.getsource(Kept), line,
            [whole == (each if type(each) is str else "".join(each)) for each in same],
            "Of the program" in whole]
'''


def test_what_reads_its_own_text_gets_the_programs(confined: Sandbox, tmp_path: Path) -> None:
    files = {"shop/__init__.py": "", "shop/own.py": "def f(): pass\n"}
    (seen,) = confined.run(Program(READING, "f", placed(tmp_path, files, "shop.own")), [Call()])
    assert isinstance(seen, Returned), seen
    kept = '@dataclass\nclass Kept:\n    """Of the program."""\n    x: int = 1\n'
    assert decode(seen.value) == [12, kept, "raise ValueError", [True] * 3, True]


def test_files_beside_a_module_are_read_where_files_can_be_opened(
    confined: Sandbox, tmp_path: Path
) -> None:
    text = (
        "from importlib import resources\nfrom pathlib import Path\n"
        "RATES = Path(__file__).with_name('rates.json').read_text()\n"
        "def f():\n    return [RATES, resources.files('shop').joinpath('rates.json').read_text()]\n"
    )
    files = {"shop/__init__.py": "", "shop/own.py": text, "shop/rates.json": "[1]"}
    (seen,) = confined.run(Program(text, "f", placed(tmp_path, files, "shop.own")), [Call()])
    if confined.tier.name == "S":
        assert isinstance(seen, LoadFailed)
        assert seen.type_name == "PermissionError"
    else:
        assert seen == Returned('["[1]","[1]"]')


def test_each_program_has_the_project_to_itself(sandbox: Sandbox, tmp_path: Path) -> None:
    text = (
        "from shop.state import AT, DRAWN, SEEN\ndef f(x):\n    SEEN.append(x)\n"
        "    return [list(SEEN), DRAWN, AT]\n"
    )
    state = "import random, time\nSEEN = []\nDRAWN = random.random()\nAT = time.time()\n"
    files = {"shop/__init__.py": "", "shop/state.py": state, "shop/own.py": text}
    place = placed(tmp_path, files, "shop.own")
    twice = [Program(text, "f", place), Program(f"{text}\n# another", "f", place)]

    rows = sandbox.run_many(twice, [Call((1,)), Call((2,))])

    assert rows[0] == rows[1]
    (first, second) = (decode(each.value) for each in rows[0] if isinstance(each, Returned))
    assert [first[0], second[0]] == [[1], [1, 2]]
    assert first[1:] == second[1:]


WAITING = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()"


@pytest.mark.parametrize(
    ("neighbour", "kind"),
    [
        (WAITING, ""),
        ("import os\nos.fork() or os._exit(0)", "PermissionError"),
        ("raise RuntimeError('not here')", "RuntimeError"),
        ("import not_there", "ModuleNotFoundError"),
        ("def", "SyntaxError"),
        ("while True: pass", "TimeoutError"),
        ("import sys; del sys.modules['shop.own']", "KeyError"),
        ("import os; os._exit(3)", "ended itself"),
    ],
)
def test_what_a_project_does_as_it_loads_is_its_programs_own(
    neighbour: str, kind: str, tmp_path: Path
) -> None:
    files = {"shop/__init__.py": "", "shop/other.py": neighbour, "shop/own.py": ""}
    place = placed(tmp_path, files, "shop.own")
    program = Program("import shop.other\ndef f():\n    return 1\n", "f", place)
    plain = Program("def f():\n    return 1\n", "f", replace(place, module="shop.other"))
    with Sandbox() as sandbox:
        (seen,) = sandbox.run(program, [Call()])
        assert sandbox.run(plain, [Call()]) == (Returned("1"),)
    assert kind in str(seen)
    assert isinstance(seen, Returned) == (not kind)


# Whatever this leaves behind where imports are surveyed would keep the zygote from ever being held.
LINGERING = """
import os, resource, select
if __import__.__name__ != "__import__":
    try:
        if os.fork() == 0:
            select.select([], [], [])
    except PermissionError:
        pass
BOUND = resource.getrlimit(resource.RLIMIT_AS)[1] != resource.RLIM_INFINITY
PID = os.getpid()
"""


def test_no_names_are_too_long_to_be_opened(confined: Sandbox, tmp_path: Path) -> None:
    deep = "/".join(["x" * 200] * 15)
    files = {f"{deep}/m{number}.py": "" for number in range(900)}
    text = "from shop.rates import X\ndef f():\n    return X\n"
    files |= {"shop/__init__.py": "", "shop/rates.py": "X = 1", "shop/own.py": text}
    place = placed(tmp_path, files, "shop.own")
    (seen,) = confined.run(Program(text, "f", place), [Call()])
    assert seen == Returned(encode(1))


@pytest.mark.parametrize("tier", ["N", "L"])
def test_code_that_runs_ahead_of_programs_is_bounded(tier: str, tmp_path: Path) -> None:
    text = (
        "import os, shop.other\n"
        "def f():\n    return [shop.other.BOUND, shop.other.PID != os.getpid()]\n"
    )
    files = {"shop/__init__.py": "", "shop/other.py": LINGERING, "shop/own.py": text}
    with Sandbox(tier=tier) as sandbox:
        (seen,) = sandbox.run(Program(text, "f", placed(tmp_path, files, "shop.own")), [Call()])
    assert seen == Returned(encode([True, True]))


def test_a_changed_file_is_read_anew(sandbox: Sandbox, tmp_path: Path) -> None:
    files = {"rates.py": "RATE = 1\n", "own.py": "import rates\ndef f():\n    return rates.RATE\n"}
    place = placed(tmp_path, files, "own")
    program = Program(files["own.py"], "f", place)
    assert sandbox.run(program, [Call()]) == (Returned("1"),)

    # As editors save: by a new file in the place of the old one.
    new = tmp_path / "new"
    new.write_text("RATE = 22\n")
    os.replace(new, tmp_path / "rates.py")

    again = replace(program, place=replace(place, state="changed"))
    assert sandbox.run(again, [Call()]) == (Returned("22"),)


def test_places_are_kept_no_longer_than_there_is_room(tmp_path: Path) -> None:
    files = {f"m{n}.py": f"def f():\n    return {n}\n" for n in range(7)}
    with Sandbox(tier="N") as sandbox:
        for _ in range(2):
            for n in range(7):
                program = Program(files[f"m{n}.py"], "f", placed(tmp_path, files, f"m{n}"))
                assert sandbox.run(program, [Call()]) == (Returned(str(n)),)


def test_a_project_that_is_too_large_for_memory_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("assay_sandbox.places.TEXTS_BYTES_MAX", 10)
    place: Place = placed(tmp_path, {"a.py": "X = 1 # a long line", "own.py": ""}, "own")
    with Sandbox(tier="S") as sandbox:
        (seen,) = sandbox.run(Program("import a\ndef f():\n    return 1\n", "f", place), [Call()])
    assert isinstance(seen, LoadFailed)
    assert seen.type_name == "ModuleNotFoundError"
