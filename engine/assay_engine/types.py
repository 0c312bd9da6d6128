"""The values that pass between the engine's stages: frozen, free of behaviour, in life's order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from assay_sandbox import Call, Observation

# --------------------------------------------------------------------------------------------
# Text


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of code-point offsets into a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `span` of a text by `new_text`."""

    span: Span
    new_text: str


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text to check: where it belongs, what it says, and the workspace it may import from."""

    path: str
    text: str
    root: str | None = None


# --------------------------------------------------------------------------------------------
# Units and what they promise


class UnitKind(StrEnum):
    FUNCTION = "function"
    METHOD = "method"
    CLASS_METHOD = "classmethod"
    STATIC_METHOD = "staticmethod"


@dataclass(frozen=True, slots=True)
class Unit:
    """A function with its place in a text. All spans are absolute in that text.

    `qualname` is Python's: ``Ledger.add``, ``outer.<locals>.inner``; a second definition of the
    same name gets ``#2``. `span` runs from the first decorator to the end of the last line
    (without its line break); `name_span` covers the bare name after ``def``. `getter` is the
    attribute by which a property holds its function (``fget``), empty for all else.
    """

    qualname: str
    kind: UnitKind
    is_async: bool
    is_generator: bool
    span: Span
    name_span: Span
    docstring: str
    getter: str = ""

    @property
    def name(self) -> str:
        """The bare name after ``def``."""
        return self.path.rsplit(".", 1)[-1]

    @property
    def path(self) -> str:
        """The dotted name that leads to this definition, and perhaps to others."""
        return self.qualname.split("#", 1)[0]


class ParameterKind(StrEnum):
    POSITIONAL_ONLY = "positional-only"
    POSITIONAL_OR_KEYWORD = "positional-or-keyword"
    VAR_POSITIONAL = "var-positional"
    KEYWORD_ONLY = "keyword-only"
    VAR_KEYWORD = "var-keyword"


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    kind: ParameterKind
    annotation: str | None
    default: str | None


@dataclass(frozen=True, slots=True)
class Example:
    """One example of a docstring.

    `setup` are the statements before it in the same example block; `call` is the expression (or
    statement) whose outcome is shown; `expected` is the text shown. `is_doctest` tells a ``>>>``
    example, whose output text must match, from ``f(2) -> 4``, where `expected` is an expression.
    `span` is relative to the unit's start.
    """

    setup: tuple[str, ...]
    call: str
    expected: str
    is_doctest: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Specification:
    """What a function promises and what it needs to run.

    `context` is the source of everything the function refers to, transitively, from the same file
    and without the function itself: what a model may see. `program` is that context with the
    function in its place: a module text that runs. `entry` is the dotted path to call in it.
    `modules` are the workspace's own modules it imports (dotted name, source). Of several
    definitions of that path in the program, the function is number `definition`, from 0 on.
    """

    unit: Unit
    parameters: tuple[Parameter, ...]
    returns: str | None
    signature: str
    docstring: str
    examples: tuple[Example, ...]
    documented_exceptions: tuple[str, ...]
    context: str
    program: str
    entry: str
    modules: tuple[tuple[str, str], ...] = ()
    definition: int = 0

    @property
    def callable_path(self) -> str:
        """The dotted path to what is called: of a property, its function."""
        return f"{self.entry}.{self.unit.getter}" if self.unit.getter else self.entry


class ProblemKind(StrEnum):
    """Why a check fell short. Each has one sentence of advice in `explaining`."""

    NO_DOCSTRING = "no-docstring"
    INPUT_OUTPUT = "input-output"
    MISSING_IMPORT = "missing-import"
    UNSUPPORTED_TYPE = "unsupported-type"
    UNSUPPORTED_SHAPE = "unsupported-shape"
    BROKEN_SOURCE = "broken-source"
    MODEL_UNAVAILABLE = "model-unavailable"
    REPLY_UNUSABLE = "reply-unusable"
    REPLY_REJECTED = "reply-rejected"
    BUDGET_SPENT = "budget-spent"
    DEADLINE = "deadline"
    OFFLINE = "offline"
    NO_CONSENT = "no-consent"
    SANDBOX_UNAVAILABLE = "sandbox-unavailable"
    NO_INPUTS = "no-inputs"
    TOO_FEW_CANDIDATES = "too-few-candidates"
    NOT_DETERMINISTIC = "not-deterministic"
    NO_CONSENSUS = "no-consensus"
    NO_REPLACEMENT = "no-replacement"
    NOT_TRANSFORMED = "not-transformed"
    NOT_CONFIRMED = "not-confirmed"
    NOT_RUN = "not-run"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Problem:
    """What a check fell short of: a kind and one sentence that names what to do."""

    kind: ProblemKind
    message: str


class Tier(StrEnum):
    """How much a check may cost. `THOROUGH` triangulates after the ordinary evidence."""

    STANDARD = "standard"
    THOROUGH = "thorough"


# --------------------------------------------------------------------------------------------
# Model


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked. `name` and `version` identify the template it was made from."""

    name: str
    version: int
    system: str
    user: str
    temperature: float
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Usage:
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Reply:
    """One completion. `usage` is what it cost when first drawn; `cached` if not drawn now."""

    text: str
    sample: int
    usage: Usage
    cached: bool


