"""Waiting that takes no time: what a program does comes out as if it had waited."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay_sandbox import (
    Call,
    Expression,
    Limits,
    Program,
    Raised,
    Returned,
    Sandbox,
    Scene,
    Surroundings,
    TimedOut,
    decode,
    render,
)
from support.interpreters import interpreters

# Whoever waits for real does not come to an end within these.
LIMITS = Limits(call_seconds=1.0)
WAITING = """
import asyncio, queue, sched, signal, threading, time
from time import sleep

def slept(seconds):
    start = time.time(), time.monotonic(), time.perf_counter_ns() // 10**9
    sleep(seconds)
    end = time.time(), time.monotonic(), time.perf_counter_ns() // 10**9
    return [round(after - before) for before, after in zip(start, end)]

async def paused(seconds):
    loop = asyncio.get_running_loop()
    start = loop.time()
    await asyncio.sleep(seconds)
    return round(loop.time() - start)

def run(seconds):
    return asyncio.run(paused(seconds))

async def in_order(delays):
    seen = []
    async def job(delay):
        await asyncio.sleep(delay)
        seen.append(delay)
    await asyncio.gather(*map(job, delays))
    return seen

async def late(seconds, deadline):
    try:
        return await asyncio.wait_for(asyncio.sleep(seconds, "done"), deadline)
    except asyncio.TimeoutError:
        return "late"

async def ticks(seconds):
    for number in range(3):
        await asyncio.sleep(seconds)
        yield number

def until(seconds):
    end, rounds = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        time.sleep(1)
        rounds += 1
    return rounds

async def in_a_thread(seconds, deadline):
    loop = asyncio.get_running_loop()
    try:
        await asyncio.wait_for(loop.run_in_executor(None, sleep, seconds), deadline)
    except asyncio.TimeoutError:
        return "late"
    return "done"

def beside_a_thread(seconds):
    found = []
    thread = threading.Thread(target=lambda: (sleep(seconds), found.append("thread")))
    thread.start()
    sleep(2 * seconds)
    found.append("main")
    thread.join()
    return found

def on_an_event(seconds):
    start = time.monotonic()
    found = threading.Event().wait(seconds)
    return found, round(time.monotonic() - start)

def on_a_queue(seconds):
    start = time.time()
    try:
        queue.Queue().get(timeout=seconds)
    except queue.Empty:
        return round(time.time() - start)

def on_a_condition(seconds):
    condition = threading.Condition()
    with condition:
        found = condition.wait_for(lambda: False, seconds)
    return found

def by_schedule(seconds):
    seen = []
    plan = sched.scheduler(time.monotonic, time.sleep)
    for delay in (2 * seconds, seconds):
        plan.enter(delay, 1, seen.append, (delay,))
    plan.run()
    return seen

class Patient:
    _sleep = time.sleep
    _clock = time.monotonic

    def rest(self, seconds):
        start = self._clock()
        self._sleep(seconds)
        return round(self._clock() - start)

def by_attributes(seconds):
    return Patient().rest(seconds)

def on_an_alarm(seconds):
    def late(*_):
        raise TimeoutError
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        sleep(seconds)
    except TimeoutError:
        return "late"

def for_ever(seconds):
    while True:
        sleep(seconds)
