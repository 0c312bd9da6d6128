"""What triangulation costs in our rounds, beside the prototype's strategy.

    python -m benchmarks.triangulation_cost [--prototype FOLDER --python PYTHON]

Thirty programs and thirty witnesses of nine behaviours each side, twenty inputs, twenty outputs.
"Re-stated" evaluates the same formulas as we do, between all pairs, with each call a round trip to
one worker whose answer is looked for every 10 ms; a call is made once. The verdicts have to be the
same. FOLDER is a copy of msv-lab/just-tri-it, which is run as it is, by a PYTHON that has what it
needs; its formulas differ from ours, and where its verdicts do, it says so.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from assay_engine.compare.executor import Executor
from assay_engine.methods.triangulation.formulas.evaluate import (
    Agreement,
    Subject,
    agreements,
    carried_out,
)
from assay_engine.methods.triangulation.formulas.outcomes import (
    Memo,
    ResultKind,
    encoded_arguments,
    read,
)
from assay_engine.methods.triangulation.formulas.properties import (
    Interpretation,
    Points,
    Scheme,
    transformed,
)
from assay_engine.methods.triangulation.formulas.schemes import ENUM_SINV, FWD_INV, FWD_SINV
from assay_engine.methods.triangulation.formulas.values import (
    DEMONIC,
    TRUE,
    UNDEFINED,
    VACUOUS,
    Function,
    Term,
    strongest,
)
from assay_sandbox import Limits, Program, Sandbox

POLL_SECONDS = 0.01
SIZES = (10, 5, 4, 3, 2, 2, 2, 1, 1)  # thirty samples, about as varied as the paper's
DRIVER = Path(__file__).with_name("prototype_driver.py")


@dataclass(frozen=True)
class Case:
    """Bodies of nine behaviours, the right one first, for either side."""

    scheme: Scheme
    left: tuple[str, ...]
    right: tuple[str, ...]
    left_type: str
    right_type: str

    def samples(self, side: str) -> list[str]:
        """Thirty different texts."""
        bodies, name, parameter, kind = (
            (self.left, "f", "i", self.left_type)
            if side == "left"
            else (self.right, "w", "o", self.right_type)
        )
        behaviours = [body for body, size in zip(bodies, SIZES, strict=True) for _ in range(size)]
        return [
            f"def {name}({parameter}: int, c: int) -> {kind}:\n    sample = {number}\n    {body}\n"
            for number, body in enumerate(behaviours)
        ]


INPUTS = [[i, c] for i in range(-25, 25, 5) for c in (1, 4)]
OUTPUTS = [[o, c] for o in range(-2, 8) for c in (1, 4)]
CASES = (
    Case(
        FWD_INV,
        (
            "return 3 * i + c",
            "return 3 * i - c",
            "return 3 * i",
            "return i + c",
            "return 3 * i + c + 1",
            "return abs(i) + c",
            "return [][i]",
            "return 3 * (i + c)",
            "return -3 * i + c",
        ),
        (
            "return (o - c) / 3",
            "return (o + c) / 3",
            "return o / 3",
            "return o // 3",
            "return o - c - 1",
            "return abs(o - c) / 3",
            "return {}[o]",
            "return o / 3 - c + 1",
            "return 0",
        ),
        "int",
        "float",
    ),
    Case(
        FWD_SINV,
        (
            "return i // (c + 5)",
            "return int(i / (c + 5))",
            "return i // c",
            "return i % (c + 5)",
            "return i // (c + 5) + 1",
            "return abs(i) // (c + 5)",
            "return [][i]",
            "return round(i / (c + 5))",
            "return i // (c + 6)",
        ),
        (
            "return list(range(o * (c + 5), (o + 1) * (c + 5)))",
            "return list(range(o * (c + 5), (o + 1) * (c + 5) - 1))",
            "return list(range(o * (c + 5) + 1, (o + 1) * (c + 5)))",
            "return [o * (c + 5)]",
            "return list(range(o * c, (o + 1) * c))",
            "return []",
            "return {}[o]",
            "return list(range((o - 1) * (c + 5), o * (c + 5)))",
            "return [c, o]",
        ),
        "int",
        "list[int]",
    ),
    Case(
        ENUM_SINV,
        (
            "return list(range(i, i + c + 1))",
            "return list(range(i, i + c))",
            "return list(range(i + 1, i + c + 3))",
            "return [i]",
            "return [i, i + c, i + 2 * c]",
            "return []",
            "return [][i]",
            "return list(range(i - c, i + 1))",
            "return list(range(i, i + 10 * c))",
        ),
        (
            "return list(range(o - c, o + 1))",
            "return list(range(o - c, o))",
            "return list(range(o, o + c + 1))",
            "return [o - c]",
            "return [o + 1]",
            "return []",
            "return {}[o]",
            "return [o - 2 * c]",
            "return list(range(o - 3, o - 1))",
        ),
        "list[int]",
        "list[int]",
    ),
)


@dataclass
class Cost:
    """`pair_checks`: how often a formula was evaluated between two programs; `round_trips`: how
    often the sandbox, or the worker, was asked and its answer waited for; `jobs`: one for each
    program of a request."""

    pair_checks: int = 0
    round_trips: int = 0
    jobs: int = 0
    calls: int = 0
    seconds: float = 0.0


class CountedSandbox:
    """Counts what is sent: a request with all its programs and calls is one round trip."""

    def __init__(self, sandbox: Sandbox, cost: Cost) -> None:
        self._sandbox, self._cost = sandbox, cost

    def run_many(self, programs: Sequence[Program], calls: Sequence[Any], *args: Any, **kw: Any):
        self._count(len(programs), len(calls))
        return self._sandbox.run_many(programs, calls, *args, **kw)

    def _count(self, programs: int, calls: int) -> None:
        self._cost.round_trips += 1
        self._cost.jobs += programs
        self._cost.calls += programs * calls


def ours(case: Case, sandbox: Sandbox) -> tuple[Agreement, Cost]:
    cost = Cost()

    def counted(interpretation: Interpretation) -> Interpretation:
        cost.pair_checks += 1
        return interpretation

    runner = cast("Sandbox", CountedSandbox(sandbox, cost))
    start = time.perf_counter()
    rounds = agreements(
        transformed(case.scheme, counted),
        [Subject((Program(text, "f"),)) for text in case.samples("left")],
        [Subject((Program(text, "w"),)) for text in case.samples("right")],
        points(),
        Memo(),
    )
    found = asyncio.run(carried_out(rounds, Executor(runner, runner, Limits())))
    cost.seconds = time.perf_counter() - start
    return found, cost


def points() -> Points:
    return Points(tuple(map(tuple, INPUTS)), tuple(map(tuple, OUTPUTS)))


class OneWorker:
    """A worker that is sent a program's text and one call at a time, and polled."""

    def __init__(self, cost: Cost) -> None:
        self._cost = cost
        self._known: dict[tuple[str, str], Term] = {}
        self._tasks: multiprocessing.Queue[Any] = multiprocessing.Queue()
        self._results: multiprocessing.Queue[Any] = multiprocessing.Queue()
        self._process = multiprocessing.Process(target=_work, args=(self._tasks, self._results))
        self._process.start()

    def function(self, text: str, name: str, kind: ResultKind) -> Function:
        def function(*arguments: Term) -> Term:
            special = strongest(arguments)
            if special is not None:
                return special
            key = (text, encoded_arguments(arguments))
            if key not in self._known:
                self._known[key] = self._asked(text, name, arguments)
            return read(self._known[key], kind)

        return function

    def _asked(self, text: str, name: str, arguments: tuple[Term, ...]) -> Term:
        self._cost.round_trips += 1
        self._cost.jobs += 1
        self._cost.calls += 1
        self._tasks.put((text, name, arguments))
        while self._results.empty():
            time.sleep(POLL_SECONDS)
        kind, value = self._results.get()
        return value if kind == "value" else UNDEFINED if kind == "invalid" else DEMONIC

    def stop(self) -> None:
        self._tasks.put(None)
        self._process.join()


