"""Restates a problem as another one, and checks the rewriting before samples are spent on it.

The model writes only the docstring; the header is computed. A rewriting has to parse and to have
that header. It has to mention its own parameters, and not the function it was made from. None of
its examples may contradict the original's examples.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from assay_engine.config.settings import Sampling
from assay_engine.methods.triangulation import REWRITING_VERSION
from assay_engine.methods.triangulation.problems import Header, stated
from assay_engine.sampling.asking import Answer, Dialogue, corrected
from assay_engine.sampling.prompting import context_part, fenced, filled, stub, template
from assay_engine.sampling.reply_blocks import code_blocks
from assay_engine.syntax.parsing import parse
from assay_engine.types import Prompt, Specification

_DOCSTRING_CHARACTERS_MAX = 6_000

# Returns a reason if a rewriting's own examples contradict the original's, otherwise an empty text.
Consistent = Callable[[Specification], str]


class Transformation(Struct, frozen=True):
    """The problem to ask for. `template` names the prompt, and `fields` are the names it mentions
    besides the two headers. `notes` explain parameters that were split or left out. The docstring
    has to contain the names `mentioned`."""

    template: str
    target: Header
    fields: Mapping[str, str]
    notes: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()
    consistent: Consistent = lambda _: ""


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
    reason = _wrong_header(function, transformation.target) or _solves(function)
    if reason:
        return reason
    docstring = (ast.get_docstring(function) or "").strip()
    if not docstring or docstring == "...":
        return "its docstring is empty"
    if len(docstring) > _DOCSTRING_CHARACTERS_MAX:
        return f"its docstring has more than {_DOCSTRING_CHARACTERS_MAX:,} characters"
    reason = _misdirected(docstring, original.unit.name, transformation)
    if reason:
        return reason
    try:
        problem = stated(transformation.target, docstring, original)
    except ValueError:
        return "its docstring cannot be quoted"
    return transformation.consistent(problem) or problem


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


def _wrong_header(function: ast.FunctionDef, target: Header) -> str:
    arguments = function.args
    plain = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    others = [arguments.vararg, arguments.kwarg, *arguments.kwonlyargs]
    if tuple(plain) != target.names or any(others):
        return f"the parameters of `{target.name}` are not {', '.join(target.names) or 'none'}"
    return ""


def _solves(function: ast.FunctionDef) -> str:
    """The objection to a function with a body: that is a solution, which all witnesses would copy.

    Empty if the body does nothing.
    """
    rest = function.body[1:] if ast.get_docstring(function) is not None else function.body
    idle = all(
        isinstance(each, ast.Pass | ast.Raise)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in rest
    )
    return "" if idle else "it solves the problem instead of stating it"


def _misdirected(docstring: str, original: str, transformation: Transformation) -> str:
    name = re.escape(original)
    # A name such as `count` may be an ordinary word; only a call or code quotes name the function.
    reference = rf"\b{name}\b" if "_" in original else rf"\b{name}\(|`{name}`"
    if re.search(reference, docstring):
        return f"it mentions `{original}`, which its reader does not know"
    for needed in transformation.mentioned:
        if not re.search(rf"\b{re.escape(needed)}\b", docstring):
            return f"it does not mention `{needed}`"
    return ""
