"""Functions that promise a result of their own: what becomes of the arguments when it changes."""

from __future__ import annotations

import pytest

from assay_engine.reading.independence import promises_independence
from assay_engine.running.laboratory import Laboratory
from assay_engine.types import Code, Status
from support.trials import put_on_trial, scripted

PROMISED = [
    "Neither is changed, and later changes to the result, at any depth, do not show in them.",
    "A new one, and changing the result\n    at any depth later on does not change the arguments.",
    "Return a deep copy of the tree.",
    "Merge both. The result shares nothing with either.",
    "The copy does not share any list with the original.",
    "Not a shallow copy: later changes to the result do not show in the argument.",
    "A new dictionary, which can be changed. Changing what is returned will not affect either.",
    "Give an independent copy.",
    "Modifying the returned list never affects the cache.",
]
NOT_PROMISED = [
    "Return a copy of the list.",
    "Return a shallow copy: nothing is copied deeply, and both share their items.",
    "The result is independent of the order of the items.",
    "The list is not changed.",
    "Return the share of each. No share is negative, and later ones are not rounded.",
    "Change every item. The result is not sorted.",
    "Say how much each shareholder gets.",
    "Change new lines to spaces, but not within quotes.",
    "Copy the tree without a deep copy.",
    "Its items are not deep-copied.",
    "Modify the results in place if they are not sorted.",
    "Edit the output so that no line is longer than width.",
    "Do not share the rest.",
    "Say whether two sets share nothing.",
    "later changes " * 4000,
    "",
]


@pytest.mark.parametrize("docstring", PROMISED)
def test_that_a_result_stands_alone_is_read(docstring: str) -> None:
    assert promises_independence(docstring)


@pytest.mark.parametrize("docstring", NOT_PROMISED)
def test_of_other_things_nothing_is_read(docstring: str) -> None:
    assert not promises_independence(docstring)


MERGED = '''
import copy
from collections.abc import Mapping
from typing import Any

def merged(base: dict[str, Any], override: dict[str, Any]) -> dict[str, Any]:
    """Lay one configuration over another, and dicts in it over each other. {promise}"""
    found = {copied}
    for key, value in override.items():
        if isinstance(value, dict) and isinstance(found.get(key), dict):
            found[key] = merged(found[key], value)
        else:
            found[key] = copy.deepcopy(value)
    return found
'''
DEEP = """\
def merged(base, override):
    both = {}
    for key in [*base, *(key for key in override if key not in base)]:
        value = override.get(key, base.get(key)) if key in override else base[key]
        if key in override and isinstance(value, dict) and isinstance(base.get(key), dict):
            both[key] = merged(base[key], value)
        else:
            both[key] = copy.deepcopy(value)
    return both
"""
CALLS = [
    f"merged({base}, {override})"
    for base in ("{}", "{'a': 1}", "{'a': {'b': [1]}}", "{'a': [], 'c': 2}")
    for override in ("{}", "{'a': {'c': 3}}", "{'b': [2]}")
]
PROMISE = "Changes to the result, at any depth, do not show in the arguments."


async def test_a_part_in_common_is_found_where_there_is_to_be_none(laboratory: Laboratory) -> None:
    model = scripted([DEEP] * 10, CALLS)
    right = MERGED.format(promise=PROMISE, copied="copy.deepcopy(dict(base))")
    report = await put_on_trial(laboratory, right, "merged", model)
    assert report.verdict.status is Status.TRUSTED
    wrong = MERGED.format(promise=PROMISE, copied="dict(base)")
    report = await put_on_trial(laboratory, wrong, "merged", model)
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert finding.code is Code.DIFFERS
    assert finding.witness is not None
    theirs, own = finding.witness.outcomes
    assert theirs.what == "leave `base` alone"
    assert "leaves `base` as" in own.what
    assert "added to the result afterwards" in own.what
    (request,) = [prompt.user for prompt, _ in model.asked if prompt.name == "preference"]
    assert "'added to the result afterwards' is added to what it returned" in request


async def test_elsewhere_parts_in_common_are_nobodys_business(laboratory: Laboratory) -> None:
    shallow = MERGED.format(promise="Neither is changed.", copied="dict(base)")
    report = await put_on_trial(laboratory, shallow, "merged", scripted([DEEP] * 10, CALLS))
    assert report.verdict.status is Status.TRUSTED


