"""The scene of a call: what a program finds around it, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay_sandbox import (
    Call,
    Expression,
    Fault,
    Limits,
    LoadFailed,
    Mock,
    Observation,
    Program,
    Raised,
    Returned,
    Sandbox,
    Scene,
    TimedOut,
    decode,
)

FILES = """
import glob, os, shutil, tempfile, time
from pathlib import Path

def count(path):
    with open(path) as file:
        return sum(1 for line in file if line.strip())

def run(what):
    return eval(what)

def rewrite(name):
    path = Path(name)
    beside = path.with_suffix(".tmp")
    with open(beside, "w") as file:
        file.write(path.read_text().upper())
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
    Path("new/deep").mkdir(parents=True)
    Path("new/deep/raw").write_bytes(b"\\xff")
    shutil.copy(path, "copy")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "gone").write_text("x")
    os.remove("old")
    return sorted(glob.glob("**", recursive=True)), sorted(map(str, Path().rglob("*")))

def forever():
    while time.time() >= 0:
        pass
"""


def run(sandbox: Sandbox, entry: str, *calls: Call, source: str = FILES) -> list[Observation]:
    return list(sandbox.run(Program(source, entry), calls))


def value(observation: Observation) -> object:
    assert isinstance(observation, Returned), observation
    return decode(observation.value)


def test_the_files_of_a_scene_are_all_there_are(sandbox: Sandbox) -> None:
    scene = Scene(files=(("in/a.txt", "x\n\ny\n"), ("raw", b"\xff\xfe")))
    seen = run(
        sandbox,
        "run",
        Call(("count('in/a.txt')",), scene=scene),
        Call(("open('raw', 'rb').read()",), scene=scene),
        Call(("os.listdir(), os.listdir('/'), os.getcwd(), Path('in').is_dir()",), scene=scene),
        Call(("count('missing')",), scene=scene),
        Call(("open('/etc/passwd')",), scene=scene),
        Call(("open('nowhere/a', 'w')",), scene=scene),
        Call(("open('in')",), scene=scene),
        Call(("open('raw', 'x')",), scene=scene),
        Call(("open('raw', 'q')",), scene=scene),
    )
    assert value(seen[0]) == 2
    assert value(seen[1]) == b"\xff\xfe"
    assert value(seen[2]) == (["in", "raw"], ["scene", "tmp"], "/scene", True)
    raised = [each.type_name for each in seen[3:] if isinstance(each, Raised)]
    assert raised == [
        "FileNotFoundError",
        "FileNotFoundError",
        "FileNotFoundError",
        "IsADirectoryError",
        "FileExistsError",
        "ValueError",
    ]


def test_what_becomes_of_the_files_is_seen(sandbox: Sandbox) -> None:
    scene = Scene(files=(("a.txt", "x\n"), ("old", "1"), ("kept", "2")))
    (seen,) = run(sandbox, "rewrite", Call(("a.txt",), scene=scene))
    names = ["a.txt", "copy", "kept", "new", "new/deep", "new/deep/raw"]
    assert value(seen) == (names, names)
    assert isinstance(seen, Returned)
    assert seen.files_after is not None
    assert decode(seen.files_after) == {
        "a.txt": "X\n",
        "copy": "X\n",
        "new/": "",
        "new/deep/": "",
        "new/deep/raw": b"\xff",
        "old": None,
    }


FAILING = """
import os
from pathlib import Path

def f(what):
    try:
        return eval(what)
    except OSError as error:
        return type(error).__name__, str(error), error.errno, error.filename
