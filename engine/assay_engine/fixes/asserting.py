"""Makes programs that try statements in their own namespace, inside the sandbox.

Sets the scene of a call in a test, as far as pytest's own fixtures can.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from textwrap import indent

from assay_engine.syntax.parsing import body_of
from assay_sandbox import Call, Observation, Program, Returned

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
    return Program(program.source + _SOURCE, _ENTRY, program.place)


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


def surrounded(call: Call, *, uses_files: bool) -> list[ast.stmt] | str:
    """The statements that set the scene, or else a sentence why there are none."""
    scene = call.scene
    files = () if scene is None else scene.files
    if scene is not None:
        unset = {
            "the time": scene.time is not None,
            "chance": scene.random_seed is not None,
            "the answers of other functions": bool(scene.mocks),
        }
        if wanted := [name for name, is_set in unset.items() if is_set]:
            return f"It depends on {' and '.join(wanted)}, which pytest alone does not set."
    if any(name.startswith("/") or "\\" in name for name, _ in files):
        return "It uses a file outside the test's folder."
    said: list[str] = []
    if files or uses_files:
        said.append(f"{PATCHING}.chdir({FOLDER})")
    folders = dict.fromkeys(name.rpartition("/")[0] for name, _ in files)
    said += [
        f"({FOLDER} / {folder!r}).mkdir(parents=True, exist_ok=True)"
        for folder in filter(None, folders)
    ]
    said += [_writing(*each) for each in files]
    if scene is not None:
        said += [f"{PATCHING}.setenv({name!r}, {value!r})" for name, value in scene.environment]
    if call.stdin:
        said.append(f"{PATCHING}.setattr('sys.stdin', io.StringIO({call.stdin!r}))")
    return body_of("\n".join(said))


def _writing(name: str, content: str | bytes) -> str:
    file = f"({FOLDER} / {name!r})"
    # Writing text may change the ends of its lines.
    if isinstance(content, str) and "\r" not in content:
        return f"{file}.write_text({content!r}, encoding='utf-8')"
    data = content if isinstance(content, bytes) else content.encode()
    return f"{file}.write_bytes({data!r})"
