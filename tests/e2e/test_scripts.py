"""Inputs that are scripts find what one line could not reach, and bad ones accuse nobody."""

from __future__ import annotations

import json
import re
from pathlib import Path

from support.check_workspace import PROJECT, Workspace
from support.openai_server import Behaviour, OpenAIServer, Request, ok
from support.scripted_model import Siding

FILES = {
    "pyproject.toml": PROJECT,
    "shop/__init__.py": "",
    "shop/states.py": """\
class StateBlock:
    def __init__(self, name):
        self.name, self.lines = name, []

    def add(self, line):
        self.lines.append(line)
""",
    "shop/hours.py": '''\
from datetime import datetime


def elapsed_hours(start: datetime, end: datetime) -> float:
    """The hours that really pass between two moments that know their zones."""
    return {hours} / 3600
''',
    "shop/blocks.py": '''\
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shop.states import StateBlock


def closing_line(block: StateBlock) -> str:
    """The last line of the block, or its name if it has no lines."""
    return {closing}
''',
    "shop/clients.py": '''\
def names_of(client, ids: list[int]) -> list[str]:
    """Fetch each id once, in order, by `client.get(id)`; where that raises KeyError, the id is left
    out."""
    found = []
    for each in {ids}:
        try:
            found.append(client.get(each))
        except KeyError:
            {missing}
    return found
''',
    "shop/makers.py": '''\
def counted(start: int):
    """A function that gives start at its first call, and one more at each further call."""
    count = start

    def following():
        nonlocal count
        {counting}

    return following
''',
    "shop/scopes.py": '''\
from contextlib import contextmanager


@contextmanager
def pushed(stack: list, item):
    """Have the item on top of the stack inside the block, and not after it, however it ends."""
    stack.append(item)
    {scope}
''',
}
RIGHT = {
    "hours": "(end.timestamp() - start.timestamp())",
    "closing": "block.lines[-1] if block.lines else block.name",
    "ids": "dict.fromkeys(ids)",
    "missing": "continue",
    "counting": "count += 1\n        return count - 1",
    "scope": "try:\n        yield\n    finally:\n        stack.pop()",
}
WRONG = {
    "hours": "(end - start).total_seconds()",
    "closing": "block.lines[0] if block.lines else block.name",
    "ids": "ids",
    "missing": "continue",
    "counting": "return count",
    "scope": "yield\n    stack.pop()",
}
INPUTS = {
    "elapsed_hours": """
from zoneinfo import ZoneInfo

# a usual day
start = datetime(2024, 6, 1, 8, tzinfo=ZoneInfo("Europe/Berlin"))
elapsed_hours(start, start.replace(hour=12))

# the clocks are put forward
start = datetime(2024, 3, 31, 1, tzinfo=ZoneInfo("Europe/Berlin"))
elapsed_hours(start, start.replace(hour=4))
""",
    "closing_line": """
from shop.states import StateBlock
closing_line(StateBlock("empty"))

from shop.states import StateBlock
block = StateBlock("full")
for line in "ab", "cd":
    block.add(line)
closing_line(block)
""",
    "names_of": """
class Client:
    def __init__(self, known):
        self.known, self.asked = known, []

    def get(self, id):
        self.asked.append(id)
        return self.known[id]

names_of(Client({1: "a"}), [1, 2])

client = Client({1: "a", 2: "b"})
names = names_of(client, [2, 1, 2])
(names, client.asked)
""",
    "counted": """
f = counted(3)
f()

f = counted(0)
[f(), f(), f()]
""",
    "pushed": """
stack = [1]
with pushed(stack, 2):
    seen = [*stack]
(seen, stack)

stack = []
try:
    with pushed(stack, 1):
        raise ValueError
except ValueError:
    pass
stack
""",
}


def filled(text: str, parts: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: parts.get(found[1], found[0]), text)


def project(folder: Path, server: OpenAIServer, parts: dict[str, str]) -> Workspace:
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(filled(text, parts), encoding="utf-8")
    return Workspace(folder, server.base_url)


