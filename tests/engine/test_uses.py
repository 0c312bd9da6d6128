"""Functions that return functions are tried by what those do."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.inputs.proposed import example_calls, proposals_in
from assay_engine.methods.trails.generating import read_inputs
from assay_engine.sampling.prompting import inputs_prompt
from assay_engine.types import Code, Status
from assay_engine.values.describing import call_text
from support.specifying import specified
from support.trials import put_on_trial, scripted

REMEMBERED = '''
import functools


def remembered(function):
    """Call the function once for each argument, and remember what it gave.

    >>> seen = []
    >>> f = remembered(lambda x: seen.append(x) or len(seen))
    >>> (f("a"), f("a"), f("b"))
    (1, 1, 2)
    """
    known = {{}}

    @functools.wraps(function)
    def wrapper(argument):
        if {missing}:
            known[argument] = function(argument)
        return known[argument]

    return wrapper
'''
ANOTHER = """\
def remembered(function):
    results = {}
    def once(argument):
        try:
            return results[argument]
        except KeyError:
            pass
        results[argument] = function(argument)
        return results[argument]
    return once
"""
# By its text alone nobody could tell that it returns a function.
OF_ANOTHER_KIND = """\
import functools

def remembered(function):
    return functools.lru_cache(maxsize=None)(function)
"""
USES = (
    "seen = []; f = remembered(lambda x: seen.append(x)); (f(1), f(1), seen)",
    "remembered(len)('abc')",
    "seen = []; f = remembered(seen.append); f(2); f(3); f(2); seen",
    "f = remembered(int); (f('3'), f('3'))",
    "f = remembered(int); f('x')",
    "callable(remembered(len))",
)


def remembered(missing: str = "argument not in known") -> str:
    return REMEMBERED.format(missing=missing)


def test_uses_are_read_and_shown_as_they_were_written() -> None:
    specification = specified(remembered())
    reply = "\n".join([*USES, "len('abc')", "lambda: remembered(len)", "f = ("])
    written = [proposal.call for proposal in proposals_in(reply, specification)]
    assert [call_text(call, specification) for call in written] == list(USES)
    (shown,) = example_calls(specification)
    assert call_text(shown, specification) == (
        "seen = []; f = remembered(lambda x: seen.append(x) or len(seen)); (f('a'), f('a'), f('b'))"
    )


HANDLERS = '''
def make_handlers(names, callback):
    """Build one handler per name, as a dict from name to function.

    A handler calls `callback` with its name, followed by its own arguments.
    """
    handlers = {}
    for name in names:
        handlers[name] = lambda *args: callback(name, *args)
    return handlers
'''
BOUND = HANDLERS.replace("lambda *args:", "lambda *args, name=name:")


async def test_functions_in_a_dict_are_compared_by_what_they_do(executor: Executor) -> None:
    uses = (
        "made = make_handlers(['a', 'b'], lambda *given: given); (made['a'](1), made['b']())",
        "make_handlers(['a'], print)['a'](2)",
        "make_handlers([], print)",
    )
    model = scripted([BOUND] * 10, uses)
    report = await put_on_trial(executor, HANDLERS, "make_handlers", model)
    assert report.verdict.status is Status.SUSPECT
    assert report.findings[0].message == (
        "made = make_handlers([…], …); (made['a'](1), made['b']()): "
        "all 10 candidates return (('a', 1), ('b',)), this returns (('b', 1), ('b',))"
    )
    right = await put_on_trial(executor, BOUND, "make_handlers", model)
    assert right.verdict.status is Status.TRUSTED


async def test_what_is_returned_is_compared_by_what_it_does(executor: Executor) -> None:
    model = scripted([ANOTHER] * 10, USES)
    right = await put_on_trial(executor, remembered(), "remembered", model)
    assert right.verdict.status is Status.TRUSTED
    wrong = await put_on_trial(executor, remembered("not known.get(argument)"), "remembered", model)
    assert wrong.verdict.status is Status.SUSPECT
    (finding,) = wrong.findings
    assert finding.code is Code.DIFFERS
    assert finding.witness is not None
    assert finding.witness.call in USES


async def test_a_candidate_that_makes_them_otherwise_takes_its_place(
    executor: Executor,
) -> None:
    model = scripted([OF_ANOTHER_KIND] * 10, USES)
    wrong = await put_on_trial(executor, remembered("not known.get(argument)"), "remembered", model)
    assert wrong.verdict.status is Status.SUSPECT
    (replacement,) = wrong.replacements
    assert "lru_cache" in replacement.diff


def test_a_definition_beneath_the_decorator_is_a_step() -> None:
    text = '''
def twice(function):
    """Call the function on what it returned.

    >>> calls = []
    >>> @twice
    ... def plus(n: int, *, by: int = 2) -> int:
    ...     return calls.append(n) or n + by
    >>> plus(1), calls
    (5, [1, 3])
    >>> @twice
    ... def longer(text):
    ...     text += "a"
    ...     return text
    >>> longer("b")
    'baa'
    """
    return lambda *args, **kwargs: function(function(*args, **kwargs), **kwargs)
'''
    specification = specified(text)
    assert [call_text(call, specification) for call in example_calls(specification)] == [
        (
            "calls = []; @twice; def plus(n: int, *, by: int=2) -> int: "
            "return calls.append(n) or n + by; (plus(1), calls)"
        ),
        (
            "calls = []; @twice; def plus(n: int, *, by: int=2) -> int: "
            "return calls.append(n) or n + by; (plus(1), calls); @twice; def longer(text): "
            "text += 'a'; return text; longer('b')"
        ),
    ]


def test_names_that_a_judge_binds_are_written_out() -> None:
    specification = specified(remembered())
    (call,) = read_inputs("```python\nf = remembered(len)\nf('abc')\n```", specification)
    assert call_text(call, specification) == "remembered(len)('abc')"


async def test_without_any_use_it_abstains(executor: Executor) -> None:
    text = remembered().replace(">>>", "$").replace("(1, 1, 2)", "")
    report = await put_on_trial(
        executor, text, "remembered", scripted([ANOTHER] * 10, ("len('a')",))
    )
    assert report.verdict.status is Status.ABSTAINED
    unread, none = (problem.message for problem in report.problems)
    assert unread.startswith("Nothing that the model proposed as inputs can be read as a call")
    assert none == "There are no inputs to run it on. Add an example to its docstring."


BELL = '''
class Bell:
    def __init__(self) -> None:
        self.heard: list[str] = []

    def told(self, name: str):
        """A decorator: what a function returns is heard under this name, and its upper case given
        back."""

        def decorate(function):
            def wrapper(*args):
                found = function(*args)
                self.heard.append(f"{{name}}: {{found}}")
                return {result}

            return wrapper

        return decorate
'''
ANOTHER_BELL = """\
def told(self, name: str):
    def tell(found):
        self.heard.append(name + ": " + found)
        return found.upper()
    return lambda function: lambda *args: tell(function(*args))
