"""Functions are cut out of any text, in the right places, and no text is too broken for it."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st

from assay_engine.syntax.units import find_units
from assay_engine.types import ProblemKind, UnitKind


def names(text: str) -> list[str]:
    units, _ = find_units(text)
    for unit in units:
        assert text[unit.name_span.start : unit.name_span.end] == unit.name
        assert unit.span.start <= unit.name_span.start < unit.name_span.end <= unit.span.end
    return [unit.qualname for unit in units]


def cut(text: str, qualname: str) -> str:
    (unit,) = [each for each in find_units(text)[0] if each.qualname == qualname]
    return text[unit.span.start : unit.span.end]


def test_functions_are_found_wherever_they_stand() -> None:
    text = """\
def plain(): return 1
async def waits(): return 1
class Ledger:
    def add(self): return 1
    class Line:
        def total(self): return 1
def outer():
    def inner(): return 1
    return inner
if True:
    def conditional(): return 1
else:
    def alternative(): return 1
try:
    def attempted(): return 1
except ImportError:
    def fallback(): return 1
finally:
    def last(): return 1
with open("x"):
    def within(): return 1
match 1:
    case 1:
        def matched(): return 1
"""
    assert names(text) == [
        "plain",
        "waits",
        "Ledger.add",
        "Ledger.Line.total",
        "outer",
        "outer.<locals>.inner",
        "conditional",
        "alternative",
        "attempted",
        "fallback",
        "last",
        "within",
        "matched",
    ]


def test_a_second_definition_of_a_name_is_numbered() -> None:
    assert names("def f(): return 1\ndef f(): return 2\ndef f(): return 3\n") == ["f", "f#2", "f#3"]


def test_overloads_and_stubs_of_abstract_methods_and_protocols_are_no_units() -> None:
    text = """\
@overload
def f(x: int) -> int: ...
@typing.overload
def f(x: str) -> str: ...
def f(x): return x
class Shape:
    @abstractmethod
    def area(self):
        "How large it is."
        raise NotImplementedError
    @abc.abstractmethod
    def name(self): return "shape"
class Sized(Protocol):
    def size(self):
        "How many there are."
        ...
    def is_empty(self): return not self.size()
class Later:
    def size(self): ...
"""
    assert names(text) == ["f", "Shape.name", "Sized.is_empty", "Later.size"]


def test_kinds_are_told_apart() -> None:
    text = """\
def function(): return 1
class C:
    def method(self): return 1
    @classmethod
    def of_class(cls): return 1
    @staticmethod
    def static(): return 1
    @property
    def read(self): return 1
    def __new__(cls): return 1
    def __init_subclass__(cls): return 1
@staticmethod
def outside(): return 1
"""
    kinds = {unit.name: unit.kind for unit in find_units(text)[0]}
    assert kinds == {
        "function": UnitKind.FUNCTION,
        "method": UnitKind.METHOD,
        "of_class": UnitKind.CLASS_METHOD,
        "static": UnitKind.STATIC_METHOD,
        "read": UnitKind.METHOD,
        "__new__": UnitKind.STATIC_METHOD,
        "__init_subclass__": UnitKind.CLASS_METHOD,
        "outside": UnitKind.FUNCTION,
    }


def test_a_generator_is_one_by_its_own_yield_alone() -> None:
    text = """\
def yields():
    if x: yield 1
def delegates(): return (yield from x)
def makes():
    def inner(): yield 1
    return inner, lambda: (yield)