def answering(inputs: dict[str, str]):
    """An endpoint whose candidates are the right functions."""
    texts = [text for name, text in FILES.items() if name.endswith(".py")]
    reader = Siding("SECOND")

    def script(request: Request) -> Behaviour:
        asked = request.body["messages"][-1]["content"]
        if "Two functions" in asked:
            return ok(reader.answer(asked))
        name = next(each for each in INPUTS if f"def {each}(" in asked)
        if "Choose inputs" in asked:
            return ok(f"```python\n{inputs[name]}```")
        text = next(each for each in texts if f"def {name}(" in each)
        return ok(f"```python\n{filled(text, RIGHT)}```")

    return script


def reports(place: Workspace, *arguments: str) -> dict[str, dict]:
    done = place.assay("check", "shop", "--format", "json", *arguments)
    assert done.stdout, done.stderr
    return {each["qualname"]: each for each in json.loads(done.stdout)["reports"]}


def test_what_needs_more_than_a_line_is_tried(tmp_path: Path) -> None:
    with OpenAIServer(answering(INPUTS)) as server:
        right = reports(project(tmp_path / "right", server, RIGHT))
        place = project(tmp_path / "wrong", server, WRONG)
        wrong = reports(place)
        text = place.assay("check", "shop/scopes.py", "--offline").stdout
        page = place.assay("explain", "shop/scopes.py::pushed", "--html").stdout
    statuses = [
        {name: each[name]["verdict"]["status"] for name in INPUTS} for each in (right, wrong)
    ]
    assert statuses == [dict.fromkeys(INPUTS, "trusted"), dict.fromkeys(INPUTS, "suspect")]
    findings = {name: wrong[name]["findings"][0] for name in INPUTS}
    said = {
        name: each["message"].rpartition(": all 10 candidates ")[2]
        for name, each in findings.items()
    }
    assert said == {
        "elapsed_hours": "return 2.0, this returns 3.0",
        "closing_line": "return 'cd', this returns 'ab'",
        "names_of": "return (['b', 'a'], [2, 1]), this returns (['b', 'a', 'b'], [2, 1, 2])",
        "counted": "return [0, 1, 2], this returns [0, 0, 0]",
        "pushed": "return [], this returns [1]",
    }
    calls = {name: each["witness"]["call"] for name, each in findings.items()}
    assert "ZoneInfo('Europe/Berlin')" in calls["elapsed_hours"]
    assert "for line in ('ab', 'cd'): block.add(line); closing_line(block)" in calls["closing_line"]
    assert calls["counted"] == "f = counted(0); [f(), f(), f()]"
    assert "with pushed(stack, 1): raise ValueError" in calls["pushed"]
    # A script with a block is shown as a person would write it, and so is the test that is offered.
    script = findings["pushed"]["witness"]["script"]
    assert "try:\n    with pushed(stack, 1):\n        raise ValueError\n" in script
    assert findings["counted"]["witness"]["script"] == ""
    assert "      try:\n          with pushed(stack, 1):\n" in text
    assert "try:\n    with pushed(stack, 1):\n" in page
    (offered, *_) = wrong["pushed"]["expectations"]
    assert "    with pushed(stack, 1):\n        raise ValueError\n" in offered["body"]


# Replies to the request for inputs: bad ones of several kinds.
BAD = {
    "elapsed_hours": "import no_such_module_at_all\nelapsed_hours(no_such_module_at_all.x, 1)\n",
    "closing_line": "while True:\n    pass\nclosing_line(None)\n",
    "names_of": "import os\nos.kill(1, 9)\nnames_of(os.environ, [])\n",
    "counted": "def broken(:\n  counted((((\n",
    "pushed": "for n in range(10**9):\n    print(n)\nlen([pushed])\n",
}


def test_a_bad_script_accuses_nobody(tmp_path: Path) -> None:
    with OpenAIServer(answering(BAD)) as server:
        found = reports(project(tmp_path, server, RIGHT))
    for name in BAD:
        assert found[name]["findings"] == [], name
        assert found[name]["verdict"]["status"] == "abstained", name
        assert found[name]["problems"], name
    assert "can be created here" in found["elapsed_hours"]["problems"][0]["message"]
    assert "can be read as a call" in found["counted"]["problems"][0]["message"]
