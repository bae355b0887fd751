"""The options that every command over a fabric takes, and the run they ask for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roce_lint.cli import candidates, output
from roce_lint.errors import SettingsError, UsageError
from roce_lint.text.files import is_below

if TYPE_CHECKING:
    from roce_lint.engine.accept import Accept
    from roce_lint.model.device import Device
    from roce_lint.pipeline import Report, Request
    from roce_lint.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

STDIN_LIMIT = 64 << 20
"""Bytes read from standard input, as of any one file."""

ROLES = ("leaf", "spine", "superspine", "border", "storage", "host", "other")

_OPTIONS = (
    click.option("--intent", metavar="FILE", help="Site standard (YAML), see docs/intent.md."),
    click.option("--links", metavar="FILE", help="Cable plan (links.yaml or CSV)."),
    click.option(
        "--profile",
        metavar="NAME",
        help="Vendor reference design; `roce-lint completion` completes its names.",
        shell_complete=candidates.profiles,
    ),
    click.option("--rules", metavar="DIR", multiple=True, help="Folder of further rule pages."),
    click.option(
        "--config", metavar="FILE", help="Settings [default: roce-lint.toml found upwards]."
    ),
    click.option(
        "--isolated",
        is_flag=True,
        help="No settings, cable plan or ignores of the tree that is judged.",
    ),
    click.option(
        "--trusted-config",
        metavar="FILE",
        help="These settings, and otherwise as --isolated; not below PATH.",
    ),
    click.option(
        "--device",
        metavar="GLOB",
        multiple=True,
        help="Only these devices.",
        shell_complete=candidates.devices,
    ),
    click.option("--role", type=click.Choice(ROLES), multiple=True, help="Only these roles."),
    click.option(
        "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes that read files."
    ),
    click.option("--no-cache", is_flag=True, help="Ignore the cache."),
)


def fabric_options(function: F) -> F:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return output.color_option(function)


@dataclass(slots=True, frozen=True, kw_only=True)
class RunOptions:
    """What was given on the command line; the fields are the options of the same names."""

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
    isolated: bool = False
    trusted_config: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def settings(self) -> Settings:
        """The settings of the run.

        Raises:
            SettingsError: the file is missing or wrong.
            UsageError: two files are named, or the trusted one lies in the tree that is judged.
        """
        from roce_lint import settings  # noqa: PLC0415  (pydantic)

        named = self._name()
        if named is not None:
            if not Path(named).is_file():
                raise SettingsError("there is no such file", location=named)
            return settings.load(Path(named), found=self.is_judged(named))
        path = None if self.is_isolated else settings.find(self.paths)
        return settings.load(path, found=True) if path is not None else settings.NONE

    @property
    def is_isolated(self) -> bool:
        """Whether nothing of the tree but its configurations may say anything."""
        return self.isolated or self.trusted_config is not None

    def _name(self) -> str | None:
        if self.trusted_config is None:
            return self.config
        if self.config is not None:
            raise UsageError("--config and --trusted-config: only one file is used")
        if self.is_judged(self.trusted_config):
            raise UsageError(
                f"--trusted-config {self.trusted_config}: lies in the tree that is judged",
                hint="whoever may change that may change these settings",
            )
        return self.trusted_config

    def is_judged(self, file: str) -> bool:
        """Whether a file lies below one of the paths."""
        return is_below(file, self.paths)

    def request(self, settings: Settings) -> Request:
        """The run as the pipeline takes it; the command line goes before the settings.

        Raises:
            UsageError: a path does not exist, a prefix is none, or standard input is too long.
        """
        from roce_lint.pipeline import Request  # noqa: PLC0415  (everything)

        for path in self.paths:
            if path != "-" and not Path(path).exists() and not Path(path).is_symlink():
                raise UsageError(f"no such file or folder: {path}")
        for folder in self.rules:
            if not Path(folder).is_dir():
                raise UsageError(f"--rules {folder}: there is no such folder")
        return Request(
            paths=self.paths,
            links=self.links,
            intent=self.intent,
            profile=self.profile or settings.profile,
            rules=self.rules,
            select=prefixes("--select", self.select) or settings.select,
            ignore=prefixes("--ignore", self.ignore) or settings.ignore,
            device=self.device,
            role=self.role,
            jobs=self.jobs or 0,
            cache=not self.no_cache,
            isolated=self.is_isolated,
            stdin=_standard_input() if "-" in self.paths else None,
        )

    def run(self, settings: Settings, *, progress: bool, accept: Accept | None = None) -> Report:
        """Do the run; `accept` marks the findings that people accepted."""
        from roce_lint import pipeline  # noqa: PLC0415
        from roce_lint.cli.progress import Meter  # noqa: PLC0415

        request = self.request(settings)
        if progress:
            with Meter() as meter:
                report = pipeline.run(request, settings, meter, accept)
        else:
            report = pipeline.run(request, settings, accept=accept)
        self._see_that_all_are_there(report)
        return report

    def wants(self, device: Device) -> bool:
        """Whether a device is among those that were asked for."""
        from roce_lint.pipeline import is_asked_for  # noqa: PLC0415

        return is_asked_for(device, self.device, self.role)

    def _see_that_all_are_there(self, report: Report) -> None:
        """A name in which a letter is wrong must not look like a device without a fault.

        Raises:
            UsageError: no device has one of the names, one of the roles, or a name and a role.
        """
        devices = list(report.fabric.devices.values()) if report.fabric is not None else []
        if not devices or not (self.device or self.role):
            return  # why there is none is said elsewhere
        from roce_lint.pipeline import is_asked_for  # noqa: PLC0415
        from roce_lint.text.spelling import did_you_mean  # noqa: PLC0415

        names = [device.hostname for device in devices]
        unread = [entry.device for entry in report.diagnostics if entry.device]
        for glob in self.device:
            if not any(fnmatchcase(name, glob) for name in (*names, *unread)):
                hint = did_you_mean(glob, names)
                raise UsageError(f"--device {glob}: no device matches", hint=hint)
        if not any(is_asked_for(device, (), self.role) for device in devices):
            roles = sorted({device.role.value for device in devices if device.role is not None})
            hint = f"there are {', '.join(roles)}" if roles else "[roles] in the settings tells"
            raise UsageError(f"--role {', '.join(self.role)}: no device has this role", hint=hint)
        if self.role and not any(self.wants(device) for device in devices):
            raise UsageError("no device has both a --device name and a --role that were given")


def prefixes(option: str, given: tuple[str, ...]) -> tuple[str, ...]:
    """Rule prefixes of a repeatable option that takes comma lists.

    Raises:
        UsageError: one is no rule id or prefix.
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
