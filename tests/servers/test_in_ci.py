"""The pre-commit hook and the Action's steps, as they install Assay: from the package index."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.check_workspace import MODULE, RIGHT_MODULE, answering
from support.openai_server import OpenAIServer
from support.repositories import ENVIRONMENT, Repository, repository
from support.workflow_commands import commands_in

ROOT = Path(__file__).resolve().parents[2]
PRE_COMMIT = Path(sys.executable).with_name("pre-commit")
SECONDS = 600

pytestmark = [
    pytest.mark.skipif(
        not os.environ.get("INSTALLING"),
        reason="INSTALLING is not set: these install from the package index (`make test-servers`)",
    ),
    pytest.mark.timeout(2 * SECONDS),
]


def bare(tmp_path: Path, **more: str) -> dict[str, str]:
    """The environment of a machine on which nothing of Assay's is installed or configured."""
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(Path(sys._base_executable))  # pyright: ignore[reportPrivateUsage]
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
    path = f"{python.parent}:/usr/local/bin:/usr/bin:/bin"
    return ENVIRONMENT | kept | {"PATH": path, "HOME": str(home)} | more


def project(tmp_path: Path) -> Repository:
    """A branch with a function that its base had right, one that it had wrong, and a new one."""
    made = repository(tmp_path / "project")
    made.write("pyproject.toml", "")
    made.commit(limits=RIGHT_MODULE, other=MODULE.replace("clamp", "other"))
    made.git("update-ref", "refs/remotes/origin/main", "HEAD")
    made.write("limits.py", MODULE)
    return made


def test_the_hook_checks_what_a_commit_changes(tmp_path: Path) -> None:
    made = project(tmp_path)
    made.git("add", "--all")
    with OpenAIServer(answering()) as server:
        run = subprocess.run(
            [str(PRE_COMMIT), "try-repo", str(ROOT), "assay", "--all-files", "--verbose"],
            cwd=made.folder,
            env=bare(
                tmp_path,
                ASSAY_BASE_URL=server.base_url,
                ASSAY_MODEL="test-model",
                ASSAY_API_KEY="none",
                ASSAY_STORE=str(tmp_path / "store.db"),
                PRE_COMMIT_HOME=str(tmp_path / "pre-commit"),
            ),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    assert run.returncode == 1, run.stdout + run.stderr
    assert "ASY101 warning: clamp(-4, 0, 3): all 10 candidates return 0" in run.stdout
    assert "other" not in run.stdout.partition("assay...")[2]


def test_the_actions_steps_run_on_a_bare_machine(tmp_path: Path) -> None:
    made = project(tmp_path)
    made.commit(limits=MODULE)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    output = tmp_path / "output"
    copied = tmp_path / "action"
    shutil.copytree(
        ROOT, copied, ignore=shutil.ignore_patterns(".venv", ".*_cache", "node_modules")
    )
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    with OpenAIServer(answering()) as server:
        context = {
            "github.action_path": str(copied),
            "runner.temp": str(temporary),
            **{f"inputs.{name}": given["default"] for name, given in action["inputs"].items()},
            "inputs.since": "origin/main",
            "inputs.base-url": server.base_url,
            "inputs.model": "test-model",
            "inputs.api-key": "none",
        }
        base = bare(tmp_path, RUNNER_TEMP=str(temporary), GITHUB_OUTPUT=str(output))
        install, check = (step for step in action["runs"]["steps"] if "run" in step)

        def ran(step: dict[str, Any], **changed: str) -> subprocess.CompletedProcess[str]:
            known = context | changed
            said = {
                name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: known[found[1]], value)
                for name, value in step["env"].items()
            }
            return subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=made.folder,
                env=base | said,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )

        installed = ran(install)
        assert installed.returncode == 0, installed.stderr
        assert installed.stdout.startswith("assay, version ")
        checked = ran(check)
        assert checked.returncode == 1, checked.stderr
        (warning,) = commands_in(checked.stdout)
        assert (warning.name, warning.properties["file"]) == ("warning", "limits.py")
        everything = ran(check, **{"inputs.since": "", "inputs.targets": "limits.py other.py"})
        assert len(commands_in(everything.stdout)) >= 1
    down = ran(
        check,
        **{"inputs.since": "", "inputs.extra-args": "--again", "inputs.fail-on-unchecked": "false"},
    )
    assert down.returncode == 0, down.stdout
    assert output.read_text("utf-8").splitlines()[0] == "status=1"
    assert output.read_text("utf-8").splitlines()[-1] == "status=2"
