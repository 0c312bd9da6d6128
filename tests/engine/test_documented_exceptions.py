"""What a docstring says is raised, in every style there is."""

from __future__ import annotations

from textwrap import dedent

import pytest

from assay_engine.reading.documented_exceptions import documented_exceptions
from assay_engine.reading.exceptions_known import exceptions_known
from assay_engine.syntax.source import read_source
from support.specifying import specified


def check(docstring: str, names: str) -> None:
    assert documented_exceptions(dedent(docstring).strip()) == tuple(names.split())


DOCSTRINGS = {
    "nothing": ("Adds two numbers; errors are yours.", ""),
    "Google": (
        """
        Doc.

        Raises:
            ValueError: If it is empty,
                or KeyError-like trouble comes up.
            json.JSONDecodeError: If it is no JSON.
            MyProblem: Sometimes.

        Returns:
            Nothing: ever
        """,
        "ValueError json.JSONDecodeError MyProblem",
    ),
    "NumPy": (
        """
        Doc.

        Raises
        ------
        ValueError
            If it is empty.
        TypeError or KeyError
            Otherwise: see there.

        Notes
        -----
        Long
        """,
        "ValueError TypeError KeyError",
    ),
    "Sphinx": (
        """
        :param x: what
        :raises ValueError: if empty
        :raise ~shop.errors.Broken: if broken
        :except KeyError, IndexError: if missing
        :returns: x
        """,
        "ValueError shop.errors.Broken KeyError IndexError",
    ),
    "prose": (
        "Raises ValueError if x is negative. Raises a `KeyError` when missing.",
        "ValueError KeyError",
    ),
    "prose of two": (
        "It raises :class:`ValueError` or ``TypeError``, as the case may be.",
        "ValueError TypeError",
    ),
    "several cases": (
        """
        Raises IndexError if there are fewer, or ValueError if `count` is negative. Raises KeyError
        for what is missing, `OSError` for what is not there, and TypeError unless x is a text.
        """,
        "IndexError ValueError KeyError OSError TypeError",
    ),
    "several cases, one of them another's": (
        "Raises ValueError if the callback raises KeyError, TypeError if it is missing.",
        "ValueError",
    ),
    "several cases, briefly": ("Raises ValueError if x, TypeError if y", "ValueError TypeError"),
    "several cases with roles": (
        "Raises :class:`ValueError` if x, :class:`KeyError` or :class:`TypeError` when y.",
        "ValueError KeyError TypeError",
    ),
    "several cases behind semicolons": (
        "Raises ValueError if x is negative; KeyError if it is missing; and TypeError for texts.",
        "ValueError KeyError TypeError",
    ),
    "several cases, one with brackets": (
        "Raises ValueError if f(g(x), y) is 0 (or less), or TypeError if access is denied.",
        "ValueError TypeError",
    ),
    "several cases with verbs of their own": (
        "Raises ValueError if x is empty or has a zero, or KeyError if it is not found.",
        "ValueError KeyError",
    ),
    "prose in the passive": ("For bad input a ValueError is raised.", "ValueError"),
    "the passive with a message": ("A `ValueError` with a clear message is raised.", "ValueError"),
    "the passive in quotes": ('If it is bad, "ParseError" will be raised.', "ParseError"),
    "the passive in brackets": ("For bad input an error (ValueError) is raised.", "ValueError"),
    "the passive of links": (
        "If it is bad, a [`Broken.ParseError`][shop.ParseError] is raised.",
        "Broken.ParseError",
    ),
    "one supported, one raised": (
        "It is not supported and a ValueError is raised.",
        "ValueError",
    ),
    "a participle": ("The index of x, raising ValueError if there is none.", "ValueError"),
    "roles in a section": (
        """
        Raises
        ------
        :exc:`TypeError`
            If it is none.
        :py:exc:`~shop.Broken`
            If it is broken.
        """,
        "TypeError shop.Broken",
    ),
    "other verbs": (
        "Throws an OverflowError beyond. May raise StopIteration.",
        "OverflowError StopIteration",
    ),
    "negation": ("Never raises ValueError. Does not raise KeyError. KeyError is not raised.", ""),
    "negation in short": (
        "Doesn't raise KeyError. Won't ever raise ValueError. A TypeError isn’t raised.",
        "",
    ),
    "another way taken": (
        """
        Returns None instead of raising ValueError, rather than raising TypeError.
        Avoids raising KeyError.
        """,
        "",
    ),
    "denied before another": ("Does not raise KeyError or ValueError if it is missing.", ""),
    "German": ("Wirft ValueError, wenn n negativ ist.", "ValueError"),
    "French": ("Lève une ValueError si n est négatif.", "ValueError"),
    "Japanese": ("負の場合はValueErrorを送出する。", "ValueError"),
    "a negation of the case": ("If the key isn't found raises KeyError.", "KeyError"),
    "two in a sentence": (
        """
        Raises ValueError if x is empty, raises KeyError if it is missing and may raise
        TypeError, and an OSError is raised now and then.
        """,
        "ValueError KeyError TypeError OSError",
    ),
    "two lines of prose": (
        """
        - raises ValueError if it is empty
        - raises KeyError if it is missing
        """,
        "ValueError KeyError",
    ),
    "one of two denied": ("It doesn't raise KeyError but raises ValueError.", "ValueError"),
    "what others raise": ("Raises ValueError if the callback raises KeyError.", "ValueError"),
    "those that raise": (
        """
        A function that raises ``OSError`` (or a subclass) is skipped; other exceptions are raised
        at once. Functions which raise ValueError are ignored, those that may raise KeyError too.
        """,
        "",
    ),
    "those of a list that raise": (
        "Values are converted, and those that raise ValueError are passed over.",
        "",
    ),
    "what something of theirs raises": (
        "Entries whose handler raises LookupError are dropped.",
        "",
    ),
    "counted raising": ("Return the number of functions that raise ValueError.", ""),
    "as long as it raises": ("Call fn again as long as it raises ConnectionError.", ""),
    "as long as it is raised": ("Call fn again as long as ConnectionError is raised.", ""),
    "what is raised of": ("Keys for which a KeyError is raised are left out.", ""),
    "if another raises": ("If fn raises KeyError, the default is returned.", ""),
    "if another of them raises": (
        "If one of the functions also raises ``KeyError``, the default is returned.",
        "",
    ),
    "when another raises": ("Return None when int() raises ValueError.", ""),
    "others may raise": ("Handlers may raise StopIteration to end the loop.", ""),
    "if another raises, this does": (
        """
        If fn raises KeyError, a ValueError is raised. If fn raises IndexError, raises TypeError.
        """,
        "ValueError TypeError",
    ),
    "skips, and raises": (
        "Skips functions that raise OSError, and raises ValueError if all do.",
        "ValueError",
    ),
    "it": ("It raises KeyError for unknown names.", "KeyError"),
    "this": ("If the key is missing, this raises KeyError.", "KeyError"),
    "note that": (
        "Note that it raises KeyError. Note that this may raise ValueError.",
        "KeyError ValueError",
    ),
    "an adjective": ("Return the value, or if missing raise KeyError.", "KeyError"),
    "what is wrong raises": (
        "Negative values raise ValueError. Popping from an empty queue raises IndexError.",
        "ValueError IndexError",
    ),
    "which": ("Calls int(x), which raises ValueError if x is no number.", "ValueError"),
    "what is made": (
        """
        Return a function that raises ValueError if its argument is negative. Wraps that in a new
        one that raises TimeoutError in the end.
        """,
        "ValueError TimeoutError",
    ),
    "itself": ("A function that raises ValueError if x is negative.", "ValueError"),
    "a validator": ("A validator that raises `ValueError` beyond the limit.", "ValueError"),
    "a wrapper": (
        "This is a thin wrapper around int that raises `ValueError` when x is none.",
        "ValueError",
    ),
    "a line of its own": (
        "True if it is callable\n    raises ValueError otherwise.",
        "ValueError",
    ),
    "the first of them": ("Skip each function that raises ValueError.", ""),
    "that, of what was said": ("If x is negative, that raises ValueError.", "ValueError"),
    "else": ("Return x if present else raise KeyError.", "KeyError"),
    "otherwise": ("Return x if it is valid and raise ValueError otherwise.", "ValueError"),
    "after a case": (
        "Return x when it is positive, and raise ValueError when it is not.",
        "ValueError",
    ),
    "a case of raising": ("When a `KeyError` is raised, it returns 0.", ""),
    "a section of None": ("Raises:\n    None", ""),
    "a field of None": (":raises None:", ""),
    "no exception": ("Raises the limit. Raises x to the power of Two. Raises Salary by one.", ""),
    "each once": (
        "Raises ValueError if a; raises ValueError if b.\n\n:raises ValueError: yes",
        "ValueError",
    ),
    "an empty section": ("Raises:\n", ""),
    "a section of prose": ("Raises:\n    If it is empty, nothing.", ""),
}


