"""Inputs that are objects arrive as they were told, whatever their classes do when one is made."""

from __future__ import annotations

import pytest

from assay_sandbox import Call, Program, Returned, Sandbox, decode

MAKING = {
    "flags that stand together": (
        "import enum\nclass P(enum.Flag):\n    R = 1\n    W = 2\n",
        "[P.R | P.W, P.R | P.W]",
    ),
    "no flag at all": ("import enum\nclass P(enum.Flag):\n    R = 1\n", "P(0)"),
    "a number beyond the flags": ("import enum\nclass Q(enum.IntFlag):\n    R = 1\n", "Q(8)"),
    "flags of the standard library": ("import re\n", "re.I | re.M"),
    "a dataclass that counts as it is made": (
        (
            "from dataclasses import dataclass\n"
            "@dataclass\nclass A:\n    x: int\n    def __post_init__(self):\n        self.x += 1\n"
        ),
        "A(1)",
    ),
    "a frozen dataclass with slots": (
        (
            "from dataclasses import dataclass\n"
            "@dataclass(frozen=True, slots=True)\nclass A:\n    x: int\n    y: tuple = ()\n"
        ),
        "A(1, (2,))",
    ),
    "a named tuple with a way of its own": (
        (
            "from collections import namedtuple\n"
            "class P(namedtuple('P', 'a b')):\n"
            "    def __new__(cls, a, b):\n        return super().__new__(cls, a + 1, b)\n"
        ),
        "P(1, 2)",
    ),
    "a property that converts what is set": (
        (
            "class M:\n"
            "    def __init__(self, euros):\n        self.__dict__['cents'] = euros * 100\n"
            "    @property\n    def cents(self):\n        return self.__dict__['cents']\n"
            "    @cents.setter\n"
            "    def cents(self, euros):\n        self.__dict__['cents'] = euros * 100\n"
        ),
        "M(3)",
    ),
    "a property that nothing can be set by": (
        (
            "class M:\n"
            "    def __init__(self):\n        vars(self)['half'] = 1\n"
            "    @property\n    def half(self):\n        return 0.5\n"
        ),
        "M()",
    ),
    "a class that is made with arguments": (
        (
            "class A:\n"
            "    def __new__(cls, needed):\n        return super().__new__(cls)\n"
            "    def __init__(self, needed):\n        self.v = needed\n"
        ),
        "A(1)",
    ),
    "an error of the system": ("", "OSError(2, 'gone', 'file.txt')"),
    "an error with fields of its own": (
        (
            "class E(Exception):\n"
            "    def __init__(self, code):\n        super().__init__('code')\n"
            "        self.code = code + 1\n"
        ),
        "E(1)",
    ),
}


@pytest.mark.parametrize("name", MAKING)
def test_an_object_that_is_handed_on_is_the_same(sandbox: Sandbox, name: str) -> None:
    classes, made = MAKING[name]
    source = f"{classes}def make():\n    return {made}\ndef same(x):\n    return x\n"
    (first,) = sandbox.run(Program(source, "make"), [Call(())])
    assert isinstance(first, Returned), first
    (second,) = sandbox.run(Program(source, "same"), [Call((decode(first.value),))])
    assert isinstance(second, Returned), second
    assert (second.value, second.args_after) == (first.value, None)
