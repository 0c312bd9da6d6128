"""Several models are asked in turn: at one endpoint, and at others with keys of their own."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from support.check_workspace import (
    KEY,
    MODULE,
    RIGHT,
    RIGHT_MODULE,
    Workspace,
    answering,
    workspace,
)
from support.openai_server import Behaviour, OpenAIServer, Request, ok, status

OTHER_KEY = "sk-of-another-house"
# Three programs that do the same.
WAYS = {
    "alpha": RIGHT,
    "beta": "def clamp(value, low, high):\n    return max(min(high, value), low)\n",
    "gamma": "def clamp(value, low, high):\n    top = min(value, high)\n    return max(top, low)\n",
}


class Voices:
    """Each model writes the function in its own way. Counts who was asked with which key."""

    def __init__(self, *refusing: str) -> None:
        self.refusing = refusing
        self.asked = Counter[tuple[str, str]]()
        self._scripts = {name: answering([way]) for name, way in WAYS.items()}

    def __call__(self, request: Request) -> Behaviour:
        if request.method == "GET":
            return status(404)
        name = request.body["model"]
        self.asked[name, request.headers["authorization"].removeprefix("Bearer ")] += 1
        return status(401) if name in self.refusing else self._scripts[name](request)


def settled(made: Workspace, other: OpenAIServer) -> dict[str, str]:
    """The variables of a user whose settings name three models at two endpoints."""
    settings = made.folder / "settings.toml"
    settings.write_text(
        f"""\
[endpoint]
base_url = "{made.base_url}"
models = ["alpha", "beta"]

[[endpoint.also]]
base_url = "{other.base_url}"
model = "gamma"
key_variable = "OTHER_KEY"
""",
        encoding="utf-8",
    )
    nothing = {"ASSAY_BASE_URL": "", "ASSAY_MODEL": ""}
    return nothing | {"ASSAY_SETTINGS": str(settings), "OTHER_KEY": OTHER_KEY}


def test_each_sample_is_of_the_model_whose_turn_it_is(tmp_path: Path) -> None:
    voices = Voices()
    with OpenAIServer(voices) as server, OpenAIServer(voices) as other:
        made = workspace(tmp_path, server)
        variables = settled(made, other)
        record = str(tmp_path / "replies.jsonl")
        run = made.assay("check", "limits.py", "--format", "json", "--record", record, **variables)
        spent = dict(voices.asked)
        again = made.assay("check", "limits.py", "--format", "json", "--replay", record)
    (report,) = json.loads(run.stdout)["reports"]
    assert report["verdict"]["status"] == "suspect"
    # As measured for panels.
    assert round(report["verdict"]["confidence"], 2) == 0.92
    (theirs,) = [each for each in report["classes"] if not each["has_original"]]
    assert theirs["models"] == {"alpha": 4, "beta": 3, "gamma": 3}
    assert report["model"] == "alpha + beta + gamma"
    assert {key for name, key in spent if name != "gamma"} == {KEY}
    assert {key for name, key in spent if name == "gamma"} == {OTHER_KEY}
    (replayed,) = json.loads(again.stdout)["reports"]
    assert replayed["classes"] == report["classes"]
    assert replayed["verdict"] == report["verdict"]


def test_a_model_that_refuses_is_stood_in_for(tmp_path: Path) -> None:
    voices = Voices("alpha")
    with OpenAIServer(voices) as server, OpenAIServer(voices) as other:
        made = workspace(tmp_path, server, RIGHT_MODULE)
        variables = settled(made, other)
        run = made.assay("check", "limits.py", "--verbose", **variables)
        # Another number of calls: the report is made anew, from the same replies.
        with (tmp_path / "pyproject.toml").open("a", encoding="utf-8") as project:
            project.write("[tool.assay.execution]\ncalls = 1000\n")
        kept = made.assay("check", "limits.py", "--verbose", "--offline", **variables)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "clamp: trusted" in run.stdout
    assert "ther models stood in at 2 samples for alpha (" in run.stdout
    # A lasting refusal is met once.
    assert voices.asked["alpha", KEY] == 1
    assert 'as this function does on every input: "beta" 3 of 3, "gamma" 1 of 1' in run.stdout
    assert kept.returncode == 0, kept.stdout + kept.stderr
    assert "ther models stood in at 2 samples for alpha (no stored reply)" in kept.stdout
    assert '"beta" 3 of 3, "gamma" 1 of 1' in kept.stdout


def test_the_next_model_is_asked_for_inputs_that_one_does_not_give(tmp_path: Path) -> None:
    voices = Voices()

    def script(request: Request) -> Behaviour:
        asks = request.method == "POST" and "Choose inputs" in str(request.body["messages"])
        if asks and request.body["model"] == "alpha":
            return ok("I cannot think of any.")
        return voices(request)

    with OpenAIServer(script) as server, OpenAIServer(script) as other:
        made = workspace(tmp_path, server, RIGHT_MODULE)
        run = made.assay("check", "limits.py", "--verbose", **settled(made, other))
    assert "clamp: trusted" in run.stdout
    assert "5 inputs" in run.stdout or "6 of 6 inputs" in run.stdout


def test_who_names_one_model_asks_it_alone(tmp_path: Path) -> None:
    voices = Voices()
    with OpenAIServer(voices) as server, OpenAIServer(voices) as other:
        made = workspace(tmp_path, server, MODULE)
        variables = settled(made, other) | {"ASSAY_MODEL": "beta"}
        run = made.assay("check", "limits.py", **variables)
    assert "clamp: suspect" in run.stdout
    assert {name for name, _ in voices.asked} == {"beta"}


def test_settings_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    with OpenAIServer(Voices()) as server:
        made = workspace(tmp_path, server)
        variables = settled(made, server)
        for wrong, told in (
            ('models = ["alpha", "gamma"]', "a model is named twice"),
            ('models = ["alpha"]\nmodel = "beta"', "exactly one of `model` and `models`"),
        ):
            settings = Path(variables["ASSAY_SETTINGS"])
            before = settings.read_text(encoding="utf-8")
            settings.write_text(before.replace('models = ["alpha", "beta"]', wrong), "utf-8")
            run = made.assay("check", "limits.py", **variables)
            settings.write_text(before, "utf-8")
            assert run.returncode == 2
            assert told in run.stderr
