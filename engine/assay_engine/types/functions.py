"""Texts and places in them, functions and what they promise, and what is not to be told of them."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from assay_sandbox import Place


class Silence(Struct, frozen=True):
    """What comments in a function's header ask for.

    `everything` asks not to check the function. `codes` are the codes of findings that are not to
    be told. `unclear` are comments, as written, that ask for neither or name an unknown code.
    """

    everything: bool = False
    codes: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()


class Span(Struct, frozen=True):
    """A range of code points in a text, from `start` up to and without `end`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


class Edit(Struct, frozen=True):
    """Replace `span` of a text by `new_text`."""

    span: Span
    new_text: str


class SourceText(Struct, frozen=True):
    """A text to check: where it belongs, what it says, and the workspace it may import from.

    `request` is what its functions were asked for, in the words of whoever asked; it holds beside
    their docstrings, or in place of those that are missing.
    """

    path: str
    text: str
    root: str | None = None
    request: str = ""


class UnitKind(StrEnum):
    FUNCTION = "function"
    METHOD = "method"
    CLASS_METHOD = "classmethod"
    STATIC_METHOD = "staticmethod"


class Unit(Struct, frozen=True):
    """A function with its place in a text. All spans are absolute in that text.

    `qualname` is Python's: ``Ledger.add``, ``outer.<locals>.inner``; a second definition of the
    same name gets ``#2``. `span` runs from the first decorator to the end of the last line
    (without its line break); `name_span` covers the bare name after ``def``. `getter` is the
    attribute of a property that holds its function (``fget``); it is empty for all other functions.
    `silence` is what comments in the function's header ask not to be told.
    """

    qualname: str
    kind: UnitKind
    is_async: bool
    is_generator: bool
    span: Span
    name_span: Span
    docstring: str
    getter: str = ""
    silence: Silence = Silence()

    @property
    def name(self) -> str:
        """The bare name after ``def``."""
        return self.path.rsplit(".", 1)[-1]

    @property
    def path(self) -> str:
        """The dotted name of this definition, which other definitions may have as well."""
        return self.qualname.split("#", 1)[0]


class ParameterKind(StrEnum):
    POSITIONAL_ONLY = "positional-only"
    POSITIONAL_OR_KEYWORD = "positional-or-keyword"
    VAR_POSITIONAL = "var-positional"
    KEYWORD_ONLY = "keyword-only"
    VAR_KEYWORD = "var-keyword"

    @property
    def is_positional(self) -> bool:
        """Whether one argument can be given for the parameter by position."""
        return self in (ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL_OR_KEYWORD)


class Parameter(Struct, frozen=True):
    name: str
    kind: ParameterKind
    annotation: str | None = None
    default: str | None = None


class Example(Struct, frozen=True):
    """One example of a docstring.

    `call` is the expression (or statement) whose outcome is shown; `expected` is the text shown.
    `setup` are the earlier statements that the call needs, as far as names tell. `is_doctest`
    tells a ``>>>`` example, whose output text must match, from ``f(2) -> 4``, where `expected` is
    an expression. `span` is relative to the unit's start. `session` are all ``>>>`` statements
    before the call, including those of `setup`.
    """

    setup: tuple[str, ...]
    call: str
    expected: str
    is_doctest: bool
    span: Span
    session: tuple[str, ...] = ()


class InPlace(Struct, frozen=True):
    """A text as it runs where it lives, among the other modules of its project.

    `text` takes the place of a module at `place`, which is None where nothing beside that matters.
    Among the definitions that it has under the function's entry, the function is number
    `definition`, counted from 0.
    """

    place: Place | None
    text: str
    definition: int = 0


class Specification(Struct, frozen=True):
    """What a function promises and what it needs to run.

    `context` is what a model may see: the source of everything in the same file that the function
    refers to, transitively, without the function itself. `program` is that context with the
    function in its place: a module text, which runs unless the function runs `in_place`, with all
    of its module and the other modules of its project. `entry` is the dotted path to call in either
    text. If the program defines that path several times, the function is definition number
    `definition`, counted from 0. `documented_exceptions` are names that the docstring has, among
    them those of the exceptions that it speaks of. `workspace_roots` are the top-level names of the
    project's own modules that the program imports.
    `neighbours` is what a model may see of other modules of the project: their definitions that the
    function refers to, without bodies, below a comment with each module's name.
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
    workspace_roots: frozenset[str] = frozenset()
    definition: int = 0
    in_place: InPlace | None = None
    neighbours: str = ""

    @property
    def running_text(self) -> str:
        """The text that runs, in which a candidate takes the function's place."""
        return self.program if self.in_place is None else self.in_place.text

    @property
    def place(self) -> Place | None:
        """Where the text that runs lives."""
        return None if self.in_place is None else self.in_place.place

    @property
    def has_receiver(self) -> bool:
        """Whether the first argument of a plain call is the object that the method is called on."""
        return self.unit.kind is UnitKind.METHOD

    @property
    def owner(self) -> str:
        """The name of the class that the function is in; empty if it is in none."""
        return self.entry.rpartition(".")[0].rpartition(".")[2]

    @property
    def given_parameters(self) -> tuple[Parameter, ...]:
        """The parameters that a call gives arguments for: all but the class of a class method."""
        return self.parameters[1 if self.unit.kind is UnitKind.CLASS_METHOD else 0 :]

    @property
    def callable_path(self) -> str:
        """The dotted path to what is called: for a property, its function."""
        return f"{self.entry}.{self.unit.getter}" if self.unit.getter else self.entry
