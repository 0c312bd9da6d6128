"""What of a candidate no input has reached, as the sandbox sees it."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from assay_engine.compare.executor import Executor
from assay_engine.fixes.cautions.cautions import unreached
from assay_sandbox import Call, Limits, Program
from support.specifying import specified

FILE = '''\
#0
class Shop:
    def __init__(self, open):
        self.open = open

    def close(self):
        self.open = False


def stop(shop):
    shop.close()
    return 0


def f(n: int):
    """Do something with a number."""
    return stop(Shop(n))
'''
# Each with the number 3 and with 5; what none of the two reaches, and where.
ALL_REACHED = '''
def f(n):
    """Twice the number.

    #0
    """
    if n > 4:
        return 2 * n
    return n + n
---
def halved(n):
    return [m for m in range(n) if m % 2 and str(m).isdigit()]


def f(n: int):
    total = 0
    for each in halved(n):
        total += each if each > 1 else abs(each)
    while total < 9:
        total += 5
        if total < 9:
            continue
        else:
            pass
    try:
        pass
    finally:
        other: int
    while True:
        break
    pick = lambda each: str(each).strip()
    return f"{pick(n)!r:>{n}} {{}}"
---
class Counter:
    def __init__(self):
        self.n = 0

    def up(self):
        self.n += 1
        return self


def f(n):
    def inner():
        yield Counter().up().n

    return [*inner()]
---
def f(n):
    global TOTAL
    TOTAL = n and str(n).strip() if n > 3 or n < 1 else [n]
    return TOTAL, 0 < n < 9, [each for one in (n,) if one < 9 for each in range(one) if each]
---
def f(n):
    match n:
        case 3 if str(n).isdigit():
            return 3
        case other:
            return other
'''
SOMETHING_LEFT = """
def f(n):
    if n > 99:
        raise ValueError("never")
    return n
= 3 raise ValueError('never')
---
def f(n):
    if n == 42: return stop(Shop(n))
    return n
= 2 return stop(Shop(n))
---
def f(n):
    return n or stop(Shop(n))
= 2 stop(Shop(n))
---
def f(n):
    return stop(Shop(n)) if n > 99 else n
= 2 stop(Shop(n))
---
def f(n):
    return n > 99 > stop(Shop(n))
= 2 stop(Shop(n))
---
def f(n):
    return [stop(m) for m in range(n) if m > 99 and stop(m)]
= 2 stop(m)
---
def f(n):
    later = lambda: stop(n)
    return n
= 2 stop(n)
---
def f(n):
    return f"{n > 99 and stop(n)}"
= 2 stop(n)
---
def wipe(shop):
    shop.close()


def f(n):
    return n if n < 99 else wipe(n)
= 2 shop.close()
---
class Kept:
    def __del__(self):
        stop(self)

    def up(self):
        return 1


def f(n):
    return n, Kept.up(n)
= 3 stop(self)
---
wipe = lambda n: stop(n)


def f(n):
    return n, wipe if n > 99 else 1
= 1 stop(n)
---
def f(n):
    match n:
        case other if n > 99 and stop(n):
            return 3
    assert n < 99, stop(n)
    return n
= 3 stop(n)
---
def f(n):
    if n != 42:
        return n
    else:
        ""
    while n.whatever():
        pass
= 6 while n.whatever():
---
def f(n):
    if n < 42:
        return n
    elif n.anything(n):
        pass
= 4 if n.anything(n):
---
def f(n):
    for low in range(n):
        if n < 42:
            return n
        else:
            for each in range(low):
                pass
= 6 for each in range(low):
---
def f(n):
    if n < 42:
        return n
    else:
        @n.whatever
        def nothing():
            pass
= 5 @n.whatever
---
def f(n):
    for _ in range(3):
        if n == 42:
            break
    else:
        return n
= 4 break
---
def f(n):
    [each for one in (n,) if one == 42 for each in stop(one)]
    return n
= 2 stop(one)
---
def f(n):
    {one: each for one in (n,) for each in () if one.whatever}
    return n
= 2 one.whatever
---
def f(n):
    return 0 if n == 42 else n
= 2 0
---
def f(n):
    return n == 42 and n.whatever or n
= 2 n.whatever
---
def f(n):
    return 42 < n < n.whatever
= 2 n.whatever
---
def f(n):
    try:
        return n
    except n.whatever():
        ...
= 4 n.whatever()
"""


@pytest.mark.parametrize("candidate", ALL_REACHED.split("---\n"))
async def test_code_that_some_input_reaches_needs_no_caution(
    executor: Executor, candidate: str
) -> None:
    assert await reached_by_two(executor, candidate) is None


@pytest.mark.parametrize("case", SOMETHING_LEFT.split("---\n"))
async def test_the_first_code_that_no_input_reaches_is_pointed_out(
    executor: Executor, case: str
) -> None:
    candidate, _, told = case.lstrip("\n").rpartition("\n= ")
    line, _, code = told.strip().partition(" ")
    caution = await reached_by_two(executor, candidate)
    assert caution is not None
    assert (caution.line, caution.code) == (int(line), code)
    assert caution.reason == "was not run on any input"


async def reached_by_two(executor: Executor, candidate: str):
    specification = specified(FILE, "f")
    return await unreached(executor, specification, candidate, [Call((3,)), Call((5,))])


async def test_a_candidate_that_cannot_be_followed_is_pointed_out(executor: Executor) -> None:
    deep = f"def f(n):\n    return {'+'.join(['n'] * 2000)}\n"
    caution = await reached_by_two(executor, deep)
    assert caution is not None
    assert caution.reason == "starts something that cannot be followed"


async def test_watching_ends_when_nobody_waits_for_it(executor: Executor) -> None:
    patient = replace(executor, limits=Limits(call_seconds=100, total_seconds=100))
    endless = Program("def run(n):\n    while True:\n        pass\n", "run")
    watching = asyncio.ensure_future(patient.covered(endless, [Call((0,))]))
    await asyncio.sleep(1)
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching
    # Its thread has nothing left to do.
    await asyncio.wait_for(asyncio.get_running_loop().shutdown_default_executor(), 30)
