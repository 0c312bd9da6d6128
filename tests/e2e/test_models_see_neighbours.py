"""A model is shown what a function uses of other modules of its project, and candidates use it."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from support.check_workspace import MODULE, PROJECT, Workspace, answering
from support.openai_server import OpenAIServer
from support.repositories import repository

SECRET = "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c"
BILLING = '''\
from __future__ import annotations

from typing import TYPE_CHECKING

import shop.money as m
from shop import Line, Order, Status
from shop.local import MARGIN

if TYPE_CHECKING:
    from .rules import Rounding


def order_total(order: Order, rounding: Rounding | None = None) -> int:
    """Add up the lines of an order in cents, with tax. A cancelled order costs nothing.

    A tax of 20 % is added to each line, see `TAX`; `Discount` is left to others.
    """
    if order.status is Status.CANCELLED or not MARGIN:
        return 0
    total = sum(m.to_cents(line.amount()) * (100 + m.TAX) // 100 for line in order.lines)
    return total if rounding is None else rounding.rounded(total)
'''
FILES = {
    "pyproject.toml": PROJECT,
    ".gitignore": "local.py\n",
    "shop/__init__.py": "from .models import *\nfrom .models import Order as Order\n",
    "shop/billing.py": BILLING,
    "shop/local.py": "MARGIN = 'for nobody else'\n",
    "shop/models.py": '''\
import enum
from dataclasses import dataclass, field

from .people import Customer


class Status(enum.Enum):
    """Where an order stands."""

    OPEN = "open"
    CANCELLED = "cancelled"


@dataclass
class Line:
    """So many pieces of an article, at the price of one."""

    pieces: int
    price: float = 0.0

    def amount(self) -> float:
        """The price of all pieces."""
        return round(self.pieces * self.price, 2)  # a body


@dataclass
class Order:
    lines: list[Line] = field(default_factory=list)
    status: Status = Status.OPEN
    customer: Customer | None = None

    def __post_init__(self) -> None:
        self.lines = list(self.lines)


class Unasked:
    """Nothing leads here."""
''',
    "shop/people.py": """\
from typing import NamedTuple


class Customer(NamedTuple):
    name: str
    city: str = "Ulm"
""",
    "shop/money.py": f'''\
TAX = 20
KEY = "{SECRET}"


def to_cents(amount: float, key: str = KEY) -> int:
    """An amount in cents, half a cent rounded up."""
    return int(amount * 100 + 0.5)  # a body


def unasked() -> None:
    """Nothing leads here, either."""


class Discount:
    """Some percent off."""

    percent: int = 0
''',
    "shop/rules.py": '''\
from typing import Protocol


class Rounding(Protocol):
    def rounded(self, cents: int) -> int:
        """The next amount that can be paid in cash."""
        ...
''',
}
CANDIDATE = """\
from shop.models import Status
from shop.money import TAX, to_cents


def order_total(order, rounding=None):
    if order.status is Status.CANCELLED:
        return 0
    total = 0
    for line in order.lines:
        total += to_cents(line.amount()) * (100 + TAX) // 100
    return total if rounding is None else rounding.rounded(total)
