"""What an agent may ask for: checks, the evidence of one, and an example that settles a question.

Nothing here knows the protocol.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Annotated, Any
from unicodedata import normalize

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from assay_engine.bounds import REQUEST_CHARACTERS_MAX
from assay_engine.check_unit import OtherVersion
from assay_engine.cli.mcp.answers import (
    Answer,
    Explanation,
    Settled,
    Unfinished,
    answer_on,
    explanation_of,
)
from assay_engine.cli.places import places_in
from assay_engine.cli.since import Since
from assay_engine.cli.targets import (
    Project,
    Target,
    chosen_by,
    named_version,
    projects,
    targets_of,
)
from assay_engine.config.configuration import EngineOptions, project_root
from assay_engine.engine import Engine
from assay_engine.errors import AssayError
from assay_engine.files.bounded import is_folder, real
from assay_engine.files.source_files import UnreadableFile, read_file, write_file
from assay_engine.fixes.clarifying import clarified
from assay_engine.fixes.replacing import current_unit
from assay_engine.messages.fixes import no_example_phrase
from assay_engine.splicing import apply_edits
from assay_engine.splicing.edits import unified_diff
from assay_engine.types import Listener, Problem, Report, SourceText, Tier, Unit

FUNCTIONS_MAX = 10
# How many reports are remembered for `explain` and `settle`, besides those in the store.
LAST_MAX = 100
# How many checks run at once; each has as many requests under way as the settings allow.
CHECKS_AT_ONCE = 2
# How long a check that is cancelled may take to end its requests and processes.
CANCEL_SECONDS = 5.0
_TOO_MANY = "more functions than `functions_max` allows. Ask for it by name."

_File = Annotated[str, Meta(description="The Python file: absolute, or from the project's folder.")]
_Function = Annotated[str, Meta(description="`name`, or `Class.method`.")]
_Most = Annotated[
    int,
    Meta(
        description="How many functions without a stored report are checked at most; each may take "
        "13 requests to a model, or more.",
        ge=1,
        le=1_000,
    ),
]


class CheckFunction(Struct, frozen=True, forbid_unknown_fields=True):
    file: _File
    function: Annotated[
        str, Meta(description="`name`, or `Class.method`. Empty: all functions of the file.")
    ] = ""
    specification: Annotated[
        str,
        Meta(
            description="What the function was asked for, in the words of whoever asked: the "
            "prompt, issue or ticket itself, not your summary. It applies in addition to the "
            "docstring, or instead, and is sent to the model.",
            max_length=REQUEST_CHARACTERS_MAX,
        ),
    ] = ""
    functions_max: _Most = FUNCTIONS_MAX


class CheckChanges(Struct, frozen=True, forbid_unknown_fields=True):
    since: Annotated[
        str,
        Meta(
            description="A Git revision: checks what changed since its merge base with HEAD, "
            "including uncommitted changes."
        ),
    ] = "HEAD"
    path: Annotated[
        str, Meta(description="A file or folder to look in. Empty: the whole project.")
    ] = ""
    functions_max: _Most = FUNCTIONS_MAX


class Compare(Struct, frozen=True, forbid_unknown_fields=True):
    file: _File
    function: _Function
    since: Annotated[
        str, Meta(description="A Git revision: the function at its merge base with HEAD.")
    ] = "HEAD"
    other: Annotated[
        str, Meta(description="Another function, as `FILE::NAME`, instead of a revision.")
    ] = ""


class Explain(Struct, frozen=True, forbid_unknown_fields=True):
    file: _File
    function: _Function


class Settle(Struct, frozen=True, forbid_unknown_fields=True):
    file: _File
    function: _Function
    choice: Annotated[
        int, Meta(description="The number of a choice that a check's answer lists.", ge=1)
    ]
    apply: Annotated[
        bool, Meta(description="Write the example into the file, instead of only showing the edit.")
    ] = False


class _Held(Struct):
    engine: Engine
    users: int = 0


class _Check(Struct):
    """A check under way: its reports so far, the functions that are `due`, those that are left out,
    what cannot be read, and the files' names by path. `other` gives the version of a text that its
    functions are held beside, and if `only_compares`, no model is asked.
    """

    request: str = ""
    other: Callable[[SourceText], OtherVersion] | None = None
    only_compares: bool = False
    reports: list[Report] = field(default_factory=list[Report])
    due: list[Unfinished] = field(default_factory=list[Unfinished])
    left_out: list[Unfinished] = field(default_factory=list[Unfinished])
    unreadable: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    names: dict[str, str] = field(default_factory=dict[str, str])

    def leave_out(self, left: Sequence[Unfinished], why: str) -> None:
        self.due = [each for each in self.due if each not in left]
        self.left_out += [replace(each, why=why) for each in left]


class Tools:
    """The tools of one server. Use from one thread with a running event loop.

    `folders` are the folders that its user has started it for: nothing else is read, run or sent. A
    check that takes longer than `seconds` is answered with what is finished, and goes on.
    """

    def __init__(
        self, folders: Sequence[Path], options: EngineOptions, tier: Tier, seconds: float
    ) -> None:
        self._here = Path.cwd()
        self._folders = [real(each) for each in folders]
        self._options = options
        self._tier = tier
        self._seconds = seconds
        self._engines: dict[str, _Held] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(CHECKS_AT_ONCE)
        # The last report on each function, for what the store does not keep.
        self._last: dict[tuple[str, str], Report] = {}

    async def check_function(self, asked: CheckFunction, listen: Listener) -> Answer:
        """Check a function, or all functions of a file."""
        path = self._trusted(asked.file)
        if is_folder(path):
            raise AssayError(f"{path} is a folder. Name a Python file, or call check_changes.")
        target = f"{path}::{asked.function}" if asked.function else str(path)
        due = [(str(project_root(path)), targets_of((target,), ()))]
        nothing = f"{self._name(path)} has no function to check."
        check = _Check(request=asked.specification.strip())
        return await self._answered(check, due, asked.functions_max, listen, nothing)

    async def check_changes(self, asked: CheckChanges, listen: Listener) -> Answer:
        """Check the functions that changed since a revision."""
        where = [self._trusted(asked.path)] if asked.path else self._folders or [self._here]
        places = [str(self._trusted(str(each))) for each in where]

        since = Since(asked.since, self._options.environment)

        def changed() -> list[Project]:
            found = projects(places, self._options)
            return [(root, since.narrowed(files)) for root, files in found]

        # Reads many files, and asks Git.
        due = await asyncio.to_thread(changed)
        nothing = f"No function has changed since {asked.since}."
        check = _Check(other=since.former)
        return await self._answered(check, due, asked.functions_max, listen, nothing)

    async def compare(self, asked: Compare, listen: Listener) -> Answer:
        """Compare a function with another version of it. Asks no model."""
        path = self._trusted(asked.file)
        file, _, name = asked.other.rpartition("::")
        there = self._trusted(file) if file else None
        if asked.other and not file:
            raise AssayError(f"{asked.other!r} is not FILE::NAME.")
        former = Since(asked.since, self._options.environment).former

        def other(source: SourceText) -> OtherVersion:
            return named_version(f"{there}::{name}", source) if there else former(source)

        due = [(str(project_root(path)), targets_of((f"{path}::{asked.function}",), ()))]
        check = _Check(other=other, only_compares=True)
        nothing = f"{self._name(path)} holds no {asked.function}."
        return await self._answered(check, due, 1, listen, nothing)

    async def explain(self, asked: Explain, _listen: Listener) -> Explanation:
        """The evidence of the last report on a function. Sends nothing and runs nothing."""
        path = self._trusted(asked.file)
        _, report = await self._report_on(path, asked.function)
        return explanation_of(report, self._name(path))

    async def settle(self, asked: Settle, _listen: Listener) -> Settled:
        """Turn an answer to an open question into an example of the docstring. As `check --apply`,
        it writes only if it is told to."""
        path = self._trusted(asked.file)
        source, report = await self._report_on(path, asked.function)
        choices = len(report.clarifications)
        if not choices:
            why = no_example_phrase(report) or "the last check left nothing open"
            test = f"assay test {self._name(path)}::{report.qualname}"
            has_test = any(each.body for each in report.expectations)
            instead = f" A test can show it: `{test}`." if has_test else ""
            raise AssayError(f"There is nothing to settle for {report.qualname}: {why}.{instead}")
        if asked.choice > choices:
            raise AssayError(f"There is no choice {asked.choice}: there is 1 to {choices}.")
        edits = clarified(source.text, report, asked.choice - 1)
        if isinstance(edits, Problem):
            raise AssayError(edits.message)
        chosen, after = report.clarifications[asked.choice - 1], apply_edits(source.text, edits)
        if asked.apply:
            try:
                write_file(read_file(path), after)
            except (OSError, UnreadableFile) as failure:
                raise AssayError(f"{path} is not written ({failure}).") from failure
        other = "" if chosen.who.startswith("this function") else "Make the function do so. "
        first = "" if asked.apply else "Make this edit, or call settle with `apply`. "
        return Settled(
            report.qualname,
            self._name(path),
            chosen.example,
            unified_diff(self._name(path), source.text, after),
            asked.apply,
            f"{first}{other}Then check the function again: the docstring has changed.",
        )

    async def close(self) -> None:
        """End all checks, with their requests and processes."""
        running = tuple(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    # ----------------------------------------------------------------------------------------

    def _trusted(self, name: str) -> Path:
        """The path of a file or folder that the user has started the server for."""
        try:
            path = (self._folders[0] if self._folders else self._here) / name
            there = real(path)
        except (OSError, ValueError) as failure:
            raise AssayError(f"{name!r} is not a path ({failure}).") from None
        if any(there.is_relative_to(folder) for folder in self._folders):
            return path
        started = ", ".join(map(str, self._folders))
        wide = f"it was started in {self._here}, which contains the home folder, and for no other"
        raise AssayError(
            f"{there} is not in a folder that this server was started for ({started or wide}). "
            "Nothing of it was run or sent. A user who trusts it can name the project's folder "
            "where the server is started: `assay mcp FOLDER`."
        )

    def _name(self, path: Path) -> str:
        first = self._folders[0]
        return path.relative_to(first).as_posix() if path.is_relative_to(first) else str(path)

    async def _report_on(self, path: Path, function: str) -> tuple[SourceText, Report]:
        """The last report on a function whose text is as it was. Sends and runs nothing."""
        name = normalize("NFKC", function)
        root = str(project_root(path))
        try:
            chosen = chosen_by([Target(path, name)], root)
        except UnreadableFile as problem:
            raise AssayError(str(problem)) from problem
        for missing in chosen.missing:
            raise AssayError(f"{missing}.")
        source = chosen.source
        last = self._last.get((str(path), name))
        if last is not None and current_unit(source.text, last) is not None:
            return source, last
        async with self._engine(root) as engine:
            stored = engine.recall(source, only=chosen.only)
        if not stored:
            raise AssayError(
                f"There is no report on {name} in its current form, for this model and these "
                "settings. Call check_function."
            )
        return source, stored[0]

    async def _answered(
        self, check: _Check, due: Sequence[Project], most: int, listen: Listener, nothing: str
    ) -> Answer:
        if not await self._within(self._run(check, due, most, listen)):
            why = f"not finished after {self._seconds:g} seconds. It continues: ask for it again."
            check.leave_out(check.due, why)
        unreadable, notes = check.unreadable, check.notes
        return answer_on(check.reports, check.left_out, unreadable, notes, check.names, nothing)

    async def _within(self, work: Coroutine[Any, Any, None]) -> bool:
        """Whether the work is finished in time; otherwise it goes on, and a later check joins it.
        If this is cancelled, the work ends, with its requests and processes."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            await asyncio.wait({task}, timeout=self._seconds)
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task}, timeout=CANCEL_SECONDS)
            raise
        if task.done():
            task.result()
            return True
        # Nobody waits any more, so nobody else would look at how it ends.
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        return False

    async def _run(
        self, check: _Check, due: Sequence[Project], most: int, listen: Listener
    ) -> None:
        """Check what is due, at most so many functions of which there is no report yet."""
        chosen: list[tuple[str, SourceText, list[Unit]]] = []
        for root, files in due:
            for targets in files:
                source, units = self._selected(targets, root, check)
                if source is not None:
                    chosen.append((root, source, units))
                    check.due += [self._unfinished(source, unit) for unit in units]
        for root, source, units in chosen:
            async with self._slots, self._engine(root) as engine:
                new = [unit for unit in units if unit.docstring.strip() or check.request]
                if len(new) > most:
                    known = {each.qualname for each in engine.recall(source)}
                    new = [unit for unit in new if unit.qualname not in known]
                over, most = new[most:], max(0, most - len(new))
                check.leave_out([self._unfinished(source, unit) for unit in over], _TOO_MANY)
                names = {unit.qualname for unit in units if unit not in over}
                await self._check_file(engine, source, names, check, listen)
                # Some are known only once a program has run.
                check.notes += engine.notices

    def _selected(
        self, targets: Sequence[Target], root: str, check: _Check
    ) -> tuple[SourceText | None, list[Unit]]:
        """A file's text, and the functions in it that the targets name."""
        path = targets[0].path
        check.names[str(path)] = self._name(path)
        try:
            chosen = chosen_by(targets, root, check.request)
        except UnreadableFile as problem:
            check.unreadable.append(str(problem))
            return None, []
        check.unreadable += [f"{self._name(path)}: {fault}" for fault in chosen.faults]
        for missing in chosen.missing:
            raise AssayError(f"{missing}.")
        return chosen.source, [*chosen.units]

    async def _check_file(
        self,
        engine: Engine,
        source: SourceText,
        names: set[str],
        check: _Check,
        listen: Listener,
    ) -> None:
        found: dict[str, Report] = {}

        def keep(report: Report) -> None:
            found[report.qualname] = report
            self._last[source.path, report.qualname] = report
            while len(self._last) > LAST_MAX:
                del self._last[next(iter(self._last))]

        # Asks Git, or reads another file.
        other = None if check.other is None else await asyncio.to_thread(check.other, source)

        def only(unit: Unit) -> bool:
            return unit.qualname in names

        if check.only_compares and other is not None:
            compared = engine.compare(source, other, only=only, listen=listen)
            async with aclosing(compared):
                check.reports += [report async for report in compared]
            check.due = []
            return
        reports = engine.check(source, only=only, listen=listen, tier=self._tier, earlier=other)
        async with aclosing(reports):
            async for report in reports:
                keep(report)
                check.reports.append(report)
                here = check.names[source.path]
                check.due = [
                    each
                    for each in check.due
                    if (each.file, each.function) != (here, report.qualname)
                ]
        if engine.judges:
            opinions = engine.judge(source, [*found.values()], listen=listen, tier=self._tier)
            async with aclosing(opinions):
                async for report in opinions:
                    check.reports.remove(found[report.qualname])
                    keep(report)
                    check.reports.append(report)

    def _unfinished(self, source: SourceText, unit: Unit) -> Unfinished:
        line = places_in(source.text).region(unit.name_span).line
        return Unfinished(unit.qualname, self._name(Path(source.path)), line, "")

    @asynccontextmanager
    async def _engine(self, root: str) -> AsyncGenerator[Engine]:
        """The engine of a project, open as long as something uses it: then nothing is left running,
        and what runs at the same time shares trials and sandboxes."""
        held = self._engines.get(root)
        if held is None or not held.engine.is_current:
            held = _Held(Engine.open(replace(self._options, root=root)))
            self._engines[root] = held
        held.users += 1
        try:
            yield held.engine
        finally:
            held.users -= 1
            if not held.users:
                held.engine.close()
                if self._engines.get(root) is held:
                    del self._engines[root]
