"""Runs one hostile program in a tool of its own and checks, from outside, what it achieved."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar, cast

import assay_sandbox
from support import processes, remains
from support.hostile import bait, tool

# For starting an interpreter and a sandbox, two hostile runs, and the delay the sandbox may add.
TOOL_SECONDS = 100.0
# What one process may compute, the second run and what the sandbox adds included. The clock says
# nothing: how long others keep a program waiting is not its doing, and it is ended all the same.
PROCESSOR_SECONDS_MAX = tool.LIMITS.call_seconds + 4.0
# In these tiers every program starts an interpreter, whose start is not the program's time.
FRESH_TIERS, FRESH_SECONDS = ("M", "J"), 10.0
SETTLING_SECONDS = 1.0
WATCH_SECONDS = 0.02
KILL_AFTER_SECONDS = 1.0
MEGABYTE = 1 << 20
Found = TypeVar("Found")
GROWTH_MAX = 300 * MEGABYTE
# Memory that the caller may keep when all is over.
KEPT_MAX = 64 * MEGABYTE
TREE_MAX = 1500 * MEGABYTE
PROCESSES_MAX = 64
WRITTEN_MAX = 100 * MEGABYTE
# Checks of what the caller answers.
OF_THE_CALLER = frozenset(("supervisor_ok", "no_foreign", "not_equal"))


class Unjudgeable(Exception):
    """Nothing was tried: the tool ended, or hung, before it tried the program."""


@dataclass(frozen=True, slots=True)
class Hostile:
    """One entry of a manifest, with its text."""

    name: str
    source: str
    checks: tuple[str, ...]
    kills_caller: bool


def read_manifest(folder: Path) -> list[Hostile]:
    """The programs of a folder, in the order of its `manifest.json`."""
    entries = cast("list[dict[str, Any]]", json.loads((folder / "manifest.json").read_text()))
    return [
        Hostile(
            entry["name"],
            (folder / entry["file"]).read_text(),
            tuple(entry["checks"]),
            bool(entry.get("harness_action")),
        )
        for entry in entries
    ]


@dataclass(frozen=True, slots=True)
class Sentence:
    """The verdict on one program. `failed` names the checks that do not hold, and what was left
    behind, which is checked whatever a manifest lists."""

    name: str
    failed: tuple[str, ...]
    status: str
    tier: str
    seconds: float

    @property
    def contained(self) -> bool:
        return not self.failed


@dataclass(slots=True)
class _Watch:
    """The maxima seen of the processes below the tool."""

    tree_bytes: int = 0
    most: int = 0
    processor_seconds: float = 0.0
    seen: dict[tuple[int, int], processes.Process] = field(default_factory=dict)

    def look(self, pid: int) -> None:
        found = processes.below(pid)
        self.tree_bytes = max(self.tree_bytes, sum(each.resident_bytes for each in found))
        self.most = max(self.most, len(found))
        computed = (each.processor_seconds for each in found)
        self.processor_seconds = max(self.processor_seconds, *computed, 0.0)
        self.seen.update({(each.pid, each.started): each for each in found})

    def left(self) -> int:
        return sum(map(processes.alive, self.seen.values()))


def judge(hostile: Hostile, tier: str | None) -> Sentence:
    """Try one program in `tier`, or in the strongest there is. Raises `Unjudgeable`."""
    sentence, left = _watched_trial(hostile, tier)
    if not left:
        return sentence
    # Other processes on this machine leave things, too; a program that does so does it each time.
    _, again = _watched_trial(hostile, tier)
    both = [f"left behind: {kind} ({', '.join(left[kind])})" for kind in left if kind in again]
    return replace(sentence, failed=(*sentence.failed, *both))


def _watched_trial(
    hostile: Hostile, tier: str | None
) -> tuple[Sentence, dict[str, tuple[str, ...]]]:
    """The verdict on a program, and what it left behind on this machine, by kind."""
    before = remains.on_this_machine()
    sentence = _trial(hostile, tier)
    return sentence, _once_settled(lambda: remains.since(before))


def _once_settled(look: Callable[[], Found]) -> Found:
    """What `look` finds, after things that are about to go have had time to."""
    ends = monotonic() + SETTLING_SECONDS
    while (found := look()) and monotonic() < ends:
        sleep(WATCH_SECONDS)
    return found


def _trial(hostile: Hostile, tier: str | None) -> Sentence:
    with bait.laid_out() as laid:
        job = {
            "source": hostile.source,
            "context": laid.context,
            "tier": tier,
            "expected": "EXPECTED-VALUE",
        }
        with subprocess.Popen(
            [sys.executable, "-m", tool.__name__],
            cwd=laid.working,
            env={**laid.environment(), "PYTHONPATH": _python_path()},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        ) as process:
            watch = _Watch()
            try:
                answer = _converse(process, job, watch, kills=hostile.kills_caller)
                left = _once_settled(watch.left)
            finally:
                process.kill()
        if "began" not in answer:
            raise Unjudgeable(_why_not_begun(answer, process.wait()))
        return _sentence(hostile, laid, answer, watch, left=left)


def _python_path() -> str:
    """The path by which the tool finds this and the sandbox from a folder of its own."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    packages = Path(tool.__file__).parents[2], Path(assay_sandbox.__file__).parents[1]
    return os.pathsep.join(map(str, (*packages, *map(os.path.abspath, filter(None, given)))))