@pytest.mark.parametrize("case", DOCSTRINGS)
def test_exceptions_are_read(case: str) -> None:
    check(*DOCSTRINGS[case])


@pytest.mark.parametrize(
    "verb",
    [
        *("is", "is then", "is always", "is only", "gets", "will be", "will then be", "would be"),
        *("should be", "shall be", "must be", "may be", "might also be", "can be", "could be"),
        "will be automatically",
    ],
)
def test_the_passive_is_read(verb: str) -> None:
    for said in ("raised", "thrown"):
        check(f"A ValueError {verb} {said} if n is negative.", "ValueError")
        check(
            f"If it is bad, a `KeyError` or\n:exc:`ValueError` {verb} {said}.",
            "KeyError ValueError",
        )
        check(f"ValueError, KeyError or TypeError {verb}\n{said}.", "ValueError KeyError TypeError")


@pytest.mark.parametrize(
    "sentence",
    [
        *("No ValueError will be raised.", "If x is in d no KeyError is raised."),
        *("ValueError is never raised.", "A ValueError will never be raised."),
        *("ValueError will not be raised.", "A ValueError won't be raised."),
        *("A ValueError cannot be raised.", "ValueError is no longer raised."),
        *("No `ValueError` or `KeyError` is ever raised.", "No :exc:`ValueError` is raised."),
        *("Neither ValueError nor KeyError is raised.", "Instead of a KeyError being raised, 0."),
        *(
            "If a KeyError or ValueError is raised, returns 0.",
            "Wait until TimeoutError is raised.",
        ),
        *("In case KeyError is raised, returns 0.", "Called before a KeyError is raised."),
        *("Return whether any ValueError will be raised.", "Handle the KeyError that is raised."),
        *("The KeyError raised by fn is passed on.", "Return 2 raised to the power of n."),
        "Tell what was raised: ValueError, KeyError.",
    ],
)
def test_what_is_not_raised_is_not_read_in_the_passive(sentence: str) -> None:
    check(sentence, "")


