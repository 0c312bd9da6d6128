"""What a program is held to from one call to the next, and what it cannot talk itself out of."""

from __future__ import annotations

import pytest

from assay_sandbox import (
    Call,
    Limits,
    LoadFailed,
    Observation,
    OutputExceeded,
    Program,
    Raised,
    Refused,
    Returned,
    Sandbox,
    TimedOut,
    decode,
)


def calls(
    sandbox: Sandbox, text: str, *arguments: object, seconds: float = 5.0
) -> tuple[Observation, ...]:
    return sandbox.run(
        Program(text, "f"),
        [Call((argument,)) for argument in arguments],
        Limits(call_seconds=seconds, load_seconds=seconds),
    )


def shown(seen: tuple[Observation, ...]) -> list[object]:
    return [decode(one.value) if isinstance(one, Returned) else type(one).__name__ for one in seen]


DEPTH = """
def f(n):
    return 0 if n == 0 else 1 + f(n - 1)
"""


def test_a_recursion_limit_set_while_loading_holds_for_every_call(sandbox: Sandbox) -> None:
    deep = "import sys\nsys.setrecursionlimit(100_000)" + DEPTH
    assert shown(calls(sandbox, deep, 5, 3000, 3000)) == [5, 3000, 3000]
    listed = deep.replace("def f(n):", "def f(n):\n    n = n[0]").replace("f(n - 1)", "f([n - 1])")
    assert shown(calls(sandbox, listed, [5], [3000], [3000])) == [5, 3000, 3000]


def test_a_low_recursion_limit_is_the_program_s_own_and_does_not_keep_its_value_from_being_told(
    sandbox: Sandbox,
) -> None:
    flat = "import sys\nsys.setrecursionlimit(60)" + DEPTH
    nest = "\ndef f(n):\n    for _ in range(50):\n        n = [n]\n    return n\n"
    assert shown(calls(sandbox, flat, 5, 300, 5)) == [5, "Raised", 5]
    (nested, _) = calls(sandbox, flat.partition("\n\n")[0] + nest, 1, 2)
    assert isinstance(nested, Returned)


def test_a_recursion_limit_set_in_a_call_holds_for_the_next(sandbox: Sandbox) -> None:
    sets = """
import sys
def g(n):
    return 0 if n == 0 else 1 + g(n - 1)
def f(n):
    if n[0] < 0:
        sys.setrecursionlimit(-n[0])
        return None
    return g(n[0])
"""
    seen = calls(sandbox, sets, [500], [-100], [500], [20], [-5000], [3000], [3000])
    assert shown(seen) == [500, None, "Raised", 20, None, 3000, 3000]


def test_what_a_program_raises_itself_is_not_what_the_confinement_refused(
    sandbox: Sandbox,
) -> None:
    text = """
import errno
def f(how):
    import colorsys
    if how == "words":
        raise PermissionError("only admins")
    if how == "number":
        raise PermissionError(errno.EACCES, "only admins")
    if how == "file":
        raise PermissionError(errno.EACCES, "only admins", "/secret")
    try:
        open("/etc/passwd")
    except OSError:
        import this
        raise
"""
    words, number, file, refused = calls(sandbox, text, "words", "number", "file", "open")
    assert [type(seen) for seen in (words, number, file)] == [Raised] * 3
    assert refused == Refused("open '/etc/passwd'")


@pytest.mark.parametrize(
    "instead",
    ['return "fallback"', "raise ValueError", "raise", "return Slow()"],
)
@pytest.mark.parametrize("caught", ["except:", "except BaseException:", "finally:"])
def test_a_deadline_cannot_be_swallowed(sandbox: Sandbox, instead: str, caught: str) -> None:
    if (caught, instead) == ("finally:", "raise"):
        instead = "raise TimeoutError"
    text = f"""
class Slow: pass
def f(x):
    try:
        while x: pass
    {caught}
        {instead if caught != "finally:" else "if x: " + instead}
"""
    for argument in (1, [1]):
        late, prompt = calls(sandbox, text, argument, 0, seconds=0.2)
        assert late == TimedOut(0.2)
        assert prompt == calls(sandbox, text, 0)[0]