TREE = '''
import copy
from dataclasses import dataclass, field

@dataclass
class Node:
    name: str
    tags: list[str] = field(default_factory=list)
    below: list["Node"] = field(default_factory=list)

def renamed(node: Node, name: str) -> Node:
    """Give a deep copy of the tree with another name at its root."""
    return {made}
'''
RENAMED = """\
def renamed(node, name):
    found = copy.deepcopy(node)
    found.name = name
    return found
"""
NODES = [
    f"renamed(Node({name!r}, {tags}, {below}), {new!r})"
    for name, tags, below, new in (
        ("a", [], "[]", "b"),
        ("a", ["x"], "[]", ""),
        ("", [], "[Node('c', ['y'])]", "d"),
        ("b", ["x", "z"], "[Node('c'), Node('d', ['e'])]", "b"),
    )
]


async def test_objects_stand_alone_with_all_that_they_hold(laboratory: Laboratory) -> None:
    model = scripted([RENAMED] * 10, NODES)
    right = TREE.format(made="Node(name, copy.deepcopy(node.tags), copy.deepcopy(node.below))")
    report = await put_on_trial(laboratory, right, "renamed", model)
    assert report.verdict.status is Status.TRUSTED
    wrong = TREE.format(made="Node(name, copy.deepcopy(node.tags), node.below[:])")
    report = await put_on_trial(laboratory, wrong, "renamed", model)
    assert report.verdict.status is Status.SUSPECT


KEPT = '''
import asyncio
from collections import OrderedDict, defaultdict, deque

DEFAULTS = {{"tags": []}}


class Journal:
    def __init__(self, size: int) -> None:
        self.size = size
        self._entries: list[list[int]] = []

    def {name}(self, entry: list[int]) -> {gives}:
        """Keep the numbers, and give all that are kept. The result shares nothing with them."""
        self._entries.append(entry{copied})
        return {made}
'''
ENTRIES = "[list(each) for each in self._entries]"
KINDS = [
    ("deque", "deque[list[int]]", "deque(self._entries)", f"deque({ENTRIES})"),
    (
        "defaultdict",
        "defaultdict[int, list[int]]",
        "defaultdict(list, enumerate(self._entries))",
        f"defaultdict(list, enumerate({ENTRIES}))",
    ),
    (
        "OrderedDict",
        "OrderedDict[int, list[int]]",
        "OrderedDict(enumerate(self._entries))",
        f"OrderedDict(enumerate({ENTRIES}))",
    ),
]


@pytest.mark.parametrize(("name", "gives", "shared", "own"), KINDS)
async def test_results_of_any_kind_are_to_stand_alone(
    laboratory: Laboratory, name: str, gives: str, shared: str, own: str
) -> None:
    def method(made: str, copied: str) -> str:
        return KEPT.format(name=name.lower(), gives=gives, made=made, copied=copied)

    candidate = (
        f"def {name.lower()}(self, entry):\n    self._entries += [[*entry]]\n    return {own}\n"
    )
    proposed = [
        f"it = Journal(2); it.{name.lower()}([1]); it.{name.lower()}({entry})"
        for entry in ("[]", "[2]", "[3, 4]")
    ]
    proposed += [f"Journal(3).{name.lower()}([5])"]
    model = scripted([candidate] * 10, proposed)
    right = await put_on_trial(laboratory, method(own, "[:]"), f"Journal.{name.lower()}", model)
    assert right.verdict.status is Status.TRUSTED
    wrong = await put_on_trial(laboratory, method(shared, "[:]"), f"Journal.{name.lower()}", model)
    assert wrong.verdict.status is Status.SUSPECT


ALONE = '''
import asyncio

DEFAULTS: list[int] = [0]


{kind} numbers(more: list[int]) -> list[list[int]]:
    """The usual numbers and these. Changes to the result never show in the argument."""
    {pause}
    return [{usual}, {more}]
'''


@pytest.mark.parametrize(
    ("kind", "pause"), [("def", "pass"), ("async def", "await asyncio.sleep(1)")]
)
async def test_what_a_program_keeps_is_left_as_it_was(
    laboratory: Laboratory, kind: str, pause: str
) -> None:
    candidate = f"{kind} numbers(more):\n    {pause}\n    return [[*DEFAULTS], more.copy()]\n"
    calls = [f"numbers({each})" for each in ("[]", "[1]", "[2, 3]", "[0, 0]", "[5]")]
    model = scripted([candidate] * 10, calls)
    right = ALONE.format(kind=kind, pause=pause, usual="DEFAULTS", more="list(more)")
    report = await put_on_trial(laboratory, right, "numbers", model)
    assert report.verdict.status is Status.TRUSTED
    wrong = ALONE.format(kind=kind, pause=pause, usual="DEFAULTS[:]", more="more")
    report = await put_on_trial(laboratory, wrong, "numbers", model)
    assert report.verdict.status is Status.SUSPECT
