"""What a docstring says is raised, in every style there is."""

from __future__ import annotations

from textwrap import dedent

import pytest

from assay_engine.reading.documented_exceptions import documented_exceptions
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
    "prose in the passive": ("For bad input a ValueError is raised.", "ValueError"),
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
    "no verb": ("The index of x, ValueError if it is not there.", "ValueError"),
    "no verb at the start": ("Doc.\n\nStopIteration after 1 was given.", "StopIteration"),
    "no verb, in brackets": ("The name (`KeyError` for any other code).", "KeyError"),
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
    ("docstring", "names"),
    [
        ("raises ValueError if " * 20_000, ("ValueError",)),
        ("isn't " * 50_000 + "raised", ()),
        ("KeyError is raised " * 20_000, ("KeyError",)),
        ("if fn raises ValueError, " * 20_000, ()),
        ("those that raise ValueError " * 20_000, ()),
        ("raises ValueError" + "\n" * 100_000 + "if x raises it", ("ValueError",)),
    ],
    ids=["many", "denials", "passive", "cases", "those", "lines"],
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
        "The price, OutOfStock if there is none.",
    ],
)
@pytest.mark.parametrize(
    "module",
    [
        "class OutOfStock(Exception):\n    pass\n",
        "class Trouble(RuntimeError): pass\nclass OutOfStock(Trouble): pass\n",
        "from shop.errors import OutOfStock\ndef g():\n    raise OutOfStock(3)\n",
        "from shop import errors\ndef g():\n    raise errors.OutOfStock from None\n",
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
