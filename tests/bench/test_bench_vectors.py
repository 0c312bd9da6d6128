"""The vectors' command line, through a real process and a real sandbox."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.forking import forked

VECTORS = Path(__file__).resolve().parents[3] / "shared/data/vectors/triangulation.json"
RULES = Path(__file__).with_name("vectors") / "rules.json"
COMMAND = ("-m", "assay_bench.vectors")
SINGLE = {"property": True}
NOT = {"property": False}


def run(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        forked(*COMMAND, str(path)),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def evaluated(tmp_path: Path, *vectors: dict[str, Any]) -> tuple[int, list[dict[str, Any]]]:
    path = tmp_path / "vectors.json"
    path.write_text(json.dumps(vectors), "utf-8")
    outcome = run(path)
    assert outcome.stderr == ""
    # Python would read NaN; nobody else does.
    lines = outcome.stdout.splitlines()
    return outcome.returncode, [json.loads(line, parse_constant=pytest.fail) for line in lines]


def vector(scheme: str, expected: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {"name": f"a {scheme}", "scheme": scheme, "expected": expected, **parts}


@pytest.mark.skipif(not VECTORS.exists(), reason="the vectors are not beside the repository")
@pytest.mark.timeout(400)
def test_all_given_vectors_hold() -> None:
    outcome = run(VECTORS)
    lines = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert [line["name"] for line in lines if not line["ok"]] == []
    assert len(lines) == len(json.loads(VECTORS.read_text("utf-8")))
    assert outcome.returncode == 0


@pytest.mark.timeout(400)
def test_every_rule_has_its_vectors() -> None:
    """Reasoned by hand from the rules that their names say, and not from what we compute."""
    outcome = run(RULES)
    lines = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert [line for line in lines if not line["ok"]] == []
    assert len(lines) == len(json.loads(RULES.read_text("utf-8")))
    assert outcome.returncode == 0


def test_every_vector_has_its_line_and_one_that_fails_fails_the_run(tmp_path: Path) -> None:
    code, lines = evaluated(
        tmp_path,
        vector("OPERATOR", {"value": "A"}, expression=["tolerate", "U"]),
        vector("OPERATOR", {"value": 1}, expression=["eq", ["val", 1], ["val", 1]]),
        vector("RANSAC", {"selected": [0], "score": 2}, agreement=[[0, 1], [2]]),
    )
    assert code == 1
    assert [line["ok"] for line in lines] == [True, False, True]
    assert lines[1] == {
        "name": "a OPERATOR",
        "scheme": "OPERATOR",
        "expected": {"value": 1},
        "got": {"value": True},
        "ok": False,
    }


def test_whatever_a_program_returns_can_be_printed(tmp_path: Path) -> None:
    printed: dict[str, object] = {
        "2 ** 80": 2**80,
        "10 ** 5000": f"{10**5000:#x}",
        "chr(0xd800)": "\ud800",
        "(1, {2})": {"$tuple": [1, {"$set": [2]}]},
        "1j": "1j",
        "[float('nan'), {'a': -1e999}]": ["nan", {"a": "-inf"}],
    }
    calls = [["call", f"def f():\n    return {source}\n"] for source in printed]
    vectors = [vector("OPERATOR", {"value": 0}, expression=call) for call in calls]
    _, lines = evaluated(tmp_path, *vectors)
    got = [line["got"] for line in lines]
    assert got == [{"value": value} for value in printed.values()]


def test_what_json_cannot_write_is_expected_by_its_text(tmp_path: Path) -> None:
    call = ["call", "def f():\n    return float('nan')\n"]
    code, lines = evaluated(
        tmp_path,
        vector("OPERATOR", {"value": "nan"}, expression=call),
        # What Python writes for it is read all the same.
        vector("OPERATOR", {"value": float("nan")}, expression=call),
        vector("OPERATOR", {"value": "inf"}, expression=["val", float("inf")]),
    )
    assert [line["got"] for line in lines] == [line["expected"] for line in lines]
    assert code == 0


def test_what_cannot_be_evaluated_is_told_in_json_too(tmp_path: Path) -> None:
    _, (line,) = evaluated(tmp_path, {"name": float("nan"), "expected": [float("inf")]})
    assert (line["name"], line["expected"]) == ("nan", ["inf"])
    assert "cannot be evaluated" in line["got"]["error"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_lines_that_cannot_be_written_are_said_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "vectors.json"
    path.write_text(json.dumps([vector("OPERATOR", {"value": "A"}, expression="A")]), "utf-8")
    with open("/dev/full", "w", encoding="utf-8") as full:
        outcome = subprocess.run(
            # How an interpreter ends that cannot write is its own.
            [sys.executable, *COMMAND, str(path)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=100,
            check=False,
        )
    assert outcome.returncode == 2
    assert outcome.stderr == (
        "Error: the lines cannot be written (No space left on device); "
        "make room, or send them elsewhere\n"
    )


HOSTILE = (
    "def f(a):\n    while True:\n        pass\n",
    "def f(a):\n    import os\n    os._exit(0)\n",
    "def f(a):\n    return f(a)\n",
    "def f(a):\n    x = []\n    while True:\n        x.append(bytes(10**7))\n",
    "def f(a):\n    return 'x' * 10**9\n",
    "def f(a):\n    print('x' * 10**8)\n    return a\n",
    "import sys\nsys.exit(3)\n",
    "while True:\n    pass\n",
    "def f(a):\n    x = []\n    x.append(x)\n    return x\n",
    "def f(a):\n    import signal\n    signal.raise_signal(signal.SIGKILL)\n",
    "def f(a):\n    x = a\n    for _ in range(10**5):\n        x = [x]\n    return x\n",
    "\0",
    "def g(a):\n    return a\n",
)


def test_hostile_programs_agree_with_nothing_and_end(tmp_path: Path) -> None:
    code, lines = evaluated(
        tmp_path,
        vector(
            "EQUIV",
            {"agreements": []},
            forward_programs=HOSTILE,
            witness_programs=[HOSTILE[0].replace("f(", "w("), "def w(a):\n    return a\n"],
            inputs=[[1], [2]],
        ),
    )
    assert lines[0]["got"] == {"agreements": []}
    assert code == 0


def test_exploding_answers_and_nested_values_are_bounded(tmp_path: Path) -> None:
    witnesses = [
        "def w(o):\n    return list(range(o, o + 10**5))\n",
        "def w(o):\n    x = o\n    for _ in range(98):\n        x = [x]\n    return [x]\n",
        "def w(o):\n    return (i for i in iter(int, 1))\n",
    ]
    code, lines = evaluated(
        tmp_path,
        vector(
            "FWD-SINV",
            {"agreements": []},
            forward_programs=["def f(i):\n    return i\n"],
            witness_programs=witnesses,
            inputs=[[n] for n in range(10)],
            witness_inputs=[[n] for n in range(10)],
        ),
    )
    assert (code, lines[0]["ok"]) == (0, True)


def test_each_scheme_speaks_of_the_programs_it_should(tmp_path: Path) -> None:
    successor, predecessor = "def f(i):\n    return i + 1\n", "def w(o):\n    return o - 1\n"
    enumerator = "def e(i):\n    return [i + 1, i + 2]\n"
    inverse = "def w(o):\n    return [o - 1, o - 2]\n"
    numbers: dict[str, Any] = {"inputs": [[0], [1], [2]], "witness_inputs": [[0], [1], [2]]}
    lists: dict[str, Any] = {"inputs": [[[0, 1]], [[2]], [[]]], "witness_inputs": [[0], [1]]}
    mapping = "def f(l):\n    return [i + 1 for i in l]\n"
    pairs = "def f(l):\n    return [a + b for a, b in l]\n"
    code, lines = evaluated(
        tmp_path,
        vector(
            "FWD-INV",
            SINGLE,
            forward_programs=[successor],
            witness_programs=[predecessor],
            **numbers,
        ),
        vector(
            "ENUM-SINV", SINGLE, enumerators=[enumerator], witness_programs=[inverse], **numbers
        ),
        vector(
            "FWD-ENUM", SINGLE, enumerators=[enumerator], forward_programs=[successor], **numbers
        ),
        vector(
            "STREAM(ENUM-SINV)",
            {"agreements": [[0, 0]]},
            forward_programs=[mapping, "def f(l):\n    return [len(l) for i in l]\n"],
            enumerators=[enumerator],
            witness_programs=[inverse],
            **lists,
        ),
        vector(
            "STREAM(POSTCONDITION)",
            SINGLE,
            forward_programs=[mapping],
            witness_programs=["def w(i, o):\n    return o == i + 1\n"],
            **lists,
        ),
        vector(
            "STREAM(FWD-SINV)",
            NOT,
            forward_programs=[pairs],
            witness_programs=["def w(o, b):\n    return [o]\n"],
            inputs=[[[{"$tuple": [1, 2]}]]],
            adapter={"kind": "unpack"},
        ),
        vector(
            "ENUM-SINV-CASCADE",
            {"selected": [0], "score": 1},
            forward_programs=[successor],
            enumerators=[enumerator],
            witness_programs=[inverse],
            **numbers,
        ),
    )
    assert [line["ok"] for line in lines] == [True] * len(lines)
    assert code == 0


BAD = [
    ("nothing", None, "cannot be read"),
    ("no JSON", "[{", "is not JSON"),
    ("no text", b"\xff", "is not JSON"),
    ("no list", "{}", "no list of vectors"),
    ("nested", "[" * 100_000, "is not JSON"),
]


@pytest.mark.parametrize(("text", "message"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_file_that_holds_no_vectors_is_refused(
    tmp_path: Path, text: str | bytes | None, message: str
) -> None:
    path = tmp_path / "vectors.json"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    outcome = run(path)
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    assert message in outcome.stderr
    assert "Traceback" not in outcome.stderr


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


SUFFIX = {"kind": "suffix", "param": 0}
MALFORMED: list[tuple[object, str]] = [
    (1, "Expected `object`"),
    ({"scheme": "EQUIV", "expected": SINGLE}, "missing required field `name`"),
    ({"name": "n", "scheme": "EQUIV", "expected": None}, "missing required field `expected`"),
    ({"name": "n", "scheme": "EQUIV", "expected": {}}, "nothing is expected"),
    (vector("PREDICT", SINGLE), "no scheme 'PREDICT'"),
    (vector("STREAM(RANSAC)", SINGLE), "no scheme"),
    (vector("EQUIV", {"property": "yes"}), "Expected `bool`"),
    (vector("EQUIV", SINGLE, inputs=[1]), "$.inputs"),
    (vector("EQUIV", SINGLE, adapter={"kind": "magic"}), "magic"),
    (vector("EQUIV", SINGLE, inputs=[[{"$set": [[1]]}]]), "$set"),
    (vector("EQUIV", SINGLE, inputs=[[nested(120)]]), "no program can be given"),
    (vector("EQUIV", SINGLE, options={"patience": 3}), "patience"),
    (vector("EQUIV", SINGLE, options={"round_trip": True}), "no option round_trip"),
    (vector("FWD-INV", SINGLE, inputs=[[1]], invert=1), "inverted parameter"),
    (vector("FWD-INV", SINGLE, witness_inputs=[[]]), "without an output"),
    (vector("STREAM(EQUIV)", SINGLE, inputs=[[1]]), "not one list"),
    (vector("FWD-SINV", SINGLE, inputs=[[1]], adapter={"kind": "head", "param": 0}), "not fit"),
    (vector("FWD-SINV", SINGLE, adapter={**SUFFIX, "type": "int"}), "no suffix of a int"),
    (vector("FWD-SINV", SINGLE, witness_parts=[["def w(): pass"]]), "without a union"),
    (vector("OPERATOR", {"value": 1}, expression=["nand", "A", "A"]), "no operator 'nand'"),
    (vector("OPERATOR", {"value": 1}, expression="B"), "no expression"),
    (vector("OPERATOR", {"value": 1}, expression=["forall", ["set", 1], []]), "0 bodies"),
    (vector("CODET", {"abstain": True}, tests=[{"inputs": [1]}]), "a test without"),
    (vector("CODET", {"abstain": True}, tests=["assert f("]), "no Python"),
    (vector("METRICS", {"abstention_rate": 0}), "without counts"),
    (vector("RANSAC", {"abstain": True}, agreement=[[-1]]), "negative"),
]


def test_a_malformed_vector_says_why_in_its_line_and_loses_no_other(tmp_path: Path) -> None:
    good = vector("OPERATOR", {"value": "A"}, expression="A")
    path = tmp_path / "vectors.json"
    path.write_text(json.dumps([good, *(bad for bad, _ in MALFORMED), good]), "utf-8")
    outcome = run(path)
    first, *lines, last = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert (outcome.returncode, outcome.stderr) == (1, "")
    assert (first["ok"], last["ok"]) == (True, True)
    assert len(lines) == len(MALFORMED)
    for line, (_, message) in zip(lines, MALFORMED, strict=True):
        assert not line["ok"]
        assert message in line["got"]["error"], line
        assert "mistake" not in line["got"]["error"]