"""


@pytest.fixture(scope="module")
def skipping() -> Iterator[Sandbox]:
    with Sandbox(workers=1, surroundings=Surroundings(skips_waits=True)) as sandbox:
        yield sandbox


@pytest.mark.parametrize(
    ("entry", "arguments", "expected"),
    [
        ("slept", (300,), [300, 300, 300]),
        ("slept", (0.5e9,), [500_000_000] * 3),
        ("paused", (300,), 300),
        ("run", (300,), 300),
        ("in_order", ([30, 10, 20],), [10, 20, 30]),
        ("late", (100, 200), "done"),
        ("late", (200, 100), "late"),
        ("until", (60,), 60),
        ("in_a_thread", (0.05, 60), "done"),
        ("beside_a_thread", (0.05,), ["thread", "main"]),
        ("on_an_event", (300,), (False, 300)),
        ("on_a_queue", (300,), 300),
        ("on_a_condition", (300,), False),
        ("by_schedule", (300,), [300, 600]),
        ("by_attributes", (300,), 300),
        ("on_an_alarm", (0.4,), "late"),
    ],
)
def test_what_waits_does_what_it_would_have_done(
    skipping: Sandbox, entry: str, arguments: tuple[object, ...], expected: object
) -> None:
    (seen,) = skipping.run(Program(WAITING, entry), [Call(arguments)], LIMITS)
    assert isinstance(seen, Returned)
    assert decode(seen.value) == expected


def test_items_that_come_after_a_pause_come(skipping: Sandbox) -> None:
    (seen,) = skipping.run(Program(WAITING, "ticks"), [Call((60,))], LIMITS)
    assert isinstance(seen, Returned)
    assert decode(seen.value).items == (0, 1, 2)


@pytest.mark.parametrize(
    ("pause", "kind"), [(-1, "ValueError"), ("soon", "TypeError"), (1e300, "OverflowError")]
)
def test_what_cannot_be_waited_for_is_refused_as_ever(
    skipping: Sandbox, sandbox: Sandbox, pause: object, kind: str
) -> None:
    calls = [Call((pause,))]
    (seen,) = skipping.run(Program(WAITING, "slept"), calls, LIMITS)
    assert isinstance(seen, Raised)
    assert seen.type_name == kind
    assert sandbox.run(Program(WAITING, "slept"), calls, LIMITS) == (seen,)


def test_who_waits_for_ever_is_still_ended(skipping: Sandbox) -> None:
    (seen,) = skipping.run(Program(WAITING, "for_ever"), [Call((60,))], LIMITS)
    assert isinstance(seen, TimedOut)


def test_a_clock_that_stands_still_is_moved_by_waiting_alone(skipping: Sandbox) -> None:
    source = (
        "import asyncio, time\n"
        "async def f(seconds):\n"
        "    before = time.time()\n"
        "    time.sleep(seconds)\n"
        "    between = time.monotonic()\n"
        "    await asyncio.sleep(0)\n"
        "    return [before, between, time.time()]\n"
    )
    calls = [Call((seconds,), scene=Scene(time=5.0)) for seconds in (300.5, 0)]
    seen = skipping.run(Program(source, "f"), calls, LIMITS)
    assert [decode(each.value) for each in seen if isinstance(each, Returned)] == [
        [5.0, 305.5, 305.5],
        [5.0, 5.0, 5.0],
    ]


def test_coroutines_find_a_clock_that_stands_still_exactly_as_much_later(
    skipping: Sandbox,
) -> None:
    source = (
        "import asyncio, threading, time\n"
        "async def f(seconds):\n"
        "    await asyncio.gather(*(asyncio.sleep(seconds * n) for n in (1, 3, 2)))\n"
        "    return time.time()\n"
        "def beside(seconds):\n"
        "    thread = threading.Thread(target=time.sleep, args=(2 * seconds,))\n"
        "    thread.start()\n"
        "    before = time.time()\n"
        "    time.sleep(seconds)\n"
        "    after = time.time()\n"
        "    thread.join()\n"
        "    return after - before\n"
    )
    calls = [Call((seconds,), scene=Scene(time=5.0)) for seconds in (100.5, 0.25)]
    seen = skipping.run(Program(source, "f"), calls, LIMITS)
    assert [decode(each.value) for each in seen if isinstance(each, Returned)] == [306.5, 5.75]
    (waited,) = skipping.run(Program(source, "beside"), calls[1:], LIMITS)
    assert waited == Returned("0.25")


ASKING = """
import asyncio, datetime, sched, time, timeit
from datetime import date
from time import perf_counter

CLOCKS = {
    "time": time.time, "monotonic": time.monotonic, "perf_counter": perf_counter,
    "process_time": time.process_time, "thread_time": time.thread_time,
    "number": lambda: time.clock_gettime(time.CLOCK_MONOTONIC),
    "ns": lambda: time.time_ns() / 1e9, "processor_ns": lambda: time.process_time_ns() / 1e9,
    "default_timer": timeit.default_timer,
    "now": lambda: datetime.datetime.now().timestamp(),
    "utc": lambda: datetime.datetime.now(datetime.timezone.utc).timestamp(),
    "today": lambda: date.today().toordinal(),
    "localtime": lambda: time.mktime(time.localtime()),
    "gmtime": lambda: time.mktime(time.gmtime()),
    "text": lambda: time.mktime(time.strptime(time.ctime())),
}

def computed(name):
    clock = CLOCKS[name]
    before = clock()
    sum(range(300_000))
    return [before, clock() - before]

def slept(name, seconds):
    before = CLOCKS[name]()
    time.sleep(seconds)
    return round(CLOCKS[name]() - before, 6)

def busy(name, seconds):
    end = CLOCKS[name]() + seconds
    while CLOCKS[name]() < end:
        pass
    return CLOCKS[name]() - end

