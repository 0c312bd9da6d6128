"""What a docstring says is raised, in every style there is."""

from __future__ import annotations

from textwrap import dedent

import pytest

from assay_engine.reading.documented_exceptions import documented_exceptions


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
    "prose in the passive": ("For bad input a ValueError is raised.", "ValueError"),
    "other verbs": (
        "Throws an OverflowError beyond. May raise StopIteration.",
        "OverflowError StopIteration",
    ),
    "negation": ("Never raises ValueError. Does not raise KeyError. KeyError is not raised.", ""),
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