def _why_not_begun(answer: dict[str, Any], status: int) -> str:
    if "error" in answer:
        return str(answer["error"])
    ended = f"ended with status {status}" if status >= 0 else f"was silent for {TOOL_SECONDS:g} s"
    return f"the tool that runs it {ended} before the program was tried"


def _converse(
    process: subprocess.Popen[bytes], job: dict[str, Any], watch: _Watch, *, kills: bool
) -> dict[str, Any]:
    """The tool's messages, merged; empty if there were none."""
    assert process.stdin is not None
    assert process.stdout is not None
    # Without a buffer, or closing it would try again to write to a process that has ended.
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(json.dumps(job).encode() + b"\n")
    ends = monotonic() + TOOL_SECONDS
    answer: dict[str, Any] = {}
    pending = b""
    while monotonic() < ends:
        watch.look(process.pid)
        # Read past the buffer: `select` would not wake up for a line that waits in it.
        if not select.select([process.stdout], [], [], WATCH_SECONDS)[0]:
            continue
        data = os.read(process.stdout.fileno(), MEGABYTE)
        if not data:
            break
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            answer = {**answer, **cast("dict[str, Any]", json.loads(line))}
        if "began" in answer and kills:
            sleep(KILL_AFTER_SECONDS)
            watch.look(process.pid)
            process.kill()
            break
        if "status" in answer or "error" in answer:
            break
    return answer


def _sentence(
    hostile: Hostile, laid: bait.Bait, answer: dict[str, Any], watch: _Watch, *, left: int
) -> Sentence:
    status = str(answer.get("status", "killed" if hostile.kills_caller else "no answer"))
    text = str(answer.get("text", ""))
    hits = laid.hits()
    seconds = float(answer.get("seconds", 0.0))
    began = str(answer.get("began", ""))
    allowed = PROCESSOR_SECONDS_MAX + (FRESH_SECONDS if began in FRESH_TIERS else 0.0)
    answered = "status" in answer
    holds = {
        "supervisor_ok": answered and answer["next_correct"] and watch.processor_seconds <= allowed,
        "no_leftover": not left,
        "status==ok": status == "ok",
        "status!=ok": status != "ok",
        "status!=ok_or_opaque": status != "ok",
        "sup_rss": answer.get("grown_bytes", 0) < GROWTH_MAX,
        "tree_rss<=1500": watch.tree_bytes <= TREE_MAX,
        "max_procs<=64": watch.most <= PROCESSES_MAX,
        "disk<=100": laid.written_bytes() < WRITTEN_MAX,
        "canary_clean": laid.canary_clean(),
        "no_breach": "BREACH" not in text and "CANARY" not in text.replace(str(laid.canary), ""),
        **{name: name not in hits for name in ("no_hit_tcp", "no_hit_udp", "no_hit_abs")},
        "no_hit_unix": "no_hit_unix" not in hits,
        "no_foreign": answered
        and answer["observations"] == 1
        and answer["sibling_correct"]
        and "FORGED" not in text.partition("stdout=")[0],
        "not_equal": answered and not answer["equal"],
        "control_value": "CONTROL" in text,
    }
    asked = dict.fromkeys(hostile.checks)
    if hostile.kills_caller:
        # It was ended on purpose, and says nothing.
        asked = {check: None for check in asked if check not in OF_THE_CALLER}
    else:
        asked["supervisor_ok"] = None
    failed = [check for check in asked if not holds.get(check, False)]
    failed += _left_behind(laid, answer, left)
    if "status" not in answer and not hostile.kills_caller:
        # Whatever the manifest lists: without an answer nothing was shown.
        failed.append(str(answer.get("error", "no answer")))
    return Sentence(hostile.name, tuple(failed), status, began, round(seconds, 3))


def _left_behind(laid: bait.Bait, answer: dict[str, Any], left: int) -> Iterator[str]:
    if left:
        yield f"left behind: processes ({left})"
    if descriptors := answer.get("kept_descriptors"):
        yield f"left behind: descriptors ({', '.join(descriptors)})"
    kept = answer.get("kept_bytes", 0)
    if kept > KEPT_MAX:
        yield f"left behind: memory of the caller ({kept // MEGABYTE} MB)"
    if files := laid.left_files():
        yield f"left behind: files ({', '.join(files)})"
