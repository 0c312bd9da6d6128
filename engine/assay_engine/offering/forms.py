"""The ways in which a session may show what a program does on an input."""

from __future__ import annotations

import ast

from assay_engine.offering.sessions import Session, run
from assay_engine.offering.stating import listed, state_sessions
from assay_engine.running.arguments_left import Given
from assay_engine.running.carried import value_of
from assay_engine.types import Behaviour, Separation, Specification
from assay_sandbox import Iterated, Returned


def forms_of(
    session: Session, behaviour: Behaviour, separation: Separation, specification: Specification
) -> tuple[Session, ...]:
    """The forms of a session that may show a behaviour.

    The first one shows what the call gives. Further ones show what the call leaves different from
    the strongest rival. There are none if any program changes files, since an example has no files.
    """
    observations = [each.observation for each in separation.behaviours]
    if any(isinstance(each, Returned) and each.files_after is not None for each in observations):
        return ()
    # The last line of the signature stands after the decorators.
    if specification.signature.rpartition("\n")[2].startswith("async "):
        return (_awaited(session),)
    rival = next(other for other in separation.behaviours if other is not behaviour)
    given = Given(separation.input.call, specification)
    return (_giving(session, behaviour), *state_sessions(session, behaviour, rival, given))


def _giving(session: Session, behaviour: Behaviour) -> Session:
    """The form that shows what the call gives.

    A prompt does not show what an iterator gives, so the form turns an iterator into a list.
    """
    match behaviour.observation:
        case Returned(value=value) if isinstance(value_of(value), Iterated):
            return Session(session.steps, listed(session.asked))
        case _:
            return session


def _awaited(session: Session) -> Session:
    known = any(isinstance(each, ast.Import) for each in session.steps)
    brought = () if known else (ast.Import([ast.alias("asyncio")]),)
    return Session((*session.steps, *brought), run(session.asked))