def _work(tasks: Any, results: Any) -> None:
    """The programs are this file's own: nothing has to be confined."""
    loaded: dict[str, dict[str, Any]] = {}
    while (task := tasks.get()) is not None:
        text, name, arguments = task
        if text not in loaded:
            exec(text, loaded.setdefault(text, {}))
        try:
            results.put(("value", loaded[text][name](*arguments)))
        except ValueError as error:
            invalid = str(error).lower().startswith("invalid input")
            results.put(("invalid" if invalid else "crash", None))
        except Exception:
            results.put(("crash", None))


def restated(case: Case) -> tuple[Agreement, Cost]:
    cost = Cost()
    worker = OneWorker(cost)
    start = time.perf_counter()
    rows: list[tuple[int, ...]] = []
    for p in case.samples("left"):
        row: list[int] = []
        for number, q in enumerate(case.samples("right")):
            left = worker.function(p, "f", case.scheme.left)
            right = worker.function(q, "w", case.scheme.right)
            if _holds(case.scheme, Interpretation(left, right, points(), left, right), cost):
                row.append(number)
        rows.append(tuple(row))
    cost.seconds = time.perf_counter() - start
    worker.stop()
    return tuple(rows), cost


def _holds(scheme: Scheme, interpretation: Interpretation, cost: Cost) -> bool:
    for clause in scheme.clauses:
        cost.pair_checks += 1
        judgement = clause.formula(interpretation)
        if judgement is not TRUE and (clause.primary or judgement is not VACUOUS):
            return False
    return True


