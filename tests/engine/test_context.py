"""What a function needs of its file, and what a model is shown of it."""

from __future__ import annotations

import ast
from concurrent.futures import ThreadPoolExecutor
from textwrap import dedent

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay_engine.dependencies.excerpts import CONTEXT_CHARACTERS_MAX
from assay_engine.dependencies.needed import read_pieces
from assay_engine.specification.specification import running_unit, specify
from assay_engine.syntax.text import read_source
from assay_engine.syntax.units import find_units
from assay_engine.types import Specification, Unit
from support.specifying import unit_of


def specified(text: str, qualname: str = "f") -> Specification:
    unit = unit_of(text, qualname)
    specification = specify(text, unit)
    compile(specification.context, "context", "exec")
    if "<locals>" not in specification.entry:
        found = running_unit(specification)
        assert found is not None
        assert found.docstring == unit.docstring
    return specification


def check(text: str) -> None:
    """`f` needs the lines marked ``# +`` and leaves those marked ``# -``."""
    specification = specified(dedent(text))
    for shown in (specification.context, specification.program):
        taken = set(shown.split("\n"))
        for line in dedent(text).split("\n"):
            if line.endswith(("# +", "# -")):
                assert (line in taken) == line.endswith("+"), (line, shown)
    assert "def f(" not in specification.context
    assert "def f(" in specification.program


NEEDS = {
    "helpers of helpers and their imports": """
        import os  # -
        import json as js  # +
        def a(): return b()  # +
        def b(): return js  # +
        def c(): return os  # -
        def f(): return a()
        """,
    "what inputs of such types are written with": """
        from datetime import datetime  # +
        from zoneinfo import ZoneInfo  # +
        from decimal import Decimal  # -
        import numpy as np  # -
        def f(day: datetime): return day
        """,
    "what is derived from a class that cannot be made": """
        class A:  # +
            @abstractmethod
            def a(self): ...
        class B(A):  # +
            def a(self): return helper()  # +
        def helper(): pass  # +
        class C: pass  # -
        def f(first: list[A]): return first
        """,
    "what tables are written with": """
        import numpy as np  # +
        import pandas as pd  # +
        import json  # -
        def f(table: pd.DataFrame): return table
        """,
    "what unannotated arguments may be, by what is done with them": """
        import pandas as pd  # +
        from datetime import date  # -
        import json  # -
        def f(table, *, by): return table[by]["a"].fillna(0)
        """,
    "moments, by what is done with them": """
        import pandas as pd  # -
        from datetime import date  # +
        def f(day): return day.isoformat()
        """,
    "no such where a built-in value would do, or anything else": """
        import pandas as pd  # -
        from datetime import date  # -
        def f(text, count=1, node=None): return text.strip() * count.real, node.children
        """,
    "constants of every spelling": """
        A = 1  # +
        B: int = 2  # +
        C, (D, *E) = 3, (4, 5)  # +
        C += 1  # +
        Z = 9  # -
        G = H = 1; I = 2  # +
        def f(): return A, B, C, D, I
        """,
    "later changes of what is needed": """
        T = {}  # +
        U = {}  # -
        T["a"] = 1  # +
        T.update(b=2)  # +
        for i in range(3):  # +
            T[i] = i  # +
        U["u"] = 1  # -
        print(T)  # -
        size = len(T)  # -
        del T["a"]  # +
        def f(): return T
        """,
    "functions that fill what is needed": """
        T = {}  # +
        def fill(): T[1] = 1  # +
        fill()  # +
        def other(): return 1  # -
        other()  # -
        def f(): return T
        """,
    "handlers that register themselves": """
        H = {}  # +
        def handler(name):  # +
            def add(g): H[name] = g; return g  # +
            return add  # +
        @handler('a')  # +
        def a(): return 1  # +
        def f(x): return H[x]()
        """,
    "implementations of a generic function": """
        from functools import singledispatch  # +
        @singledispatch  # +
        def area(x): return 0  # +
        @area.register  # +
        def _(x: int): return x  # +
        def f(x): return area(x)
        """,
    "classes with bases, decorators and fields": """
        from dataclasses import dataclass  # +
        from enum import Enum  # +
        class Kind(Enum):  # +
            A = 1  # +
        class Base: pass  # +
        @dataclass  # +
        class Item(Base):  # +
            kind: Kind  # +
        class Other: pass  # -
        def f(x: 'Item'): return x
        """,
    "aliases, typed tuples and typed dictionaries": """
        from typing import NamedTuple, TypedDict, TypeVar  # +
        class P(NamedTuple): x: int  # +
        class D(TypedDict): p: P  # +
        Rows = list[D]  # +
        T = TypeVar('T')  # -
        def f(rows: Rows): return rows
        """,
    "imports for types alone": """
        from typing import TYPE_CHECKING  # +
        if TYPE_CHECKING:  # +
            from x import Node  # +
        def f(n: 'list[Node]'): return n
        """,
    "imports that may fail, whole": """
        try:  # +
            import fast  # +
        except ImportError:  # +
            fast = None  # +
        def f(): return fast
        """,
    "future and star imports always": """
        from __future__ import annotations  # +
        from math import *  # +
        try:  # +
            from _fast import *  # +
        except ImportError: pass  # +
        def f(): return 1
        """,
    "settings of what is imported, not its use": """
        import random, logging, decimal  # +
        random.seed(1)  # +
        decimal.getcontext().prec = 6  # +
        logging.info('loaded')  # -
        now = random.random()  # -
        def f(): return random, decimal, logging
        """,
    "never the main guard": """
        X = 1  # +
        if __name__ == '__main__':  # -
            X = 2  # -
        def f(): return X
        """,
    "defaults and decorators": """
        L = 3  # +
        def deco(g): return g  # +
        @deco
        def f(x=L): return x
        """,
    "names from examples": """
        class Item: pass  # +
        class Box: pass  # -
        def f(x):
            '''D.

            >>> f(Item())
            1
            '''
        """,
    "what is deleted later, and what else is": """
        A = 1  # +
        B = 2  # +
        del A, B  # +
        def f(): return A
        """,
    "a name of its own in no local's place": """
        x = 1  # -
        y = 2  # +
        def f(x): return [y for z in x]
        """,
}


