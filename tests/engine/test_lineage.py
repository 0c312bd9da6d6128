"""In which order a text's classes are looked into, and how long that takes."""

from __future__ import annotations

import ast
import random
from types import new_class

import pytest

from assay_engine.specification.specification import DERIVED_MAX, specify
from assay_engine.syntax.classes import LINEAGE_MAX, Classes
from support.specifying import unit_of


def lineage(text: str, name: str) -> list[str]:
    classes = Classes(ast.parse(text).body)
    return [each.name for each in classes.lineage(classes[name])]


def test_the_order_is_pythons() -> None:
    chance = random.Random(3)
    checked = 0
    for _ in range(400):
        made: dict[str, type] = {}
        lines: list[str] = []
        for number in range(7):
            bases = chance.sample(sorted(made), min(len(made), chance.randrange(4)))
            try:
                made[f"K{number}"] = new_class(f"K{number}", tuple(made[base] for base in bases))
            except TypeError:  # there is no such order
                continue
            lines.append(f"class K{number}({', '.join(bases)}): pass")
        for name, kind in made.items():
            expected = [each.__name__ for each in reversed(kind.__mro__[:-1])]
            assert lineage("\n".join(lines), name) == expected
            checked += 1
    assert checked > 2_000


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("class A(A): pass", "A", ["A"]),
        ("class A(B): pass\nclass B(A): pass", "A", ["B", "A"]),
        ("class A(list, x.B, C[int]): pass\nclass B: pass\nclass C: pass", "A", ["C", "B", "A"]),
        (
            "class A(B, C): pass\nclass B(D): pass\nclass C(D): pass\nclass D: pass",
            "A",
            list("DCBA"),
        ),
    ],
)
def test_whatever_is_written_has_an_order(text: str, name: str, expected: list[str]) -> None:
    assert lineage(text, name) == expected


def test_what_derives_without_an_end_is_cut() -> None:
    text = "class K0: pass\n" + "".join(f"class K{n + 1}(K{n}): pass\n" for n in range(3_000))
    assert len(lineage(text, "K3000")) == LINEAGE_MAX


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"class K{n + 1}(K{n}): pass\n" for n in range(600)),
        "".join(f"class K{n}(K{(n - 1) // 3}): pass\n" for n in range(1, 600)),
        "".join(f"class K{n}(K0):\n    def f(self, k: K{n - 1}): pass\n" for n in range(1, 600)),
    ],
)
def test_a_family_of_any_shape_is_bounded(text: str) -> None:
    text = f'class K0: pass\n{text}\ndef f(k: K0):\n    """Doc."""\n    return k\n'
    # Where every class was looked through for every other one, that took minutes.
    specification = specify(text, unit_of(text, "f"))
    assert specification.context.count("class ") <= DERIVED_MAX + 1
