"""The answers that an agent gets, typed and as text: short, the worst first, and bounded.

What could not be checked is as loud as what is suspect: an agent must not take silence for a pass.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay_engine.cli.outcome import has_no_docstring, passing_problems
from assay_engine.cli.text import report_lines
from assay_engine.messages.opinions import quoted, settling_phrases
from assay_engine.messages.phrases import confidence_phrase, witness_outcomes
from assay_engine.syntax.shortening import shortened
from assay_engine.types import Cost, Report, Stand, text_of
from assay_engine.words import count, listed, one_line, short

# An answer has at most so many characters, as text and typed, and about a function so many lines.
ANSWER_CHARACTERS = 6_000
NAMED_MAX = 20
NOTES_MAX = 3
NOTE_CHARACTERS = 300
# An explanation is asked for, and half a difference is of no use to anybody.
EVIDENCE_CHARACTERS = 3_500
EVIDENCE_LINES = 120
# How many functions are told in full, and how many characters a part of one has, such as its input:
# the first that fits. Of all other functions, names are listed.
SIZES = ((10, 400), (10, 120), (10, 40), (5, 60), (0, 0))
PART_MAX = SIZES[0][1]
OUTCOMES_MAX = 3

Label = Literal[
    "suspect",
    "differs",
    "not checked",
    "ambiguous",
    "abstained",
    "no docstring",
    "ignored",
    "trusted",
    "the same",
]
# The worst first.
LABELS: tuple[Label, ...] = (
    *("suspect", "differs", "not checked", "ambiguous", "abstained"),
    *("no docstring", "ignored", "trusted", "the same"),
)
_NOT_CHECKED = "do what the reason says, or tell your user that it was not checked."
_NOTHING_DECIDES = "nothing: this says nothing for the function, and nothing against it."


class Choice(Struct, frozen=True):
    """One of the outcomes that may be meant on the input, as `settle` takes it.

    - `number`: the argument `choice` of `settle`
    - `behaviour`: what the function would do there
    - `who`: who does so now
    """

    number: int
    behaviour: str
    who: str


class FunctionAnswer(Struct, frozen=True, omit_defaults=True):
    """What is told of one function.

    - `verdict`: suspect, not checked, ambiguous, abstained, ignored (by a comment) or trusted; of a
      comparison with another version, differs, the same or not checked
    - `why`: what the verdict rests on, or why there is none
    - `input`: the call that shows it, as Python
    - `outcomes`: who does what on that input; candidates are other implementations, which were
      written from the docstring alone
    - `docstring`: what the docstring says of that input, as a model reads it
    - `next`: what to do
    - `choices`: what may be meant on the input
    """

    verdict: Label
    function: str
    file: str
    line: int
    why: str = ""
    input: str = ""
    outcomes: tuple[str, ...] = ()
    docstring: str = ""
    next: str = ""
    choices: tuple[Choice, ...] = ()


class Answer(Struct, frozen=True, omit_defaults=True):
    """What a check came to.

    - `summary`: how many functions have which verdict, and what was spent now
    - `functions`: the functions that are told in full, the worst first
    - `others`: the names of all others, by verdict
    - `unreadable`: files, or parts of them, that cannot be read: nothing in them was checked
    - `notes`: what else there is to know, such as that the sandbox is not as strong as it could be
    """

    summary: str
    functions: tuple[FunctionAnswer, ...] = ()
    others: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Explanation(Struct, frozen=True, omit_defaults=True):
    """The evidence of the last report on a function, a line each: what was tried, who agrees, a
    candidate to put in the function's place, and examples for its docstring."""

    function: FunctionAnswer
    evidence: tuple[str, ...]


class Settled(Struct, frozen=True, omit_defaults=True):
    """An answer to an open question, as an example of the docstring.

    - `example`: the lines of the example
    - `difference`: the edit, as a unified diff
    - `is_written`: whether it was made in the file; otherwise it is to be made
    - `next`: what to do
    """

    function: str
    file: str
    example: str
    difference: str
    is_written: bool
    next: str


class Unfinished(Struct, frozen=True):
    """A function that was to be checked and was not, and why."""

    function: str
    file: str
    line: int
    why: str


def answer_on(
    reports: Sequence[Report],
    unfinished: Sequence[Unfinished],
    unreadable: Sequence[str],
    notes: Sequence[str],
    names: Mapping[str, str],
    nothing: str,
) -> Answer:
    """The answer on reports, of which `names` has the file's name for each path. `nothing` is what
    to say if there is nothing to check."""
    answer = Answer(nothing)
    for functions, part in SIZES:
        answer = _answer(reports, unfinished, names, functions, part)
        answer = replace(answer, unreadable=_few(unreadable), notes=_few(notes))
        if not answer.functions and not answer.others:
            answer = replace(answer, summary=nothing)
        if _fits(answer):
            break
    return answer


