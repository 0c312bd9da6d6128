"""Sessions that show what a call leaves behind in an argument.

Such a session binds the argument to a name, makes the call, and then asks for the part of the
argument in which two programs differ.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import cast

from assay_engine.offering.questions import questions
from assay_engine.offering.sessions import Session, assigned, unseen
from assay_engine.running.arguments_left import Given
from assay_engine.running.carried import arguments_of, value_of
from assay_engine.syntax.scopes import names_of
from assay_engine.syntax.use_statements import trying
from assay_engine.types import Behaviour, UnitKind
from assay_sandbox import Iterated, Observation, Raised, Returned, Value, render

# How many sessions are made at most. The first one that shows a difference is as good as any.
FORMS_MAX = 8
# The name for the object, as inputs use it.
_OBJECT = "it"
_Key = int | str


def state_sessions(
    session: Session, behaviour: Behaviour, rival: Behaviour, given: Given
) -> tuple[Session, ...]:
    """Sessions that ask for what the behaviour left different from its rival, the clearest first.

    None if the session has no such call.
    """
    return tuple(islice(_sessions(session, behaviour, rival, given), FORMS_MAX))


def _sessions(
    session: Session, behaviour: Behaviour, rival: Behaviour, given: Given
) -> Iterator[Session]:
    if given.specification.gives_functions:
        return
    nodes = _arguments(session.asked, given)
    mine = _left(behaviour.observation, given)
    theirs = _left(rival.observation, given)
    if mine is None or theirs is None or not nodes.keys() == mine.keys() == theirs.keys():
        return
    for key, node in nodes.items():
        if render(mine[key]) == render(theirs[key]):
            continue
        name = node.id if isinstance(node, ast.Name) else _name(key, session, given)
        bound = ast.Name(name, ast.Load())
        bindings = [] if isinstance(node, ast.Name) else [assigned(name, node)]
        call = _stated(_with(session.asked, key, bound, given), behaviour.observation)
        steps = (*session.steps, *bindings, call)
        for question in questions(bound, mine[key], theirs[key], given.specification.program):
            yield Session(steps, question)


def _left(observation: Observation, given: Given) -> Mapping[_Key, Value] | None:
    """The arguments after the call; None if they are not known."""
    if not isinstance(observation, Returned | Raised):
        return None
    before = given.call.args, dict(given.call.kwargs)
    after = before if observation.args_after is None else arguments_of(observation.args_after)
    if after is None:
        return None
    args, named = after
    return {**dict(enumerate(args)), **named}


def _arguments(asked: ast.expr, given: Given) -> Mapping[_Key, ast.expr]:
    """The arguments of the call by position or name, with the object first."""
    owner: Sequence[ast.expr] = ()
    function = asked.func if isinstance(asked, ast.Call) else asked
    if given.specification.unit.kind is UnitKind.METHOD and isinstance(function, ast.Attribute):
        owner = [function.value]
    if not isinstance(asked, ast.Call):
        return dict(enumerate(owner))
    named = {each.arg: each.value for each in asked.keywords if each.arg is not None}
    return {**dict(enumerate([*owner, *asked.args])), **named}


def _with(asked: ast.expr, key: _Key, value: ast.expr, given: Given) -> ast.expr:
    """The call with the argument `key` replaced by `value`."""
    is_method = given.specification.unit.kind is UnitKind.METHOD
    match asked:
        case ast.Attribute(attr=name):
            return ast.Attribute(value, name, ast.Load())
        case ast.Call(func=ast.Attribute(attr=name), args=args, keywords=named) if (
            is_method and key == 0
        ):
            return ast.Call(ast.Attribute(value, name, ast.Load()), args, named)
        case ast.Call(func=function, args=args, keywords=named):
            place = key - is_method if isinstance(key, int) else None
            return ast.Call(
                function,
                [value if number == place else each for number, each in enumerate(args)],
                [ast.keyword(n.arg, value if n.arg == key else n.value) for n in named],
            )
        case _:
            return asked


def _stated(call: ast.expr, observation: Observation) -> ast.stmt:
    """The call as a statement for which a prompt shows nothing."""
    match observation:
        case Raised(type_name=name):
            known = name.rsplit(".", 1)[-1]
            return trying(ast.Expr(call), known if hasattr(builtins, known) else "Exception")
        case Returned(value=value) if isinstance(value_of(value), Iterated):
            return unseen(listed(call))
        case Returned(value=value) if value_of(value) is not None:
            return unseen(call)
        case _:
            return ast.Expr(call)


def listed(iterator: ast.expr) -> ast.expr:
    """The expression that makes a list of an iterator."""
    return ast.Call(ast.Name("list", ast.Load()), [iterator], [])


def _name(key: _Key, session: Session, given: Given) -> str:
    """The name for an argument: the parameter's, with a ``_`` if the session uses that already."""
    if isinstance(key, str):
        name = key
    elif key == 0 and given.specification.unit.kind is UnitKind.METHOD:
        name = _OBJECT
    else:
        by_place = [
            each for each in given.specification.given_parameters if each.kind.is_positional
        ]
        name = by_place[key].name if key < len(by_place) else "given"
    names = names_of([*session.steps, cast(ast.stmt, ast.Expr(session.asked))])
    return f"{name}_" if name in names.reads | names.binds else name
