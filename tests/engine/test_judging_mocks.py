"""Functions that ask the network, judged on inputs that bring the replies."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.methods.trails.assay_judge import judge_by_assay
from assay_engine.methods.trails.framing import Properties, mockable_in
from assay_engine.methods.trails.generating import read_inputs
from assay_engine.methods.trails.opinion import objection
from assay_engine.methods.trails.prompting import JudgeQuestions
from assay_engine.methods.trails.values import JudgeSettings, Jury
from assay_engine.settling.serialising import input_text
from assay_engine.types import Ruling, Status
from assay_sandbox import Call, Fault, Mock, Scene
from support.judging_court import run
from support.judging_reader import Data, Reader, scenarios, verdict
from support.specifying import specified

WRONG = '''\
from urllib.request import urlopen

def read_words(url: str) -> list[str]:
    """The words of the text at an address, or an empty list where it cannot be reached."""
    try:
        with urlopen(url) as reply:
            return reply.read().decode("utf-8").split(" ")
    except OSError:
        return []
'''
RIGHT = WRONG.replace('split(" ")', "split()")
NAME = "urllib.request.urlopen"
TWO_SPACES = f'mocks = {{"{NAME}": [{{"object": {{"read()": b"a  b", "status": 200}}}}]}}'
DOWN = f'mocks = {{"{NAME}": [{{"raises": "OSError", "message": "down"}}]}}'


def by_the_specification(data: Data) -> str:
    expected = "['a', 'b']" if "b'a  b'" in data["input"] else "[]"
    assert "calls that were answered for it: urllib.request.urlopen('http" in data["output"]
    returned = data["output"].splitlines()[0]
    return verdict("CORRECT" if returned == f"returned: {expected}" else "INCORRECT")


def reader() -> Reader:
    return Reader(
        {
            "scenarios": lambda _: scenarios("words are far apart", "nobody answers"),
            "inputs": lambda data: {
                "words are far apart": f'{TWO_SPACES}\nread_words("http://a.test")',
                # What answers nothing is no input, and is mended.
                "nobody answers": 'read_words("http://b.test")',
            }[data["scenario"]],
            "repair": lambda _: f'{DOWN}\nread_words("http://b.test")',
            "conforms": by_the_specification,
            "preference": lambda data: verdict(
                "FIRST" if "returned: ['a', 'b']" in data["first"] else "SECOND"
            ),
        }
    )


def test_a_function_is_judged_by_the_replies_it_is_given(executor: Executor) -> None:
    right, wrong = (
        run(
            reader(),
            lambda asking, source=source: judge_by_assay(
                asking, executor, specified(source), Jury(), JudgeSettings(scenarios=2)
            ),
        )
        for source in (RIGHT, WRONG)
    )
    assert (right.ruling, wrong.ruling) == (Ruling.CORRECT, Ruling.INCORRECT)
    shown = "an object of read() = b'a  b', status = 200"
    assert [pair.input for pair in right.pairs] == [
        f"read_words('http://a.test') where {NAME} returns {shown}",
        f"read_words('http://b.test') where {NAME} raises OSError('down')",
    ]


def test_the_witness_names_the_mock_and_candidates_are_answered_alike(
    executor: Executor,
) -> None:
    asked = reader()
    specification = specified(WRONG)
    judgement = run(
        asked,
        lambda asking: judge_by_assay(
            asking, executor, specification, Jury((RIGHT,), (8,)), JudgeSettings(scenarios=2)
        ),
    )
    finding = objection(judgement, specification, Status.ABSTAINED)
    assert finding is not None
    assert finding.witness is not None
    assert f"where {NAME} returns an object of read() = b'a  b'" in finding.witness.call
    assert asked.asked["preference"] == 2


@pytest.mark.parametrize(
    "declared",
    [
        '{"read_words": [{"returns": []}]}',
        '{"os.getcwd": [{"returns": []}]}',
        f'{{"{NAME}": []}}',
        f'{{"{NAME}": {{"returns": 3}}}}',
        f'{{"{NAME}": [3]}}',
        f'{{"{NAME}": [{{"returns": 3, "raises": "OSError"}}]}}',
        f'{{"{NAME}": [{{"raises": "no name"}}]}}',
        f'{{"{NAME}": [{{"object": {{"__class__": 3}}}}]}}',
        f'{{"{NAME}": [{{"object": {{"a b": 3}}}}]}}',
        f'{{"{NAME}": {[{"returns": 3}] * 21}}}',
        f'[("{NAME}", 3)]',
    ],
)
def test_mocks_of_another_form_or_name_are_no_inputs(declared: str) -> None:
    reply = f'mocks = {declared}\nread_words("u")'
    assert read_inputs(reply, specified(WRONG), (NAME,)) == ()


def test_mocks_hold_for_the_calls_that_follow() -> None:
    reply = (
        f'mocks = {{"{NAME}": [{{"returns": None}}, {{"raises": "OSError"}}]}}\n'
        'read_words("a")\nread_words("b")\nmocks = {}\nread_words("c")'
    )
    scene = Scene(mocks=(Mock(NAME, (None, Fault("OSError"))),))
    assert read_inputs(reply, specified(WRONG), (NAME,)) == (
        Call(("a",), scene=scene),
        Call(("b",), scene=scene),
        Call(("c",), scene=Scene()),
    )


def test_what_may_be_mocked_is_called_by_the_function_and_is_not_the_function() -> None:
    source = '''\
import getpass
import requests

def helper(name):
    return name.title()

def greet(path: str) -> str:
    """A greeting."""
    if not path:
        return greet("/")
    return helper(getpass.getuser()) + requests.get(path).text + str(len(path))
'''
    specification = specified(source, "greet")
    said = Properties(mocks="getpass.getuser, helper(), greet, len, os.system")
    assert mockable_in(specification, said) == ("getpass.getuser", "helper", "requests.get")
    assert mockable_in(specification, Properties()) == ("requests.get",)


def test_nothing_is_said_of_mocks_where_there_are_none() -> None:
    plain = specified('def double(x: int) -> int:\n    """Twice x."""\n    return 2 * x\n')
    questions = JudgeQuestions(plain)
    assert "mocks" not in questions.inputs("any", "", 3, mockable_in(plain, Properties())).user
    asked = JudgeQuestions(specified(WRONG)).inputs("any", "", 3, (NAME,)).user
    assert f'mocks = {{"{NAME}": ' in asked
    # Braces of the form are no fields of the template.
    assert '{"object": {"status_code": 200, "json()": {"a": 1}, "read()": b"text"}}' in asked


def test_an_object_can_be_iterated_and_is_shown_as_it_was_declared() -> None:
    reply = f'mocks = {{"{NAME}": [{{"object": {{"__iter__()": [b"a", b"b"]}}}}]}}\nread_words("u")'
    (call,) = read_inputs(reply, specified(WRONG), (NAME,))
    assert input_text(call, specified(WRONG)) == (
        f"read_words('u') where {NAME} returns an object of __iter__() = iter([b'a', b'b'])"
    )
