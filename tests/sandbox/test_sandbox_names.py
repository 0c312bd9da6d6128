"""Nothing that a program finds by name tells it that it is in the sandbox."""

from __future__ import annotations

import pytest

from assay_sandbox import Call, Program, Returned, Sandbox, Scene, decode

LOOKING = '''
import os
import sys


def told():
    """All that names of modules, files and variables say."""
    yield from sys.modules
    yield from vars(sys.modules["__main__"])
    yield from (sys.modules["__main__"].__file__, __name__, __file__)
    yield from map(str, [*sys.argv, *getattr(sys, "orig_argv", ()), *sys.path_importer_cache])
    yield from map(repr, [*sys.path, *sys.path_hooks, *sys.meta_path])
    for pair in os.environ.items():
        yield from pair
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        yield type(stream).__module__
    frame = sys._getframe()
    while frame is not None:
        yield frame.f_code.co_filename
        yield from (str(frame.f_globals.get(name)) for name in ("__name__", "__file__", "__spec__"))
        frame = frame.f_back


def named(word):
    # Where the interpreter is, is no name of ours.
    texts = (each.replace(sys.prefix, "").replace(sys.base_prefix, "") for each in told())
    return sorted({each for each in texts if word in each.lower()})


found = named("assay")


def of_ours():
    return [found, named("assay"), __name__ in sys.modules, sys.modules["__main__"].__name__]
'''


@pytest.mark.parametrize("scene", [False, True])
def test_nothing_of_ours_is_found_by_name(sandbox: Sandbox, scene: bool) -> None:
    call = Call(scene=Scene(files=(("a", "b"),)) if scene else None)
    (seen,) = sandbox.run(Program(LOOKING, "of_ours"), [call])
    assert isinstance(seen, Returned)
    at_load, in_call, is_found, name = decode(seen.value)
    assert (at_load, in_call, is_found) == ([], [], True)
    assert name == "__mp_main__"
