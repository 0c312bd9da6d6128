"""Sessions that show what a call leaves behind in an argument.

Such a session binds the argument to a name, makes the call, and then asks for the part of the
argument in which two programs differ.

Finds where in a value two programs differ, as expressions whose value a prompt shows.

The ways in which a session may show what a program does on an input.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import cast

from assay_engine.compare.votes import Vote
from assay_engine.fixes.sessions import PromptSession, run, unseen
from assay_engine.syntax.expressions import assigned
from assay_engine.syntax.parsing import parse_expression
from assay_engine.syntax.scopes import names_of
from assay_engine.types import Behaviour, Specification, UnitKind
from assay_engine.values.carried import arguments_of, is_script, value_of
from assay_engine.values.describing import as_imported
from assay_engine.values.outcomes import GivenCall
from assay_sandbox import (
    Expression,
    Instance,
    Iterated,
    Observation,
    Raised,
    Returned,
    Value,
    render,
)

# How many sessions are made at most. The first one that shows a difference is as good as any.
FORMS_MAX = 8
# The name for the object, as inputs use it.
_OBJECT = "it"
_Key = int | str


def state_sessions(
    session: PromptSession, behaviour: Behaviour, rival: Behaviour, given: GivenCall
) -> tuple[PromptSession, ...]:
    """Sessions that ask for what the behaviour left different from its rival, the clearest first.

    None if the session has no such call.
    """
    return tuple(islice(_sessions(session, behaviour, rival, given), FORMS_MAX))


def _sessions(
    session: PromptSession, behaviour: Behaviour, rival: Behaviour, given: GivenCall
) -> Iterator[PromptSession]:
    if is_script(given.call):
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
            yield PromptSession(steps, question)


def _left(observation: Observation, given: GivenCall) -> Mapping[_Key, Value] | None:
    """The arguments after the call; None if they are not known."""
    if not isinstance(observation, Returned | Raised):
        return None
    before = given.call.args, dict(given.call.kwargs)
    after = before if observation.args_after is None else arguments_of(observation.args_after)
    if after is None:
        return None
    args, named = after
    return {**dict(enumerate(args)), **named}


def _arguments(asked: ast.expr, given: GivenCall) -> Mapping[_Key, ast.expr]:
    """The arguments of the call by position or name, with the object first."""
    owner: Sequence[ast.expr] = ()
    function = asked.func if isinstance(asked, ast.Call) else asked
    if given.specification.unit.kind is UnitKind.METHOD and isinstance(function, ast.Attribute):
        owner = [function.value]
    if not isinstance(asked, ast.Call):
        return dict(enumerate(owner))
    named = {each.arg: each.value for each in asked.keywords if each.arg is not None}
    return {**dict(enumerate([*owner, *asked.args])), **named}


def _with(asked: ast.expr, key: _Key, value: ast.expr, given: GivenCall) -> ast.expr:
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
            caught = ast.Name(known if hasattr(builtins, known) else "Exception", ast.Load())
            handler = ast.ExceptHandler(caught, None, [ast.Pass()])
            return ast.Try([ast.Expr(call)], [handler], [], [])
        case Returned(value=value) if isinstance(value_of(value), Iterated):
            return unseen(listed(call))
        case Returned(value=value) if value_of(value) is not None:
            return unseen(call)
        case _:
            return ast.Expr(call)


def listed(iterator: ast.expr) -> ast.expr:
    """The expression that makes a list of an iterator."""
    return ast.Call(ast.Name("list", ast.Load()), [iterator], [])


def _name(key: _Key, session: PromptSession, given: GivenCall) -> str:
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


# How deep objects within each other are looked into.
DEPTH_MAX = 6


def questions(
    at: ast.expr, mine: Value, theirs: Value, program: str, depth: int = DEPTH_MAX
) -> Iterator[ast.expr]:
    """Expressions that ask for the difference between `mine` and `theirs`, two values left at `at`.

    Objects are looked into. What a prompt shows of an object, if anything, would say more than the
    difference.
    """
    match mine, theirs:
        case _ if not depth:
            yield at
        case Instance(), Instance() if _fields(mine).keys() == _fields(theirs).keys():
            differing = [name for name in _fields(mine) if _differ(mine, theirs, name)]
            for name in _public_first(differing):
                one, other = _fields(mine)[name], _fields(theirs)[name]
                yield from questions(_attribute(at, name), one, other, program, depth - 1)
        case (Expression(), Instance() as known) | (Instance() as known, Expression()):
            # The value that the expression makes is known only inside the sandbox.
            yield from (_attribute(at, name) for name in _public_first(_fields(known)))
        case (list() | tuple(), list() | tuple()) | (dict(), dict()) if _has_objects(mine, theirs):
            one, other = _items(mine), _items(theirs)
            for key in one:
                if render(one[key]) != render(other[key]):
                    yield from questions(
                        _item(at, key, program), one[key], other[key], program, depth - 1
                    )
        case (None, _) | (_, None):
            # A prompt shows nothing for None, and for many objects it shows where they are in
            # memory.
            yield at
            yield ast.Compare(at, [ast.Is()], [ast.Constant(None)])
        case _:
            yield at


def _fields(value: Instance) -> dict[str, Value]:
    return {name: item for name, item in value.fields if name.isidentifier()}


def _differ(mine: Instance, theirs: Instance, name: str) -> bool:
    return render(_fields(mine)[name]) != render(_fields(theirs)[name])


def _public_first(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: name.startswith("_"))


def _has_objects(mine: Value, theirs: Value) -> bool:
    """Whether both values have the same indices or keys, and objects among their items differ."""
    one, other = _items(mine), _items(theirs)
    return [*one] == [*other] and any(
        isinstance(each, Instance) and render(each) != render(other[key])
        for key, each in one.items()
    )


def _items(value: Value) -> dict[Value, Value]:
    if isinstance(value, dict):
        return cast("dict[Value, Value]", value)
    return dict(enumerate(cast("Sequence[Value]", value)))


def _attribute(at: ast.expr, name: str) -> ast.expr:
    return ast.Attribute(at, name, ast.Load())


def _item(at: ast.expr, key: Value, program: str) -> ast.expr:
    written = parse_expression(as_imported(render(key), program))
    return ast.Subscript(at, written or ast.Constant(None), ast.Load())


def forms_of(
    session: PromptSession,
    behaviour: Behaviour,
    shown: Vote,
    specification: Specification,
) -> tuple[PromptSession, ...]:
    """The forms of a session that may show a behaviour.

    The first one shows what the call gives. Further ones show what the call leaves different from
    the strongest rival. There are none if any program changes files, since an example has no files.
    """
    observations = [each.observation for each in shown.behaviours]
    if any(isinstance(each, Returned) and each.files_after is not None for each in observations):
        return ()
    # The last line of the signature stands after the decorators.
    if specification.signature.rpartition("\n")[2].startswith("async "):
        return (_awaited(session),)
    rival = next(other for other in shown.behaviours if other is not behaviour)
    given = GivenCall(shown.input.call, specification)
    return (_giving(session, behaviour), *state_sessions(session, behaviour, rival, given))


def _giving(session: PromptSession, behaviour: Behaviour) -> PromptSession:
    """The form that shows what the call gives.

    A prompt does not show what an iterator gives, so the form turns an iterator into a list.
    """
    match behaviour.observation:
        case Returned(value=value) if isinstance(value_of(value), Iterated):
            return PromptSession(session.steps, listed(session.asked))
        case _:
            return session


def _awaited(session: PromptSession) -> PromptSession:
    known = any(isinstance(each, ast.Import) for each in session.steps)
    brought = () if known else (ast.Import([ast.alias("asyncio")]),)
    return PromptSession((*session.steps, *brought), run(session.asked))
