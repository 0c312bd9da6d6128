"""Makes programs that try statements in their own namespace, inside the sandbox."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import indent

from assay_sandbox import Observation, Program, Returned

# The fixtures of pytest that a test may have as parameters.
FOLDER, PATCHING, CAPTURED = "tmp_path", "monkeypatch", "capsys"
FIXTURES = (FOLDER, PATCHING, CAPTURED)
_ENTRY = "_assay_passes"
_SOURCE = f"""

def {_ENTRY}(text):
    exec(text, globals())
    return True
"""
_TRUE = "true"
# What a test takes from pytest, which need not be installed for the program under test. Floats are
# compared as pytest compares them.
_STAND_INS = """
def _assay_test(body):
    import contextlib, io, os, pathlib, sys, types

    class Approximately:
        __hash__ = None

        def __init__(self, expected, rel=1e-6, abs=1e-12, nan_ok=False):
            self.expected, self.rel, self.least, self.nan_ok = expected, rel, abs, nan_ok

        def __eq__(self, actual):
            if self.expected != self.expected:
                return self.nan_ok and isinstance(actual, float) and actual != actual
            try:
                margin = max(self.rel * abs(self.expected), self.least)
                return actual == self.expected or abs(actual - self.expected) <= margin
            except TypeError:
                return False

    @contextlib.contextmanager
    def raises(kind):
        try:
            yield
        except kind:
            return
        raise AssertionError

    class Patching:
        def chdir(self, path):
            os.chdir(path)

        def setenv(self, name, value):
            os.environ[name] = value

        def setattr(self, name, value):
            setattr(sys, name.rpartition(".")[2], value)

    class Capturing:
        def readouterr(self):
            return types.SimpleNamespace(out=printed.getvalue())

    global pytest
    pytest = types.SimpleNamespace(approx=Approximately, raises=raises)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        body(pathlib.Path(), Patching(), Capturing())
"""


def asserting(program: Program) -> Program:
    """The program, to be called with the text of an assertion."""
    return Program(program.source + _SOURCE, _ENTRY, program.modules)


def as_test(body: str, modules: Iterable[str]) -> str:
    """The text for `asserting` of the body of a test for pytest.

    `modules` are those that it uses, and the program does not import.
    """
    imports = "".join(f"import {name}\n" for name in modules)
    header = f"def _assay_body({', '.join(FIXTURES)}):\n"
    return f"{imports}{_STAND_INS}\n{header}{indent(body, '    ')}\n_assay_test(_assay_body)\n"


def passes(seen: Observation) -> bool:
    """Whether the program called returned True: nothing else is a test that passed."""
    return isinstance(seen, Returned) and seen.value == _TRUE