def test_a_deadline_swallowed_while_a_message_is_made_is_one(sandbox: Sandbox) -> None:
    text = """
class Late(Exception):
    def __str__(self):
        try:
            while True: pass
        except BaseException:
            return "harmless"
def f(x):
    raise Late
"""
    assert calls(sandbox, text, 1, seconds=0.2) == (TimedOut(0.2),)


@pytest.mark.parametrize(
    "body",
    [
        "return Lasting(x)",
        "return [Lasting(x)] * 3",
        "return (Lasting(x) for _ in range(3))",
        "kept = Lasting(x); raise ValueError",
        "raise Keeping(x)",
        "x.append(Lasting(x)) if x else None",
    ],
)
# Each is another kind of call to the worker: one plain list, nested lists, anything else.
@pytest.mark.parametrize("more", [(), ([[0]],), ({0},)], ids=["usual", "nested", "tagged"])
@pytest.mark.parametrize(
    "end", ["while self.x: pass", "self.x and print('gone')"], ids=["hangs", "prints"]
)
def test_what_a_call_leaves_to_be_destroyed_is_its_own_matter(
    sandbox: Sandbox, body: str, more: tuple[object, ...], end: str
) -> None:
    text = f"""
class Lasting:
    def __init__(self, x): self.x = bool(x)
    def __del__(self):
        {end}
class Keeping(ValueError):
    def __init__(self, x): self.kept = Lasting(x)
def f(x, *more):
    {body}
"""
    before, late, after = sandbox.run(
        Program(text, "f"),
        [Call((x, *more)) for x in ([], [1], [])],
        Limits(call_seconds=0.2, load_seconds=5.0),
    )
    assert before == after
    if "print" in end:
        assert isinstance(late, Returned | Raised)
        assert late.stdout.startswith("gone\n")
    else:
        assert late == TimedOut(0.2)


def test_a_deadline_swallowed_while_loading_is_one(sandbox: Sandbox) -> None:
    text = "try:\n    while True: pass\nexcept BaseException: pass\ndef f(x): return x\n"
    (seen,) = calls(sandbox, text, 1, seconds=0.2)
    assert seen == LoadFailed("TimeoutError", "not loaded within 0.2 s")


def test_too_much_output_cannot_be_swallowed_by_raising_something_else(sandbox: Sandbox) -> None:
    text = "def f(x):\n    try: print('x' * x)\n    finally: raise ValueError\n"
    over, small = calls(sandbox, text, 1 << 26, 1)
    assert isinstance(over, OutputExceeded)
    assert isinstance(small, Raised)


def test_a_deadline_that_did_not_strike_cannot_be_raised(sandbox: Sandbox) -> None:
    text = """
def f(name):
    kinds = BaseException.__subclasses__()
    raise next(kind for kind in kinds if kind.__name__ == name)
"""
    seen = calls(sandbox, text, "OutOfTime", "TooMuchOutput", "Overstepped")
    assert [type(one) for one in seen] == [Raised] * 3


def test_compiling_counts_as_loading_whether_or_not_the_program_had_to_wait_for_its_turn(
    sandbox: Sandbox,
) -> None:
    quick = Program("import time\ndef f():\n    time.sleep(0.3)\n", "f")
    endless = Program("x = [1, 2, 3]\n" * 100_000 + "def f():\n    return 1\n", "f")
    broken = Program("def f(:\n", "f")
    limits = Limits(load_seconds=0.1)
    seen = sandbox.run_many([endless, quick, endless, broken, quick, endless], [Call()], limits)
    for number, (one,) in enumerate(seen):
        if number in (0, 2, 5):
            assert isinstance(one, LoadFailed), one
            assert "0.1 s" in one.message
    assert isinstance(seen[1][0], Returned)
    assert isinstance(seen[3][0], LoadFailed)
    assert seen[3][0].type_name == "SyntaxError"
