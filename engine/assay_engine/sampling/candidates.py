"""Draws candidates and makes them runnable: each is spliced into the specification's program.

Reads candidates from a model's replies: leniently, and with a reason where it cannot. Of a block of
code, a candidate is the function, what it needs, and nothing else.
"""

from __future__ import annotations

import ast
import asyncio
import copy
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from assay_engine.config.settings import Settings
from assay_engine.dependencies.needed import ImportNode, Needed, kept_aliases, needed_statements
from assay_engine.dependencies.normalising import normalised_digest, statement_form
from assay_engine.sampling.prompting import candidate_prompt, inputs_prompt
from assay_engine.sampling.reply_blocks import code_blocks
from assay_engine.sampling.sampling import Drawing, draw
from assay_engine.specification.specification import kinds_of, listed_parameters, running_unit
from assay_engine.splicing import apply_edits, splice
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.layout import leading_space, reindent
from assay_engine.syntax.parsing import bound_name
from assay_engine.syntax.scopes import (
    BUILTINS,
    bound_in_classes,
    bound_in_module,
    names_living_in,
    nodes_in,
    occurrences,
    occurrences_in,
    own_nodes,
    used_from_module,
)
from assay_engine.syntax.text import (
    Definition,
    Source,
    is_star_import,
    last_function,
    last_line,
    line_start,
    line_text,
    read_source,
    statement_text,
    statements_after_docstring,
    with_newlines,
)
from assay_engine.syntax.units import is_stub_body
from assay_engine.types import (
    Candidate,
    Draw,
    Model,
    Parameter,
    Problem,
    ProblemKind,
    Reply,
    Specification,
    Unit,
    UnitKind,
    Usage,
)
from assay_engine.words import commanding, count

# Inputs are drawn at a lower temperature than candidates: varied readings matter less for inputs.
INPUTS_TEMPERATURE = 0.7
INPUT_TRIES = 3


class Voter(Struct, frozen=True):
    """A candidate, and the program text in which it replaces the original function."""

    candidate: Candidate
    source: str


def candidate_drawing(model: Model, specification: Specification, settings: Settings) -> Drawing:
    """A drawing of candidates, in rounds; their samples are numbered from 0."""
    prompt = candidate_prompt(
        specification,
        temperature=settings.sampling.temperature,
        max_tokens=settings.sampling.max_tokens,
    )
    slots = asyncio.Semaphore(settings.sampling.concurrency)
    return Drawing(model, prompt, settings.sampling.draw_seconds, slots)


async def draw_proposals(
    model: Model, specification: Specification, settings: Settings, usable: Callable[[str], bool]
) -> Draw:
    """Ask for inputs, and again as long as no reply is `usable`: no other reply has any.

    Each time it is another sample, so the next member of a panel is asked. A model that took all
    the time there is takes it again, and is not.
    """
    prompt = inputs_prompt(specification, temperature=INPUTS_TEMPERATURE)
    drawn: list[Draw] = []
    for sample in range(INPUT_TRIES):
        seconds = settings.sampling.draw_seconds
        drawn.append(await draw(model, prompt, [sample], deadline_seconds=seconds, concurrency=1))
        if any(usable(reply.text) for reply in drawn[-1].replies):
            # What was asked for in vain was made up for.
            return drawn[-1]
        if any(problem.kind is ProblemKind.DEADLINE for problem in drawn[-1].problems):
            break
    replies = tuple(reply for each in drawn for reply in each.replies)
    problems = tuple(dict.fromkeys(problem for each in drawn for problem in each.problems))
    return Draw(replies, problems, sum((each.unused for each in drawn), Usage()))


def voters(
    specification: Specification, drawn: Draw
) -> tuple[tuple[Voter, ...], tuple[Problem, ...]]:
    """The candidates that can replace the original function, and why the others cannot."""
    candidates, rejected = gather(drawn.replies, specification)
    text, place = specification.running_text, running_unit(specification)
    if place is None:
        raise LookupError(f"{specification.entry} is missing from its own program")
    runnable: list[Voter] = []
    unfit: dict[str, list[int]] = {}
    for candidate in candidates:
        edits = splice(text, place, candidate.source)
        if isinstance(edits, Problem):
            unfit.setdefault(edits.message, []).extend(candidate.samples)
            continue
        runnable.append(Voter(candidate, apply_edits(text, edits)))
    problems: list[Problem] = []
    for why, samples in unfit.items():
        numbers = ", ".join(str(sample + 1) for sample in sorted(samples))
        said = f"{count(len(samples), 'sample')} ({numbers}) cannot be put in place: {why}"
        problems.append(Problem(ProblemKind.REPLY_REJECTED, said))
    return tuple(runnable), (*rejected, *problems)


# Longer replies are not read: no function is that long, and a model that rambles has lost track.
REPLY_BYTES_MAX = 200_000