KNOWN = frozenset(["Empty", "Full", "Stop", "Invalid"])
NOT_ALL_RAISED = {
    "Raises Invalid if parsing fails (ValueError on numbers is wrapped).": "Invalid",
    "Raises Invalid if parsing fails, e.g. ValueError if it is no number.": "Invalid",
    "Raises LookupError, never KeyError or IndexError when it is absent.": "LookupError",
    "Return the exception raised by fn, or ValueError if there was none.": "",
    """Unlike `d[k]`, which raises KeyError when absent, ValueError for unhashable ones, returns
    None.""": "",
    "Unlike `d.get`, raises KeyError when absent, TypeError if unhashable.": "KeyError TypeError",
    "As open() raises FileNotFoundError if absent, PermissionError when denied, it is asked.": "",
    "Since the parser raises ValueError if broken, TypeError for None, both are caught.": "",
    "As of 3.2 raises ValueError if broken.": "ValueError",
    "Since 3.2 raises ValueError if broken.": "ValueError",
    "Maps errors to codes: KeyError for 404, OSError for 500.": "",
    "Ignores KeyError and TypeError if they occur.": "",
    "Returns ValueError, or KeyError if told to.": "",
    "If the queue is Empty, an error is raised.": "",
    "On Empty, Full is raised.": "Full",
    "Empty or Full is raised.": "Empty Full",
    "Raises Empty or Full, as it may be.": "Empty Full",
    "Raises Stop if it is closed, Empty if it is drained; Full if not.": "Stop Empty Full",
}


@pytest.mark.parametrize("sentence", NOT_ALL_RAISED)
def test_only_what_is_raised_is_read(sentence: str) -> None:
    assert documented_exceptions(sentence, KNOWN) == tuple(NOT_ALL_RAISED[sentence].split())