"""


def really(what: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """What it comes to in a real folder with the file `raw` and the folder `in`."""
    (folder / "raw").write_bytes(b"x")
    (folder / "in").mkdir()
    monkeypatch.chdir(folder)
    namespace: dict[str, Any] = {}
    exec(FAILING, namespace)
    return namespace["f"](what)


@pytest.mark.parametrize(
    "what",
    [
        "Path('nope').unlink()",
        "os.stat(Path('nope'))",
        "os.rename(Path('nope'), b'new')",
        "list(Path('raw').iterdir())",
        "open(Path('nope'))",
        "os.remove(b'nope')",
        "os.truncate('nope', 0)",
    ],
)
def test_errors_name_files_as_those_of_a_real_folder_do(
    sandbox: Sandbox, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(files=(("raw", b"x"), ("in/a", "")))
    (seen,) = run(sandbox, "f", Call((what,), scene=scene), source=FAILING)
    assert value(seen) == really(what, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "what",
    [
        "open('raw/')",
        "open('raw/', 'w')",
        "open('in/')",
        "open('new/', 'w')",
        "open('new/')",
        "open('raw/.')",
        "open('raw/../raw')",
        "open('nope/../raw')",
        "open('in/../nope/../raw')",
        "open('./in/.././raw').read()",
        "os.stat('in/..').st_size >= 0",
        "open(os.getcwd() + '/in/../raw').read()",
        "open('/nope/../raw')",
        "os.path.exists('nope/../raw'), os.path.isdir('in/../in/'), os.path.isfile('raw/')",
        "open('é' * 128)",
        "open('é' * 127)",
        "open('x' * 256, 'w')",
        "os.path.exists('x' * 256), Path('x' * 255).exists()",
        "os.mkdir('x' * 256)",
        "os.mkdir('new/'), os.listdir('new')",
        "os.mkdir('nope/../new')",
        "os.rename('raw', 'x' * 256)",
        "os.rename('raw', 'nope/../new')",
        "open('in/a', 'w').encoding, open('raw').encoding",
        "open('../' * 30 + 'scene/nope/../a')",
    ],
)
def test_names_lead_where_they_do_in_a_real_folder(
    sandbox: Sandbox, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(files=(("raw", b"x"), ("in/a", "")))
    (seen,) = run(sandbox, "f", Call((what,), scene=scene), source=FAILING)
    assert value(seen) == really(what, tmp_path, monkeypatch)


def test_files_bear_the_time_of_their_scene_to_the_nanosecond(sandbox: Sandbox) -> None:
    source = """
import os

def f():
    found = os.stat("a")
    return os.path.getmtime("a"), found.st_ctime, found.st_atime_ns, found[8], found.st_size
"""
    scene = Scene(files=(("a", "x"),), time=5.5)
    (seen,) = run(sandbox, "f", Call(scene=scene), source=source)
    found = value(seen)
    assert found == (5.5, 5.5, 5_500_000_000, 5, 1)


TEMPORARY = """
import os, tempfile

def f():
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write("x")
        file.flush()
        seen = [os.path.getsize(file.name)]
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, "a"), "w").close()
        seen += os.listdir(folder)
    return seen, os.path.exists(file.name), os.path.exists(folder)
