"""Objects of packages that many programs use, with the packages themselves."""

from __future__ import annotations

from assay_sandbox import (
    Call,
    Expression,
    Instance,
    Limits,
    Program,
    Returned,
    Sandbox,
    Told,
    Value,
    decode,
    render,
)

# Importing such a package takes longer than most programs.
LIMITS = Limits(call_seconds=20.0, load_seconds=60.0, total_seconds=90.0)
PYDANTIC = """
from pydantic import BaseModel

class User(BaseModel):
    name: str
    tags: list[str] = []

def same(user):
    return user

def tagged(user):
    return user.model_copy(update={"tags": ["new"]}).model_dump(exclude_unset=True)
"""
STRUCT = """
import msgspec

class Point(msgspec.Struct, frozen=True):
    x: int
    y: list[int] = []

def moved(point):
    return msgspec.structs.replace(point, x=point.x + 1)
"""
POLARS = """
import polars

def doubled(frame):
    return frame.with_columns(b=polars.col("a") * 2)

def column(frame):
    return frame["a"]
"""
GRAPH = """
import networkx

def size(graph):
    return len(graph.nodes), len(graph.edges), sum(len(near) for near in graph.adj.values())

def grown(graph):
    graph.add_edge(0, 9)
"""
ATTRS = """
import attrs

@attrs.frozen(cache_hash=True)
class Slotted:
    x: int

@attrs.frozen(cache_hash=True, slots=False)
class Plain:
    x: int

def f(made, hashed):
    if hashed:
        assert hash(made) == hash(type(made)(made.x))
    return made
"""
DICE = """
import numpy

class Dice:
    def __init__(self, seed):
        self.chance = numpy.random.default_rng(seed)
        self.rolls = 0

def roll(dice):
    dice.rolls += 1
    return int(dice.chance.integers(6))
"""


def run(sandbox: Sandbox, source: str, entry: str, *values: Value) -> list[Returned]:
    seen = sandbox.run(Program(source, entry), [Call((value,)) for value in values], LIMITS)
    returned = [each for each in seen if isinstance(each, Returned)]
    assert len(returned) == len(values), seen
    return returned


def test_models_of_pydantic_are_their_fields(sandbox: Sandbox) -> None:
    sources = ("User(name='a')", "User(name='a', tags=[])", "User(tags=[], name='a')")
    told = run(sandbox, PYDANTIC, "same", *map(Expression, sources))
    assert len({each.value for each in told}) == 1
    user = decode(told[0].value)
    assert render(user) == "User(name='a', tags=[])"
    (copied,) = run(sandbox, PYDANTIC, "tagged", user)
    assert decode(copied.value) == {"name": "a", "tags": ["new"]}


def test_structs_of_msgspec_are_their_fields(sandbox: Sandbox) -> None:
    (moved,) = run(sandbox, STRUCT, "moved", Instance("Point", (("x", 1), ("y", [2]))))
    assert decode(moved.value) == Instance("Point", (("x", 2), ("y", [2])))


def test_tables_of_polars_are_told_by_their_columns(sandbox: Sandbox) -> None:
    frame = Expression("polars.DataFrame({'a': [1, None]})")
    (doubled,) = run(sandbox, POLARS, "doubled", frame)
    integers = Instance("polars.datatypes.classes.Int64", ())
    columns = [("a", integers, [1, None]), ("b", integers, [2, None])]
    assert decode(doubled.value) == Told("polars.dataframe.frame.DataFrame", columns)
    assert doubled.args_after is None
    (column,) = run(sandbox, POLARS, "column", frame)
    assert decode(column.value) == Told("polars.series.series.Series", columns[0])


def test_what_a_graph_remembers_of_being_looked_at_is_no_change(sandbox: Sandbox) -> None:
    graph = Expression("networkx.path_graph(3)")
    (looked,) = run(sandbox, GRAPH, "size", graph)
    assert decode(looked.value) == (3, 2, 4)
    assert looked.args_after is None
    (grown,) = run(sandbox, GRAPH, "grown", graph)
    assert grown.args_after is not None


def test_a_source_of_chance_is_the_one_that_was_given(sandbox: Sandbox) -> None:
    (rolled,) = run(sandbox, DICE, "roll", Expression("Dice(1)"))
    ((dice,), _) = decode(rolled.args_after or "")
    chance = Told("numpy.random._generator.Generator", 0)
    assert dice == Instance("Dice", (("chance", chance), ("rolls", 1)))


def test_the_hash_that_attrs_remembers_is_no_part_of_an_object(sandbox: Sandbox) -> None:
    for name in ("Slotted", "Plain"):
        made = Instance(name, (("x", 1),))
        given = [(Expression(f"{name}(1)"), hashed) for hashed in (False, True)]
        calls = [Call(arguments) for arguments in (*given, (made, False), (made, True))]
        for seen in sandbox.run(Program(ATTRS, "f"), calls, LIMITS):
            assert isinstance(seen, Returned), seen
            assert decode(seen.value) == made
            assert seen.args_after is None
