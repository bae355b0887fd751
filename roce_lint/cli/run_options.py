"""Options shared by the commands over a fabric, completion of their values, the run they describe,
and its progress bar.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click
from click.shell_completion import CompletionItem

from roce_lint.cli import output
from roce_lint.cli.help import Decorator, option, options
from roce_lint.cli.output import wants_color
from roce_lint.errors import RoceLintError, SettingsError, UsageError
from roce_lint.phases import report_progress
from roce_lint.text.files import is_below
from roce_lint.text.numbers import decimal_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.progress import Progress, TaskID

    from roce_lint.model.device import Device
    from roce_lint.pipeline import Report, Request, Run
    from roce_lint.pipeline.runner import Criteria
    from roce_lint.settings import Settings

T = TypeVar("T")

# Values that decide the exit status.

LEVELS = ("error", "warning", "info", "never")

REQUIRED = ("ready", "proved")

WHOLE = 100.0


class Percent(click.ParamType[float]):
    """`95%` or `95`."""

    name = "percent"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number, from 0 to 100."""
        text = str(value).strip().removesuffix("%").strip()
        if not re.fullmatch(r"\d{1,3}(\.\d{1,6})?", text) or decimal_of(text) > WHOLE:
            self.fail(f"{value!r} is not a percentage from 0% to 100%", param, ctx)
        return decimal_of(text)


# Shell completion.