"""
# Debian's `tempfile` keeps `rmtree` under a name of its own.
SYSTEM_PYTHON = "/usr/bin/python3"


@pytest.mark.parametrize("interpreter", [None, SYSTEM_PYTHON])
def test_temporary_files_and_folders_are_those_of_the_scene(interpreter: str | None) -> None:
    if interpreter is not None and not Path(interpreter).exists():
        pytest.skip(f"there is no {interpreter}")
    with Sandbox(interpreter, workers=1) as box:
        (seen,) = run(box, "f", Call(scene=Scene()), source=TEMPORARY)
    assert value(seen) == ([1, "a"], False, False)


def test_one_call_finds_nothing_of_another(sandbox: Sandbox) -> None:
    scene = Scene(files=(("a", "1"),), environment=(("HOME", "/h"),), time=5.0)
    what = "open('a', 'a').write('2'), os.environ.get('HOME'), time.time()"
    first, second, bare = run(
        sandbox,
        "run",
        Call((what,), scene=scene),
        Call((what + ", open('a').read()",), scene=scene),
        Call(("os.environ.get('HOME'), time.time() > 1e9",)),
    )
    assert value(first) == (1, "/h", 5.0)
    assert value(second) == (1, "/h", 5.0, "12")
    assert value(bare) == (None, True)


def test_a_clock_that_stands_still_stops_no_deadline(sandbox: Sandbox) -> None:
    (seen,) = run(sandbox, "forever", Call(scene=Scene(time=5.0)))
    assert isinstance(seen, TimedOut)


def test_every_clock_says_the_time_of_the_scene(sandbox: Sandbox) -> None:
    source = (
        "import time\n"
        "def f():\n"
        "    return time.ctime(), time.asctime(), time.asctime(time.localtime()), "
        "time.strftime('%c'), time.asctime(time.gmtime(0))\n"
    )
    (seen,) = run(sandbox, "f", Call(scene=Scene(time=951_782_400.0)), source=source)
    assert value(seen) == ("Tue Feb 29 00:00:00 2000",) * 4 + ("Thu Jan  1 00:00:00 1970",)


def test_a_file_made_after_another_is_gone_is_none_of_those_there(sandbox: Sandbox) -> None:
    source = (
        "import os, shutil\n"
        "def f():\n"
        "    os.remove('a')\n"
        "    open('c', 'w').close()\n"
        "    shutil.copyfile('b', 'c')\n"
        "    return os.path.samefile('b', 'c'), open('c').read()\n"
    )
    scene = Scene((("a", "1"), ("b", "2")))
    (seen,) = run(sandbox, "f", Call(scene=scene), source=source)
    assert value(seen) == (False, "2")


def test_clock_and_chance_are_those_of_the_scene(sandbox: Sandbox) -> None:
    source = (
        "import random, time\nfrom datetime import date, datetime\n"
        "def f():\n"
        "    return datetime.now().isoformat(), str(date.today()), time.time(), random.random()\n"
    )
    early = Scene(time=951_782_400.0, random_seed=1)
    late = Scene(time=1_600_000_000.0, random_seed=2)
    seen = run(sandbox, "f", *(Call(scene=s) for s in (early, late, early)), source=source)
    first, second, third = map(value, seen)
    assert first == third
    assert isinstance(first, tuple)
    assert isinstance(second, tuple)
    assert first[:3] == ("2000-02-29T00:00:00", "2000-02-29", 951_782_400.0)
    assert first[3] != second[3]


MOCKED = """
from requests import get
from requests.exceptions import Timeout

def helper(x):
    return x

class Client:
    def send(self, x):
        raise RuntimeError("no network here")

def fetch(url):
    for _ in range(3):
        try:
            return get(url, timeout=2).json()
        except Timeout:
            continue
        except OSError as error:
            return str(error)

def own(x):
    return helper(x), Client().send(x), helper(x)
