"""What `assay check` says and does at its edges: odd files, odd texts, little to say."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path

import pytest

from support.check_workspace import MODULE, RIGHT, Workspace, answering, workspace
from support.openai_server import Behaviour, OpenAIServer, html, status

LATIN = "# -*- coding: latin-1 -*-\n# caf\xe9\n" + MODULE
GREEK = "def clamp(value, low, high):\n    λ = max(low, value)\n    return min(λ, high)\n"
NESTED = '''\
def outer(value: int) -> int:
    """Add one.

    >>> outer(1)
    1
    """

    def inner(other: int) -> int:
        """Add one.

        >>> inner(1)
        2
        """
        return other + 1

    return inner(value)
'''
MERGE = '''\
def merge(base: dict, extra: dict) -> dict:
    """Both together, as a new dict. What extra has comes first."""
    result = {result}
    result.update(extra)
    return result
'''
PRICES = 'price("apple")\nprice("pear")\nprice("fig")\n'
SHOP = '''\
def price(name: str) -> int:
    """The price of an apple, which is 3, and of a pear, which is 4."""
    known = {known}
    if name not in known:
        raise {error}(name)
    return known[name]
'''


def without_model(folder: Path, **modules: str) -> Workspace:
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return Workspace(folder, "")


def test_no_text_of_a_file_or_a_candidate_commands_the_terminal(tmp_path: Path) -> None:
    hostile = RIGHT.replace("):\n", "):\n    # \x1b]0;owned\x07 \u202e\n")
    module = MODULE.replace("    return", "    # \x1b[31m \u202e\n    return")
    with OpenAIServer(answering([RIGHT] * 8 + [hostile] * 2)) as server:
        own = workspace(tmp_path, server, module)
        odd = tmp_path / "a\x1b[2Jb.py"
        odd.write_text("def f(:\n", encoding="utf-8")
        run = own.assay("check", ".", "--apply")
    assert "all 8 candidates return 0" in run.stdout
    assert "-    # \\x1b[31m \\u202e" in run.stdout
    assert "a\\x1b[2Jb.py" in run.stderr
    for said in (run.stdout, run.stderr):
        assert said.replace("\n", "").isprintable()
    assert "\x1b]" not in own.module.read_text("utf-8")


def test_a_terminal_is_told_which_file_it_is_at(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        (tmp_path / "other.py").write_text(MODULE.replace("clamp", "other"), encoding="utf-8")
        ours, theirs = os.openpty()
        with own.started("check", ".", stderr=theirs) as run:
            os.close(theirs)
            shown = b""
            # The end of a terminal that nobody has open any more is an error on Linux.
            with suppress(OSError):
                while data := os.read(ours, 65536):
                    shown += data
            run.communicate()
        os.close(ours)
    assert b"file 1 of 2, clamp: " in shown
    assert b"file 2 of 2, other: " in shown


@pytest.mark.parametrize(
    ("refusal", "said", "brief"),
    [
        (html(200), r"\d+ replies are unusable[^:]*: ", r"\d+ replies are unusable.*"),
        (status(401), "", r"(no reply|not asked), because 127\.0\.0\.1:\d+ does not accept the .*"),
    ],
    ids=["HTML", "no key"],
)
def test_what_ails_every_function_alike_is_said_once_for_a_check(
    tmp_path: Path, refusal: Behaviour, said: str, brief: str
) -> None:
    clip, clamped = (MODULE.replace("clamp", name) for name in ("clip", "clamped"))
    with OpenAIServer([refusal]) as server:
        own = workspace(tmp_path, server, f"{MODULE}\n\n{clip}")
        (tmp_path / "other.py").write_text(clamped, encoding="utf-8")
        run = own.assay("check", "limits.py", "other.py")
    notes = re.findall(rf"(?m)^  note: {said}127\.0\.0\.1", run.stdout)
    assert len(notes) == 1, run.stdout
    known = [line for line in run.stdout.splitlines() if line.endswith(", see above")]
    assert re.search(rf" clip: abstained: {brief}, see above$", known[0])
    assert [line.split(":")[0] for line in known] == ["limits.py", "other.py"]
    assert " requests " not in run.stdout.partition("cost:")[0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_that_nobody_writes_to_holds_up_no_check(tmp_path: Path) -> None:
    own = without_model(tmp_path, limits=MODULE)
    os.mkfifo(tmp_path / "x.py")
    os.mkfifo(tmp_path / ".gitignore")
    run = own.assay("check", ".", "--verbose")
    assert run.returncode == 2
    assert "limits.py:1 clamp" in run.stdout
    assert "x.py: not a regular file" in run.stderr
    by_name = own.assay("check", "x.py")
    assert (by_name.returncode, by_name.stdout) == (2, "")
    assert "x.py is not a regular file" in by_name.stderr


def test_what_is_no_python_is_not_read_as_such(tmp_path: Path) -> None:
    own = without_model(tmp_path, script=MODULE)
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "script.py").rename(tmp_path / "script")
    run = own.assay("check", "pyproject.toml")
    assert (run.returncode, run.stdout) == (2, "")
    assert "pyproject.toml is not a Python file. Name one, or a folder." in run.stderr
    assert "clamp: abstained" in own.assay("check", "script", "--verbose").stdout


def test_a_replacement_that_the_file_cannot_hold_keeps_no_other_from_being_written(
    tmp_path: Path,
) -> None:
    with OpenAIServer(answering([GREEK])) as server:
        own = workspace(tmp_path, server)
        latin = tmp_path / "a_latin.py"
        latin.write_bytes(LATIN.encode("latin-1"))
        run = own.assay("check", "a_latin.py", "limits.py", "--apply")
    assert "Traceback" not in run.stderr
    assert (
        "a_latin.py: clamp not replaced: The replacement needs characters that iso-8859-1, "
        "the file's declared encoding, does not have. Declare the file as UTF-8.\n" in run.stdout
    )
    assert "limits.py: clamp replaced" in run.stdout
    assert latin.read_bytes() == LATIN.encode("latin-1")
    assert "λ" in own.module.read_text("utf-8")


def test_quiet_says_nothing_of_functions_that_cannot_be_checked(tmp_path: Path) -> None:
    text = "import socket\n\n\n" + "def f(x):\n    return x\n\n\n" * 3
    text += 'def g(x):\n    """Ask."""\n    return socket.socket(x)\n'
    own = without_model(tmp_path, module=text)
    quiet = own.assay("check", "module.py", "--quiet")
    assert quiet.returncode == 0
    assert "module.py" not in quiet.stdout
    assert "no model was asked" in quiet.stdout
    plain = own.assay("check", "module.py")
    assert "3 without a docstring; --verbose names them" in plain.stdout
    assert plain.stderr == ""
    named = own.assay("check", "module.py::f#2")
    assert named.returncode == 0
    assert named.stderr == (
        "assay: module.py: f#2 has no docstring, so there is nothing to compare it with; write "
        "one.\n"
    )
    assert " f:" not in plain.stdout
    verbose = own.assay("check", "module.py", "--verbose").stdout
    assert verbose.count("unsupported: no docstring") == 3
    assert "(3 without a docstring)" in verbose


def test_without_a_model_that_is_said_once_however_many_files_there_are(tmp_path: Path) -> None:
    clip = MODULE.replace("clamp", "clip")
    own = without_model(tmp_path, limits=f"{MODULE}\n\n{clip}", other=MODULE)
    plain, quiet = own.assay("check", "."), own.assay("check", ".", "--quiet")
    assert (plain.returncode, quiet.returncode) == (2, 2)
    assert plain.stdout == quiet.stdout
    reason, total, _cost = plain.stdout.splitlines()
    assert reason.startswith("3 functions were not compared: no model is configured: ASSAY_")
    assert total == "3 functions: 3 abstained"
    verbose = own.assay("check", ".", "--verbose").stdout
    assert verbose.count("No model is configured") == 1
    assert verbose.count("abstained: no model answers, see above\n") == 2


def test_without_a_model_what_the_examples_show_is_said_all_the_same(tmp_path: Path) -> None:
    wrong = MODULE.replace("clamp", "wrong").replace("    3\n", "    4\n")
    own = without_model(tmp_path, limits=f"{MODULE}\n\n{wrong}")
    run = own.assay("check", "limits.py")
    assert "limits.py:10 wrong: suspect" in run.stdout
    assert " clamp" not in run.stdout
    assert "note:" not in run.stdout
    assert "\n2 functions were not compared: no model is configured: " in run.stdout


def test_offline_without_a_model_nobody_is_told_to_configure_one(tmp_path: Path) -> None:
    own = without_model(tmp_path, limits=MODULE)
    run = own.assay("check", "limits.py", "--offline", ASSAY_MODEL="", ASSAY_API_KEY="")
    assert run.returncode == 2
    said = "nothing stored can be used with --offline; run once without it.\n"
    assert run.stdout.startswith(f"1 function was not compared: {said}")
    assert "ASSAY_" not in run.stdout


def test_recording_what_is_replayed_is_refused(tmp_path: Path) -> None:
    own = without_model(tmp_path, limits=MODULE)
    run = own.assay("check", "limits.py", "--record", "new.jsonl", "--replay", "old.jsonl")
    assert run.returncode == 2
    assert "--record and --replay cannot be combined: a replay asks nothing" in run.stderr
    assert not (tmp_path / "new.jsonl").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
@pytest.mark.parametrize("option", ["--replay", "--record"])
def test_a_file_that_is_no_transcript_is_called_that_and_left_alone(
    tmp_path: Path, option: str
) -> None:
    own = without_model(tmp_path, limits=MODULE)
    own = Workspace(own.folder, "http://127.0.0.1:1/v1")
    run = own.assay("check", "limits.py", option, "limits.py")
    assert (run.returncode, run.stdout) == (2, "")
    assert "limits.py is not a transcript; --replay needs a file that --record made" in run.stderr
    assert "remove" not in run.stderr
    assert own.module.read_text("utf-8") == MODULE


def test_the_list_of_commands_says_what_each_does_in_a_line(tmp_path: Path) -> None:
    run = without_model(tmp_path).assay("--help", COLUMNS="80")
    commands = run.stdout.partition("Commands:\n")[2].splitlines()
    assert len(commands) >= 7
    assert all(line.endswith(".") and not line.endswith("...") for line in commands)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("explain ASY101", "differs from the consensus"),
        ("doctor", "confinement"),
        ("consent", "No server is waiting for your consent"),
        ("test limits.py::clamp", "clamp"),
        ("bench judge", "--tasks"),
        ("bench codet", "--tasks"),
    ],
)
def test_a_command_finds_all_that_it_loads(tmp_path: Path, command: str, said: str) -> None:
    own = without_model(tmp_path, limits=MODULE)
    # Nothing has been loaded for it ahead.
    with own.started(*command.split()) as run:
        told = "".join(run.communicate(timeout=90))
    assert said in told
    assert "internal error" not in told


def test_output_that_cannot_be_written_ends_in_a_sentence(tmp_path: Path) -> None:
    own = without_model(tmp_path, limits=MODULE)
    with (
        open("/dev/full", "w", encoding="utf-8") as full,
        own.started("schema", stdout=full) as run,
    ):
        _, said = run.communicate(timeout=60)
    assert run.returncode == 2
    assert said.startswith("assay: the output cannot be written")
    assert said.count("\n") == 1


def test_who_has_read_enough_is_told_nothing_more(tmp_path: Path) -> None:
    own = without_model(tmp_path, limits=MODULE)
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as pipe, own.started("schema", stdout=pipe) as run:
        _, said = run.communicate(timeout=60)
    assert run.returncode == 2
    assert said == ""


def test_a_key_error_is_written_as_it_was_raised(tmp_path: Path) -> None:
    """Its `str()` is the `repr()` of its argument: quoted again it would be another key."""
    text = SHOP.format(known="{'apple': 3}", error="KeyError")
    right = SHOP.format(known="{'apple': 3, 'pear': 4}", error="KeyError")
    with OpenAIServer(answering([right], PRICES)) as server:
        run = workspace(tmp_path, server, text).assay("check", "limits.py")
        asked = [request.body["messages"][-1]["content"] for request in server.requests]
    assert "return 4, this raises KeyError: 'pear'" in run.stdout
    questions = [each for each in asked if "Two functions" in each]
    assert questions
    assert all("| raised: KeyError('pear')\n" in each for each in questions)


def test_of_changed_arguments_the_one_is_named_that_differs(tmp_path: Path) -> None:
    text = MERGE.format(result="base")
    pairs = ("{'host': 'somewhere', 'port': 1}, {'port': 2}", "{}, {}", "{'a': 1}, {'b': 2}")
    inputs = "".join(f"merge({pair})\n" for pair in pairs)
    with OpenAIServer(answering([MERGE.format(result="dict(base)")], inputs)) as server:
        run = workspace(tmp_path, server, text).assay("check", "limits.py")
    assert "all 10 candidates leave `base` alone, this leaves `base` as {" in run.stdout
    assert "replacement, which leaves `base` alone:" in run.stdout
    assert "extra` as" not in run.stdout
    assert "arguments" not in run.stdout


def test_a_line_means_the_innermost_function_around_it(tmp_path: Path) -> None:
    own = without_model(tmp_path, module=NESTED)
    inner, outer = (
        own.assay("check", place, "--verbose") for place in ("module.py:14", "module.py:16")
    )
    assert "outer.<locals>.inner" in inner.stdout
    assert "1 function:" in inner.stdout
    assert "ASY103" in outer.stdout
    assert "1 function:" in outer.stdout


def test_a_function_that_several_targets_name_is_checked_once_and_in_the_order_of_its_file(
    tmp_path: Path,
) -> None:
    second = MODULE.replace("clamp", "clip")
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server, f"{MODULE}\n\n{second}")
        alone = own.assay("check", "limits.py", "--format", "json", "--again", ASSAY_STORE="a.db")
        requests = len(server.requests)
        several = ("limits.py::clip", "limits.py:1", "./limits.py", str(own.module))
        run = own.assay("check", *several, "--format", "json", "--again", ASSAY_STORE="b.db")
        assert len(server.requests) == 2 * requests
    for said in (alone, run):
        reports = json.loads(said.stdout)["reports"]
        assert [report["qualname"] for report in reports] == ["clamp", "clip"]


def test_of_many_functions_a_few_are_named_where_none_is_near(tmp_path: Path) -> None:
    text = "".join(f"def {name}(x):\n    return x\n\n\n" for name in ("a", "b", "c", "d", "e"))
    own = without_model(tmp_path, module=f"{text}@overload\ndef read(x): ...\n")
    run = own.assay("check", "module.py::nope", "module.py")
    assert run.returncode == 2
    assert "module.py has no function nope; it has a, b, c and 2 more\n" in run.stderr
    assert "5 functions" in run.stdout
    run = own.assay("check", "module.py::read")
    assert (
        "has no function read with a body: there is nothing to check in a stub or an overload"
        in run.stderr
    )


def test_what_is_ignored_in_any_folder_is_left_out(tmp_path: Path) -> None:
    own = without_model(tmp_path, limits=MODULE)
    (tmp_path / "pyproject.toml").write_text('[tool.assay]\nexclude = ["made.py"]\n')
    below = tmp_path / "package"
    for folder in (below, below / "venv", below / ".hidden", below / "own" / "lib"):
        folder.mkdir(parents=True)
        (folder / "limits.py").write_text(MODULE)
    (below / "own" / "pyvenv.cfg").touch()
    (tmp_path / "made.py").write_text(MODULE)
    (tmp_path / ".gitignore").write_text("*_pb.py\n")
    (below / ".gitignore").write_text("/secret.py\n!kept_pb.py\n")
    (below / "loop_pb.py").symlink_to("loop_pb.py")
    for name in ("secret.py", "left_pb.py", "kept_pb.py"):
        (below / name).write_text(MODULE)
    # As an editor marks a file that is being written, and one that leads to itself.
    (below / ".#limits.py").symlink_to("somebody@a-host.99:1")
    (below / "loop.py").symlink_to("loop.py")
    # Two names of one file are not two files.
    (below / "also_limits.py").symlink_to("limits.py")
    run = own.assay("check", ".", "--verbose")
    checked = sorted({line.split(":")[0] for line in run.stdout.splitlines() if " clamp" in line})
    assert checked == ["limits.py", "package/kept_pb.py", "package/limits.py"]
    assert ".#limits.py" not in run.stderr


def test_what_can_be_no_pattern_leaves_nothing_out(tmp_path: Path) -> None:
    own = without_model(tmp_path, limits=MODULE, made=MODULE)
    (tmp_path / ".gitignore").write_text("!\n[z-a]\nlimits.py\n\\\n")
    run = own.assay("check", ".", "--verbose")
    assert "made.py:1 clamp" in run.stdout
    assert "limits.py" not in run.stdout + run.stderr
    (tmp_path / "pyproject.toml").write_text('[tool.assay]\nexclude = ["made.py", "!"]\n')
    refused = own.assay("check", ".")
    assert refused.returncode == 2
    assert refused.stderr == (
        f"assay: {tmp_path / 'pyproject.toml'}: [tool.assay] exclude holds '!', which is not a "
        "pattern. Write it as in .gitignore.\n"
    )


def test_a_folder_of_which_nothing_is_checked_says_so(tmp_path: Path) -> None:
    own = without_model(tmp_path, limits=MODULE)
    (tmp_path / "pyproject.toml").write_text('[tool.assay]\nexclude = ["limits.py"]\n')
    run = own.assay("check", ".")
    assert run.returncode == 0
    assert "nothing to check" in run.stdout
    assert "all are left out" in run.stderr
    assert "all are left out" not in own.assay("check", "limits.py").stderr


@pytest.mark.parametrize("order", [["first", "second"], ["second", "first"]])
def test_files_of_two_projects_are_checked_each_in_its_own(
    tmp_path: Path, order: list[str]
) -> None:
    """With its own modules and settings, whichever project is named first."""
    for name, step in (("first", 1), ("second", 2)):
        project = tmp_path / name
        project.mkdir()
        (project / "pyproject.toml").write_text(f'[tool.assay]\nexclude = ["not_{name}.py"]\n')
        (project / "steps.py").write_text(f"STEP = {step}\n")
        for module in ("not_first", "not_second"):
            (project / f"{module}.py").write_text(
                "from steps import STEP\n\n\n"
                "def next_even(number: int) -> int:\n"
                '    """Return the even number after an even one.\n\n'
                '    >>> next_even(2)\n    4\n    """\n'
                "    return number + STEP\n"
            )
    run = Workspace(tmp_path, "").assay("check", *order, "--format", "json")
    found = json.loads(run.stdout)["reports"]
    said = {each["path"]: [finding["code"] for finding in each["findings"]] for each in found}
    wrong, right = said["first/not_second.py"], said["second/not_first.py"]
    assert list(said) == [
        f"{name}/not_{other}.py" for name, other in zip(order, reversed(order), strict=True)
    ]
    assert wrong
    assert right == []