def rules(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Rule ids and families."""
    from roce_lint.resources import resource_dir  # noqa: PLC0415

    found = {}
    for page in resource_dir("rules").rglob("[A-Z][A-Z][A-Z][0-9]*-*.md"):
        rule, _, name = page.stem.partition("-")
        found[rule] = name.replace("-", " ")
        found[rule[:3]] = f"all rules of {page.parent.name}"
    return [
        CompletionItem(rule, help=text)
        for rule, text in sorted(found.items())
        if rule.startswith(begun.upper())
    ]


def profiles(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Built-in profiles."""
    from roce_lint.catalog.profiles import names  # noqa: PLC0415

    return [CompletionItem(name) for name in names() if name.startswith(begun)]


def systems(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Operating systems."""
    from roce_lint.nos.registry import all_nos  # noqa: PLC0415

    return [
        CompletionItem(name, help=nos.title)
        for name, nos in all_nos().items()
        if name.startswith(begun)
    ]


def devices(ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Devices below the paths on the command line, else below the current folder."""
    names = sorted(device.hostname for device in _load_devices(ctx))
    return [CompletionItem(name) for name in names if name.startswith(begun)]


def hosts(ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Hosts below the same paths."""
    names = sorted(device.hostname for device in _load_devices(ctx) if device.is_host)
    return [CompletionItem(name) for name in names if name.startswith(begun)]


def _load_devices(ctx: click.Context) -> Sequence[Device]:
    from roce_lint.loading.load import load  # noqa: PLC0415

    # Where the option has no value yet, click leaves the paths in `args`.
    given = ctx.params.get("paths") or ctx.params.get("path") or ctx.args or "."
    paths = (given,) if isinstance(given, str) else tuple(given)
    try:
        return load(paths, cache=True).devices
    except RoceLintError:
        return []  # the path is not complete yet


# Progress bar, for runs that take longer than a second.

AFTER = 1.0
"""Seconds before the bar appears."""

EVERY = 0.1
"""Seconds between two updates."""


class Meter:
    """Progress bar, called with the step, the number done, and the total.

    Draws from the caller's thread only: a process that forks readers must not have others.
    """

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._drawn = 0.0
        self._bar: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Update, and redraw when due."""
        now = time.monotonic()
        if now - self._start < AFTER or (now - self._drawn < EVERY and done < total):
            return
        self._drawn = now
        bar = self._bar or self._open()
        if what not in self._tasks:
            self._tasks[what] = bar.add_task(what, total=total)
        bar.update(self._tasks[what], completed=done, total=total)
        bar.refresh()

    def _open(self) -> Progress:
        from rich import progress as bars  # noqa: PLC0415
        from rich.console import Console  # noqa: PLC0415  (long runs on a terminal only)

        left = bars.TimeRemainingColumn(compact=True)
        columns = (
            bars.TextColumn("{task.description}"),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            left,
        )
        console = Console(stderr=True, no_color=not wants_color(sys.stderr))
        self._bar = bars.Progress(*columns, console=console, auto_refresh=False, transient=True)
        self._bar.start()
        return self._bar


def show_progress(work: Callable[[], T], *, quiet: bool = False) -> T:
    """Do the work, with a progress bar where standard error is a terminal."""
    if quiet or not sys.stderr.isatty():
        return work()
    with Meter() as meter, report_progress(meter):
        return work()


# Options.

STDIN_LIMIT = 64 << 20
"""Bytes read from standard input; the limit of any single file."""

ROLES = ("leaf", "spine", "superspine", "border", "storage", "host", "other")

input_options = options("intent", "links", option("profile", shell_complete=profiles), "rules")
"""Inputs of a run beside PATH and settings."""

role_option = option("role", type=click.Choice(ROLES))

color_option = option(
    "color", type=click.Choice(output.COLORS), expose_value=False, callback=output.choose_color
)

fabric_options = options(
    color_option,
    input_options,
    "config",
    "isolated",
    "trusted-config",
    option("device", shell_complete=devices),
    role_option,
    option("jobs", type=click.IntRange(min=1)),
    "executor",
    "no-cache",
)
"""Options of a run over a fabric."""

checking_options = options(
    option("select", shell_complete=rules),
    option("ignore", shell_complete=rules),
    option("fail-on", type=click.Choice(LEVELS)),
)
"""Rules that are checked, and the severity that fails."""


def format_option(*names: str) -> Decorator:
    """--format with these choices, the first by default."""
    text = f"Output format: {', '.join(names)}."
    return option("format", "form", type=click.Choice(names), default=names[0], help=text)


@dataclass(slots=True, frozen=True, kw_only=True)
class RunOptions:
    """Values of the options; each field has the name of its option."""

    paths: tuple[str, ...]
    intent: str | None
    links: str | None
    profile: str | None
    rules: tuple[str, ...]
    config: str | None
    device: tuple[str, ...]
    role: tuple[str, ...]
    jobs: int | None
    no_cache: bool
    executor: str | None = None
    isolated: bool = False
    trusted_config: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def settings(self) -> Settings:
        """The settings of the run.

        Raises:
            SettingsError: the file is missing or wrong.
            UsageError: two files are named, or the trusted one is below PATH.
        """
        from roce_lint import settings  # noqa: PLC0415  (pydantic)
        from roce_lint.pipeline.inputs import found_settings  # noqa: PLC0415  (everything)

        named = self._name()
        if named is not None:
            if not Path(named).is_file():
                raise SettingsError("no such file", location=named)
            return settings.load(Path(named), found=is_below(named, self.paths))
        return settings.NONE if self.is_isolated else found_settings(self.paths)

    @property
    def is_isolated(self) -> bool:
        """Whether only configurations of the tree are read, no settings, cable plan or comments."""
        return self.isolated or self.trusted_config is not None

    def _name(self) -> str | None:
        if self.trusted_config is None:
            return self.config
        if self.config is not None:
            raise UsageError("--config and --trusted-config: only one file is used")
        if is_below(self.trusted_config, self.paths):
            raise UsageError(
                f"--trusted-config {self.trusted_config}: is inside the checked folder",
                hint="an author of the configurations could change it",
            )
        return self.trusted_config

    def require_paths(self) -> None:
        """Refuse paths that do not exist.

        Raises:
            UsageError: one does not.
        """
        for path in self.paths:
            if path != "-" and not Path(path).exists() and not Path(path).is_symlink():
                raise UsageError(f"no such file or folder: {path}")

    def request(self) -> Request:
        """The run as the pipeline takes it.

        Raises:
            UsageError: a path does not exist, a prefix is invalid, or standard input is too long.
        """
        from roce_lint.pipeline import Request  # noqa: PLC0415  (everything)

        self.require_paths()
        for folder in self.rules:
            if not Path(folder).is_dir():
                raise UsageError(f"--rules {folder}: no such folder")
        return Request(
            paths=self.paths,
            links=self.links,
            intent=self.intent,
            profile=self.profile,
            rules=self.rules,
            select=prefixes("--select", self.select),
            ignore=prefixes("--ignore", self.ignore),
            device=self.device,
            role=self.role,
            jobs=self.jobs or 0,
            executor=self.executor,
            cache=not self.no_cache,
            isolated=self.is_isolated,
            stdin=_standard_input() if "-" in self.paths else None,
        )

    def prepare(self, criteria: Criteria | None = None, *, accepts: bool = True) -> Run:
        """The run, with its settings."""
        from roce_lint.pipeline import Run  # noqa: PLC0415  (everything)

        settings = self.settings()
        return Run(self.request(), settings, criteria, accepts=accepts)

    def check(self) -> Report:
        """Check for a view: waivers do not apply, and no finding fails."""
        from roce_lint.pipeline.runner import Criteria  # noqa: PLC0415

        run = self.prepare(Criteria(fail_on="error"), accepts=False)
        return show_progress(run.check)

    def selects(self, device: Device) -> bool:
        """Whether a device is selected."""
        from roce_lint.pipeline import is_asked_for  # noqa: PLC0415

        return is_asked_for(device, self.device, self.role)


def prefixes(option: str, given: tuple[str, ...]) -> tuple[str, ...]:
    """Rule prefixes of a repeatable option that takes comma lists.

    Raises:
        UsageError: one is not a rule id or prefix.
    """
    from roce_lint.settings import rule_prefix  # noqa: PLC0415  (pydantic)

    try:
        return tuple(
            rule_prefix(text) for part in given for text in part.split(",") if text.strip()
        )
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None


def _standard_input() -> str:
    data = sys.stdin.buffer.read(STDIN_LIMIT + 1)
    if len(data) > STDIN_LIMIT:
        raise UsageError(f"standard input is longer than {STDIN_LIMIT >> 20} MiB")
    return data.decode("utf-8", "surrogateescape")