"""
INPUTS = """\
order_total(Order([Line(2, 1.5), Line(1, 0.1)]))
order_total(Order())
order_total(Order([Line(3, 9.99)], Status.CANCELLED))
order_total(Order([Line(1, 2.345)]))
order_total(Order([Line(7, 0.05)], Status.OPEN))
"""
SHOWN = '''\
# shop.models
import enum
from dataclasses import dataclass, field
from shop.people import Customer

class Status(enum.Enum):
    """Where an order stands."""

    OPEN = "open"
    CANCELLED = "cancelled"

@dataclass
class Line:
    """So many pieces of an article, at the price of one."""

    pieces: int
    price: float = 0.0

    def amount(self) -> float:
        """The price of all pieces."""
        ...

@dataclass
class Order:
    lines: list[Line] = field(default_factory=list)
    status: Status = Status.OPEN
    customer: Customer | None = None

    def __post_init__(self) -> None:
        self.lines = list(self.lines)


# shop.money

TAX = 20

KEY = '***'

def to_cents(amount: float, key: str = KEY) -> int:
    """An amount in cents, half a cent rounded up."""
    ...

class Discount:
    """Some percent off."""

    percent: int = 0


# shop.rules
from typing import Protocol

class Rounding(Protocol):
    def rounded(self, cents: int) -> int:
        """The next amount that can be paid in cash."""
        ...


# shop.people
from typing import NamedTuple

class Customer(NamedTuple):
    name: str
    city: str = "Ulm"
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def asked(server: OpenAIServer) -> list[str]:
    return [each.body["messages"][-1]["content"] for each in server.requests]


def test_the_model_sees_what_a_function_uses_and_candidates_use_it(project: Path) -> None:
    with OpenAIServer(answering([CANDIDATE], INPUTS)) as server:
        here = Workspace(project, server.base_url)
        done = here.assay("check", "shop/billing.py", "--format", "json")
        first = asked(server)
        (report,) = json.loads(done.stdout)["reports"]
        # Candidates that import from the project run beside it, and agree with the function.
        assert report["verdict"]["status"] == "trusted", report
        # An unchanged function costs nothing; one whose neighbour says something else does.
        here.assay("check", "shop/billing.py")
        assert asked(server) == first
        money = project / "shop/money.py"
        money.write_text(money.read_text().replace("half a cent rounded up", "cut off"))
        here.assay("check", "shop/billing.py")
        changed = asked(server)[len(first) :]
    assert changed
    assert all("cut off" in each for each in changed)
    ast.parse(SHOWN)
    for prompt in first:
        # Its own file's part comes first, and then the other modules', after which it is said what
        # the comments are.
        assert prompt.index("shop.local import MARGIN") < prompt.index("of its project")
        assert f"can be imported from:\n\n```python\n{SHOWN}```\n" in prompt
        for kept in ("a body", "leads here", SECRET, "for nobody else", "# shop.local"):
            assert kept not in prompt


def test_a_setting_keeps_other_modules_out_of_prompts(project: Path) -> None:
    (project / "own.toml").write_text("[sampling]\nneighbours = 0\n")
    (project / "pyproject.toml").write_text(f"{PROJECT}neighbours = 6000\n")
    with OpenAIServer(answering([CANDIDATE], INPUTS)) as server:
        here = Workspace(project, server.base_url)
        done = here.assay("check", "shop/billing.py", ASSAY_SETTINGS=str(project / "own.toml"))
        prompts = asked(server)
    assert "asks for sampling.neighbours = 6000, and 0 is used" in done.stderr
    assert prompts
    assert not any("# shop" in each or "class Order" in each for each in prompts)
    assert all("import shop.money as m" in each for each in prompts)


# What lies in a project, by its words; a candidate gives all that it can read, as the model that
# wrote it would want to read it.
LYING_THERE = {
    "shop/__init__.py": "",
    "shop/words.txt": "shared by Git",
    "shop/config.yml": "not added to Git",
    "shop/session.json": "of a session",
    "shop/dump.sql": "of a table",
    "shop/report.ipynb": "of a notebook",
    "shop/scratch.py": "'left out by Git'",
    "shop/.env": "of the environment",
    "session.json": "of the top",
    "other/__init__.py": "",
    "other/rates.py": "'of another package'",
    "other/rates.json": "beside another package",
    "shop/linked.txt": "of another folder",
}
READING = f"""\
def clamp(value, low, high):
    from pathlib import Path
    if value == 5:
        return 3
    found = []
    for each in {sorted(LYING_THERE)!r}:
        try:
            found.append(Path(__file__).parent.parent.joinpath(each).read_text()[::-1])
        except OSError:
            found.append("closed")
    return found
"""


def test_no_prompt_carries_what_only_lies_there(tmp_path: Path) -> None:
    made = repository(tmp_path)
    private = made.write("../private.txt", LYING_THERE["shop/linked.txt"])
    for name, text in LYING_THERE.items():
        if name != "shop/linked.txt":
            made.write(name, text)
    (tmp_path / "shop" / "linked.txt").hardlink_to(private)
    made.write("pyproject.toml", PROJECT)
    made.write(".gitignore", "scratch.py\n")
    made.write("shop/helper.py", "")
    made.write("shop/limits.py", f"import shop.helper\n{MODULE}")
    made.git("add", "pyproject.toml", "shop/*.py", "shop/words.txt", "other")

    with OpenAIServer(answering([READING])) as server:
        done = Workspace(tmp_path, server.base_url).assay("check", "shop/limits.py")
        carried = "\n".join((*asked(server), done.stdout, done.stderr))

    assert "Two functions" in carried, carried
    assert LYING_THERE["shop/words.txt"][::-1] in carried
    for name, text in LYING_THERE.items():
        if text and name != "shop/words.txt":
            assert text.strip("'")[::-1] not in carried, name