@pytest.mark.parametrize(
    ("docstring", "names"),
    [
        ("raises ValueError if " * 20_000, ("ValueError",)),
        ("isn't " * 50_000 + "raised", ()),
        ("KeyError is raised " * 20_000, ("KeyError",)),
        ("if fn raises ValueError, " * 20_000, ()),
        ("those that raise ValueError " * 20_000, ()),
        ("raises ValueError" + "\n" * 100_000 + "if x raises it", ("ValueError",)),
        ("raises ValueError if x" + ", KeyError" * 50_000, ("ValueError",)),
        ("raises ValueError if x" + ", KeyError if" * 50_000, ("ValueError", "KeyError")),
        ("raises ValueError if x" + ", Key if" * 50_000, ("ValueError",)),
        ("raises ValueError if x;" + " KeyError if y;" * 50_000, ("ValueError", "KeyError")),
        ("raises ValueError if x," + " " * 100_000 + "or", ("ValueError",)),
        ("raises ValueError if " + "A." * 100_000, ("ValueError",)),
        ("raises ValueError if " + ", [x" * 50_000, ("ValueError",)),
        ("will be then " * 20_000 + "raised", ()),
        ("to" + " " * 100_000 + "be raised", ()),
    ],
    ids=[
        *("many", "denials", "passive", "cases", "those", "lines", "names", "further cases"),
        *("other names", "semicolons", "spaces", "dots", "links", "auxiliaries", "gaps"),
    ],
)
def test_a_docstring_made_to_be_slow_is_not(docstring: str, names: tuple[str, ...]) -> None:
    assert documented_exceptions(docstring) == names


@pytest.mark.parametrize(
    "sentence",
    [
        "Raises OutOfStock if there is none.",
        "Raises :class:`OutOfStock` if there is none.",
        "Raises ValueError if it is negative, or OutOfStock if there is none.",
        "If there is none, `shop.OutOfStock` is raised.",
        "Raises ValueError if it is negative; OutOfStock if there is none.",
    ],
)
@pytest.mark.parametrize(
    "module",
    [
        "class OutOfStock(Exception):\n    pass\n",
        "class Trouble(RuntimeError): pass\nclass OutOfStock(Trouble): pass\n",
        "from shop.errors import OutOfStock\ndef g():\n    raise OutOfStock(3)\n",
        "from shop import errors\ndef g():\n    raise errors.OutOfStock from None\n",
        "class Shop:\n    class OutOfStock(KeyError): pass\n",
        "try:\n    import shop\nexcept ImportError:\n    class OutOfStock(Exception): pass\n",
        "from shop import HTTPError\nclass OutOfStock(HTTPError): pass\n",
        "class OutOfStock(Trouble): pass\nclass Trouble(errors.ShopError, Generic[T]): pass\n",
        "from shop import OutOfStock\ntry:\n    x()\nexcept (KeyError, OutOfStock):\n    pass\n",
    ],
)
def test_an_exception_may_be_called_anything(module: str, sentence: str) -> None:
    text = f'{module}\ndef price(x):\n    """{sentence}"""\n    return x\n'
    found = specified(text, "price").documented_exceptions
    assert "OutOfStock" in [name.rpartition(".")[2] for name in found]


def test_other_names_are_no_exceptions() -> None:
    text = """\
class Price:
    pass

def price(x):
    \'\'\'Raises Price by one, and Money if there is none.\'\'\'
    raise error
"""
    assert specified(text, "price").documented_exceptions == ()


@pytest.mark.parametrize(
    "module",
    [
        "class Fault: pass\n",
        "class Fault(Base): pass\nclass Base(Fault): pass\n",
        "class ParseError: pass\nclass Fault(ParseError): pass\n",
        "class A:\n    class Fault(Exception): pass\nclass Fault: pass\n",
        "def g():\n    raise Fault.of(3)\n",
        "def g():\n    raise Fault[3]\n",
        "def g():\n    raise Fault[3](1)\n",
    ],
)
def test_a_name_that_may_be_anything_is_no_exception(module: str) -> None:
    text = f"{module}\ndef price(x):\n    '''Raises Fault if there is none.'''\n"
    assert specified(text, "price").documented_exceptions == ()


def test_a_constant_is_no_exception() -> None:
    text = """\
def price(x):
    '''Raises ALL of them if x is none.'''
    try:
        raise ERRORS[3]
    except ALL:
        return x
"""
    assert specified(text, "price").documented_exceptions == ()


def test_what_makes_an_exception_is_one_that_is_known() -> None:
    text = """\
class Fault(Exception):
    pass

def price(x):
    '''Raises Fault if x is none.'''
    raise Fault.of(3)
"""
    assert specified(text, "price").documented_exceptions == ("Fault",)


def test_a_long_line_of_classes_is_read_in_time() -> None:
    classes = "".join(f"class K{n}(K{n + 1}): pass\n" for n in range(20_000))
    known = exceptions_known(read_source(classes + "class K20000(Exception): pass\n"))
    assert len(known) == 20_001