async def streams(): yield 1
"""
    facts = [(unit.name, unit.is_generator, unit.is_async) for unit in find_units(text)[0]]
    assert facts == [
        ("yields", True, False),
        ("delegates", True, False),
        ("makes", False, False),
        ("inner", True, False),
        ("streams", True, True),
    ]


def test_a_span_runs_from_the_first_decorator_to_the_end_of_the_last_line() -> None:
    text = "x = 1\n@ one\n@two(\n    3)\nasync  def \\\n  f(): return 1  # why\n\ny = 2\n"
    assert names(text) == ["f"]
    assert cut(text, "f") == "@ one\n@two(\n    3)\nasync  def \\\n  f(): return 1  # why"


def test_a_nested_span_begins_after_its_indentation() -> None:
    text = 'class C:\r\n\tdef f(self):\r\n\t\t"𝒟oc"\r\n\t\treturn 1\r\n'
    assert cut(text, "C.f") == 'def f(self):\r\n\t\t"𝒟oc"\r\n\t\treturn 1'


def test_the_docstring_is_there_dedented_or_empty() -> None:
    text = 'def f():\n    """One.\n\n    Two.\n    """\ndef g(): return 1\n'
    assert [unit.docstring for unit in find_units(text)[0]] == ["One.\n\nTwo.", ""]


LINE_BREAKS = st.sampled_from(["\n", "\r\n", "\r"])
# What separates no line for Python's grammar, though `str.splitlines` thinks so, and what takes
# more than one byte or more than one UTF-16 unit.
ODDITIES = st.text("aé𝒻😀\u2028\x85\x1c\x0b\t", max_size=6)
IDENTIFIERS = st.sampled_from(["f", "größe", "𐊧𐊨", "名前", "_x1"])


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A module of functions between oddities, and their names in order."""
    text = draw(st.sampled_from(["", "\ufeff"]))
    expected: list[str] = []
    for index in range(draw(st.integers(1, 5))):
        name = f"{draw(IDENTIFIERS)}_{index}"
        shape = draw(st.integers(0, 4))
        end, odd = draw(LINE_BREAKS), draw(ODDITIES)
        quoted = odd.replace("\t", "")
        if shape == 0:
            text += f'x = "{quoted}"; y = 1{end}def {name}(): return "{quoted}"{end}'
        elif shape == 1:
            text += f"# {odd}{end}\x0c@deco('{quoted}')  # {odd}{end}def {name}(a='{quoted}'):{end}"
            text += f'\t"""{odd}{end}{odd}"""{end}\treturn a{end}'
        elif shape == 2:
            text += f'"""{odd}{end}{odd}{end}"""{end}async def \\{end} {name} (): pass{end}{end}'
        elif shape == 3:
            text += f"class C{index}:{end}  '{quoted}'; x = 1{end}  def {name}(self): pass{end}"
            name = f"C{index}.{name}"
        else:
            text += f"if '{quoted}':{end}\tdef {name}():{end}\t\treturn f'{{x}}{quoted}'{end}"
        expected.append(name)
    return text, expected


@given(texts())
def test_names_are_where_the_spans_say_in_any_mixture_of_characters(
    example: tuple[str, list[str]],
) -> None:
    text, expected = example
    assert find_units(text)[1] == ()
    assert names(text) == expected


SCRAPS = st.sampled_from(
    [
        *"()[]{}:,=@#\\\"'\n\r\t \x0c\x00",
        '"""',
        "'''",
        "def f",
        "class C:",
        "    ",
        "return",
        "\ud800",
    ]
)


@given(st.lists(SCRAPS | st.text(string.printable, max_size=3), max_size=40).map("".join))
def test_no_text_makes_it_raise(text: str) -> None:
    names(text)


def test_texts_that_the_parser_refuses_are_a_problem() -> None:
    deep = "(" * 100_000
    minus = "x = " + "-" * 100_000 + "1"
    for text in (deep, minus, "x = 1\x00", 'x = "\ud800"', "x" * 5_000_000):
        units, problems = find_units(text)
        assert units == ()
        assert [problem.kind for problem in problems] == [ProblemKind.BROKEN_SOURCE]


def test_what_only_some_versions_parse_is_a_unit_or_a_problem() -> None:
    units, problems = find_units("def f():\n    return x" + ".a" * 100_000)
    found = [unit.name for unit in units]
    said = [problem.kind for problem in problems]
    assert (found, said) in ((["f"], []), ([], [ProblemKind.BROKEN_SOURCE]))


def test_an_empty_text_has_nothing_and_no_problem() -> None:
    for text in ("", "\ufeff", "\n", "# only this", "\x0c"):
        assert find_units(text) == ((), ())


def test_a_long_chain_of_branches_is_no_obstacle() -> None:
    text = "if a: pass\n" + "elif a: pass\n" * 500 + "else:\n    def f(): return 1\n"
    assert names(text) == ["f"]


def test_five_thousand_lines_are_cut_within_the_patience_of_a_save() -> None:
    body = "".join(f"    total = total + {index}\n" for index in range(14))
    text = "".join(f'def f{index}(total):\n    """Doc."""\n{body}\n' for index in range(300))
    assert text.count("\n") > 5_000
    assert len(names(text)) == 300
    assert len(names(text + "\nx = (")) == 300
