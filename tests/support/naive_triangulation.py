"""The schemes once more, as plainly as they can be said: one pair, one call at a time, no memory.

Deliberately shares nothing with the engine. A program is a function that returns a value, "U" or
"D"; values are integers. An answer is (is it full, what it lists). A judgement is True, "V" for
vacuously true, False, or a letter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

LETTERS = ("D", "A", "U")
Term = Any
Naive = Callable[..., Term]


def run(program: Naive, *arguments: Term) -> Term:
    special = [letter for letter in LETTERS if letter in arguments]
    return special[0] if special else program(*arguments)


def tolerate(term: Term) -> Term:
    return "A" if term == "U" else term


def equal(x: Term, y: Term) -> Term:
    if x == y == "U":
        return "V"
    special = [letter for letter in LETTERS if letter in (x, y)]
    return special[0] if special else x == y


def member(x: Term, answer: Term) -> Term:
    if x == answer == "U":
        return "V"
    special = [letter for letter in LETTERS if letter in (x, answer)]
    if special:
        return special[0]
    full, values = answer
    return True if x in values else False if full else "A"


def every(judgements: Iterable[Term]) -> Term:
    judgements = list(judgements)
    angelic = judgements.count("A")
    if any(each in ("U", "D") or each is False for each in judgements):
        return False
    if angelic and 3 * angelic >= len(judgements):
        return False
    return True if any(each is True for each in judgements) else "V"


def over(answer: Term, body: Callable[[Term], Term]) -> Term:
    if answer in LETTERS:
        return "A" if answer == "A" else False
    return every(body(value) for value in answer[1])


def both(x: Term, y: Term) -> Term:
    if "D" in (x, y):
        return "D"
    if x is False or y is False:
        return False
    for letter in ("U", "A"):
        if letter in (x, y):
            return letter
    return True if x is True or y is True else "V"


def equivalent(p: Naive, q: Naive, inputs: Sequence[tuple[int, ...]], _: object) -> bool:
    return every(equal(run(p, *i), run(q, *i)) for i in inputs) is True


def fwd_inv(p: Naive, q: Naive, inputs: Sequence[Any], outputs: Sequence[Any]) -> bool:
    first = every(equal(run(q, tolerate(run(p, a, c)), c), a) for a, c in inputs)

    def apart(x: Term, y: Term) -> bool:
        return x != y

    return first is True and third_clause(q, outputs, apart)


def fwd_sinv(p: Naive, q: Naive, inputs: Sequence[Any], outputs: Sequence[Any]) -> bool:
    def at(a: Term, c: Term) -> Term:
        o = run(p, a, c)
        fibre = run(q, tolerate(o), c)
        return both(member(a, fibre), over(fibre, lambda v: equal(run(p, v, c), o)))

    def apart(x: Term, y: Term) -> bool:
        return not set(x[1]) & set(y[1])

    return every(at(a, c) for a, c in inputs) is True and third_clause(q, outputs, apart)


def third_clause(q: Naive, outputs: Sequence[Any], apart: Callable[[Term, Term], bool]) -> bool:
    if any(run(q, o, c) == "D" for o, c in outputs):
        return False
    for (o, c), (other, _) in product(outputs, outputs):
        here, there = run(q, o, c), run(q, other, c)
        takes_part = here != "U" and there not in ("U", "D")
        if o != other and takes_part and not apart(here, there):
            return False
    return True


def enum_sinv(e: Naive, q: Naive, inputs: Sequence[Any], outputs: Sequence[Any]) -> bool:
    first = every(
        over(tolerate(run(e, a, c)), lambda o, a=a, c=c: member(a, run(q, o, c))) for a, c in inputs
    )
    second = every(
        over(tolerate(run(q, o, c)), lambda v, o=o, c=c: member(o, run(e, v, c)))
        for o, c in outputs
    )
    return first is True and second in (True, "V")


def fwd_enum(p: Naive, e: Naive, inputs: Sequence[Any], _: object) -> bool:
    return every(member(run(p, a, c), run(e, a, c)) for a, c in inputs) is True


def postcondition(p: Naive, q: Naive, inputs: Sequence[Any], _: object) -> bool:
    def at(a: Term, c: Term) -> Term:
        found = tolerate(run(q, a, c, run(p, a, c)))
        return found if found in LETTERS else found is True

    return every(at(a, c) for a, c in inputs) is True


def off_by_one(p: Naive, q: Naive, inputs: Sequence[Any], _: object) -> bool:
    def shifted(term: Term) -> Term:
        return term if term in LETTERS else term + 1

    return every(equal(shifted(run(p, *i)), run(q, *i)) for i in inputs) is True


def leads_back(p: Naive, q: Naive, outputs: Sequence[Any]) -> bool:
    """FWD-INV's round trip."""

    def at(o: Term, c: Term) -> Term:
        found = run(q, o, c)
        return "V" if found == "U" else equal(run(p, found, c), o)

    return every(at(o, c) for o, c in outputs) in (True, "V")


def listed_lead_back(p: Naive, q: Naive, outputs: Sequence[Any]) -> bool:
    """FWD-SINV's round trip."""

    def at(o: Term, c: Term) -> Term:
        found = run(q, o, c)
        return "V" if found == "U" else over(found, lambda v: equal(run(p, v, c), o))

    return every(at(o, c) for o, c in outputs) in (True, "V")