@pytest.mark.parametrize("case", NEEDS)
def test_a_function_takes_what_it_needs_and_leaves_the_rest(case: str) -> None:
    check(NEEDS[case])


def test_comments_belong_to_what_stands_below_them_and_the_files_own_to_nothing() -> None:
    text = "# licence\nimport os\n# spare\n\n# the rate\nR = 1  # per cent\ndef f(): return R, os\n"
    assert specified(text).context == "import os\n# the rate\nR = 1  # per cent\n"


def test_pieces_are_verbatim_and_in_order() -> None:
    text = 'B = "b"   # odd   spacing\n\n\n@deco( 1 )\ndef g(x) :\n  return B # why\n'
    text = f"def deco(n): return lambda h: h\ndef f(): return g(1)\n{text}"
    assert specified(text).program == (
        "def deco(n): return lambda h: h\n\n\ndef f(): return g(1)\n\n\n"
        'B = "b"   # odd   spacing\n\n\n@deco( 1 )\ndef g(x) :\n  return B # why\n'
    )


def test_line_breaks_become_plain_and_a_byte_order_mark_goes() -> None:
    specification = specified("\ufeffA = '''x\r\ny'''\rdef f():\r\n\treturn A\r\n")
    assert specification.program == "A = '''x\ny'''\n\n\ndef f():\n\treturn A\n"


def test_a_helper_that_calls_the_function_back_is_kept() -> None:
    specification = specified("def f(n): return g(n)\ndef g(n): return f(n - 1)\n")
    assert specification.context == "def g(n): return f(n - 1)\n"


def test_what_wraps_the_function_later_is_run_but_not_shown() -> None:
    specification = specified("from functools import cache\ndef f(n): return n\nf = cache(f)\n")
    assert specification.context == ""
    assert specification.program.endswith("def f(n): return n\n\n\nf = cache(f)\n")