def gather(
    replies: Sequence[Reply], specification: Specification
) -> tuple[tuple[Candidate, ...], tuple[Problem, ...]]:
    """The candidates in order of first appearance, and a problem for each reply that gave none.

    Equal programs count as one candidate. A candidate is a module text: imports, helpers, the
    function at top level. Never raises, whatever the texts.
    """
    sources: dict[str, str] = {}
    drawn: dict[str, list[Reply]] = {}
    problems: list[Problem] = []
    for reply in replies:
        source = _read(reply.text, specification)
        if isinstance(source, Rejection):
            message = f"Sample {reply.sample + 1}: the reply is left out: {source.reason}."
            problems.append(Problem(ProblemKind.REPLY_REJECTED, message))
            continue
        digest = normalised_digest(source, specification.unit.name)
        sources.setdefault(digest, source)
        drawn.setdefault(digest, []).append(reply)
    candidates = tuple(
        Candidate(
            source,
            digest,
            tuple(reply.sample for reply in drawn[digest]),
            tuple(reply.model for reply in drawn[digest] if reply.model),
        )
        for digest, source in sources.items()
    )
    return candidates, tuple(problems)


# The second look reads the replies of the first again.
@lru_cache(maxsize=64)
def _read(text: str, specification: Specification) -> str | Rejection:
    """The first candidate in a reply, or why there is none.

    Of each way of reading, the last block comes first, since models correct themselves. Names that
    a block lacks are looked for in the other blocks.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > REPLY_BYTES_MAX:
        return Rejection(f"it has {size:,} bytes, more than the {REPLY_BYTES_MAX:,} that are read")
    provided, name = provided_by(specification), specification.unit.name
    rejection: Rejection | None = None
    saw_code = False
    for blocks in code_blocks(text):
        saw_code = saw_code or bool(blocks)
        for place in reversed(range(len(blocks))):
            outcome = candidate_from(blocks[place], specification, provided)
            if isinstance(outcome, Rejection) and outcome.missing and len(blocks) > 1:
                ordered = [*blocks[:place], *blocks[place + 1 :], blocks[place]]
                joined = candidate_from("\n\n".join(ordered), specification, provided)
                outcome = joined if isinstance(joined, str) else outcome
            if isinstance(outcome, str):
                return outcome
            rejection = rejection or outcome
    if rejection is not None:
        return rejection
    if re.search(rf"\bdef\s+{re.escape(name)}\b", text):
        return Rejection(f"its `{name}` does not parse")
    return Rejection(f"it does not define `{name}`" if saw_code else "it holds no Python code")


STEP = "    "

# Names that every module and every method has without defining them.
_ALWAYS_THERE = frozenset({*BUILTINS, "__file__", "__annotations__", "__class__"})


class Rejection(Struct, frozen=True):
    """The reason why a block will not do. `missing` are names that another block may define."""

    reason: str
    missing: tuple[str, ...] = ()


class Provided(Struct, frozen=True):
    """What the program around the function provides to every candidate.

    `names` may lack some if `has_any`, as with a star import.
    """

    names: frozenset[str]
    forms: frozenset[str]
    aliases: frozenset[str]
    members: dict[str, frozenset[str]]
    has_any: bool


@lru_cache(maxsize=4)
def provided_by(specification: Specification) -> Provided:
    source = read_source(specification.program)
    tree, nodes = source.tree, nodes_in(source.tree)
    imports = [each for each in tree.body if isinstance(each, ImportNode)]
    around = specification.unit.qualname.replace(".<locals>", "").split(".")[:-1]
    enclosing = [each for each in nodes if isinstance(each, FunctionNode) and each.name in around]
    # A name that the user's own program refers to exists somewhere, even where nothing shows it.
    names = frozenset(each.name for each in occurrences_in(tree) if each.in_module)
    names = names.union(*map(names_living_in, enclosing))
    return Provided(
        names=names | _ALWAYS_THERE | {specification.unit.name},
        forms=frozenset(statement_form(each) for each in tree.body),
        aliases=frozenset(_alias_key(each, alias) for each in imports for alias in each.names),
        members={
            each.name: _members(each.body) for each in nodes if isinstance(each, ast.ClassDef)
        },
        has_any=bool(source.problems) or any(map(is_star_import, imports)),
    )


def candidate_from(
    block: str, specification: Specification, provided: Provided
) -> str | Rejection | None:
    """The candidate as module text; None if the block does not define the function at all."""
    source = read_source(block)
    functions = functions_named(source.tree, specification.unit)
    if not functions:
        return None
    objections = [objection(each, specification) for each in functions]
    if all(objections):
        return Rejection(objections[0] or "")
    function = functions[objections.index(None)]
    name = function.name
    others = [
        each
        for each in source.tree.body
        if not (
            (isinstance(each, ast.ClassDef) and each.name in provided.members)
            or (isinstance(each, Definition) and each.name == name)
            or statement_form(each) in provided.forms
        )
    ]
    # Members that the function uses and that only the reply's version of a class has.
    used = {each.attr for each in ast.walk(function) if isinstance(each, ast.Attribute)}
    used -= _members([function]) | {name}
    added: set[str] = set()
    for each in ast.walk(source.tree):
        if isinstance(each, ast.ClassDef) and each.name in provided.members:
            kept = [member for member in each.body if member is not function]
            added |= used & (_members(kept) - provided.members[each.name])
    if added:
        return Rejection(f"it relies on {_quoted(added)}, which the class does not have")
    # The user's decorators and header are kept, and annotations of locals are never evaluated.
    bare = copy.copy(function)
    bare.decorator_list = []
    found = occurrences([bare])
    inside = {node for statement in function.body for node in ast.walk(statement)}
    looked_up = used_from_module(each for each in found if each.node in inside and each.evaluated)
    runs = needed_statements(others, looked_up - {name}, target=name)
    around = occurrences([*runs.statements, bare])
    # A name that a class body binds may be bound by the time that it is looked up.
    known = bound_in_module(around) | bound_in_classes(around) | provided.names
    missing = () if provided.has_any else tuple(sorted(runs.names - known))
    if missing:
        return Rejection(f"it uses {_quoted(missing)} without defining or importing it", missing)
    needed = needed_statements(others, used_from_module(found) - {name}, target=name)
    text = _laid_out(source, function, needed, provided)
    if text is None:
        return Rejection("it cannot be tokenized")
    character = commanding(text)
    if character is not None:
        return Rejection(f"it holds {character}, which commands a terminal or turns text around")
    return text


def _members(body: Sequence[ast.stmt]) -> frozenset[str]:
    """The attributes that a class body sets on the class, and its methods on any object."""
    stored = {
        node.attr
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    return bound_in_module(occurrences(body)) | stored


def _laid_out(
    source: Source, function: FunctionNode, needed: Needed, provided: Provided
) -> str | None:
    """The imports, helpers and function, from ``def`` on, at column zero; None if the function
    cannot be tokenized."""
    imports: list[str] = []
    for each in needed.imports:
        kept = kept_aliases(each, needed.names)
        kept = [alias for alias in kept if _alias_key(each, alias) not in provided.aliases]
        if kept:
            pruned = copy.copy(each)
            pruned.names = kept
            imports.append(ast.unparse(pruned))
    body = source.tree.body
    floors = {each: last_line(before) + 1 for before, each in pairwise(body)}
    helpers = [statement_text(source, each, floors.get(each, 1)) for each in needed.helpers]
    if helpers:
        # With the reply's future imports, helpers' annotations are evaluated or not as it meant.
        future = (each for each in body if isinstance(each, ast.ImportFrom))
        imports[:0] = [ast.unparse(each) for each in future if each.module == "__future__"]
    end = source.line_end(source.span(function).end)
    text = with_newlines(source.text[line_start(source, function.lineno) : end], "\n")
    margin = leading_space(line_text(source, function.lineno))
    if margin:
        inner = leading_space(line_text(source, function.body[0].lineno))
        step = inner.removeprefix(margin) or STEP
        text = reindent(text, old_step=step, indent="", step=STEP)
    blocks = ["\n".join(imports)] if imports else []
    return "\n\n\n".join([*blocks, *helpers, text]) + "\n" if text else None


def _alias_key(statement: ImportNode, alias: ast.alias) -> str:
    if isinstance(statement, ast.Import):
        return f"import {alias.name} as {bound_name(alias)}"
    return f"{statement.level} {statement.module} {alias.name} as {bound_name(alias)}"


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


_AWAITING = ast.Await | ast.AsyncFor | ast.AsyncWith


def functions_named(tree: ast.Module, unit: Unit) -> list[FunctionNode]:
    """The places where a reply may have put the function: where it belongs, or at top level."""
    at_top = last_function(tree.body, unit.name)
    owner = next(iter(unit.qualname.replace(".<locals>", "").split(".")[-2::-1]), None)
    owners = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.ClassDef | FunctionNode) and each.name == owner
    ]
    inside = [found for each in owners if (found := last_function(each.body, unit.name))]
    is_method = unit.kind is not UnitKind.FUNCTION
    ordered = [*reversed(inside), at_top] if is_method else [at_top, *reversed(inside)]
    return [each for each in ordered if each is not None]


def objection(function: FunctionNode, specification: Specification) -> str | None:
    """A clause that says why a function is not of the kind asked for; None if it is."""
    unit = specification.unit
    found = [Parameter(each.arg, kind) for each, kind in kinds_of(function.args).items()]
    wanted = [Parameter(each.name, each.kind) for each in specification.parameters]
    # The specification may or may not list the receiver among the parameters.
    receives = unit.kind in (UnitKind.METHOD, UnitKind.CLASS_METHOD)
    if found != wanted and not (receives and found[1:] == wanted):
        taken, asked = (", ".join(listed_parameters(each)) for each in (found, wanted))
        return f"its `{unit.name}` takes ({taken}) where ({asked}) is asked for"
    if isinstance(function, ast.AsyncFunctionDef) != unit.is_async:
        got, wanted_kind = ("a plain", "an async") if unit.is_async else ("an async", "a plain")
        return f"its `{unit.name}` is {got} function where {wanted_kind} one is asked for"
    if not unit.is_async and any(isinstance(each, _AWAITING) for each in own_nodes(function)):
        return f"its `{unit.name}` awaits without being async"
    if is_stub_body(statements_after_docstring(function)):
        return f"its `{unit.name}` has no body"
    return None
