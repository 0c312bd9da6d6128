"""A project that comes with an interpreter, or with links to what is private.

However it names the interpreter, nobody starts it unasked, and what the links lead to is not read:
by the account that runs the tests or an ordinary one, by the command line or a save in an editor
that says nothing of trust.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from assay_engine.models.discovery import give_consent
from assay_engine.store import open_store
from support.accounts import SYSTEMS, Account, account
from support.lsp_editor import Editor, start_editor, stop_editor

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


def with_a_yes_of_its_own(ground: Path, cache: str = "project/.cache") -> dict[str, str]:
    """The same, and the user's cache, in the project, has a yes to its interpreter."""
    project = ground / "bundle" / "project"
    script(project / ".venv" / "bin" / "python", ground)
    store = ground / "bundle" / cache / "assay" / "assay.db"
    store.parent.mkdir(parents=True)
    with closing(open_store(store)) as brought:
        give_consent(brought, (project / ".venv" / "bin" / "python").as_uri())
    return {"HOME": str(project)}


def with_a_link_to_a_yes(ground: Path) -> dict[str, str]:
    """The same, and the cache in the project is a link out of it."""
    variables = with_a_yes_of_its_own(ground, "cache")
    (ground / "bundle" / "project" / ".cache").symlink_to("../cache")
    return variables


def with_a_yes_beside_the_project(ground: Path) -> dict[str, str]:
    """The same, and the variable leads to a folder that was unpacked beside the project."""
    with_a_yes_of_its_own(ground, "home/.cache")
    return {"HOME": str(ground / "bundle" / "home")}


needs_the_systems = pytest.mark.skipif(not SYSTEMS.exists(), reason="there is no Python in /usr")
BUNDLES = (
    beside_the_project,
    with_the_home_in_the_project,
    with_a_yes_of_its_own,
    with_a_link_to_a_yes,
    with_a_yes_beside_the_project,
)


@pytest.fixture(params=["running", "ordinary"])
def somebody(request: pytest.FixtureRequest) -> Iterator[Account]:
    with account(str(request.param)) as found:
        yield found


def unpacked(
    somebody: Account, bundle: Callable[[Path], dict[str, str]], module: str = MODULE
) -> dict[str, str]:
    """Unpack a bundle with the module in its project; the variables of whoever works there."""
    variables = bundle(somebody.ground)
    project = somebody.ground / "bundle" / "project"
    (project / "pyproject.toml").write_text("")
    (project / "module.py").write_text(module)
    somebody.take(somebody.ground)
    return somebody.environment(**variables)


def checked(somebody: Account, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*somebody.python, "-m", "assay_engine", "check", "module.py", "--offline"],
        cwd=somebody.ground / "bundle" / "project",
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@asynccontextmanager
async def saved(
    somebody: Account, variables: dict[str, str], module: str = MODULE
) -> AsyncIterator[Editor]:
    editor = await start_editor(
        (*somebody.python, "-m", "assay_engine", "server", "--stdio"),
        somebody.ground / "bundle" / "project",
        somebody.ground / "journal",
        environment=variables,
    )
    await editor.open(module)
    await editor.save()
    await editor.until(lambda: editor.codes() or editor.messages(), "a finding or a word")
    await editor.idle()
    yield editor
    await stop_editor(editor)


@pytest.mark.parametrize("bundle", BUNDLES)
def test_the_command_line_starts_no_interpreter_that_came_along(
    somebody: Account, bundle: Callable[[Path], dict[str, str]]
) -> None:
    run = checked(somebody, unpacked(somebody, bundle))
    said = run.stdout + run.stderr
    assert not (somebody.ground / "seen").exists(), said
    assert ".venv/bin/python is not used: it " in said
    assert "twice: suspect" in said
    assert run.returncode == 1


@pytest.mark.parametrize("bundle", BUNDLES)
async def test_nor_does_a_save_in_an_editor(
    somebody: Account, bundle: Callable[[Path], dict[str, str]]
) -> None:
    async with saved(somebody, unpacked(somebody, bundle)) as editor:
        assert editor.codes() == ["ASY103"]
        assert "is not used: it " in "".join(editor.messages())
    assert not (somebody.ground / "seen").exists()


KEY = "a stand-in for a private key"
TELLING = MODULE.replace("def twice", "import notes\n\n\ndef twice").replace(
    "2 * number", "notes.KEY"
)


def with_a_link_to_what_is_private(ground: Path) -> dict[str, str]:
    """Where only Debian's interpreter looks for packages."""
    private = ground / "private"
    private.mkdir(mode=0o700)
    (private / "notes.py").write_text(f"KEY = {KEY!r}\n")
    project = ground / "bundle" / "project"
    linked(project, str(SYSTEMS.resolve()))
    (project / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    packages = project / ".venv" / "lib" / "python3" / "dist-packages"
    packages.parent.mkdir(parents=True)
    packages.symlink_to(private)
    return {}


@needs_the_systems
def test_the_command_line_reads_nothing_that_is_private(somebody: Account) -> None:
    run = checked(somebody, unpacked(somebody, with_a_link_to_what_is_private, TELLING))
    assert KEY not in run.stdout + run.stderr
    assert "finds packages in" in run.stderr


@needs_the_systems
async def test_nor_does_an_editor(somebody: Account) -> None:
    variables = unpacked(somebody, with_a_link_to_what_is_private, TELLING)
    async with saved(somebody, variables, TELLING) as editor:
        said = [each.message for each in editor.diagnostics()]
    assert KEY not in "".join(said)
