"""What changes around a file while it is open: settings, packages, a module that it imports."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import psutil
import pytest

from support.forking import forked
from support.lsp_editor import Editor, own_surroundings, start_editor, stop_editor
from support.openai_server import Behaviour, OpenAIServer, Request, ok, status
from support.scripted_model import Siding

# Started for itself, so that its children and its folder are known.
ALONE = (sys.executable, "-m", "assay_engine", "server")
MODULE = '''\
from helpers import doubled


def price(apples: int) -> int:
    """Return the price of apples, at two each."""
    return doubled(apples)
'''
HELPERS = "def doubled(number):\n    return number * 3\n"
MENDED = HELPERS.replace("3", "2")

READER = Siding()

Open = Callable[..., Awaitable[Editor]]


def answer(request: Request) -> Behaviour:
    if request.method == "GET":
        return status(404)
    prompt = request.body["messages"][-1]["content"]
    if "Two functions" in prompt:
        return ok(READER.answer(prompt))
    code = "def price(apples):\n    return 2 * apples\n"
    if "Choose inputs" in prompt:
        code = "".join(f"price({each})\n" for each in range(9))
    return ok(f"```python\n{code}```")


@pytest.fixture
async def editing(tmp_path: Path) -> AsyncIterator[Open]:
    """Opens an editor on a module whose function is wrong for the sake of another one."""
    started: list[Editor] = []

    async def editing(
        server: OpenAIServer, command: Sequence[str] | None = None, **options: object
    ) -> Editor:
        folder = tmp_path / "project"
        folder.mkdir()
        (folder / "helpers.py").write_text(HELPERS)
        (folder / "prices.py").write_text(MODULE)
        (folder / "pyproject.toml").write_text("")
        editor = await start_editor(
            command or forked("-m", "assay_engine", "server"),
            folder,
            tmp_path / "journal",
            options=options,
            environment=own_surroundings(tmp_path, server.base_url),
        )
        started.append(editor)
        editor.path = Path("prices.py")
        await editor.open(MODULE)
        return editor

    yield editing
    for editor in started:
        await stop_editor(editor)


def children(editor: Editor) -> set[int]:
    server = psutil.Process(editor.server.pid)
    return {child.pid for child in server.children(recursive=True)}


def asked(server: OpenAIServer) -> int:
    return sum(request.method == "POST" for request in server.requests)


async def find(editor: Editor) -> None:
    """Save the file, and wait for the finding and for the end of the check."""
    await editor.save()
    await editor.until(lambda: editor.codes() == ["ASY101"], "the finding")
    await editor.idle()


async def test_a_finding_goes_when_what_it_rests_on_is_mended_elsewhere(editing: Open) -> None:
    with OpenAIServer(answer) as server:
        editor = await editing(server)
        await find(editor)
        assert "it uses `doubled`, which they do not use" in editor.diagnostics()[0].message
        requests = asked(server)
        helpers = editor.folder / "helpers.py"
        uri = await editor.open(HELPERS, helpers.as_uri())
        await editor.save(uri)
        await editor.idle()
        await editor.settled()
        # Nothing is another than before.
        assert editor.codes() == ["ASY101"]
        helpers.write_text(MENDED)
        await editor.change(MENDED, uri=uri)
        await editor.save(uri)
        await editor.until(lambda: editor.codes() == [], "the finding to go")
        assert asked(server) == requests
        await editor.save()
        await editor.idle()
        assert editor.codes() == []


async def test_a_finding_goes_when_what_it_rests_on_changes_on_disk(editing: Open) -> None:
    with OpenAIServer(answer) as server:
        editor = await editing(server)
        await find(editor)
        (editor.folder / "helpers.py").write_text(MENDED)
        await editor.until(lambda: editor.codes() == [], "the finding to go")


async def test_settings_of_the_project_count_as_they_are_written(editing: Open) -> None:
    with OpenAIServer(answer) as server:
        editor = await editing(server)
        project = editor.folder / "pyproject.toml"
        project.write_text("[tool.assay.sampling]\ncandidates = 5\n")
        await find(editor)
        assert asked(server) == 8
        project.write_text("[tool.assay.sampling]\ncandidates = 7\n")
        await editor.save()
        await editor.until(lambda: asked(server) == 10, "two candidates more")
        await editor.idle()

        project.write_text("[tool.assay]\nsampling = 7\n")
        await editor.save()
        await editor.until(editor.messages, "a word about it")
        assert "pyproject.toml: sampling must be a table" in editor.messages()[-1]
        project.write_text("[tool.assay.sampling]\ncandidates = 9\n")
        await editor.save()
        await editor.until(lambda: asked(server) == 12, "two candidates more")


async def test_other_changes_of_the_project_leave_the_sandbox_as_it_is(editing: Open) -> None:
    with OpenAIServer(answer) as server:
        editor = await editing(server, ALONE)
        await find(editor)
        sandboxes = children(editor)
        (editor.folder / "pyproject.toml").write_text("[project]\nname = 'apples'\n")
        await editor.save()
        await editor.idle()
        # The one for the file's place is another: programs may read that file, too.
        assert not sandboxes.isdisjoint(children(editor))


async def test_a_package_is_found_once_it_is_installed(editing: Open, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (packages,) = environment.glob("lib/*/site-packages")
    text = MODULE.replace("from helpers", "from apple_tools")
    with OpenAIServer(answer) as server:
        editor = await editing(server, interpreter=str(environment / "bin" / "python"))
        await editor.change(text)
        await editor.command("checkFile", editor.uri)
        await editor.until(lambda: editor.codes() == ["ASY301"], "a word about the package")
        assert "No module named 'apple_tools'" in editor.diagnostics()[0].message
        (packages / "apple_tools.py").write_text(HELPERS)
        await editor.command("checkFile", editor.uri)
        await editor.until(lambda: editor.codes() == ["ASY101"], "the finding")


async def test_a_full_disk_is_told_once_and_checks_go_on(editing: Open, tmp_path: Path) -> None:
    cache = Path(own_surroundings(tmp_path, "")["XDG_CACHE_HOME"])
    cache.mkdir()
    mount = f'mount -t tmpfs -o size=40k tmpfs "{cache}" && exec "$@"'
    inside = ("unshare", "--mount", "--map-root-user", "sh", "-c", mount, "sh")
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a small disk")
    with OpenAIServer(answer) as server:
        editor = await editing(server, (*inside, *ALONE))
        await find(editor)
        await editor.command("checkFile", editor.uri)
        await editor.idle()
        (message, _) = editor.messages()
        assert "disk is full); make room there" in message


async def test_the_folder_that_it_was_started_in_may_be_made_anew(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    text = MODULE.replace("from helpers import doubled\n\n\n", "").replace(
        "doubled(apples)", "3 * apples"
    )

    def make() -> None:
        folder.mkdir()
        (folder / "prices.py").write_text(text)

    make()
    command = ("sh", "-c", 'cd "$0" && exec "$@"', str(folder), *ALONE)
    with OpenAIServer(answer) as server:
        home = str(tmp_path / "home")
        environment = {
            "ASSAY_BASE_URL": server.base_url,
            "ASSAY_MODEL": "m",
            "HOME": home,
            "XDG_CACHE_HOME": home,
        }
        editor = await start_editor(command, folder, tmp_path / "journal", environment=environment)
        editor.path = folder / "prices.py"
        await editor.open(text)
        await editor.command("status")
        shutil.rmtree(folder)
        make()
        await editor.save()
        await editor.until(lambda: editor.codes() == ["ASY101"])
        await stop_editor(editor)


async def test_a_text_without_a_file_is_in_no_project_that_the_server_was_started_in(
    tmp_path: Path,
) -> None:
    for name in ("project", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "elsewhere" / "pyproject.toml").write_text("[tool.assay]\nexclude = 5\n")
    command = ("sh", "-c", 'cd "$0" && exec "$@"', str(tmp_path / "elsewhere"), *ALONE)
    editor = await start_editor(
        command,
        tmp_path / "project",
        tmp_path / "journal",
        environment={"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")},
    )
    await editor.open(MODULE, "untitled:Untitled-1")
    await editor.settled()
    assert editor.messages() == []
    await stop_editor(editor)
