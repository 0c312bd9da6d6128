"""A project that comes with an interpreter: by whatever way it names it, nobody starts it unasked.

By the account that runs the tests and by an ordinary one, by the command line and by a save in an
editor that says nothing of trust.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assay_engine.models.consent import give_consent
from assay_engine.store import open_store
from support.accounts import Account, account
from support.lsp_editor import start_editor, stop_editor

# Fails its example, which needs no model to be seen, but it has to be run.
MODULE = '''\
def twice(number: int) -> int:
    """Double a number.

    >>> twice(2)
    5
    """
    return 2 * number
'''


def script(path: Path, ground: Path) -> None:
    path.parent.mkdir(parents=True)
    seen = shlex.quote(str(ground / "seen"))
    path.write_text(f'#!/bin/sh\necho started > {seen}\nexec /usr/bin/python3 "$@"\n')
    path.chmod(0o755)


def linked(project: Path, target: str) -> None:
    (project / ".venv" / "bin").mkdir(parents=True)
    (project / ".venv" / "bin" / "python").symlink_to(target)


def beside_the_project(ground: Path) -> dict[str, str]:
    """An archive with a script beside the project, to which the project's environment leads."""
    script(ground / "bundle" / "tools" / "python3", ground)
    linked(ground / "bundle" / "project", "../../../tools/python3")
    return {}


def with_the_home_in_the_project(ground: Path) -> dict[str, str]:
    """As in a container: the variable says that the home is the project."""
    project = ground / "bundle" / "project"
    script(project / ".pyenv" / "versions" / "3.12.1" / "bin" / "python3", ground)
    linked(project, "../../.pyenv/versions/3.12.1/bin/python3")
    return {"HOME": str(project)}


def with_a_yes_of_its_own(ground: Path) -> dict[str, str]:
    """The same, and the user's cache, in the project, has a yes to its interpreter."""
    project = ground / "bundle" / "project"
    script(project / ".venv" / "bin" / "python", ground)
    store = project / ".cache" / "assay" / "assay.db"
    store.parent.mkdir(parents=True)
    with closing(open_store(store)) as brought:
        give_consent(brought, (project / ".venv" / "bin" / "python").as_uri())
    return {"HOME": str(project)}


BUNDLES = (beside_the_project, with_the_home_in_the_project, with_a_yes_of_its_own)


@pytest.fixture(params=["running", "ordinary"])
def somebody(request: pytest.FixtureRequest) -> Iterator[Account]:
    with account(str(request.param)) as found:
        yield found


def unpacked(somebody: Account, bundle: Callable[[Path], dict[str, str]]) -> dict[str, str]:
    """Unpack a bundle with the module in its project; the variables of whoever works there."""
    variables = bundle(somebody.ground)
    project = somebody.ground / "bundle" / "project"
    (project / "pyproject.toml").write_text("")
    (project / "module.py").write_text(MODULE)
    somebody.take(somebody.ground)
    return somebody.environment(**variables)


@pytest.mark.parametrize("bundle", BUNDLES)
def test_the_command_line_starts_no_interpreter_that_came_along(
    somebody: Account, bundle: Callable[[Path], dict[str, str]]
) -> None:
    variables = unpacked(somebody, bundle)
    run = subprocess.run(
        [*somebody.python, "-m", "assay_engine", "check", "module.py", "--offline"],
        cwd=somebody.ground / "bundle" / "project",
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    said = run.stdout + run.stderr
    assert not (somebody.ground / "seen").exists(), said
    assert ".venv/bin/python is left aside: it " in said
    assert "twice: suspect" in said
    assert run.returncode == 1


@pytest.mark.parametrize("bundle", BUNDLES)
async def test_nor_does_a_save_in_an_editor(
    somebody: Account, bundle: Callable[[Path], dict[str, str]]
) -> None:
    variables = unpacked(somebody, bundle)
    editor = await start_editor(
        (*somebody.python, "-m", "assay_engine", "server", "--stdio"),
        somebody.ground / "bundle" / "project",
        somebody.ground / "journal",
        environment=variables,
    )
    await editor.open(MODULE)
    await editor.save()
    await editor.until(lambda: editor.codes() == ["ASY103"], "the finding")
    await editor.idle()
    assert not (somebody.ground / "seen").exists()
    assert [each for each in editor.messages() if "is left aside: it " in each]
    await stop_editor(editor)
