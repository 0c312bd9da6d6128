"""Objects of a program's own classes: members, dicts of a type, and what constructors make."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from assay_engine.inputs.definitions import Definitions
from assay_engine.inputs.generics import (
    arguments_of,
    names_declared,
    variables_declared,
    with_arguments,
)
from assay_engine.inputs.spelling import source_of
from assay_engine.inputs.strategies import NoStrategy, Of, some_of
from assay_engine.syntax.classes import (
    Field,
    constructor,
    is_enumeration,
    keys_of,
    member_names,
    typed_dict_classes,
)
from assay_engine.syntax.families import family, is_protocol, standing_in, ways_back
from assay_sandbox import Expression, Member, Value

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# For how many levels more than one a class counts at most.
FURTHER_MAX = 2


def of_class(
    node: ast.ClassDef, arguments: Sequence[ast.expr], definitions: Definitions, of: Of
) -> SearchStrategy[Value]:
    """The strategy for a class with these type arguments; `of` gives those of what is in it.

    Raises `NoStrategy`.
    """
    import hypothesis.strategies as st

    if is_enumeration(node):
        names = member_names(node)
        if not names:
            raise NoStrategy(f"the enumeration {node.name}")
        return st.sampled_from(names).map(lambda name: Member(node.name, name))
    if is_protocol(node) and (known := standing_in(node, definitions.classes)) is not None:
        return of(ast.Constant(known), 0)
    given = {
        **variables_declared(node),
        **arguments_of(node, names_declared(node), arguments, definitions.aliases),
        "Self": ast.Name(node.name),
    }

    def within(annotation: ast.expr, further: int = 0) -> SearchStrategy[Value]:
        return of(with_arguments(annotation, given), further)

    keys = typed_dict_classes(node, definitions.classes)
    if keys:
        fields = keys_of(keys)
        found = _values(fields, _further(node, definitions), within)
        always = {name: each for name, each in found.items() if not fields[name].is_optional}
        at_times = {name: each for name, each in found.items() if fields[name].is_optional}
        dicts = st.fixed_dictionaries(always, optional=at_times)
        return cast("SearchStrategy[Value]", dicts)
    members = family(node, definitions.classes)
    if arguments and node in members:
        # Which arguments a class has that derives from a generic one is not known here.
        members = [node]
    if not members:
        raise NoStrategy(f"the {'protocol' if is_protocol(node) else 'abstract class'} {node.name}")
    return some_of(members, lambda each: _constructed(each, definitions, within))


def _further(node: ast.ClassDef, definitions: Definitions) -> int:
    """For how many levels more than one it counts: in many ways back it would become enormous."""
    return min(max(ways_back(node, definitions.classes) - 1, 0), FURTHER_MAX)


def _constructed(node: ast.ClassDef, definitions: Definitions, of: Of) -> SearchStrategy[Value]:
    """What the constructor makes, in the sandbox, so that what it checks holds."""
    import hypothesis.strategies as st

    parameters = constructor(node, definitions.classes)
    if parameters is None:
        raise NoStrategy(f"the class {node.name}")
    values = _values(parameters, _further(node, definitions), of)
    return st.fixed_dictionaries(values).map(
        lambda given: Expression(
            f"{node.name}({', '.join(f'{name}={_source(given[name])}' for name in values)})"
        )
    )


def _values(fields: Mapping[str, Field], further: int, of: Of) -> dict[str, SearchStrategy[Value]]:
    """The strategies of all, but of what may be left out and has none, or no room for one."""
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