"""


def test_mocks_answer_in_order_and_keep_what_they_were_asked(sandbox: Sandbox) -> None:
    answer = Expression("__import__('types').SimpleNamespace(json=lambda: {'a': 1})")
    slow = Fault("requests.exceptions.Timeout")
    late = Scene(mocks=(Mock("requests.get", (slow, answer)),))
    down = Scene(mocks=(Mock("requests.get", (Fault("ConnectionError", "down"),)),))
    seen = run(sandbox, "fetch", *(Call(("u",), scene=s) for s in (late, down)), source=MOCKED)
    assert [value(each) for each in seen] == [{"a": 1}, "down"]
    assert isinstance(seen[0], Returned)
    assert seen[0].mock_calls is not None
    assert decode(seen[0].mock_calls) == [["requests.get", ["u"], {"timeout": 2}]] * 2


def test_what_a_mock_was_asked_is_told_as_far_as_there_is_room(sandbox: Sandbox) -> None:
    source = (
        "import requests\n"
        "def f(times):\n"
        "    return sum(requests.post('x' * 50_000) for _ in range(times))\n"
    )
    scene = Scene(mocks=(Mock("requests.post", (1,)),))
    few, many = run(sandbox, "f", Call((3,), scene=scene), Call((300,), scene=scene), source=source)
    assert [value(few), value(many)] == [3, 300]
    told: list[int] = []
    for seen in (few, many):
        assert isinstance(seen, Returned)
        assert seen.mock_calls is not None
        asked = decode(seen.mock_calls)
        assert isinstance(asked, list)
        told.append(len(asked))
    assert told[0] == 3
    assert told[1] == Limits().value_bytes // 50_000


def test_names_of_the_program_can_be_mocked_for_one_call(sandbox: Sandbox) -> None:
    scene = Scene(mocks=(Mock("helper", (1, 2)), Mock("Client.send", ("sent",))))
    source = MOCKED.replace("from requests", "# from requests")
    mocked, plain = run(sandbox, "own", Call((7,), scene=scene), Call((7,)), source=source)
    assert value(mocked) == (1, "sent", 2)
    assert isinstance(plain, Raised)


def test_a_mock_that_raises_what_is_no_exception_says_so(sandbox: Sandbox) -> None:
    scene = Scene(mocks=(Mock("helper", (Fault("int"),)),))
    source = "def helper(): ...\ndef f(): return helper()\n"
    (seen,) = run(sandbox, "f", Call(scene=scene), source=source)
    assert isinstance(seen, Raised)
    assert "no exception type" in seen.message


@pytest.mark.parametrize("name", ["str.upper", "array.array.append"])
def test_a_mock_that_could_never_apply_is_named(sandbox: Sandbox, name: str) -> None:
    scene = Scene(mocks=(Mock(name),))
    (seen,) = run(sandbox, "f", Call(scene=scene), source="import array\ndef f(): return 1\n")
    assert isinstance(seen, LoadFailed)
    assert f"{name} cannot be mocked" in seen.message


@pytest.mark.parametrize("name", ["", "../a", "a/../../b", "a\0", "a/"])
def test_a_file_that_cannot_be_is_refused_at_once(name: str) -> None:
    with pytest.raises(ValueError, match="not a name for a file"):
        Scene(files=((name, ""),))


@pytest.mark.parametrize("name", ["", "a b", "a.", "os.system('x')"])
def test_a_mock_of_what_is_no_name_is_refused_at_once(name: str) -> None:
    with pytest.raises(ValueError, match="dotted name"):
        Mock(name)


@pytest.mark.parametrize("tier", ["N", "L", "B", "S"])
def test_every_tier_has_the_same_scene(in_tier: Callable[[str], Sandbox], tier: str) -> None:
    scene = Scene(files=(("a.txt", "x\n"), ("old", "1")), time=5.0)
    (seen,) = run(in_tier(tier), "rewrite", Call(("a.txt",), scene=scene))
    assert isinstance(seen, Returned), seen
    assert seen.files_after is not None
    assert decode(seen.files_after)["a.txt"] == "X\n"


ARCHIVES = """
import bz2, gzip, io, linecache, lzma, os, tarfile, tokenize, zipfile

def packed(how):
    with {"bz2": bz2, "gzip": gzip, "lzma": lzma}[how].open("packed", "wb") as file:
        file.write(b"x")
    with {"bz2": bz2, "gzip": gzip, "lzma": lzma}[how].open("packed") as file:
        return file.read(), os.listdir()

def line(name):
    with tokenize.open(name) as file:
        return linecache.getline(name, 2), file.read()

def zipped(name):
    with zipfile.ZipFile("all.zip", "w") as archive:
        archive.write(name)
    with zipfile.ZipFile("all.zip") as archive:
        (found,) = archive.infolist()
        return found.date_time, archive.read(name)

def tarred(name):
    with tarfile.open("all.tar", "w:bz2") as archive:
        archive.add(name)
    with tarfile.open("all.tar") as archive:
        return archive.getnames(), archive.getmember(name).mtime