def prototype(case: Case, folder: Path, python: str) -> tuple[Agreement, Cost]:
    task = {
        "scheme": case.scheme.name,
        "left": case.samples("left"),
        "right": case.samples("right"),
        "inputs": INPUTS,
        "outputs": OUTPUTS,
    }
    done = subprocess.run(
        [python, str(DRIVER), str(folder / "src")],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"the prototype failed:\n{done.stderr[-2000:]}")
    answer = json.loads(done.stdout)
    sent = answer["messages"]
    cost = Cost(answer["pair_checks"], sent, sent, sent, answer["seconds"])
    return tuple(map(tuple, answer["agreement"])), cost


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--prototype", type=Path, help="a copy of msv-lab/just-tri-it")
    parser.add_argument("--python", default=sys.executable, help="the interpreter to run it with")
    arguments = parser.parse_args()
    print("| scheme | strategy | pair checks | round trips | jobs | calls | seconds | agreeing |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    with Sandbox() as sandbox:
        ours(CASES[0], sandbox)  # the first run starts the sandbox
        for case in CASES:
            others: list[tuple[str, Callable[[], tuple[Agreement, Cost]]]] = [
                ("re-stated", lambda case=case: restated(case)),
            ]
            if arguments.prototype is not None:
                others.append(
                    (
                        "prototype",
                        lambda case=case: prototype(case, arguments.prototype, arguments.python),
                    )
                )
            expected, own = ours(case, sandbox)
            _print(case, "rounds", expected, own)
            for name, run in others:
                found, cost = run()
                _print(case, name, found, cost)
                print(
                    f"|  | as many times ours | {cost.pair_checks / own.pair_checks:.0f} |"
                    f" {cost.round_trips / own.round_trips:.0f} |"
                    f" {cost.jobs / own.jobs:.0f} | {cost.calls / own.calls:.1f} |"
                    f" {cost.seconds / own.seconds:.0f} | |"
                )
                if found != expected and name == "re-stated":
                    raise SystemExit(f"{case.scheme.name}: the verdicts differ")
                if found != expected:
                    print(f"| {case.scheme.name} | the prototype's verdicts differ | | | | | | |")


def _print(case: Case, name: str, found: Agreement, cost: Cost) -> None:
    print(
        f"| {case.scheme.name} | {name} | {cost.pair_checks} | {cost.round_trips} | {cost.jobs} |"
        f" {cost.calls} | {cost.seconds:.2f} | {sum(map(len, found))} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
