"""Where a saved test goes, and how it is written there, as the project does it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay_engine import digest
from assay_engine.files.bounded import real
from assay_engine.fixes.saving import SavedTest, saved_test
from assay_engine.fixes.test_suites import pytest_settings
from assay_engine.splicing import apply_edits
from assay_engine.syntax.units import find_units
from assay_engine.types import Expectation, Origin, Problem, Report, SourceText, Witness
from support.saying import report_with

MODULE = '''\
from decimal import Decimal

from .kinds import Kind


def f(number):
    """A number."""
    return number


async def g(number):
    """A number."""
    return number
'''
PLAIN = "assert f(1) == 2"
AWAITED = "assert asyncio.run(g(1)) == 2"


def report_on(text: str, body: str, name: str) -> Report:
    unit = next(each for each in find_units(text)[0] if each.qualname == name)
    base = report_with(Witness("f(1)", (), Origin.PROPOSED, "an odd-number, Größe!"))
    own = {field: getattr(base, field) for field in base.__struct_fields__}
    return Report(
        **own
        | {
            "qualname": name,
            "text_digest": digest.of_text(unit.span.of(text)),
            "expectations": (Expectation("returns 2", "all 10 candidates", False, body),),
        }
    )


def saved(
    root: Path,
    files: Mapping[str, str],
    module: str,
    body: str = PLAIN,
    name: str = "f",
    opened: Mapping[Path, str] | None = None,
) -> SavedTest | Problem:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    text = (root / module).read_text("utf-8")
    source = SourceText(str(root / module), text, str(root))
    return saved_test(source, report_on(text, body, name), 0, opened)


def placed(test: SavedTest | Problem, root: Path) -> tuple[str, str]:
    """The file, by its path in the project, and what it holds then."""
    assert isinstance(test, SavedTest), test
    path = Path(test.path).relative_to(real(root)).as_posix()
    return path, apply_edits(test.before or "", test.edits)


IMPORTING = "from {0} import f\n\n\ndef test_f():\n    assert f(0) == 0\n"


@pytest.mark.parametrize(
    ("files", "module", "path", "first"),
    [
        pytest.param({}, "mod.py", "test_mod.py", "from mod import f", id="nothing yet"),
        pytest.param(
            {"pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['.']\n"},
            "mod.py",
            "tests/test_mod.py",
            "from mod import f",
            id="nothing yet, and the root on the path",
        ),
        pytest.param(
            {"src/app/__init__.py": ""},
            "src/app/mod.py",
            "tests/test_mod.py",
            "from app.mod import f",
            id="a package below src",
        ),
        pytest.param(
            {"app/__init__.py": ""},
            "app/__init__.py",
            "test_app.py",
            "from app import f",
            id="the package itself",
        ),
        pytest.param(
            {"src/app/__init__.py": "", "tests/test_a.py": IMPORTING.format("src.app.other")},
            "src/app/mod.py",
            "tests/test_mod.py",
            "from src.app.mod import f",
            id="named from the root, as tests of its neighbours do",
        ),
        pytest.param(
            {"app/__init__.py": "", "app/sub/__init__.py": "", "tests/app/sub/x_test.py": ""},
            "app/sub/mod.py",
            "tests/app/sub/mod_test.py",
            "from app.sub.mod import f",
            id="mirrored folders, and names that end in _test",
        ),
        pytest.param(
            {"app/__init__.py": "", "app/tests/test_a.py": "", "README.md": ""},
            "app/mod.py",
            "app/tests/test_mod.py",
            "from app.mod import f",
            id="tests within the package",
        ),
        pytest.param(
            {"test_a.py": "", "b_test.py": "", "c_test.py": ""},
            "mod.py",
            "mod_test.py",
            "from mod import f",
            id="tests beside the modules",
        ),
        pytest.param(
            {
                "pytest.ini": "[pytest]\ntestpaths = checks\npython_files = check_*.py\n",
                "checks/a": "",
            },
            "mod.py",
            "checks/check_mod.py",
            "from mod import f",
            id="folders and names of pytest.ini",
        ),
        pytest.param(
            {"pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["t"]\n', "t/test_a.py": ""},
            "mod.py",
            "t/test_mod.py",
            "from mod import f",
            id="a folder of pyproject.toml",
        ),
        pytest.param(
            {
                "setup.cfg": "[tool:pytest]\ntestpaths = t\n",
                "t/x": "",
                "pyproject.toml": "broken = [",
            },
            "mod.py",
            "t/test_mod.py",
            "from mod import f",
            id="a folder of setup.cfg",
        ),
    ],
)
def test_a_new_file_is_laid_out_as_the_project_does_it(
    tmp_path: Path, files: Mapping[str, str], module: str, path: str, first: str
) -> None:
    found = saved(tmp_path, {**files, module: MODULE}, module)
    assert placed(found, tmp_path) == (
        path,
        f"{first}\n\n\ndef test_f_an_odd_number_Gr_e():\n    {PLAIN}\n".replace("Gr", "gr"),
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (IMPORTING.format("mod"), "{before}\n\ndef {name}():\n    assert f(1) == 2\n"),
        (
            '"""Tests."""\n\nimport os\n\nfrom mod import g\n\nX = 1\r\n',
            (
                '"""Tests."""\n\nimport os\n\nfrom mod import f, g\n\nX = 1\r\n\n\n'
                "def {name}():\n    assert f(1) == 2\n"
            ),
        ),
        (
            "import os\r\n\r\n\r\ndef test_os():\r\n    assert os",
            (
                "import os\r\n\r\nfrom mod import f\r\n\r\n\r\ndef test_os():\r\n    assert os\r\n"
                "\r\n\r\ndef {name}():\r\n    assert f(1) == 2\r\n"
            ),
        ),
        (
            "def f():\n    return 1\n",
            "{before}\n\ndef {name}():\n    from mod import f\n    assert f(1) == 2\n",
        ),
        ("# Ours.\n", "# Ours.\n\nfrom mod import f\n\n\ndef {name}():\n    assert f(1) == 2\n"),
        (
            "def test_f_an_odd_number_gr_e():\n    pass\n",
            "from mod import f\n\n\n{before}\n\ndef {name}_2():\n    assert f(1) == 2\n",
        ),
    ],
    ids=["imported", "merged", "CRLF, no last break", "name taken", "only a comment", "test taken"],
)
def test_an_existing_file_keeps_everything_else(tmp_path: Path, before: str, after: str) -> None:
    found = saved(tmp_path, {"mod.py": MODULE, "tests/test_mod.py": before}, "mod.py")
    expected = after.format(before=before, name="test_f_an_odd_number_gr_e")
    assert placed(found, tmp_path) == ("tests/test_mod.py", expected)
    assert isinstance(found, SavedTest)
    assert found.title == "Save as a test that it returns 2"


def test_a_file_of_another_name_that_alone_tests_the_module_is_used(tmp_path: Path) -> None:
    files = {"mod.py": MODULE, "tests/test_all.py": IMPORTING.format("mod"), "tests/test_b.py": ""}
    path, _ = placed(saved(tmp_path, files, "mod.py"), tmp_path)
    assert path == "tests/test_all.py"


def test_names_come_from_where_the_module_has_them(tmp_path: Path) -> None:
    body = (
        "assert f(Kind(Decimal('1'))) == datetime.date(2024, 1, 2)\nassert f(1) == pytest.approx(2)"
    )
    files = {"src/app/__init__.py": "", "src/app/mod.py": MODULE}
    _, text = placed(saved(tmp_path, files, "src/app/mod.py", body), tmp_path)
    assert text.partition("\n\n\ndef")[0] == (
        "import datetime\nfrom decimal import Decimal\n\nimport pytest\n\n"
        "from app.kinds import Kind\nfrom app.mod import f"
    )


@pytest.mark.parametrize(
    ("files", "test"),
    [
        (
            {},
            (
                "import asyncio\n\nfrom mod import g\n\n\n"
                "def {}():\n    assert asyncio.run(g(1)) == 2\n"
            ),
        ),
        (
            {"pyproject.toml": '[tool.pytest.ini_options]\nasyncio_mode = "auto"\n'},
            "from mod import g\n\n\nasync def {}():\n    assert await g(1) == 2\n",
        ),
        (
            {"tests/test_a.py": "@pytest.mark.anyio\nasync def test_a():\n    pass\n"},
            (
                "import pytest\n\nfrom mod import g\n\n\n"
                "@pytest.mark.anyio\nasync def {}():\n    assert await g(1) == 2\n"
            ),
        ),
        (
            {"requirements-dev.txt": "pytest-asyncio\n"},
            (
                "import pytest\n\nfrom mod import g\n\n\n"
                "@pytest.mark.asyncio\nasync def {}():\n    assert await g(1) == 2\n"
            ),
        ),
    ],
    ids=["plain", "auto", "anyio", "strict"],
)
def test_coroutines_are_awaited_as_the_project_does_it(
    tmp_path: Path, files: Mapping[str, str], test: str
) -> None:
    found = saved(tmp_path, {**files, "mod.py": MODULE}, "mod.py", AWAITED, "g")
    assert placed(found, tmp_path)[1] == test.format("test_g_an_odd_number_gr_e")


@pytest.mark.parametrize(
    ("files", "module", "said"),
    [
        ({}, "my-script.py", "names that Python can import"),
        ({}, "io.py", "and its library does not have"),
        ({"tests/test_mod.py": "def ("}, "mod.py", "test_mod.py does not parse as Python. Fix it"),
        (
            {"tests/test_mod.py/a": ""},
            "mod.py",
            "test_mod.py cannot be read, or is not a file of the",
        ),
    ],
)
def test_where_no_test_can_be_written_it_is_said_why(
    tmp_path: Path, files: Mapping[str, str], module: str, said: str
) -> None:
    found = saved(tmp_path, {**files, module: MODULE}, module)
    assert isinstance(found, Problem)
    assert said in found.message


def test_a_function_that_has_changed_is_not_tested(tmp_path: Path) -> None:
    (tmp_path / "mod.py").write_text(MODULE, encoding="utf-8")
    source = SourceText(str(tmp_path / "mod.py"), MODULE.replace("return number", "return 0"), "")
    found = saved_test(source, report_on(MODULE, PLAIN, "f"), 0)
    assert isinstance(found, Problem)
    assert found.message == "f has changed since it was checked. Check it again."


def test_a_report_that_somebody_changed_is_no_test(tmp_path: Path) -> None:
    found = saved(tmp_path, {"mod.py": MODULE}, "mod.py", "assert f(1) == <object>")
    assert isinstance(found, Problem)
    assert found.message.startswith("The report's test does not parse")


def test_what_an_editor_holds_of_a_file_counts(tmp_path: Path) -> None:
    path = real(tmp_path) / "tests" / "test_mod.py"
    files = {"mod.py": MODULE, "tests/test_mod.py": "import os\n"}
    unsaved = IMPORTING.format("mod")
    found = saved(tmp_path, files, "mod.py", opened={path: unsaved})
    assert isinstance(found, SavedTest)
    assert found.before == unsaved


@pytest.mark.parametrize(
    ("name", "path"), [("shop.py", "test_mod.py"), ("conftest.py", "tests/test_mod.py")]
)
def test_a_module_that_uses_the_function_is_no_test_because_an_editor_holds_it(
    tmp_path: Path, name: str, path: str
) -> None:
    using = "from mod import f\n\n\ndef total():\n    return f(1)\n"
    files = {"mod.py": MODULE, name: using}
    saved_there = saved(tmp_path, files, "mod.py", opened={real(tmp_path / name): using})
    assert placed(saved_there, tmp_path)[0] == path


def test_nothing_of_the_project_is_run_and_no_link_leads_out_of_it(tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w')\n"
    project, outside = tmp_path / "project", tmp_path / "outside"
    outside.mkdir()
    (outside / "test_mod.py").write_text("import os\n", encoding="utf-8")
    files = dict.fromkeys(("conftest.py", "setup.py", "app/__init__.py", "app/kinds.py"), trap)
    project.mkdir()
    os.symlink(outside, project / "tests")
    found = saved(project, {**files, "app/mod.py": MODULE, "app/test_a.py": trap}, "app/mod.py")
    path, text = placed(found, project)
    assert path == "app/test_mod.py"
    assert text.startswith("from app.mod import f\n")
    assert not (tmp_path / "sprung").exists()
    # Nor where there is no other place for a test.
    (outside / "test_mod.py").unlink()
    bare = tmp_path / "bare"
    bare.mkdir()
    os.symlink(outside, bare / "tests")
    nowhere = saved(bare, {"mod.py": MODULE, "setup.py": trap}, "mod.py")
    assert isinstance(nowhere, Problem)
    assert "a link leads out of it" in nowhere.message


def test_no_module_is_its_own_test(tmp_path: Path) -> None:
    files = {"pytest.ini": "[pytest]\npython_files = *.py\n", "mod.py": MODULE}
    found = saved(tmp_path, files, "mod.py")
    assert isinstance(found, Problem)
    assert "mod.py cannot be read, or is not a file of the project" in found.message


def test_a_line_of_settings_beyond_its_bound_is_left_out(tmp_path: Path) -> None:
    blanks = " " * 400_000
    (tmp_path / "tox.ini").write_text(f"[pytest]\na{blanks}b\ntestpaths = checks\n")
    assert pytest_settings(tmp_path) == {"testpaths": ("checks",)}
