"""Problems that tell why a check fell short and what would help, in one or two sentences each."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.compare.evidence import Evidence
from assay_engine.compare.verdict import hardly_tried, only_outcome, only_state
from assay_engine.compare.votes import ACCUSING, Standing
from assay_engine.config.settings import CANDIDATES_MIN
from assay_engine.types import Draw, Problem, ProblemKind, text_of
from assay_engine.values.outcomes import outcome_phrase
from assay_engine.words import count, short
from assay_sandbox import Refused, TimedOut

REJECTIONS_SHOWN = 3
# The message of each reply that is left out contains these words, too (`drawing.replies`).
_LEFT_OUT = "the reply is left out: "

CONTRADICTORY = Problem(
    ProblemKind.NO_CONSENSUS,
    "Most candidates differ from it, but solutions of a transformed problem confirm it and refute "
    "them. Read the docstring again, or add an example to it.",
)
NO_INPUTS = Problem(
    ProblemKind.NO_INPUTS,
    "There are no inputs to run it on. Add an example to its docstring.",
)
NOT_COMPARABLE = Problem(
    ProblemKind.UNSUPPORTED_TYPE,
    "Nothing that it does can be compared: what it returns, or what it is given, is too large, "
    "nested too deeply, or is not data. Return plain data, or a dataclass.",
)

DRAWN = Problem(
    ProblemKind.NOT_DETERMINISTIC,
    "Its result depends on a seed or source of randomness that it is given, and the candidates "
    "use the same one differently: nothing shows which result is right. Add a docstring example "
    "that does not depend on chance.",
)


def of_both(drawn: Draw, proposals: Draw) -> tuple[Problem, ...]:
    """The problems of candidates and proposals. A problem of both is said once."""
    missing = [each for each in drawn.problems if each.kind is ProblemKind.OFFLINE]
    further = proposals.problems
    if missing and not drawn.replies:
        # Nothing is stored for the function. The problem of its inputs is the same one.
        further = tuple(each for each in further if each.kind is not ProblemKind.OFFLINE)
    return (*drawn.problems, *not_yet_said(drawn.problems, further))


def not_yet_said(said: Sequence[Problem], further: Sequence[Problem]) -> tuple[Problem, ...]:
    """Those of the further problems whose reason has not been said."""
    reasons = {problem.reason for problem in said}
    return tuple(problem for problem in further if problem.reason not in reasons)


def summarised(rejected: Sequence[Problem]) -> tuple[Problem, ...]:
    """One sentence about all replies left out if they are many, with the reason of the first."""
    if len(rejected) <= REJECTIONS_SHOWN:
        return tuple(rejected)
    first = rejected[0]
    reason = first.message.replace(_LEFT_OUT, "", 1)
    return (Problem(first.kind, f"{len(rejected)} replies are left out. {reason}"),)


def too_few(weight: int, excluded: int, drawn: Draw) -> tuple[Problem, ...]:
    """The problem that too few candidates are usable.

    There is none if no reply came at all: other problems then say why, and what to do. `excluded`
    is how many candidates fail the examples. More candidates would not help in that case, since
    they would fail the examples as well.
    """
    if not drawn.replies and drawn.problems:
        return ()
    if weight + excluded >= CANDIDATES_MIN:
        total = count(weight + excluded, "candidate")
        if not weight:
            return (
                Problem(
                    ProblemKind.NO_CONSENSUS,
                    f"{'All' if weight + excluded > 1 else 'The'} {total} break an example of the "
                    "docstring, so there is nothing to compare the function with. The example may "
                    "contradict the prose: check that they agree.",
                ),
            )
        return (
            Problem(
                ProblemKind.NO_CONSENSUS,
                f"{weight} of {total} did what the docstring's examples show; at least "
                f"{CANDIDATES_MIN} are needed to compare it on other inputs. Check that the "
                "examples fit the docstring's prose.",
            ),
        )
    advice = "" if drawn.problems else " Raise sampling.candidates, or try another model."
    found = f"Only {count(weight, 'usable candidate')}" if weight else "No usable candidate"
    return (
        Problem(
            ProblemKind.TOO_FEW_CANDIDATES,
            f"{found}; at least {CANDIDATES_MIN} are needed to decide.{advice}",
        ),
    )


def given_up(evidence: Evidence) -> Problem | None:
    """The problem that a slow function was not run on inputs that somebody meant, or that slow
    candidates leave fewer than half of the inputs; else None."""
    if evidence.unseen:
        wanted = evidence.unseen + len(evidence.votes)
        return Problem(
            ProblemKind.NOT_RUN,
            f"It took too long on some inputs and was stopped: it was not run on {evidence.unseen} "
            f"of {count(wanted, 'input')} that the docstring shows or the model proposed. Raise "
            "execution.call_seconds if they are valid.",
        )
    standings = [vote.standing for vote in evidence.votes]
    counted = len(evidence.counted)
    weights = [rival.candidate.weight for rival in evidence.voters]
    weight = sum(
        weights[index]
        for index in {
            index
            for vote in evidence.votes
            for behaviour in vote.behaviours
            if isinstance(behaviour.observation, TimedOut) and behaviour.observation.whole_batch
            for index in behaviour.candidates
        }
    )
    if not weight or 2 * counted >= len(standings):
        return None
    return Problem(
        ProblemKind.NOT_RUN,
        f"{weight} of {count(sum(weights), 'candidate')} took too long on some inputs and were "
        f"stopped there, so that {counted} of {count(len(standings), 'input')} count. If such "
        "inputs are not valid, say so in the docstring.",
    )


def refused_outside(evidence: Evidence) -> Problem | None:
    """That the function reaches outside wherever it was tried; None if it was seen to do more."""
    refused = [
        seen.what
        for vote in evidence.votes
        if isinstance(seen := vote.original.observation, Refused)
    ]
    if evidence.counted or not refused:
        return None
    return Problem(
        ProblemKind.INPUT_OUTPUT,
        f"It reaches outside, which the sandbox refuses ({short(refused[0])}); move that to the "
        "caller and pass the data in.",
    )


def no_consensus(evidence: Evidence) -> Problem:
    if evidence.instability is not None:
        return Problem(
            ProblemKind.NOT_DETERMINISTIC,
            "Its results differ from run to run; pass in its source of randomness as a parameter, "
            "and sort what it takes from a set.",
        )
    if evidence.by_chance:
        return DRAWN
    standings = [vote.standing for vote in evidence.votes]
    counted = len(evidence.counted)
    if not counted:
        return Problem(
            ProblemKind.NO_CONSENSUS,
            f"None of {count(len(standings), 'input')} is accepted by most candidates and finished "
            "by the function. Add an example of an intended call to its docstring.",
        )
    if evidence.not_recurring:
        return Problem(
            ProblemKind.NO_CONSENSUS,
            f"It differed from the candidates on {evidence.not_recurring} of "
            f"{count(counted, 'input')} that the docstring shows or the model proposed, but not "
            "repeatably: its behaviour, or theirs, seems to depend on earlier calls. Show such "
            "calls, one after another, in a docstring example, or pass in what it keeps as a "
            "parameter.",
        )
    agreed = standings.count(Standing.AGREES)
    differing = sum(standing in ACCUSING for standing in standings)
    if agreed + differing > counted / 2:
        return Problem(
            ProblemKind.NO_CONSENSUS,
            f"It differs from the candidates on {differing} of the {count(counted, 'input')} that "
            "most of them accept, but only by refusing inputs that the docstring does not "
            "mention, or not repeatably. Say in the docstring what it is for, ideally with an "
            "example.",
        )
    return Problem(
        ProblemKind.NO_CONSENSUS,
        f"The candidates agree on what to return on {agreed or 'none'} of the "
        f"{count(counted, 'input')} that most of them accept, too few to decide. Say in the "
        "docstring what should be returned, ideally with an example, or try another model.",
    )


_HARDLY_TRIED = Problem(
    ProblemKind.NO_INPUTS,
    "It does what the candidates do, but only its docstring's examples, or a single input, count: "
    "too few to decide. Try a model that proposes more inputs.",
)


def too_much_alike(evidence: Evidence) -> Problem | None:
    """Why a function that does what the candidates do is not found right; None if nothing is."""
    if (state := only_state(evidence)) is not None:
        alike = f"{state.class_name} objects as they are created"
        if state.empty:
            fields = " and ".join(f"`{name}`" for name in state.empty)
            alike = f"{state.class_name} objects with nothing in {fields}"
        return Problem(
            ProblemKind.NO_INPUTS,
            f"It does what the candidates do, but was only run on {alike}. Add a docstring "
            "example on an object in another state.",
        )
    if (outcome := only_outcome(evidence)) is not None:
        return Problem(
            ProblemKind.NO_INPUTS,
            f"On every input, it {text_of(outcome_phrase(outcome))}, as the candidates do; no "
            "other behaviour was seen. Add a call with a different outcome to its docstring.",
        )
    return _HARDLY_TRIED if hardly_tried(evidence) else None
