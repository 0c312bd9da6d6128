"""Strategies for the types without parameters, built in or of the standard library.

Other modules import this one only where they need it, since Hypothesis takes long to import.
"""

from __future__ import annotations

from collections.abc import Callable

import hypothesis.strategies as st
from hypothesis.strategies import SearchStrategy

from assay_engine.inputs.strategies import TEXT_MAX
from assay_engine.values.standard_types import strategy_of
from assay_sandbox import Scalar, Value

# Letters, digits, signs and a few unusual characters, but no control characters.
ALPHABET = "abcxyzABC0123456789 _-.,:;/+'\"()[]\téß中😀"


def simple(name: str, alphabet: str) -> SearchStrategy[Value] | None:
    """The strategy for the type of this name; None if it has parameters or is not known.

    `alphabet` gives the characters of half of the texts, unless it is empty.
    """
    if name in _TEXTS:
        return _texts(alphabet)
    factory = _FACTORIES.get(name)
    return strategy_of(name) if factory is None else factory()


def _texts(alphabet: str) -> SearchStrategy[Value]:
    general = st.text(ALPHABET, max_size=TEXT_MAX)
    return st.one_of(st.text(alphabet, max_size=TEXT_MAX), general) if alphabet else general


def _integers() -> SearchStrategy[Value]:
    return st.one_of(st.integers(-5, 12), st.integers(-200, 2000), st.integers(-100_000, 100_000))


def _floats() -> SearchStrategy[Value]:
    tame = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 3))
    return st.one_of(tame, st.integers(-10, 100).map(float))


def _complex_numbers() -> SearchStrategy[Value]:
    part = st.integers(-9, 9)
    return st.builds(complex, part, part)


def _bytes() -> SearchStrategy[bytes]:
    return st.binary(max_size=TEXT_MAX)


def _ranges() -> SearchStrategy[Value]:
    steps = st.sampled_from((1, 1, 2, -1, -3))
    return st.builds(_range, st.integers(-5, 12), st.integers(-2, 12), steps)


def _range(start: int, length: int, step: int) -> Value:
    return Scalar("range", f"{start},{start + length * step},{step}")


def _anything() -> SearchStrategy[Value]:
    return st.one_of(st.integers(-5, 12), st.text("abc", max_size=3))


_TEXTS = frozenset(("str", "AnyStr", "LiteralString"))
_FACTORIES: dict[str, Callable[[], SearchStrategy[Value]]] = {
    **dict.fromkeys(("int", "SupportsInt", "SupportsIndex", "SupportsAbs", "Integral"), _integers),
    **dict.fromkeys(("float", "Real", "SupportsFloat", "Number"), _floats),
    **dict.fromkeys(("bytes", "ByteString"), _bytes),
    **dict.fromkeys(("None", "NoneType"), st.none),
    **dict.fromkeys(("Any", "object", "Hashable"), _anything),
    "bool": st.booleans,
    "complex": _complex_numbers,
    "bytearray": lambda: _bytes().map(bytearray),
    "range": _ranges,
}
