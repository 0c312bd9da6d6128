"""Checks the named targets, project by project, and tells reports as they come.

Progress is a bar on a terminal, and nothing in a log. A run that is told to end, as by a time limit
of CI, ends like one stopped by Ctrl-C.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import TYPE_CHECKING

from msgspec.structs import replace
from typing_extensions import override

from assay_engine.check_unit import OtherVersion
from assay_engine.cli.baseline import without_known
from assay_engine.cli.consent import ask_for_consent
from assay_engine.cli.formats import Checked, Format
from assay_engine.cli.output import complain, console
from assay_engine.cli.since import Since
from assay_engine.cli.targets import Chosen, Project, Targets, chosen_by, projects
from assay_engine.config.configuration import EngineOptions
from assay_engine.engine import Engine
from assay_engine.errors import AssayError
from assay_engine.files.source_files import UnreadableFile
from assay_engine.types import Code, Progress, Report, SourceText, Tier, Unit
from assay_engine.words import count

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


_NOTHING_THERE = (
    "nothing to check: there is no Python file, or all are left out (`exclude`, .gitignore, "
    "environments). Name a file to check it."
)


class CheckRun:
    """The checks of one run. `reports` are the reports finished so far, `unreadable` are sentences
    on what could not be checked, and `texts` are the texts that were checked, by path. `left_out`
    counts the findings that are not in the reports, since they are `known` (see `baseline.py`).

    With `since`, only what has changed is checked, beside its former version; `other` gives another
    version. A run that `compares` only compares with that version, and asks no model.
    """

    def __init__(
        self,
        style: Format,
        *,
        again: bool = False,
        tier: Tier = Tier.STANDARD,
        since: Since | None = None,
        other: Callable[[SourceText], OtherVersion] | None = None,
        compares: bool = False,
        request: str = "",
        known: frozenset[tuple[str, Code]] = frozenset(),
    ) -> None:
        self.reports: list[Report] = []
        self.unreadable: list[str] = []
        self.texts: dict[str, str] = {}
        self.left_out = 0
        self._style = style
        self._again = again
        self._tier = tier
        self._since = since
        self._other = since.former if since is not None else other
        self._compares = compares
        self._request = request
        self._known = known
        # The file that is being checked, the functions left in it, and the files left after it.
        self._here, self._left_here, self._files_left = "", 0, 0
        self._told: set[str] = set()
        self._said: set[str] = set()

    def told(self, targets: Sequence[str], options: EngineOptions) -> bool:
        """Check the targets, and tell everything; whether the run came to its end by itself."""
        ended: str | None = None
        try:
            with stopped_alike():
                self._run(targets, options)
        except AssayError as failure:
            ended = str(failure)
        except KeyboardInterrupt:
            ended = f"stopped: {self.progress}"
        if ended is not None:
            self.unreadable.append(ended)
        self._style.say_unreadable(self.unreadable)
        # The finished reports have been paid for, so they are told however the run ended.
        for line in self._style.of_all(Checked(self.reports, self.unreadable, self.texts)):
            self._style.say(line)
        return ended is None

    def _run(self, targets: Sequence[str], options: EngineOptions) -> None:
        due = self._due(projects(targets, options))
        self._files_left = sum(len(chosen) for _, chosen in due)
        for root, chosen in due:
            if not chosen:
                complain(_NOTHING_THERE)
            with Engine.open(replace(options, root=root)) as engine:
                self._notice(engine)
                if not self._compares:
                    ask_for_consent(engine)
                asyncio.run(self._project(engine, chosen, root))
                # Notices that came up on the way: of a full disk, say.
                self._notice(engine)
            # Notices that came up when the engine was closed.
            self._notice(engine)

    @property
    def progress(self) -> str:
        """How many functions were checked, and how many functions and files were not."""
        left = list[str]()
        if self._left_here:
            left.append(f"{count(self._left_here, 'function')} of {self._here}")
        if self._files_left:
            left.append(count(self._files_left, "more file" if self._here else "file"))
        rest = f"; not checked: {' and '.join(left)}" if left else ""
        return f"{count(len(self.reports), 'function')} checked{rest}"

    def _due(self, projects: list[Project]) -> list[Project]:
        """The projects, narrowed to what has changed. Projects without any change are left out: for
        them no engine is opened, which might ask for consent."""
        if self._since is None:
            return projects
        narrowed = [(root, self._since.narrowed(files)) for root, files in projects]
        due = [
            after
            for after, (_, files) in zip(narrowed, projects, strict=True)
            if after[1] or not files
        ]
        if not due:
            complain(f"no function has changed since {self._since.revision}.")
        return due

    def _notice(self, engine: Engine) -> None:
        notices = engine.notices
        for notice in notices:
            if notice not in self._told:
                complain(notice)
        self._told.update(notices)

    async def _project(self, engine: Engine, files: Sequence[Targets], root: str) -> None:
        with _progress() as bar:

            def finish(report: Report) -> None:
                found = len(report.findings)
                report = without_known(report, self.texts[report.path], self._known)
                self.left_out += found - len(report.findings)
                self.reports.append(report)
                self._left_here -= 1
                told = list(self._style.of_report(report, self.texts[report.path], self._said))
                if len(told) > 1:
                    told.append("")  # sets off a report of several lines
                with bar.aside():
                    for line in told:
                        self._style.say(line)

            for number, targets in enumerate(files, 1):
                bar.begin(number, len(files))
                self._files_left -= 1
                try:
                    chosen = chosen_by(targets, root, self._request)
                except UnreadableFile as problem:
                    self.unreadable.append(str(problem))
                    continue
                await self._file(engine, targets, chosen, bar, finish)

    async def _file(
        self,
        engine: Engine,
        targets: Targets,
        chosen: Chosen,
        bar: ProgressBar,
        finish: Callable[[Report], None],
    ) -> None:
        source = chosen.source
        self.texts[source.path] = source.text
        self.unreadable += [f"{source.path}: {fault}" for fault in chosen.faults]
        self._here, self._left_here = source.path, len(chosen.units)
        other = None if self._other is None else self._other(source)
        if self._compares and other is not None:
            async for report in engine.compare(source, other, only=chosen.only, listen=bar):
                finish(report)
        else:
            self._say_undocumented(source.path, targets, chosen.units)
            await self._check(engine, chosen, other, bar, finish)
        self._left_here = 0
        self.unreadable += chosen.missing

    async def _check(
        self,
        engine: Engine,
        chosen: Chosen,
        earlier: OtherVersion | None,
        bar: ProgressBar,
        finish: Callable[[Report], None],
    ) -> None:
        source, found = chosen.source, list[Report]()
        async for report in engine.check(
            source,
            only=chosen.only,
            listen=bar,
            again=self._again,
            tier=self._tier,
            earlier=earlier,
        ):
            found.append(report)
            if not engine.judges:
                finish(report)
        if engine.judges:
            opinions: dict[str, Report] = {}
            try:
                async for opinion in engine.judge(source, found, listen=bar, tier=self._tier):
                    opinions[opinion.qualname] = opinion
            finally:
                # Also if the judge was interrupted, since the reports have been paid for.
                for report in found:
                    finish(opinions.get(report.qualname, report))

    def _say_undocumented(self, path: str, targets: Targets, selected: Sequence[Unit]) -> None:
        """Say which functions have no docstring, unless only whole files were named: a user who
        names a function expects a word about it."""
        if self._request or all(target.is_whole for target in targets):
            return
        for unit in selected:
            if not unit.docstring.strip():
                complain(
                    f"{path}: {unit.qualname} has no docstring, so there is nothing to compare it "
                    "with; write one."
                )


def _progress() -> AbstractContextManager[ProgressBar]:
    return terminal_progress() if sys.stderr.isatty() else nullcontext(ProgressBar())


class ProgressBar:
    """A listener that shows no progress, for runs that nobody watches."""

    def __call__(self, progress: Progress, /) -> None:
        return

    def begin(self, file: int, files: int) -> None:
        """Begin with the functions of another file, number `file` of `files`."""

    def aside(self) -> AbstractContextManager[None]:
        """A context in which standard output is written."""
        return nullcontext()


class _TerminalBar(ProgressBar):
    def __init__(self, bar: Bar, task: TaskID) -> None:
        self._bar = bar
        self._task = task
        self._file = ""

    def begin(self, file: int, files: int) -> None:
        self._file = f"file {file} of {files}, " if files > 1 else ""

    def __call__(self, progress: Progress, /) -> None:
        self._bar.update(
            self._task,
            total=progress.total,
            completed=progress.done,
            description=f"{self._file}{progress.qualname}: {progress.stage}",
        )

    @override
    @contextmanager
    def aside(self) -> Generator[None]:
        # The bar is on standard error: it is taken away meanwhile.
        self._bar.stop()
        yield
        self._bar.start()


@contextmanager
def terminal_progress() -> Generator[ProgressBar]:
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(bar_width=20), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=console(), transient=True) as bar:
        yield _TerminalBar(bar, bar.add_task("", total=None))


@contextmanager
def stopped_alike() -> Generator[None]:
    """Within this context, SIGTERM does what SIGINT does. Use it in the main thread only, since no
    other thread receives signals."""
    before = signal.getsignal(signal.SIGTERM)
    if before is not signal.SIG_DFL:
        # Somebody has SIGTERM ignored, or handles it in another way.
        yield
        return
    signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(_number: int, frame: FrameType | None) -> None:
    # While an event loop runs, this is the loop's own handler, which ends the loop in order.
    interrupted = signal.getsignal(signal.SIGINT)
    if not callable(interrupted):
        # SIGINT is ignored, as in the background of a shell, but the SIGTERM was meant.
        raise KeyboardInterrupt
    interrupted(signal.SIGINT, frame)