async def in_a_loop(seconds):
    loop = asyncio.get_running_loop()
    before = loop.time()
    await asyncio.sleep(seconds)
    return loop.time() - before

def with_a_default(clock=time.monotonic):
    return clock()
"""


def asked(sandbox: Sandbox, entry: str, *calls: tuple[object, ...]) -> list[object]:
    seen = sandbox.run(Program(ASKING, entry), [Call(arguments) for arguments in calls], LIMITS)
    return [decode(each.value) if isinstance(each, Returned) else each for each in seen]


OF_PROCESSOR = ("process_time", "thread_time", "processor_ns")
WHOLE = ("localtime", "gmtime", "text")
IN_SECONDS = ("time", "monotonic", "perf_counter", "number", "ns", "default_timer", "now", "utc")


@pytest.mark.parametrize("python", interpreters(), ids=lambda path: path.name)
def test_clocks_stand_still_in_every_run_and_every_call(python: Path) -> None:
    moment = 1_718_454_615.0
    said = {
        **dict.fromkeys((*IN_SECONDS, *WHOLE), moment),
        **dict.fromkeys(OF_PROCESSOR, 0.0),
        "today": 739_052,
    }
    with Sandbox(python, workers=1, surroundings=Surroundings(skips_waits=True)) as sandbox:
        found = asked(sandbox, "computed", *2 * [(name,) for name in said])
        assert found == 2 * [[each, 0.0] for each in said.values()]
        assert asked(sandbox, "with_a_default", ()) == [moment]
        assert asked(sandbox, "in_a_loop", (0.5,), (300,)) == [0.5, 300]


def test_clocks_but_the_processors_follow_what_was_not_waited_for(skipping: Sandbox) -> None:
    later = {
        **dict.fromkeys(IN_SECONDS, 90.5),
        **dict.fromkeys(WHOLE, 90),
        **dict.fromkeys(OF_PROCESSOR, 0),
    }
    assert asked(skipping, "slept", *((name, 90.5) for name in later)) == [*later.values()]
    # Half a day later it is tomorrow.
    assert asked(skipping, "slept", ("today", 43_200.0)) == [1]


@pytest.mark.parametrize("name", ["time", "monotonic", "process_time", "now", "ns"])
def test_who_asks_until_the_time_has_come_comes_to_an_end(skipping: Sandbox, name: str) -> None:
    calls = [(name, seconds) for seconds in (0.5, 5, 300)]
    found = asked(skipping, "busy", *calls)
    assert found == asked(skipping, "busy", *calls)
    assert all(isinstance(over, float) and 0 <= over < 0.01 for over in found)


def test_a_call_begins_when_its_steps_begin(skipping: Sandbox, sandbox: Sandbox) -> None:
    source = (
        "import random, time\n"
        "class Watch:\n"
        "    def __init__(self): self.began, self.drawn = time.monotonic(), random.random()\n"
        "def f(watch): return [time.monotonic() - watch.began, watch.drawn]\n"
    )
    steps = Expression("(it := Watch(), time.sleep(7), it)[-1]")
    seen = skipping.run(Program(source, "f"), [Call((steps,)), Call((steps,))], LIMITS)
    assert seen[0] == seen[1]
    assert isinstance(seen[0], Returned)
    assert decode(seen[0].value)[0] == 7
    in_a_scene = Call((Expression("Watch()"),), scene=Scene(time=5.0))
    (seen,) = sandbox.run(
        Program(source.replace("- watch.began", "+ watch.began"), "f"), [in_a_scene]
    )
    assert isinstance(seen, Returned)
    assert decode(seen.value)[0] == 10


def test_who_holds_a_clock_is_told_alike_in_every_program(skipping: Sandbox) -> None:
    source = (
        "import time\n"
        "class Limiter:\n"
        "    def __init__(self):\n"
        "        self.clock, self.sleep = time.monotonic, time.sleep\n"
        "def f():\n"
        "    time.sleep({})\n"
        "    return Limiter()\n"
    )
    one, other = (
        skipping.run(Program(source.format(pause), "f"), [Call()], LIMITS) for pause in (5, 7)
    )
    assert one == other
    assert isinstance(one[0], Returned)
    assert render(decode(one[0].value)) == "Limiter(clock=time.monotonic, sleep=time.sleep)"


def test_without_the_setting_waiting_waits(sandbox: Sandbox) -> None:
    (seen,) = sandbox.run(Program(WAITING, "slept"), [Call((300,))], LIMITS)
    assert isinstance(seen, TimedOut)
