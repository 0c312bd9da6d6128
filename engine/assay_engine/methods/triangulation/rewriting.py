"""Restates a problem as another one, and checks the rewriting before samples are spent on it.

The model writes only the docstring; the header is computed. A rewriting has to parse and to have
that header. It has to mention its own parameters, and not the function it was made from. None of
its examples may contradict the original's examples: the prompt asks for none, but whoever solves
the rewriting goes by those that are there. Only examples that both docstrings write as literals can
be compared.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from assay_engine.compare.same_values import same_value
from assay_engine.config.settings import Sampling
from assay_engine.inputs.calls import assignments, read_call
from assay_engine.methods.triangulation import REWRITING_VERSION
from assay_engine.methods.triangulation.formulas.outcomes import answer
from assay_engine.methods.triangulation.formulas.values import Arguments, FullAnswer, PartialAnswer
from assay_engine.methods.triangulation.problems import Header, stated
from assay_engine.sampling.asking import Answer, Dialogue, corrected
from assay_engine.sampling.prompting import context_part, fenced, filled, stub, template
from assay_engine.sampling.reply_blocks import code_blocks
from assay_engine.syntax.expressions import NotLiteral, literal_in
from assay_engine.syntax.parsing import parse
from assay_engine.types import Prompt, Specification
from assay_engine.values.carried import is_expression
from assay_sandbox import Value

_DOCSTRING_CHARACTERS_MAX = 6_000

# Arguments, and the result that the docstring shows for them.
Shown: TypeAlias = tuple[Arguments, Value]
# Whether an example of a rewriting contradicts those of the original.
Contradicts: TypeAlias = Callable[[Shown], bool]


class Transformation(Struct, frozen=True):
    """The problem to ask for. `template` names the prompt, and `fields` are the names it mentions
    besides the two headers. `notes` explain parameters that were split or left out. The docstring
    has to contain the names `mentioned`."""

    template: str
    target: Header
    fields: Mapping[str, str]
    notes: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()
    contradicts: Contradicts = lambda _: False


def rewriting(
    sampling: Sampling, original: Specification, transformation: Transformation, sample: int
) -> Dialogue[Answer[Specification]]:
    """Ask for rewriting number `sample` of the problem."""
    system, user = template(__package__, transformation.template, REWRITING_VERSION)
    notes = "".join(f"{note}\n\n" for note in transformation.notes)
    fields = {
        "context_part": context_part(original),
        "stub": fenced(stub(original)),
        "target": f'{transformation.target}\n    """..."""',
        "notes": notes,
        **transformation.fields,
    }
    prompt = Prompt(
        transformation.template,
        REWRITING_VERSION,
        system,
        filled(user, fields),
        sampling.temperature,
        sampling.max_tokens,
    )
    return corrected(prompt, lambda text: _read_rewriting(text, original, transformation), sample)


def _read_rewriting(
    text: str, original: Specification, transformation: Transformation
) -> Specification | str:
    """The transformed problem in a reply, or the reason why it cannot be used."""
    function = _function_in(text, transformation.target.name)
    if function is None:
        return f"it does not define `{transformation.target.name}`"
    target, arguments = transformation.target, function.args
    plain = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    others = [arguments.vararg, arguments.kwarg, *arguments.kwonlyargs]
    if tuple(plain) != target.names or any(others):
        return f"the parameters of `{target.name}` are not {', '.join(target.names) or 'none'}"
    # A body that does anything is a solution, which all witnesses would copy.
    rest = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if not all(
        isinstance(each, ast.Pass | ast.Raise)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in rest
    ):
        return "it solves the problem instead of stating it"
    docstring = (ast.get_docstring(function) or "").strip()
    if not docstring or docstring == "...":
        return "its docstring is empty"
    if len(docstring) > _DOCSTRING_CHARACTERS_MAX:
        return f"its docstring has more than {_DOCSTRING_CHARACTERS_MAX:,} characters"
    name = re.escape(original.unit.name)
    # A name such as `count` may be an ordinary word; only a call or code quotes name the function.
    reference = rf"\b{name}\b" if "_" in original.unit.name else rf"\b{name}\(|`{name}`"
    if re.search(reference, docstring):
        return f"it mentions `{original.unit.name}`, which its reader does not know"
    for needed in transformation.mentioned:
        if not re.search(rf"\b{re.escape(needed)}\b", docstring):
            return f"it does not mention `{needed}`"
    try:
        problem = stated(transformation.target, docstring, original)
    except ValueError:
        return "its docstring cannot be quoted"
    if any(map(transformation.contradicts, shown_by(problem))):
        return "one of its examples contradicts the function's own"
    return problem


def _function_in(text: str, name: str) -> ast.FunctionDef | None:
    for blocks in code_blocks(text):
        for block in reversed(blocks):
            tree = parse(block)
            if not isinstance(tree, ast.Module):
                continue
            for statement in tree.body:
                if isinstance(statement, ast.FunctionDef) and statement.name == name:
                    return statement
    return None


def shown_by(specification: Specification) -> tuple[Shown, ...]:
    """The examples of a docstring that have literals both as arguments and as result."""
    found: list[Shown] = []
    for example in specification.examples:
        bound = assignments(example.setup)
        call = None if bound is None else read_call(example.call, specification, bound)
        if call is None or call.kwargs or any(map(is_expression, call.args)):
            continue
        try:
            found.append((call.args, literal_in(example.expected)))
        except NotLiteral:
            continue
    return tuple(found)


def for_inverse(original: Sequence[Shown], inverted: int) -> Contradicts:
    def contradicts(example: Shown) -> bool:
        (output, *context), value = example
        return any(
            same_value(i1, value) and _same(i2, context) and not same_value(o, output)
            for i1, i2, o in _inverted(original, inverted)
        )

    return contradicts


def for_set_inverse(original: Sequence[Shown], inverted: int) -> Contradicts:
    def contradicts(example: Shown) -> bool:
        (output, *context), values = example
        fibre = answer(values)
        if not isinstance(fibre, FullAnswer | PartialAnswer):
            return True
        return any(
            _same(i2, context)
            and (
                (i1 in fibre.listed and not same_value(o, output))
                or (
                    isinstance(fibre, FullAnswer)
                    and same_value(o, output)
                    and i1 not in fibre.listed
                )
            )
            for i1, i2, o in _inverted(original, inverted)
        )

    return contradicts


def for_enumeration(original: Sequence[Shown]) -> Contradicts:
    def contradicts(example: Shown) -> bool:
        arguments, values = example
        listed = answer(values)
        if not isinstance(listed, FullAnswer | PartialAnswer):
            return True
        return isinstance(listed, FullAnswer) and any(
            _same(given, arguments) and output not in listed.listed for given, output in original
        )

    return contradicts


def for_postcondition(original: Sequence[Shown]) -> Contradicts:
    def contradicts(example: Shown) -> bool:
        (*arguments, result), holds = example
        return holds is not True and any(
            _same(given, arguments) and same_value(output, result) for given, output in original
        )

    return contradicts


def _inverted(original: Sequence[Shown], index: int) -> list[tuple[Value, list[Value], Value]]:
    return [
        (given[index], [*given[:index], *given[index + 1 :]], output)
        for given, output in original
        if index < len(given)
    ]


def _same(left: Sequence[Value], right: Sequence[Value]) -> bool:
    return same_value(list(left), list(right))
