"""Tests that are saved: run by pytest itself, on what was accused and on what was chosen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.fixes.saving import SavedTest, chosen, saved_test
from assay_engine.splicing import apply_edits, splice
from assay_engine.syntax.units import find_units
from assay_engine.types import Problem, Report, SourceText
from support.trials import put_on_trial, scripted

HEAD = '''\
import asyncio
import os
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path


class Refused(Exception):
    """It is refused."""


@dataclass
class Box:
    width: int
    label: str = ""


class Bare:
    def __init__(self, size):
        self.size = size


class Shelf:
    def __init__(self, room):
        self.room, self.held = room, []

    def put(self, item):
        """Put an item in, if there is room, and tell whether there was."""
        if len(self.held) > self.room:
            return False
        self.held.append(item)
        return True


'''
# A function each: what it is, a candidate of it, and inputs, the first of which tells them apart.
FUNCTIONS: Mapping[str, tuple[str, str, Sequence[str]]] = {
    "clamp": (
        (
            'def clamp(value, low, high):\n    """Limit a value."""\n'
            "    return min(max(value, low + 1), high)\n"
        ),
        "def clamp(value, low, high):\n    return min(max(value, low), high)\n",
        ["clamp(0, 0, 3)", "clamp(2, 0, 3)"],
    ),
    "found": (
        (
            'def found(key, known):\n    """Whether the key is known, None if nothing is."""\n'
            "    return key in known\n"
        ),
        "def found(key, known):\n    return key in known if known else None\n",
        ["found('a', {})", "found('a', {'a': 1})"],
    ),
    "third": (
        'def third(number):\n    """A third, and the rest."""\n    return [(number / 3, "x")]\n',
        'def third(number):\n    return [(number * 0.33334, "x")]\n',
        ["third(1)", "third(0)"],
    ),
    "ratio": (
        'def ratio(one, other):\n    """Their ratio."""\n    return one // other\n',
        "def ratio(one, other):\n    return one / other\n",
        ["ratio(1, 3)", "ratio(4, 2)"],
    ),
    "near": (
        'def near(number):\n    """A thousandth of a millionth more."""\n    return number * 1.0\n',
        "def near(number):\n    return number * (1 + 1e-8)\n",
        ["near(5.0)", "near(0.0)"],
    ),
    "admit": (
        (
            'def admit(number):\n    """The number. Raises Refused if it is negative."""\n'
            "    if number < -1:\n        raise Refused\n    return number\n"
        ),
        "def admit(number):\n    if number < 0:\n        raise Refused\n    return number\n",
        ["admit(-1)", "admit(1)"],
    ),
    "sorted_in_place": (
        'def sorted_in_place(items):\n    """Sort a list in place."""\n    sorted(items)\n',
        "def sorted_in_place(items):\n    items.sort()\n",
        ["sorted_in_place([2, 1])", "sorted_in_place([1, 2])"],
    ),
    "later": (
        (
            'def later(day: date, days: int) -> date:\n    """That many days later."""\n'
            "    return day + timedelta(days=days + (days > 2))\n"
        ),
        "def later(day, days):\n    return day + timedelta(days=days)\n",
        ["later(date(2024, 2, 27), 3)", "later(date(2024, 2, 27), 1)"],
    ),
    "wider": (
        (
            'def wider(box: Box) -> Box:\n    """A box that is wider by one."""\n'
            "    return Box(box.width + 2, box.label)\n"
        ),
        "def wider(box):\n    return Box(box.width + 1, box.label)\n",
        ["wider(Box(1, 'a'))", "wider(Box(0))"],
    ),
    "grown": (
        (
            'def grown(size: int) -> Bare:\n    """A bare thing that is larger by one."""\n'
            "    return Bare(size + 2)\n"
        ),
        "def grown(size):\n    return Bare(size + 1)\n",
        ["grown(1)", "grown(3)"],
    ),
    "said": (
        'def said(word):\n    """Print a word twice."""\n    print(word)\n',
        "def said(word):\n    print(word, word)\n",
        ["said('a')", "said('')"],
    ),
    "added": (
        (
            'def added(path):\n    """Put the sum of the numbers in a file into sum.txt."""\n'
            "    numbers = [int(line) for line in Path(path).read_text().split()]\n"
            '    Path("sum.txt").write_text(str(sum(numbers[1:])))\n'
        ),
        (
            "def added(path):\n"
            "    numbers = [int(line) for line in Path(path).read_text().split()]\n"
            '    Path("sum.txt").write_text(str(sum(numbers)))\n'
        ),
        ["files = {'in/a.txt': '1\\n2\\n'}", "added('in/a.txt')"],
    ),
    "greeting": (
        (
            'def greeting(word):\n    """Greet the USER of the environment with a word."""\n'
            "    return f\"{word} {os.environ['USER'].lower()}\"\n"
        ),
        "def greeting(word):\n    return f\"{word} {os.environ['USER']}\"\n",
        ["environment = {'USER': 'Ada'}", "greeting('hello')", "greeting('')"],
    ),
    "first_line": (
        'def first_line():\n    """The first line of the input."""\n    return input().lower()\n',
        "def first_line():\n    return input()\n",
        ["stdin = 'One\\nTwo\\n'", "first_line()"],
    ),
    "twice": (
        (
            'async def twice(number):\n    """Twice the number."""\n'
            "    await asyncio.sleep(0)\n    return number * 3\n"
        ),
        "async def twice(number):\n    await asyncio.sleep(0)\n    return number * 2\n",
        ["twice(4)", "twice(0)"],
    ),
    "counted": (
        (
            'def counted(number):\n    """Count down from a number."""\n'
            "    while number > 1:\n        yield number\n        number -= 1\n"
        ),
        "def counted(number):\n    while number:\n        yield number\n        number -= 1\n",
        ["counted(2)", "counted(1)"],
    ),
    "Shelf.put": (
        "",
        (
            "def put(self, item):\n    if len(self.held) >= self.room:\n        return False\n"
            "    self.held.append(item)\n    return True\n"
        ),
        ["it = Shelf(1); it.put('a'); it.put('b')", "Shelf(1).put('a')"],
    ),
}
MODULE = HEAD + "\n\n".join(text for text, _, _ in FUNCTIONS.values() if text)
# Few are enough, since the inputs above show the difference.
CALLS = 60
SETTINGS = '[tool.pytest.ini_options]\npythonpath = ["src"]\n'


def laid_out(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def outcomes(root: Path) -> dict[str, str]:
    """What pytest says of each test in the project, in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "-q"]
    # No plugin but what awaits tests: others take longer to load than these tests to run.
    run = subprocess.run(
        [*command, "-p", "pytest_asyncio.plugin"],
        cwd=root,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    found = re.findall(r"(?m)^(PASSED|FAILED|ERROR) \S+?(?:::(\w+))?(?: - .*)?$", run.stdout)
    assert found, run.stdout + run.stderr
    return {name: outcome for outcome, name in found}


def saved(
    root: Path, module: Path, report: Report, *, of_function: bool = False
) -> SavedTest | Problem:
    source = SourceText(str(module), module.read_text("utf-8"), str(root))
    number = chosen(report.expectations, of_function=of_function)
    assert number is not None, report.findings
    return saved_test(source, report, number)


def write(test: SavedTest | Problem) -> None:
    assert isinstance(test, SavedTest), test
    path = Path(test.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    assert (path.read_text("utf-8") if path.exists() else None) == test.before
    path.write_text(apply_edits(test.before or "", test.edits), encoding="utf-8")


@pytest.mark.timeout(400)  # a trial of every function, and pytest four times
async def test_a_saved_test_passes_with_what_was_chosen_and_fails_with_what_was_accused(
    executor: Executor, tmp_path: Path
) -> None:
    """In two projects, whose tests of the module grow with each that is saved."""
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    module = Path("src/shop/stock.py")
    for root, waiting in ((mine, ""), (theirs, 'asyncio_mode = "auto"\n')):
        settings = SETTINGS + waiting
        laid_out(
            root, {"pyproject.toml": settings, "src/shop/__init__.py": "", str(module): MODULE}
        )
    replaced = MODULE
    for name, (_, candidate, inputs) in FUNCTIONS.items():
        model = scripted([candidate], inputs)
        report = await put_on_trial(executor, MODULE, name, model, CALLS)
        for root, of_function in ((mine, True), (theirs, False)):
            write(saved(root, root / module, report, of_function=of_function))
        unit = next(unit for unit in find_units(replaced)[0] if unit.qualname == name)
        edits = splice(replaced, unit, candidate)
        assert not isinstance(edits, Problem)
        replaced = apply_edits(replaced, edits)
    accused = outcomes(theirs)
    assert len(accused) == len(FUNCTIONS)
    assert set(accused.values()) == {"FAILED"}, accused
    assert set(outcomes(mine).values()) == {"PASSED"}
    for root in (mine, theirs):
        (root / module).write_text(replaced, encoding="utf-8")
    assert set(outcomes(theirs).values()) == {"PASSED"}
    assert set(outcomes(mine).values()) == {"FAILED"}


@pytest.mark.parametrize(
    ("text", "candidate", "inputs", "obstacle"),
    [
        (
            'def made(n: int) -> Decimal:\n    """The number."""\n    return Decimal("nan")\n',
            "def made(n):\n    return Decimal(n)\n",
            ["made(1)", "made(2)"],
            "Nothing that a test can state",
        ),
        (
            (
                'def ended(n: int) -> int:\n    """The number."""\n'
                "    while n:\n        pass\n    return n\n"
            ),
            "def ended(n):\n    return n\n",
            ["ended(1)", "ended(0)"],
            "A test cannot expect that it does not finish within",
        ),
        (
            (
                'def today(word: str) -> str:\n    """The day, and a word."""\n'
                "    return f'{date.today()}{word}'\n"
            ),
            "def today(word):\n    return f'{date.today()} {word}'\n",
            ["now = '2024-02-29'", "today('a')", "today('b')"],
            "It depends on the time, which pytest alone does not set.",
        ),
    ],
    ids=["equal to nothing", "endless", "the time"],
)
async def test_what_no_test_can_state_is_not_offered_and_the_reason_is(
    impatient: Executor,
    tmp_path: Path,
    text: str,
    candidate: str,
    inputs: Sequence[str],
    obstacle: str,
) -> None:
    module = tmp_path / "mod.py"
    module.write_text(HEAD + text, encoding="utf-8")
    name = text.partition("(")[0].removeprefix("def ")
    report = await put_on_trial(impatient, HEAD + text, name, scripted([candidate], inputs), CALLS)
    (of_function,) = [each for each in report.expectations if each.is_original]
    assert of_function.obstacle.startswith(obstacle), report
    problem = saved(tmp_path, module, report, of_function=True)
    assert isinstance(problem, Problem)
    assert obstacle in problem.message