@pytest.mark.parametrize(("qualname", "kept"), [("f", "one"), ("f#2", "two")])
def test_of_two_definitions_each_is_run_alone(qualname: str, kept: str) -> None:
    text = "def f(): return 'one'\ndef f(): return 'two'\n"
    specification = specified(text, qualname)
    assert specification.program == f"def f(): return '{kept}'\n"
    assert specification.entry == "f"


def test_what_the_name_stood_for_before_is_kept_where_it_was_read() -> None:
    text = "f = 'one'\nnames = ['a', f]\ndef f(): return names\n"
    assert specified(text).program.replace("\n\n\n", "\n") == text


LEDGER = '''\
import os
LIMIT = 3

class Ledger:
    """A ledger."""

    rate = LIMIT

    def add(self, x: int) -> int:  # by bubbles
        # bubbles first
        """Add x."""
        for bubble in range(x):
            self.bubble(bubble)
        return x
        # bubbles last

    # The other way round.
    def sub(self, x): return -x
'''


def test_a_method_is_shown_as_a_stub_and_run_in_its_class() -> None:
    specification = specified(LEDGER, "Ledger.add")
    assert specification.program == LEDGER.removeprefix("import os\n").replace(
        "LIMIT = 3\n\n", "LIMIT = 3\n\n\n"
    )
    assert "bubble" not in specification.context
    assert '        """Add x."""\n        ...\n\n    # The other' in specification.context
    assert specification.entry == "Ledger.add"


def test_of_its_class_a_model_sees_how_objects_are_made_and_signatures_alone() -> None:
    text = '''\
def start(): return 0
def secret(): return 7
UNIT = 2


class Box:
    """A box."""

    limit = UNIT

    def __init__(self, size):
        self.size = size + start()

    def grown(self, by):
        """The size, grown twice."""
        return self._grow(self._grow(self.size, by), by)

    def _grow(self, size, by):
        """Add `by`, up to the limit."""
        def inner(): return secret()
        return min(size + by, inner())

    @property
    def half(self): return self.size / 2

    class Label:
        def __init__(self): self.text = ""
        def shown(self): return self.text.strip()
'''
    specification = specified(text, "Box.grown")
    assert specification.program == text.replace("0\ndef", "0\n\n\ndef").replace(
        "7\nUNIT", "7\n\n\nUNIT"
    )
    assert (
        specification.context
        == '''\
def start(): return 0


UNIT = 2


class Box:
    """A box."""

    limit = UNIT

    def __init__(self, size):
        self.size = size + start()

    def grown(self, by):
        """The size, grown twice."""
        ...

    def _grow(self, size, by):
        """Add `by`, up to the limit."""
        ...

    @property
    def half(self):
        ...

    class Label:
        def __init__(self): self.text = ""
        def shown(self):
            ...
'''
    )


STUBS = {
    "on one line": ("def m(self): return 1", "def m(self):\n        ..."),
    "on one line with a docstring": (
        "def m(self): 'Doc'; return 1",
        "def m(self):\n        'Doc'\n        ...",
    ),
    "colons in the header": (
        "def m(self, a: T[int] = {'a:b': 1}, *, c=lambda: 1) -> 'x:y':  # z: 1\n        return 1",
        "def m(self, a: T[int] = {'a:b': 1}, *, c=lambda: 1) -> 'x:y':\n        ...",
    ),
    "a header on several lines": (
        "def m(\n        self,  # who: me\n    ):\n        'Doc'\n        return 1",
        "def m(\n        self,  # who: me\n    ):\n        'Doc'\n        ...",
    ),
    "decorators": (
        "@deco\n    def m(self):\n        return 1",
        "@deco\n    def m(self):\n        ...",
    ),
    "tabs": ("def m(self):\n    \t'Doc'\n    \treturn 1", "def m(self):\n    \t'Doc'\n    \t..."),
}