"""
BELL_USES = (
    "it = Bell(); made = it.told('a')(str.strip); (made(' b '), made('c'), it.heard)",
    "Bell().told('a')(str)('b')",
    "it = Bell(); it.told('')(str)('b'); it.told('c')(repr)('d'); it.heard",
)


async def test_methods_that_return_functions_are_tried_alike(executor: Executor) -> None:
    text = BELL.format(result="found.upper()")
    specification = specified(text, "Bell.told")
    prompt = inputs_prompt(specification, temperature=1.0)
    assert "\nit = Bell(…)\nit.…(…)\nit.told(name)\n" in prompt.user
    model = scripted([ANOTHER_BELL] * 10, BELL_USES)
    right = await put_on_trial(executor, text, "Bell.told", model)
    assert right.verdict.status is Status.TRUSTED
    wrong = await put_on_trial(executor, BELL.format(result="found"), "Bell.told", model)
    assert wrong.verdict.status is Status.SUSPECT
    (finding,) = wrong.findings
    assert finding.witness is not None
    assert finding.witness.call in BELL_USES


TRIED_AGAIN = '''
def tried_again(times: int, pause):
    """A decorator that calls a function up to so many times, until it raises nothing.

    `times` is at least 1. Between two calls `pause` is called with their number, from 1 on. What
    the last call raises is raised.
    """

    def decorate(function):
        def wrapper(*args):
            for number in range(1, times + 1):
                try:
                    return function(*args)
                except Exception:
                    {pausing}
                    if number == times:
                        raise

        return wrapper

    return decorate
'''
ANOTHER_TRY = """\
def tried_again(times, pause):
    def decorate(function):
        def wrapper(*args):
            number = 1
            while True:
                try:
                    return function(*args)
                except Exception:
                    if number >= times:
                        raise
                pause(number)
                number += 1
        return wrapper
    return decorate