def _fits(answer: Answer) -> bool:
    typed = json.dumps(msgspec.to_builtins(answer))
    return max(len(typed), len(text_of_answer(answer))) < ANSWER_CHARACTERS


def _answer(
    reports: Sequence[Report],
    unfinished: Sequence[Unfinished],
    names: Mapping[str, str],
    functions: int,
    part: int,
) -> Answer:
    """The answer with at most so many functions in full, and so many characters a part of each."""
    told = [_Told(_label(each), names[each.path], each.qualname, each) for each in reports]
    told += [_Told("not checked", each.file, each.function, each) for each in unfinished]
    told.sort(key=lambda each: LABELS.index(each.label))
    # Many functions have no docstring, and the same is to be said of each.
    full = [each for each in told if len(told) == 1 or each.label != "no docstring"][:functions]
    rest = [each for each in told if each not in full]
    counts = Counter(each.label for each in told)
    verdicts = ", ".join(f"{counts[label]} {label}" for label in LABELS if counts[label])
    spent = sum((each.cost for each in reports), Cost()).paid
    sent = count(spent.requests, "request") if spent.requests else "nothing"
    others = [[each for each in rest if each.label == label] for label in LABELS]
    return Answer(
        f"{count(len(told), 'function')}: {verdicts}. Sent to a model: {sent}.",
        tuple(each.in_full(part) for each in full),
        tuple(_named(left) for left in others if left),
    )


class _Told(Struct, frozen=True):
    label: Label
    file: str
    function: str
    found: Report | Unfinished

    def in_full(self, part: int) -> FunctionAnswer:
        if isinstance(self.found, Report):
            return function_answer(self.found, self.file, part)
        return FunctionAnswer(self.label, self.function, self.file, self.found.line, self.found.why)


def function_answer(report: Report, file: str, part: int = PART_MAX) -> FunctionAnswer:
    """What is told of one function; `part` is how many characters a part of it may have."""
    label = _label(report)
    choices = tuple(
        Choice(number, short(each.behaviour, part), each.who)
        for number, each in enumerate(report.clarifications, 1)
    )
    shown = next((each.witness for each in report.findings if each.witness is not None), None)
    call, outcomes = "", list[str]()
    if shown is not None and label != "ignored":
        call = one_line(shortened(shown.call, part))
        # What the function does stands first: it is what the reader can change.
        does = {each.who: each.is_original for each in shown.outcomes}
        told = sorted(witness_outcomes(shown, part), key=lambda each: not does[each[0]])
        outcomes = [one_line(f"{who} {text_of(did)}").rstrip() for who, did in told[:OUTCOMES_MAX]]
        # Of several questions to the docstring, the one about this input.
        about = tuple(each for each in report.settling if each.call == shown.call)
        report = replace(report, settling=about or report.settling)
    reading = "; ".join(settling_phrases(report, str, quoted)) if label != "ignored" else ""
    return FunctionAnswer(
        label,
        report.qualname,
        file,
        report.line,
        _why(report, label, part),
        call,
        tuple(outcomes),
        short(reading, 2 * part) if reading else "",
        _next(report, label, choices),
        choices if label in ("suspect", "ambiguous") else (),
    )


def text_of_answer(answer: Answer) -> str:
    """The answer as an agent reads it, in at most `ANSWER_CHARACTERS`."""
    blocks = [f"NOT CHECKED {each}" for each in answer.unreadable]
    blocks += ["\n".join(_function_lines(each)) for each in answer.functions]
    if any(each.verdict in ("suspect", "ambiguous") for each in answer.functions):
        blocks.append(_CANDIDATES)
    blocks += ["\n".join([*answer.others, *(f"note: {each}" for each in answer.notes)])]
    return "\n".join(filter(None, [*blocks, answer.summary]))