@pytest.mark.parametrize("case", STUBS)
def test_a_stub_has_the_header_and_the_docstring_alone(case: str) -> None:
    method, stub = STUBS[case]
    specification = specified(f"class C:\n    {method}\n    x = 1\n", "C.m")
    assert specification.context == f"class C:\n    {stub}\n    x = 1\n"


def test_a_function_in_a_branch_is_shown_as_a_stub_there() -> None:
    text = "if A:\n    def f():\n        'Doc'\n        return 1\nelse:\n    f = None\nA = 1\n"
    specification = specified(text)
    assert specification.context == (
        "if A:\n    def f():\n        'Doc'\n        ...\nelse:\n    f = None\nA = 1\n"
    )


def test_a_nested_function_that_captures_nothing_is_lifted() -> None:
    text = '''\
RATE = 2
def outer(k):
    unused = k
    def f(x, rate=RATE):
        """Doc.

        >>> f(1)
        2
        """
        text = """
        kept
        """
        return f(x - 1)
    return f
'''
    specification = specified(text, "outer.<locals>.f")
    assert specification.entry == "f"
    assert specification.context == "RATE = 2\n"
    assert "\ndef f(x, rate=RATE):\n    " in specification.program
    assert '"""\n        kept\n        """' in specification.program
    assert "outer" not in specification.program


@pytest.mark.parametrize(
    "body",
    [
        "return k",
        "return local",
        "return sibling()",
        "nonlocal local\n        local = 1",
        "def g(): return k\n        return g",
    ],
)
def test_a_closure_is_not_lifted(body: str) -> None:
    text = (
        "def outer(k):\n    local = 1\n    def sibling(): return 1\n"
        f"    def f():\n        'Doc'\n        {body}\n    return f\n"
    )
    assert specified(text, "outer.<locals>.f").entry == "outer.<locals>.f"


@pytest.mark.parametrize(
    ("helper", "body"),
    [("", "return outer(x - 1)"), ("def helper(x): return outer(x)\n", "return helper(x - 1)")],
    ids=["directly", "through a helper"],
)
def test_a_nested_function_that_leads_back_to_its_outer_one_is_not_lifted(
    helper: str, body: str
) -> None:
    """Its own body would be shown to the model as what it needs."""
    text = f"{helper}def outer(k):\n    def f(x):\n        'Doc'\n        {body}\n    return f\n"
    specification = specified(text, "outer.<locals>.f")
    assert specification.entry == "outer.<locals>.f"
    assert body not in specification.context


def test_a_broken_method_is_missing_from_the_program() -> None:
    text = "class C:\n    def broken(self:\n        return )\n    def m(self): return 1\n"
    specification = specified(text, "C.m")
    assert "broken" not in specification.program
    assert "def m(self): return 1" in specification.program


NAMES = st.sampled_from("abcdefg")


@given(st.lists(st.tuples(NAMES, st.lists(NAMES, max_size=3)), min_size=1, max_size=8))
@example([("b", []), ("f", []), ("a", ["f"])])
def test_a_program_runs_like_the_file(definitions: list[tuple[str, list[str]]]) -> None:
    """Constants of constants in any order, redefinitions included: the same value, or error."""
    lines = [f"{name} = ({name!r}, {', '.join(used)})" for name, used in definitions]
    whole = "\n".join([*lines, "def f():", "    return (a, b)"])
    outcomes: list[object] = []
    for text in (whole, specified(whole).program):
        namespace: dict[str, object] = {}
        try:
            exec(text, namespace)
            outcomes.append(eval("f()", namespace))
        except NameError:
            outcomes.append(NameError)
    # A program may do better than the file: it leaves out what fails and is not needed.
    assert outcomes[0] in (outcomes[1], NameError)


def in_a_module_of_two() -> tuple[str, tuple[Unit, ...]]:
    text = dedent(
        '''
        from math import pi

        class Circle:
            """A circle."""
            def __init__(self, radius: float) -> None:
                self.radius = radius
            def area(self) -> float:
                """Its area."""
                return self.helped() ** 2 * pi
            def helped(self) -> float:
                return self.radius

        def twice(number: float) -> float:
            """Twice a number."""
            return 2 * number
        '''
    )
    return text, find_units(text)[0]