def test_a_target_that_is_not_there_is_said_before_anything_is_checked(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pyproject.toml").touch()
    (tmp_path / "first" / "limits.py").write_text(MODULE)
    run = Workspace(tmp_path, "").assay("check", "first/limits.py", "second/none.py")
    assert (run.returncode, run.stdout) == (2, "")
    assert "second/none.py does not exist" in run.stderr


def test_a_folder_that_may_not_be_looked_into_is_said_and_keeps_no_other_file_from_a_check(
    tmp_path: Path,
) -> None:
    own = without_model(tmp_path, limits=MODULE)
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0)
    try:
        if os.access(closed, os.X_OK):
            pytest.skip("whoever runs this may look into every folder")
        run = own.assay("check", ".", "--verbose")
        named = own.assay("check", "closed/limits.py")
        other = own.assay("check", "limits.py", "--verbose", VIRTUAL_ENV=str(closed))
    finally:
        closed.chmod(0o700)
    assert (run.returncode, other.returncode) == (2, 2)
    assert "limits.py:1 clamp" in run.stdout
    assert "limits.py:1 clamp" in other.stdout
    assert run.stderr == "assay: closed: Permission denied\n"
    assert "closed/limits.py cannot be accessed (Permission denied). Name a" in named.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["x" * 300],
        [f"limits.py:{'1' * 5000}"],
        ["limits.py", "--record", "x" * 300],
        ["limits.py", "--interpreter", "x" * 300],
    ],
)
def test_a_name_that_no_system_knows_is_not_there(tmp_path: Path, arguments: list[str]) -> None:
    with OpenAIServer(answering()) as server:
        run = workspace(tmp_path, server).assay("check", *arguments)
    assert (run.returncode, run.stdout) == (2, "")
    assert "does not exist" in run.stderr or "cannot be written (File name too" in run.stderr


def test_an_empty_target_is_not_the_current_folder(tmp_path: Path) -> None:
    run = without_model(tmp_path, limits=MODULE).assay("check", "")
    assert (run.returncode, run.stdout) == (2, "")
    assert "An empty target names nothing. Name a file, a folder" in run.stderr


def test_json_is_one_document_also_where_there_is_nothing_to_check(tmp_path: Path) -> None:
    run = Workspace(tmp_path, "").assay("check", "nosuch.py", "--format", "json")
    assert run.returncode == 2
    document = json.loads(run.stdout)
    assert document["reports"] == []
    assert "nosuch.py" in document["unreadable"][0]