def failing(source):
    try:
        return eval(source)
    except (OSError, ValueError) as error:
        said = getattr(error, "filename", None), getattr(error, "filename2", None)
        return type(error).__name__, str(error), said
"""


@pytest.mark.parametrize("tier", ["the first", "S"])
def test_modules_that_keep_open_for_themselves_open_what_the_scene_has(
    sandbox: Sandbox, in_tier: Callable[[str], Sandbox], tier: str
) -> None:
    box = in_tier(tier) if tier == "S" else sandbox
    scene = Scene(files=(("a.py", "x = 1\ny = 2\n"),))
    for how in ("bz2", "gzip", "lzma"):
        (seen,) = run(box, "packed", Call((how,), scene=scene), source=ARCHIVES)
        assert value(seen) == (b"x", ["a.py", "packed"])
    (line,) = run(box, "line", Call(("a.py",), scene=scene), source=ARCHIVES)
    assert value(line) == ("y = 2\n", "x = 1\ny = 2\n")
    (tarred,) = run(box, "tarred", Call(("a.py",), scene=scene), source=ARCHIVES)
    assert value(tarred) == (["a.py"], 946_684_800)


def test_files_bear_the_time_of_the_scene_or_one_that_archives_know(sandbox: Sandbox) -> None:
    files = (("a", "x"),)
    scenes = (Scene(files=files), Scene(files=files, time=1_000_000_000.0))
    calls = [Call(("a",), scene=scene) for scene in scenes]
    first, second = run(sandbox, "zipped", *calls, source=ARCHIVES)
    assert value(first) == ((2000, 1, 1, 0, 0, 0), b"x")
    assert value(second) == ((2001, 9, 9, 1, 46, 40), b"x")


@pytest.mark.parametrize(
    "source",
    [
        "sorted(os.listdir(b'.'))",
        "sorted(each.name for each in os.scandir(b'.'))",
        "sorted(each.path for each in os.scandir(b'd'))",
        "sorted(os.walk(b'.'))",
        "os.path.basename(os.getcwdb()) == os.fsencode(os.path.basename(os.getcwd()))",
        "open('a', buffering=0)",
        "open('none', buffering=0)",
        "open('made', 'w', buffering=0)",
        "os.rename('none', 'b')",
        "os.rename('d', 'a')",
        "os.rename('a', 'none/b')",
        "os.replace('d', 'd/d')",
        "open('a\\0b')",
        "os.stat('a\\0b')",
        "os.rename('a\\0b', 'c')",
        "os.listdir('a\\0b')",
        "os.path.exists('a\\0b')",
        "os.mkdir(b'a\\0b')",
    ],
)
def test_what_the_disk_says_is_what_a_real_one_says(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "e").write_text("y")
    monkeypatch.chdir(tmp_path)
    really: dict[str, Any] = {}
    exec(ARCHIVES, really)
    expected = really["failing"](source)
    scene = Scene(files=(("a", "x"), ("d/e", "y")))
    (seen,) = run(sandbox, "failing", Call((source,), scene=scene), source=ARCHIVES)
    assert value(seen) == expected


def test_a_name_with_a_null_is_refused_as_the_second_one_too(sandbox: Sandbox) -> None:
    call = Call(("os.rename('a', 'b\\0c')",), scene=Scene(files=(("a", "x"),)))
    (seen,) = run(sandbox, "failing", call, source=ARCHIVES)
    found: Any = value(seen)
    assert found[0] == "ValueError"


def test_an_entry_of_a_folder_shows_itself_by_its_name(sandbox: Sandbox) -> None:
    scene = Scene(files=(("raw", b"x"),))
    calls = [
        Call((what,), scene=scene)
        for what in ("repr([*os.scandir()])", "repr([*os.scandir(b'.')])")
    ]
    seen = run(sandbox, "run", *calls)
    assert [value(one) for one in seen] == ["[<DirEntry 'raw'>]", "[<DirEntry b'raw'>]"]
