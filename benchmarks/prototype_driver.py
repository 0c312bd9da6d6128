"""Runs the prototype's own checker, without a model, on programs from standard input.

Started by `benchmarks.triangulation_cost`, by an interpreter that has what the prototype needs. The
argument is the prototype's source folder.
"""

from __future__ import annotations

import json
import sys
import time
from types import SimpleNamespace

sys.path.insert(0, sys.argv[1])

import just_tri_it.utils
from just_tri_it.executor import PersistentWorkerExecutor
from just_tri_it.program import Program, Signature
from just_tri_it.triangulation import Triangulator


def main() -> None:
    task = json.load(sys.stdin)
    just_tri_it.utils.ENABLE_HACKS = False
    executor = PersistentWorkerExecutor()
    triangulator = Triangulator(executor, None, None, 0, 0)
    counts = {"messages": 0, "pair_checks": 0}
    execute, check = executor._execute_code, triangulator.checker.check

    def counted_execute(*args: object) -> object:
        counts["messages"] += 1
        return execute(*args)

    def counted_check(*args: object) -> object:
        counts["pair_checks"] += 1
        return check(*args)

    executor._execute_code, triangulator.checker.check = counted_execute, counted_check
    left, right = (
        [Program(Signature.from_function_code(text), text) for text in task[side]]
        for side in ("left", "right")
    )
    requirements = SimpleNamespace(signature=left[0].signature)
    make = {
        "FWD-INV": triangulator.make_fwd_inv,
        "FWD-SINV": triangulator.make_fwd_sinv,
        "ENUM-SINV": triangulator.make_enum_sinv,
    }[task["scheme"]]
    start = time.perf_counter()
    found = triangulator.triangulate(
        make(requirements, 0),
        task["inputs"],
        [(p, [p]) for p in left],
        task["outputs"],
        [(q, [q]) for q in right],
        bijective=True,
        **({"max_domain": 10} if task["scheme"] == "ENUM-SINV" else {}),
    )
    seconds = time.perf_counter() - start
    executor.shutdown()
    names = [q.hash_id() for q in right]
    by_program = {
        p.hash_id(): sorted(names.index(q.hash_id()) for q in witnesses) for p, witnesses in found
    }
    agreement = [by_program.get(p.hash_id(), []) for p in left]
    print(json.dumps({**counts, "seconds": seconds, "agreement": agreement}))


if __name__ == "__main__":
    main()