def explanation_of(report: Report, file: str) -> Explanation:
    # The kinds of inputs that were proposed would take the room of the replacement.
    said = report_lines(replace(report, partitions=()), set(), verbose=True)
    _, *lines = map(one_line, said)
    kept, room = list[str](), EVIDENCE_CHARACTERS
    for line in lines[:EVIDENCE_LINES]:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    if len(kept) < len(lines):
        more = count(len(lines) - len(kept), "more line")
        kept.append(f"{more}: `assay explain {file}::{report.qualname} --html` shows all")
    return Explanation(function_answer(report, file, PART_MAX // 2), tuple(kept))


def text_of_explanation(explanation: Explanation) -> str:
    head = _head(explanation.function)
    step = explanation.function.next
    return "\n".join([head, *explanation.evidence, *([f"next: {step}"] if step else [])])


def text_of_settled(settled: Settled) -> str:
    done = "written into" if settled.is_written else "to be written into"
    return "\n".join(
        [
            f"EXAMPLE {done} the docstring of {settled.file}::{settled.function}",
            settled.difference.rstrip("\n"),
            f"next: {settled.next}",
        ]
    )


_CANDIDATES = "Candidates are other implementations, written from the docstring alone."


def _function_lines(answer: FunctionAnswer) -> Iterator[str]:
    yield _head(answer)
    if answer.input:
        yield f"  input: {answer.input}"
    yield from (f"  {outcome}" for outcome in answer.outcomes)
    if answer.docstring:
        yield f"  {answer.docstring}"
    if answer.next:
        yield f"  next: {answer.next}"
    for choice in answer.choices:
        yield f"  settle with choice {choice.number}: it {choice.behaviour} ({choice.who})"


def _head(answer: FunctionAnswer) -> str:
    why = f": {answer.why}" if answer.why else ""
    return f"{answer.verdict.upper()} {answer.file}:{answer.line} {answer.function}{why}"


def _label(report: Report) -> Label:
    if report.ignored and not report.findings:
        return "ignored"
    if report.model is None and report.versions is not None:
        return "differs" if report.versions.differs else "the same"
    if has_no_docstring(report):
        return "no docstring"
    match report.verdict.status.stand:
        case Stand.AGAINST:
            return "suspect"
        case Stand.BETWEEN:
            return "ambiguous"
        case Stand.FOR:
            return "trusted"
        case Stand.NOWHERE if not passing_problems(report):
            return "abstained"
        case _:
            return "not checked"


def _why(report: Report, label: Label, part: int) -> str:
    match label:
        case "not checked" | "abstained" | "no docstring":
            said = list(dict.fromkeys(each.brief or each.message for each in report.problems))
            return short(" ".join(said[:2]) or "nothing decides.", 3 * part)
        case "the same" | "differs" if report.versions is not None:
            inputs = count(report.versions.inputs_accepted, "input")
            return f"run with {report.versions.other} on {inputs}"
        case "ignored":
            return f"{', '.join(report.ignored)}, as a comment says"
        case _:
            shown = next((each for each in report.findings if each.witness is None), None)
            support = report.verdict.support
            parts = [confidence_phrase(report.verdict)]
            if label == "trusted" and support is not None:
                agree = f"{support.agreeing} of {count(support.total, 'candidate')} agree"
                parts.append(f"{agree} on {count(report.verdict.inputs_in_domain, 'input')}")
            if shown is not None:
                parts.append(short(shown.message, part))
            return ", ".join(filter(None, parts))


def _next(report: Report, label: Label, choices: Sequence[Choice]) -> str:
    match label:
        case "suspect":
            candidate = "; explain shows a candidate that does" if report.replacements else ""
            return (
                f"make the function do what the docstring says{candidate}. If the function is "
                f"right as it is, {'call settle' if choices else 'correct the docstring'}."
            )
        case "ambiguous":
            step = "call settle" if choices else "say so in the docstring"
            return f"ask whoever wants the function which outcome is meant, then {step}."
        case "not checked" | "no docstring":
            return _NOT_CHECKED
        case "abstained":
            return _NOTHING_DECIDES
        case "differs":
            return "check whether this change is intended; nothing says which version is right."
        case _:
            return ""


def _named(left: Sequence[_Told]) -> str:
    label, shown = left[0].label, [f"{each.file}::{each.function}" for each in left]
    names = short(listed(shown, NAMED_MAX), PART_MAX)
    why = f" ({left[0].in_full(NOTE_CHARACTERS // 3).why})" if label == "not checked" else ""
    return f"{label.upper()} ({len(left)} more): {names}{why}"


def _few(notes: Sequence[str]) -> tuple[str, ...]:
    kept = [short(each, NOTE_CHARACTERS) for each in dict.fromkeys(notes)]
    more = [f"and {len(kept) - NOTES_MAX} more of these"] if len(kept) > NOTES_MAX else []
    return (*kept[:NOTES_MAX], *more)