"""


CAUGHT = "try:\n    f()\nexcept IndexError:\n    pass\nseen"


@pytest.mark.parametrize(
    "use",
    [
        "f = tried_again(2, lambda n: print('pause', n))(lambda: 1 / 0); f()",
        "seen = []\nf = tried_again(2, seen.append)(list().pop)\n" + CAUGHT,
    ],
)
async def test_what_is_done_around_an_exception_of_a_given_function_is_compared(
    executor: Executor, use: str
) -> None:
    model = scripted([ANOTHER_TRY] * 10, (use, "tried_again(1, print)(str)('a')"))
    text = TRIED_AGAIN.format(pausing="if number < times: pause(number)")
    right = await put_on_trial(executor, text, "tried_again", model)
    assert right.verdict.status is Status.TRUSTED
    wrong = await put_on_trial(
        executor, TRIED_AGAIN.format(pausing="pause(number)"), "tried_again", model
    )
    assert wrong.verdict.status is Status.SUSPECT
    (finding,) = wrong.findings
    assert finding.witness is not None
    assert finding.witness.call.startswith(use[:20].replace("\n", "; "))


FIRST_OF = '''
def first_of(functions: list):
    """The result of the first function that gives one. If none does, the exception of the last
    one is raised.

    Raises:
        LookupError: if there is no function, or none gives a result.
    """
    failure = LookupError()
    for function in functions:
        try:
            return function()
        except LookupError as error:
            {keeping}
    raise failure
'''
ANOTHER_FIRST = """
def first_of(functions):
    last = None
    for each in functions:
        try:
            return each()
        except LookupError as error:
            last = error
    if last is None:
        raise LookupError("nothing to try")
    raise last
"""


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [
        ("{}['a']", "{}['b']", "all 10 candidates raise KeyError: 'b', this raises KeyError: 'a'"),
        (
            "{}['a']",
            "[].pop()",
            "all 10 candidates raise IndexError, this raises KeyError: 'a'",
        ),
    ],
    ids=["another message", "another type"],
)
async def test_which_of_two_given_functions_an_exception_comes_from_is_compared(
    executor: Executor, first: str, last: str, told: str
) -> None:
    both = f"first_of([lambda: {first}, lambda: {last}])"
    model = scripted([ANOTHER_FIRST] * 10, (both, "first_of([lambda: 1])", "first_of([])"))
    right = await put_on_trial(
        executor, FIRST_OF.format(keeping="failure = error"), "first_of", model
    )
    assert right.verdict.status is Status.TRUSTED
    keeping = "failure = failure if failure.args else error"
    wrong = await put_on_trial(executor, FIRST_OF.format(keeping=keeping), "first_of", model)
    assert wrong.verdict.status is Status.SUSPECT
    (finding,) = wrong.findings
    assert finding.witness is not None
    assert finding.witness.call == both
    assert finding.message == f"{both}: {told}"


CHANGED = '''
import contextlib


@contextlib.contextmanager
def changed(settings: dict, name: str, value):
    """Have the settings hold another value under the name inside the block, and what was there
    before after it, however it is left. Gives the settings."""
    missing = object()
    before = settings.get(name, missing)
    settings[name] = value
    {leaving}
        if before is missing:
            del settings[name]
        else:
            settings[name] = before
'''
KEEPING, FORGETTING = "try:\n        yield settings\n    finally:", "yield settings\n    if True:"
ANOTHER_CHANGE = """\
from contextlib import contextmanager

@contextmanager
def changed(settings, name, value):
    copy = dict(settings)
    try:
        settings[name] = value
        yield settings
    finally:
        settings.clear()
        settings.update(copy)
"""
FAILING = "    with changed(d, 'a', 2):\n        1 / 0"
BLOCKS = (
    "d = {'a': 1}\nwith changed(d, 'a', 2) as entered:\n    seen = dict(entered)\n(seen, d)",
    "d = {'b': 1}\nwith changed(d, 'a', 2):\n    d['a']",
    f"d = {{'a': 1}}\ntry:\n{FAILING}\nexcept ZeroDivisionError:\n    pass\nd",
)


async def test_context_managers_are_tried_by_what_becomes_of_a_block(
    executor: Executor,
) -> None:
    text = CHANGED.format(leaving=KEEPING)
    model = scripted([ANOTHER_CHANGE] * 10, BLOCKS)
    right = await put_on_trial(executor, text, "changed", model)
    assert right.verdict.status is Status.TRUSTED
    wrong = await put_on_trial(executor, CHANGED.format(leaving=FORGETTING), "changed", model)
    assert wrong.verdict.status is Status.SUSPECT
    (finding,) = wrong.findings
    assert finding.witness is not None
    assert finding.witness.call == (
        "d = {'a': 1}; try: with changed(d, 'a', 2): 1 / 0; except ZeroDivisionError: pass; d"
    )
    (replacement,) = wrong.replacements
    assert "finally:" in replacement.diff
