"""The judge that Assay itself uses: TRAILS with its known limits (section 5) mended.

- An input that only the function crashes on, while a consensus of candidates accepts it, is judged
  like any other: the crash is the output.
- Inputs on which candidates disagree complete the scenarios.
- An objection accuses only if the judge still objects when asked again, with the outputs of two
  classes of programs in both orders (or twice, where there is one class).
- The judge abstains if it cannot decide.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.compare.behaviours import same_behaviour
from assay_engine.compare.ensemble import Ensemble, tabulated, votes_on
from assay_engine.compare.executor import Executor, program_of
from assay_engine.compare.votes import Standing, Vote, accepts
from assay_engine.methods.trails.framing import frame
from assay_engine.methods.trails.generating import (
    Bench,
    TriedInput,
    bench_for,
    exercised_in_turn,
    with_scenarios,
)
from assay_engine.methods.trails.prompting import JudgeQuestions
from assay_engine.methods.trails.values import (
    JudgedPair,
    Judgement,
    JudgeSettings,
    JudgeVote,
    Jury,
    Question,
)
from assay_engine.sampling.asking import Asking, Dialogue, in_lockstep
from assay_engine.settling.questions import preferred, read_verdict
from assay_engine.settling.serialising import input_text, output_text
from assay_engine.types import Input, Opinion, Origin, Prompt, Reading, Ruling, Specification
from assay_engine.values.carried import call_key
from assay_sandbox import Call

NAME = "assay"
# Confirming more objections would cost tokens and add nothing: a single one that stands accuses.
CONFIRMATIONS_MAX = 2


async def judge_by_assay(
    asking: Asking,
    executor: Executor,
    specification: Specification,
    jury: Jury,
    settings: JudgeSettings,
) -> Judgement:
    """INCORRECT if an objection stands, CORRECT if there is none and the score reaches the
    threshold, and otherwise an abstention. Never raises because of what a program or a reply does.

    With an empty jury, the steps that need candidates are left out.
    """
    questions = JudgeQuestions.about(specification, settings)
    framing = await frame(asking, questions)
    bench = bench_for(executor, specification, jury, framing)
    found = await exercised_in_turn(asking, questions, bench, framing.scenarios, framing.properties)
    inputs = with_scenarios(framing, found)
    known = [tried.call for _, tried in inputs]
    further = await disputed(bench, known, limit=settings.disputed)
    pairs = await judged(asking, questions, [*inputs, *((None, tried) for tried in further)])
    pairs = await _asked_again(asking, questions, bench, pairs)
    objections = (pair for pair in pairs if pair.opinion is Opinion.INCORRECT)
    objection = next((pair for pair in objections if len(pair.votes) > 1), None)
    score = share_of_correct(pairs)
    ruling = Ruling.ABSTAINED
    if objection is not None:
        ruling = Ruling.INCORRECT
    elif score is not None and score >= settings.threshold:
        ruling = Ruling.CORRECT
    return Judgement(
        NAME,
        ruling,
        score,
        settings.threshold,
        pairs,
        objection=objection,
        usage=asking.usage,
        problems=asking.problems,
    )


async def _asked_again(
    asking: Asking, questions: JudgeQuestions, bench: Bench, pairs: Sequence[JudgedPair]
) -> tuple[JudgedPair, ...]:
    """The pairs, with further votes on the first objections. Objections to inputs on which programs
    differ come before others. An objection to an output that does not come again, in a process with
    other seeds, decides nothing."""
    objected = [index for index, pair in enumerate(pairs) if pair.opinion is Opinion.INCORRECT]
    rivals: list[str | None] = [None for _ in objected]
    if bench.jury.sources:
        inputs = [Input(pairs[index].call, Origin.PROPOSED) for index in objected]
        votes = await votes_on(bench.executor, ensemble_of(bench), inputs)
        rivals = [voter_output(vote, bench.exceptions) for vote in votes]
    ranked = sorted(zip(objected, rivals, strict=True), key=lambda each: each[1] is None)
    chosen = ranked[:CONFIRMATIONS_MAX]
    again = await asking.answers(
        *(rejudged(asking, questions, pairs[index], rival) for index, rival in chosen)
    )
    result = list(pairs)
    for (index, _), pair in zip(chosen, again, strict=True):
        result[index] = pair
    (second,) = await bench.executor.run(
        [program_of(bench.specification)],
        [pairs[index].call for index in objected],
        bench.exceptions,
        second=True,
    )
    for index, seen in zip(objected, second, strict=True):
        if not same_behaviour(pairs[index].observation, seen):
            result[index] = replace(result[index], opinion=None)
    return tuple(result)


_CONTESTED = (Standing.DIFFERS, Standing.ALONE, Standing.SPLIT)


async def disputed(bench: Bench, known: Sequence[Call], *, limit: int) -> tuple[TriedInput, ...]:
    """At most `limit` of the jury's inputs that separate the function from candidates which accept
    them, without those that are `known`.

    Inputs on which the candidates agree with each other come first, and smaller inputs before
    larger ones. Each input divides the candidates differently.
    """
    if not bench.jury.sources or not limit:
        return ()
    keys = set(map(call_key, known))
    pool = [each for each in bench.jury.inputs if call_key(each.call) not in keys]
    vote_table = await tabulated(bench.executor, ensemble_of(bench), pool)
    contested = [vote for vote in vote_table.votes if vote.standing in _CONTESTED]
    chosen: dict[tuple[tuple[int, ...], ...], TriedInput] = {}
    keyed = [(call_key(vote.input.call), vote) for vote in contested]
    keyed.sort(key=lambda each: (_CONTESTED.index(each[1].standing), len(each[0]), each[0]))
    for _, vote in keyed:
        parting = tuple(behaviour.candidates for behaviour in vote.behaviours)
        chosen.setdefault(parting, TriedInput(vote.input.call, vote.original.observation))
    return tuple(chosen.values())[:limit]


def ensemble_of(bench: Bench) -> Ensemble:
    """The ensemble of the function and its candidates, as in a trial."""
    jury = bench.jury
    return Ensemble.between(
        bench.specification, jury.sources, jury.weights, documented=bench.exceptions
    )


_OPINIONS = {
    Reading.OWN: Opinion.CORRECT,
    Reading.BOTH: Opinion.CORRECT,
    Reading.THEIRS: Opinion.INCORRECT,
    Reading.NEITHER: Opinion.INCORRECT,
}


def rejudged(
    asking: Asking, questions: JudgeQuestions, pair: JudgedPair, rival: str | None
) -> Dialogue[JudgedPair]:
    """The pair with further votes. Its opinion is that of the votes if they agree, otherwise None.

    `rival` is the output of another class of programs. With one, each of the two outputs is shown
    first once. Without one, the same question is asked a second time.
    """
    if rival is None:
        dialogues = [conforms(asking, questions, pair.input, pair.output, vote=1)]
    else:
        dialogues = [
            _compared(asking, questions, pair, rival, question)
            for question in (Question.OWN_FIRST, Question.OWN_SECOND)
        ]
    votes = yield from in_lockstep(dialogues)
    opinions = {vote.opinion for vote in votes}
    agreed = opinions.pop() if len(opinions) == 1 else None
    # If the second vote contradicts the first, the two decide nothing.
    if rival is None and agreed is not pair.opinion:
        agreed = None
    return replace(pair, votes=(*pair.votes, *votes), opinion=agreed)


def voter_output(vote: Vote, exceptions: tuple[str, ...]) -> str | None:
    """The output of the largest class of candidates that accepts the input and differs from the
    function; None if there is no such class."""
    for behaviour in vote.behaviours:
        if not behaviour.is_original and accepts(behaviour.observation, exceptions):
            return output_text(behaviour.observation)
    return None


def _compared(
    asking: Asking, questions: JudgeQuestions, pair: JudgedPair, rival: str, question: Question
) -> Dialogue[JudgeVote]:
    own_first = question is Question.OWN_FIRST
    said = yield from preferred(
        asking, questions, pair.input, pair.output, rival, own_first=own_first
    )
    if said is None:
        return JudgeVote(question, None, "")
    return JudgeVote(question, _OPINIONS.get(said.reading), said.reason)


OPINIONS = {"CORRECT": Opinion.CORRECT, "INCORRECT": Opinion.INCORRECT}


async def judged(
    asking: Asking, questions: JudgeQuestions, inputs: Sequence[tuple[str | None, TriedInput]]
) -> tuple[JudgedPair, ...]:
    """One vote on each input, all asked for at once. Each input comes with its scenario, if any."""
    return await asking.answers(
        *(_judged(asking, questions, scenario, tried) for scenario, tried in inputs)
    )


def conforms(
    asking: Asking, questions: JudgeQuestions, input_shown: str, output_shown: str, *, vote: int = 0
) -> Dialogue[JudgeVote]:
    """One vote on one pair, given as the texts that the judge is shown."""
    prompt = questions.conforms(input_shown, output_shown)
    return opinion_on(asking, prompt, Question.CONFORMS, vote=vote)


def opinion_on(
    asking: Asking, prompt: Prompt, question: Question, *, vote: int = 0
) -> Dialogue[JudgeVote]:
    """The vote in the reply to a prompt that asks for CORRECT or INCORRECT."""
    said = yield from asking.dialogue(
        prompt, lambda reply: read_verdict(reply, OPINIONS), vote=vote
    )
    if said is None:
        return JudgeVote(question, None, "")
    return JudgeVote(question, OPINIONS[said.word], said.reason)


def share_of_correct(pairs: Sequence[JudgedPair]) -> float | None:
    """The score of section 2.7, over the pairs that were voted on; None if there are none.

    Pairs on which votes contradict each other count as not correct.
    """
    voted = [pair for pair in pairs if any(vote.opinion is not None for vote in pair.votes)]
    if not voted:
        return None
    return sum(pair.opinion is Opinion.CORRECT for pair in voted) / len(voted)


def _judged(
    asking: Asking, questions: JudgeQuestions, scenario: str | None, tried: TriedInput
) -> Dialogue[JudgedPair]:
    shown = input_text(tried.call, questions.specification)
    output = output_text(tried.observation)
    vote = yield from conforms(asking, questions, shown, output)
    return JudgedPair(tried.call, tried.observation, shown, output, scenario, (vote,), vote.opinion)
