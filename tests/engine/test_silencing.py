"""Comments in a function's header that have it, or kinds of findings on it, ignored."""

from __future__ import annotations

import pytest

from assay_engine.fixes.silencing import ignoring
from assay_engine.splicing import apply_edits
from assay_engine.syntax.silencing import not_understood
from assay_engine.syntax.units import find_units, is_addressed
from assay_engine.types import Code, Problem, Silence, Unit

BODY = '    """Doc."""\n    return x\n'


def unit_of(text: str) -> Unit:
    (unit,) = find_units(text)[0]
    return unit


@pytest.mark.parametrize(
    ("header", "silence"),
    [
        ("def f(x):", Silence()),
        ("def f(x):  # assay: ignore", Silence(everything=True)),
        ("def f(x):  # assay: ignore since it waits for a network", Silence(everything=True)),
        ("def f(x):  # noqa: E501  # assay: ignore[ASY201]", Silence(codes=("ASY201",))),
        ("def f(x):  #assay:ignore[ asy101,ASY201 ] both", Silence(codes=("ASY101", "ASY201"))),
        ("@cache  # assay: ignore[ASY101]\ndef f(x):", Silence(codes=("ASY101",))),
        ("def f(\n    x,  # assay: ignore[ASY101]\n):", Silence(codes=("ASY101",))),
        ("def f(x):\n    # assay: ignore[ASY202]", Silence(codes=("ASY202",))),
        ('def f(x="# assay: ignore"):', Silence()),
        ("# assay: ignore\ndef f(x):", Silence()),
        ("def f(x):  # assay: off", Silence(unclear=("# assay: off",))),
        ("def f(x):  # assay: ignore[]", Silence(unclear=("# assay: ignore[]",))),
        ("def f(x):  # assay: ignore ASY101", Silence(unclear=("# assay: ignore ASY101",))),
        ("def f(x):  # assay: ignored", Silence(unclear=("# assay: ignored",))),
        (
            "def f(x):  # assay: ignore[ASY101, ASY999]",
            Silence(codes=("ASY101",), unclear=("# assay: ignore[ASY101, ASY999]",)),
        ),
    ],
)
def test_a_comment_in_the_header_is_read(header: str, silence: Silence) -> None:
    text = f"{header}\n{BODY}"
    assert unit_of(text).silence == silence
    assert unit_of(text.replace("\n", "\r\n")).silence == silence
    assert is_addressed(unit_of(text)) != silence.everything


def test_a_comment_in_the_body_is_none_in_the_header() -> None:
    assert (
        unit_of('def f(x):\n    """# assay: ignore"""\n    # assay: ignore\n').silence == Silence()
    )
    assert unit_of("def f(x): return x  # assay: ignore").silence.everything


def test_what_is_not_understood_is_said_with_what_would_be() -> None:
    (problem,) = not_understood(Silence(unclear=("# assay: off",)))
    assert "`# assay: off` is not understood. Write `# assay: ignore`" in problem.message
    assert "ASY101" in problem.message


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        (f"def f(x):\n{BODY}", f"def f(x):  # assay: ignore[ASY201]\n{BODY}"),
        (f"def f(x):  # why\n{BODY}", f"def f(x):  # why  # assay: ignore[ASY201]\n{BODY}"),
        (
            f"def f(x):  # assay: ignore[ASY101] fine\n{BODY}",
            f"def f(x):  # assay: ignore[ASY101, ASY201] fine\n{BODY}",
        ),
        (
            f"@d(1)\ndef f(\n    x,  # it\n):\n    # why\n\n{BODY}",
            f"@d(1)\ndef f(\n    x,  # it\n):  # assay: ignore[ASY201]\n    # why\n\n{BODY}",
        ),
        (
            f'def f(x="# assay: ignore[ASY101] "):\n{BODY}',
            f'def f(x="# assay: ignore[ASY101] "):  # assay: ignore[ASY201]\n{BODY}',
        ),
        ("def f(x): return x", "def f(x): return x  # assay: ignore[ASY201]"),
        (
            'def f(x): """Doc\n\n    more."""; return x\n',
            'def f(x): """Doc\n\n    more."""; return x  # assay: ignore[ASY201]\n',
        ),
        ("def f(x):\r    return x\r", "def f(x):  # assay: ignore[ASY201]\r    return x\r"),
    ],
)
def test_a_code_is_added_where_the_header_ends(text: str, edited: str) -> None:
    edits = ignoring(text, "f", Code.AMBIGUOUS)
    assert not isinstance(edits, Problem)
    assert apply_edits(text, edits) == edited


@pytest.mark.parametrize("text", ["def f(x): \\\n    return x\n", f"def g(x):\n{BODY}"])
def test_no_edit_is_made_where_no_comment_can_stand(text: str) -> None:
    problem = ignoring(text, "f", Code.AMBIGUOUS)
    assert isinstance(problem, Problem)
    assert "Write `# assay: ignore[ASY201]` after its signature" in problem.message
