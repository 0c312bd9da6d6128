"""What of a project's other modules is shown beside a function, and what is left out first."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay_engine.check.worklist import worklist
from assay_engine.dependencies.readable import ShownModules
from assay_engine.sampling.prompting import candidate_prompt
from assay_engine.types import SourceText, Specification, Tier

ORDER = 'class Order:\n    """What is bought."""\n\n    number: int\n'
F = 'def f(x):\n    """{doc}"""\n    return {uses}\n'


def specification(
    root: Path, files: dict[str, str], own: str = "shop/own.py", *, room: int = 6000
) -> Specification:
    """The function `f` of the file `own`, which is one of the files of a project."""
    for name, text in {"pyproject.toml": "", "shop/__init__.py": "", **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode("utf-8", errors="surrogateescape"))
    source = SourceText(str(root / own), files[own], str(root))
    ((subject, _),) = worklist(
        source, Tier.STANDARD, (), lambda unit: unit.name == "f", neighbours=room
    )
    return subject.specification


def function(imports: str, uses: str = "x", doc: str = "Say something.") -> str:
    return f"{imports}\n\n\n{F.format(uses=uses, doc=doc)}"


ORDER_AT = {"shop/models.py": ORDER}
# The function's file, and what there is beside it; in each case `Order` of the one module is shown.
LEADING = {
    "by its name": (function("from shop.models import Order", "Order(x)"), ORDER_AT),
    "relatively": (function("from .models import Order", "Order(x)"), ORDER_AT),
    "renamed": (function("from shop.models import Order as O", "O(x)"), ORDER_AT),
    "of a module": (function("import shop.models", "shop.models.Order(x)"), ORDER_AT),
    "of a renamed module": (function("import shop.models as m", "m.Order(x)"), ORDER_AT),
    "of a module of a package": (function("from shop import models", "models.Order(x)"), ORDER_AT),
    "in the body": ("def f(x):\n    from .models import Order\n    return Order(x)\n", ORDER_AT),
    "in the body, unused name elsewhere": (
        "def f(x):\n    'Make one.'\n    from . import models as m\n    return m.Order(x)\n",
        ORDER_AT,
    ),
    "for type checkers, quoted": (
        "if typing.TYPE_CHECKING:\n    import shop.models as m\ndef f(x: 'list[m.Order]'): 1\n",
        ORDER_AT,
    ),
    "re-exported": (
        function("from shop import Order", "Order(x)"),
        {**ORDER_AT, "shop/__init__.py": "from .models import Order\n"},
    ),
    "re-exported by a star, twice": (
        function("from shop import *", "Order(x)"),
        {**ORDER_AT, "shop/__init__.py": "from .a import *", "shop/a.py": "from .models import *"},
    ),
    "re-exported in a circle": (
        function("from shop import Order", "Order(x)"),
        {
            **ORDER_AT,
            "shop/__init__.py": "from .a import Order\nfrom .models import Order\n",
            "shop/a.py": "from shop import Order\n",
        },
    ),
    "one of two ways": (
        function("try:\n  from fast import Order\nexcept:\n  from .models import *", "Order(x)"),
        ORDER_AT,
    ),
    "named by the docstring": (
        function("from shop.models import Order", doc="Give the number of an `Order`."), ORDER_AT
    ),
    "by what its own file shows": (
        function("from .models import Order\n\n\ndef g(order: Order): ...", "g(x)"), ORDER_AT
    ),
    "as a base": (
        function("from .kinds import Gift", "Gift(x)"),
        {**ORDER_AT, "shop/kinds.py": "from .models import Order\nclass Gift(Order):\n    pass\n"},
    ),
    "beside broken ones": (
        function("from .models import *\nfrom .bad import a\nfrom .odd import b", "Order(a, b)"),
        {**ORDER_AT, "shop/bad.py": "def a(:\n", "shop/odd.py": "b = '\udcff'\n"},
    ),
    "beside large ones": (
        function("from .models import Order\nfrom .large import a", "Order(a)"),
        {**ORDER_AT, "shop/large.py": "a = 1\n" + "# filling\n" * 500_000},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LEADING)
def test_a_definition_is_found_however_it_is_imported(case: str, tmp_path: Path) -> None:
    own, others = LEADING[case]
    shown = specification(tmp_path, {**others, "shop/own.py": own}).neighbours
    assert shown.count("# shop.models\n") == 1
    assert ORDER.rstrip() in shown
    assert "filling" not in shown


HIDDEN = {
    "nothing of the project": (function("import json", "json.dumps(x)"), {}),
    "its own": (function("from .own import f as g", "g(x)"), {}),
    "a circle alone": (
        function("from .a import Order", "Order(x)"),
        {"shop/a.py": "from .b import Order\n", "shop/b.py": "from .a import Order\n"},
    ),
    "left out by Git": (
        function("from .models import Order", "Order(x)"),
        {**ORDER_AT, ".gitignore": "models.py\n"},
    ),
    "in a folder that Git leaves out": (
        function("from .made.models import Order", "Order(x)"),
        {"shop/made/models.py": ORDER, "shop/.gitignore": "made/\n"},
    ),
    "not used": (function("from .models import Order", "x"), ORDER_AT),
    "hidden by a parameter": (function("from .models import *", "x"), {"shop/models.py": "x = 1"}),
}


@pytest.mark.parametrize("case", HIDDEN)
def test_what_is_not_to_be_shown_changes_no_prompt(case: str, tmp_path: Path) -> None:
    own, others = HIDDEN[case]
    found = specification(tmp_path, {**others, "shop/own.py": own})
    assert found.neighbours == ""
    assert "of its project" not in candidate_prompt(found, temperature=1.0, max_tokens=9).user


def test_no_link_is_shown_and_outside_of_projects_only_packages(tmp_path: Path) -> None:
    for name in ("a/__init__.py", "a/b.py", "plain/c.py", "d.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "a/link.py").symlink_to(tmp_path / "d.py")
    shown = ShownModules(tmp_path, (tmp_path,))
    names = ("a/b.py", "a/link.py", "d.py", "plain/c.py")
    assert [tmp_path / each in shown for each in names] == [True, False, True, False]
    (tmp_path / "pyproject.toml").write_text("")
    assert tmp_path / "plain/c.py" in ShownModules(tmp_path, (tmp_path,))


LARGE = {
    "shop/own.py": "from .models import Order\nfrom .tools import tidy\n\n\n"
    'def f(order: Order) -> int:\n    """Count."""\n    return tidy(order.count())\n',
    "shop/models.py": '''\
from .far import Place

TABLE = [{table}]

class Line:
    piece: int

class Order:
    """Long words on orders."""

    lines: list[Line]
    place: Place

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines

    def count(self) -> int:
        """How many lines there are."""
        return len(self.lines)

    def unused(self, of: Place) -> list[int]:
        """Long words on what nobody uses."""
        return TABLE
'''.replace("{table}", ", ".join(map(str, range(100)))),
    "shop/far.py": "class Place:\n    row: int\n",
    "shop/tools.py": "from .models import TABLE\n\ndef tidy(n: int, t=TABLE):\n"
    '    """Long words on tidying."""\n',
}  # fmt: skip
USED = ("row: int", "lines: list[Line]", "self.lines = lines", "How many lines", "piece: int")
# The room, what is shown in it, and what is no more.
ROOMS = [
    (2000, (*USED, "nobody uses", "98, 99", "on orders", "on tidying"), ("return len",)),
    (600, (*USED, "nobody uses", "TABLE = ...", "on orders", "on tidying"), ("98, 99",)),
    (580, (*USED, "def unused(self", "TABLE = ...", "on tidying"), ("nobody uses",)),
    (480, (*USED, "# and more methods"), ("def unused(self", "on tidying")),
    (380, USED[:3] + USED[4:], ("def tidy", "TABLE", "How many lines")),
    (280, (*USED[1:3], "def count(self)"), ("class Place",)),
    (100, (), ("class",)),
]


@pytest.mark.parametrize(("room", "kept", "gone"), ROOMS)
def test_what_is_not_used_is_shortened_before_anything_is_left_out(
    room: int, kept: tuple[str, ...], gone: tuple[str, ...], tmp_path: Path
) -> None:
    shown = specification(tmp_path, LARGE, room=room).neighbours
    assert len(shown) <= room
    assert [each for each in kept if each not in shown] == []
    assert [each for each in gone if each in shown] == []


def test_only_a_method_is_told_how_to_give_it(tmp_path: Path) -> None:
    told = "Give the method alone or within its class"
    method = 'class A:\n    def f(self, x):\n        """Say something."""\n        return x\n'
    for text, is_told in ((method, True), (function(""), False)):
        found = specification(tmp_path, {"shop/own.py": text})
        prompt = candidate_prompt(found, temperature=1.0, max_tokens=9).user
        assert (told in prompt) is is_told
