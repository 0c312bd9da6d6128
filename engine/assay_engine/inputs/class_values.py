"""Strategies for objects of a program's own classes.

They give enumeration members, typed dicts, and objects that constructors make.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from assay_engine.inputs.generics import (
    Definitions,
    arguments_of,
    is_variable,
    names_declared,
    variables_declared,
    with_arguments,
)
from assay_engine.inputs.strategies import NoStrategy, Of, some_of
from assay_engine.source.classes import (
    Field,
    built_in_base,
    constructor,
    is_enumeration,
    made_of,
    member_names,
    typed_dict_classes,
)
from assay_engine.source.families import family, is_protocol, receivers, standing_in, ways_back
from assay_engine.source.parsing import last_name
from assay_engine.values.spelling import source_of
from assay_sandbox import Expression, Member, Value

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# A class counts for at most this many levels of nesting beyond one.
FURTHER_MAX = 2


def of_class(
    node: ast.ClassDef, arguments: Sequence[ast.expr], definitions: Definitions, of: Of
) -> SearchStrategy[Value]:
    """The strategy for a class with these type arguments.

    `of` gives the strategies for the annotations in the class. Raises `NoStrategy`.
    """
    if is_enumeration(node):
        return _members(node)
    if is_protocol(node) and (known := standing_in(node, definitions.classes)) is not None:
        return of(ast.Constant(known), 0)
    if typed_dict_classes(node, definitions.classes):
        return _dicts(node, arguments, definitions, of)
    members = family(node, definitions.classes)
    if not members:
        raise NoStrategy(f"the {'protocol' if is_protocol(node) else 'abstract class'} {node.name}")
    return _any_of(node, arguments, members, definitions, of)


def of_receiver(
    owner: ast.ClassDef, method: str, definitions: Definitions, of: Of
) -> SearchStrategy[Value]:
    """The strategy for objects that have the owner's method of this name and do not override it.

    Raises `NoStrategy`.
    """
    members = receivers(owner, method, definitions.classes)
    if not members:
        raise NoStrategy(f"the abstract class {owner.name}")
    return _any_of(owner, (), members, definitions, of)


def _members(node: ast.ClassDef) -> SearchStrategy[Value]:
    import hypothesis.strategies as st

    names = member_names(node)
    if not names:
        raise NoStrategy(f"the enumeration {node.name}")
    return st.sampled_from(names).map(lambda name: Member(node.name, name))


def _any_of(
    node: ast.ClassDef,
    arguments: Sequence[ast.expr],
    members: Sequence[ast.ClassDef],
    definitions: Definitions,
    of: Of,
) -> SearchStrategy[Value]:
    """The strategy for objects of any class of the family of `node`."""

    def made(member: ast.ClassDef) -> SearchStrategy[Value]:
        given = _given_to(member, node, arguments, definitions)
        if given is None:
            raise NoStrategy(f"the class {member.name} with these arguments")
        if is_enumeration(member):
            return _members(member)
        return _constructed(member, definitions, _within(given, of))

    return some_of(members, made)


def _given_to(
    member: ast.ClassDef,
    node: ast.ClassDef,
    arguments: Sequence[ast.expr],
    definitions: Definitions,
) -> dict[str, ast.expr] | None:
    """The types that the type parameters of `member` stand for.

    `member` is of the family of the class `node`, which has these arguments. None if `member`
    derives from the class with other arguments, or if its bases do not tell.
    """
    declared = variables_declared(member)
    found = {**declared, "Self": ast.Name(member.name)}
    if member is node:
        given = arguments_of(node, names_declared(node), arguments, definitions.aliases)
        return {**found, **given}
    if not arguments:
        return found
    base = next((each for each in member.bases if last_name(each) == node.name), None)
    if not isinstance(base, ast.Subscript):
        return None
    own = base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]
    for each, asked in zip(own, arguments, strict=False):
        value = definitions.aliases.get(each.id) if isinstance(each, ast.Name) else None
        if isinstance(each, ast.Name) and (each.id in declared or is_variable(value)):
            found[each.id] = asked
        elif ast.dump(each) != ast.dump(asked):
            return None
    return found


def _within(given: Mapping[str, ast.expr], of: Of) -> Of:
    return lambda annotation, further: of(with_arguments(annotation, given), further)


def _dicts(
    node: ast.ClassDef, arguments: Sequence[ast.expr], definitions: Definitions, of: Of
) -> SearchStrategy[Value]:
    """The strategy for a typed dict. A key that may be missing is sometimes missing."""
    import hypothesis.strategies as st

    fields = made_of(node, definitions.classes)
    given = _given_to(node, node, arguments, definitions) or {}
    found = _values(fields, _further(node, definitions), _within(given, of))
    always = {name: each for name, each in found.items() if not fields[name].is_optional}
    at_times = {name: each for name, each in found.items() if fields[name].is_optional}
    dicts = st.fixed_dictionaries(always, optional=at_times)
    return cast("SearchStrategy[Value]", dicts)


def _further(node: ast.ClassDef, definitions: Definitions) -> int:
    """How many levels beyond one the class counts for.

    A class that refers to itself in many places would otherwise give enormous objects.
    """
    return min(max(ways_back(node, definitions.classes) - 1, 0), FURTHER_MAX)


def _constructed(node: ast.ClassDef, definitions: Definitions, of: Of) -> SearchStrategy[Value]:
    """Objects that the constructor makes inside the sandbox, so that its own checks hold."""
    import hypothesis.strategies as st

    parameters = constructor(node, definitions.classes)
    if parameters is None:
        raise NoStrategy(f"the class {node.name}")
    base = built_in_base(node, definitions.classes)
    if base is not None:
        held = of(base, _further(node, definitions))
        return held.map(lambda value: Expression(f"{node.name}({_source(value)})"))
    values = _values(parameters, _further(node, definitions), of)
    return st.fixed_dictionaries(values).map(
        lambda given: Expression(
            f"{node.name}({', '.join(f'{name}={_source(given[name])}' for name in values)})"
        )
    )


def _values(fields: Mapping[str, Field], further: int, of: Of) -> dict[str, SearchStrategy[Value]]:
    """The strategies of the fields.

    An optional field is left out if it has no strategy, or if there is no room for one.
    """
    found: dict[str, SearchStrategy[Value]] = {}
    for name, each in fields.items():
        try:
            found[name] = of(each.annotation, further)
        except NoStrategy:
            if not each.is_optional:
                raise
    return found


def _source(value: Value) -> str:
    return value.source if isinstance(value, Expression) else source_of(value)
