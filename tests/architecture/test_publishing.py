"""What is published says the same of itself everywhere."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_all_descriptions_are_of_one_name_and_version() -> None:
    own = project()
    server = json.loads((ROOT / "server.json").read_text("utf-8"))
    extension = json.loads((ROOT / "vscode-client" / "package.json").read_text("utf-8"))
    (package,) = server["packages"]
    assert (package["identifier"], package["version"]) == (own["name"], own["version"])
    assert {server["version"], extension["version"]} == {own["version"]}
    # The registry takes the index's page for a proof that both are one author's.
    assert f"<!-- mcp-name: {server['name']} -->" in (ROOT / "README.md").read_text("utf-8")
    # `uvx NAME` runs the script of that name; the SDK is that of the extra.
    assert own["scripts"][own["name"]] == own["scripts"]["assay"]
    (sdk,) = own["optional-dependencies"]["mcp"]
    assert [each["value"] for each in package["runtimeArguments"]] == [sdk]


def test_an_index_takes_every_requirement() -> None:
    own = project()
    extras = own["optional-dependencies"].values()
    assert [each for some in (own["dependencies"], *extras) for each in some if "@" in each] == []


def test_the_action_uses_all_of_its_inputs_and_runs_none_as_a_command() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    steps = action["runs"]["steps"]
    given = {value for step in steps for value in step.get("env", {}).values()}
    used = {
        found[1] for each in given if (found := re.fullmatch(r"\$\{\{ inputs\.(\S+) \}\}", each))
    }
    assert used == {*action["inputs"]}
    # Whoever opens a pull request names its branch.
    assert [step["name"] for step in steps if "${{" in step.get("run", "")] == []