def test_what_was_read_in_between_makes_no_difference() -> None:
    """Readings are remembered for some texts only, of each kind for others than the rest."""
    text, units = in_a_module_of_two()
    before = [specify(text, unit) for unit in units]
    for count in range(8):
        for number in range(count):
            read_pieces(read_source(f"def other(): return {count}, {number}"))
        assert [specify(text, unit) for unit in units] == before


def test_threads_that_read_at_once_find_the_same() -> None:
    text, units = in_a_module_of_two()
    expected = [specify(text, unit) for unit in units]

    def read(number: int) -> list[Specification]:
        same = f"{text}# {number // 4}\n"
        return [specify(same, unit) for unit in find_units(same)[0]]

    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(read, range(400)):
            assert [each.context for each in found] == [each.context for each in expected]


LARGE = "# " + "x" * 90 + "\n"
LIBRARY = f"""\
TABLE = {{}}
ELSEWHERE = {{}}


def directly():
    "What is named."
{"    " + LARGE * 40}    return indirectly(), TABLE


def indirectly():
    "What that needs."
{"    " + LARGE * 100}    return ELSEWHERE


class Other:
    "A class."

    def __init__(self):
        self.made = {{}}

    def use(self):
        "What it does."
        return ELSEWHERE


class Own(Other):
    def __init__(self):
        self.own = 1

    def f(self):
        "As `spoken` says."
        return directly(), self.called()

    def called(self):
        "About called."
        return indirectly()

    def spoken(self):
        "About spoken."
        return 1

    def silent(self):
        "About silent."
{"        " + LARGE * 3}        return 2
"""


def test_of_a_large_context_the_bodies_go_that_the_function_does_not_name() -> None:
    shown = specified(LIBRARY, "Own.f").context
    assert "return indirectly(), TABLE" in shown
    assert 'def indirectly():\n    "What that needs."\n    ...\n' in shown
    assert 'def use(self):\n        "What it does."\n        ...\n' in shown
    assert "self.made = {}" in shown
    assert "self.own = 1" in shown
    assert "ELSEWHERE" not in shown
    assert "About silent." in shown
    assert "return ELSEWHERE" in specified(LIBRARY, "Own.f").program


def test_what_is_still_large_loses_the_methods_that_the_function_does_not_speak_of() -> None:
    text = LIBRARY.replace("About silent.", f"About silent. {'x' * 12_000}")
    shown = specified(text, "Own.f").context
    assert "return indirectly(), TABLE" in shown
    assert "About called." in shown
    assert 'def spoken(self):\n        "About spoken."\n        ...\n\n    ...\n' in shown
    assert "silent" not in shown
    assert '"A class."' in shown
    assert "self.made = {}\n\n    ...\n" in shown
    ast.parse(shown)


def test_of_what_is_larger_than_that_the_nearest_is_shown() -> None:
    chain = "".join(
        f"class C{number}(C{number + 1}):\n    {LARGE * 10}    field = 1\n\n\n"
        for number in range(40)
    )
    text = LIBRARY.replace("class Own(Other)", f"{chain}class C40: ...\n\n\nclass Own(C0)")
    shown = specified(text, "Own.f").context
    assert len(shown) < CONTEXT_CHARACTERS_MAX * 1.02
    assert "class C0(C1):" in shown
    assert "class C4(C5):" in shown
    assert "class C20(" not in shown
    assert 'def directly():\n    "What is named."\n    ...\n' in shown
    assert "self.own = 1" in shown
    assert "def called(self):\n        ...\n" in shown
    ast.parse(shown)
    assert "class C39(C40):" in specified(text, "Own.f").program


def test_a_small_context_stays_whole() -> None:
    text = LIBRARY.replace(LARGE * 100, "").replace(LARGE * 40, "")
    assert "return ELSEWHERE" in specified(text, "Own.f").context