class Model(Protocol):
    """A source of replies. The same prompt and sample index give the same reply once recorded."""

    @property
    def name(self) -> str: ...

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        """Draw sample number `sample` (0-based) for `prompt`.

        Raises a `ModelError` when there is no reply to be had; never returns an empty one.
        """
        ...


@dataclass(frozen=True, slots=True)
class Draw:
    """What came of asking for several samples: the replies in sample order, and what went wrong."""

    replies: tuple[Reply, ...]
    problems: tuple[Problem, ...]

    @property
    def usage(self) -> Usage:
        """What the replies cost when they were drawn."""
        return sum((reply.usage for reply in self.replies), Usage())


@dataclass(frozen=True, slots=True)
class Candidate:
    """Another implementation, as the model wrote it.

    `source` is module text: imports, helpers and the function. `digest` identifies its normalised
    syntax tree, so that equal programs are run once and counted each time. `samples` are the
    indices of the draws that gave it.
    """

    source: str
    digest: str
    samples: tuple[int, ...]

    @property
    def weight(self) -> int:
        return len(self.samples)


# --------------------------------------------------------------------------------------------
# Inputs and behaviours


class Origin(StrEnum):
    """Where an input came from, most trusted first."""

    EXAMPLE = "example"
    PROPOSED = "proposed"
    TYPED = "typed"
    MUTATED = "mutated"
    SEARCHED = "searched"
    SHRUNK = "shrunk"


# Origins of inputs that somebody thought of who had read the docstring. All others are made up.
MEANT = (Origin.EXAMPLE, Origin.PROPOSED)


@dataclass(frozen=True, slots=True)
class Input:
    call: Call
    origin: Origin


@dataclass(frozen=True, slots=True)
class EquivalenceClass:
    """Programs that behaved alike on every input in the domain.

    `members` index the candidates; `weight` counts samples; `has_original` tells whether the
    user's function is among them. `representative` indexes the candidate offered for the class.
    """

    members: tuple[int, ...]
    weight: int
    has_original: bool
    representative: int | None


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One outcome on one input, by how many samples, and whether by the original too."""

    observation: Observation
    weight: int
    original: bool
    candidates: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Separation:
    """An input on which programs part ways, reproduced twice in fresh processes.

    `behaviours` are ordered by weight, heaviest first; `total` is the number of samples counted.
    """

    input: Input
    behaviours: tuple[Behaviour, ...]
    total: int


@dataclass(frozen=True, slots=True)
class ExampleFailure:
    """A docstring example that the function itself does not meet, reproduced twice.

    Of `candidates_total` samples, so many meet it, and so many return on it what the function does.
    """

    example: Example
    got: str
    candidates_passing: int
    candidates_agreeing: int
    candidates_total: int


# --------------------------------------------------------------------------------------------
# Verdict and report


class Status(StrEnum):
    TRUSTED = "trusted"
    SUSPECT = "suspect"
    AMBIGUOUS = "ambiguous"
    ABSTAINED = "abstained"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Support:
    """`agreeing` of `total` samples, with the share's exact (Clopper-Pearson) 95 % interval."""

    agreeing: int
    total: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision. `confidence` is a probability in [0, 1], or None where nothing was decided."""

    status: Status
    confidence: float | None
    support: Support | None
    inputs_run: int
    inputs_in_domain: int


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


class Code(StrEnum):
    """Finding codes; each has a page in docs/findings/."""

    DIFFERS = "ASY101"
    JUDGED = "ASY102"
    FAILS_EXAMPLE = "ASY103"
    RAISES = "ASY104"
    AMBIGUOUS = "ASY201"
    NOT_DETERMINISTIC = "ASY202"
    DOUBTFUL_EXAMPLE = "ASY203"
    NOT_CHECKED = "ASY301"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One line of a witness table: who did what on the input, in words, with values as a whole."""

    who: str
    what: str
    weight: int
    is_original: bool


