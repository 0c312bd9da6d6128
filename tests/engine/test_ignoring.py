"""What is left out, asked of single files, as for a save in an editor."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay_engine.config.configuration import EngineOptions
from assay_engine.engine import Engine


@pytest.mark.parametrize(
    ("path", "ignored"),
    [
        ("own.py", False),
        ("package/own.py", False),
        ("made/table.py", True),
        ("package/secret.py", True),
        ("package/kept_pb.py", False),
        ("package/left_pb.py", True),
        (".venv/lib/module.py", True),
        ("environment/lib/module.py", True),
        ("node_modules/x/y.py", True),
        ("build/lib/own.py", True),
        ("../elsewhere.py", False),
    ],
)
async def test_a_save_is_checked_where_a_folder_would_be(
    tmp_path: Path, path: str, ignored: bool
) -> None:
    root = tmp_path / "project"
    for folder in ("package", "environment/lib"):
        (root / folder).mkdir(parents=True)
    (root / "environment" / "pyvenv.cfg").touch()
    (root / "pyproject.toml").write_text('[tool.assay]\nexclude = ["made/"]\n')
    (root / ".gitignore").write_text("*_pb.py\nbuild/\n")
    (root / "package" / ".gitignore").write_text("/secret.py\n!kept_pb.py\n")
    store = str(tmp_path / "store.db")
    with Engine.open(EngineOptions(root=str(root), store_path=store)) as engine:
        assert await engine.excludes(str(root / path)) is ignored


@pytest.mark.parametrize("opened", ["project", "", "elsewhere"])
async def test_a_file_s_own_project_leaves_it_out_whatever_is_open(
    tmp_path: Path, opened: str
) -> None:
    part = tmp_path / "project" / "part"
    (part / "src").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (part / "pyproject.toml").write_text('[tool.assay]\nexclude = ["src/"]\n')
    root = str(tmp_path / opened) if opened else None
    with Engine.open(EngineOptions(root=root, store_path=str(tmp_path / "store.db"))) as engine:
        assert await engine.excludes(str(part / "src" / "own.py"))
        assert not await engine.excludes(str(part / "own.py"))
        assert not await engine.excludes(str(tmp_path))