@dataclass(frozen=True, slots=True)
class Witness:
    """The concrete input that shows a finding, rendered as Python, and what everybody did on it."""

    call: str
    outcomes: tuple[Outcome, ...]
    origin: Origin


@dataclass(frozen=True, slots=True)
class Related:
    """A further place in the same unit; `span` is relative to the unit's start."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to tell the user. `span` is relative to the unit's start.

    `message` stands alone in one line, and ends with the `caveat`, if there is one: what a reader
    has to know who is to weigh the finding.
    """

    code: Code
    severity: Severity
    message: str
    span: Span
    witness: Witness | None = None
    related: tuple[Related, ...] = ()
    caveat: str = ""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A candidate that the evidence selects and that was re-run in place before being offered.

    `candidate` is the module text to splice; `behaviour` says in a few words what choosing it
    means; `diff` is a unified diff of the file as it was checked.
    """

    candidate: str
    behaviour: str
    diff: str


class Opinion(StrEnum):
    """One vote of a judge: on an output, or, by judges that read code, on the code."""

    CORRECT = "correct"
    INCORRECT = "incorrect"


class Ruling(StrEnum):
    """A judge's word on the function."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    ABSTAINED = "abstained"


@dataclass(frozen=True, slots=True)
class JudgedOutput:
    """An input and what the function did on it, as the judge was shown them, and its votes.

    `scenario` is the behaviour that the input is to exercise; None for one on which candidates
    disagree. `votes` are in the order of asking, None for a reply without one. `opinion` is None
    where they decide nothing. `reason` is one sentence in the model's words, or empty.
    """

    input: str
    output: str
    scenario: str | None
    votes: tuple[Opinion | None, ...]
    opinion: Opinion | None
    reason: str


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge made of the function: see docs/findings/ASY102.md.

    `score` is the share of outputs found correct, None where nothing was judged.
    """

    judge: str
    ruling: Ruling
    score: float | None
    threshold: float
    pairs: tuple[JudgedOutput, ...] = ()


@dataclass(frozen=True, slots=True)
class TransformedSolution:
    """A witness: a program for a transformed problem, which is given by header and docstring.

    `samples` counts the draws that gave this very program.
    """

    problem: str
    program: str
    samples: int


@dataclass(frozen=True, slots=True)
class Refutation:
    """A program that witnesses refute, on which call, with what it returns there and what the
    program that they confirm returns. `weight` counts its samples, 0 for the user's function."""

    call: str
    returned: str
    confirmed: str
    weight: int
    is_original: bool


@dataclass(frozen=True, slots=True)
class Triangulated:
    """What semantic triangulation found: `scheme` is the one that decided, None if it abstained.

    `witnesses` of `drawn` samples agree, on `inputs` (calls as text), with `confirmed` of the
    candidates' samples, and with the user's function if `confirms_original`. `is_baseline`: the
    witnesses need no other algorithm than the function, so that agreement says little.
    """

    scheme: str | None
    is_baseline: bool
    confirms_original: bool
    confirmed: int
    witnesses: tuple[TransformedSolution, ...]
    agreeing: int
    drawn: int
    inputs: tuple[str, ...]
    refuted: tuple[Refutation, ...]
    usage: Usage


@dataclass(frozen=True, slots=True)
class Cost:
    """What the check sent and paid now, and what the replies it rests on cost when they were drawn.

    Of the requests of `paid`, `failed` brought no answer.
    """

    paid: Usage = field(default_factory=Usage)
    drawn: Usage = field(default_factory=Usage)
    program_calls: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """Everything said about one unit.

    `text_digest` identifies the unit's own text (see `digest.of_text`): a report applies to a unit
    of that name as long as it holds. `digest` also covers context, settings and prompts: it is the
    key under which the report is stored. `line` is 1-based, of the name, as the file was checked.
    """

    path: str
    qualname: str
    line: int
    text_digest: str
    digest: str
    verdict: Verdict
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    replacements: tuple[Replacement, ...]
    classes: tuple[EquivalenceClass, ...]
    model: str | None
    cost: Cost
    prompts: Mapping[str, int] = field(default_factory=dict[str, int])
    judged: Judged | None = None
    triangulation: Triangulated | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a check of several units is: the unit under way and the stage it is in."""

    done: int
    total: int
    qualname: str
    stage: str


class Listener(Protocol):
    """Told about progress; called on the engine's own thread and expected to return at once."""

    def __call__(self, progress: Progress, /) -> None: ...
