"""`roce-lint pull`: collect from live devices into a snapshot."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint.cli import output
from roce_lint.cli.help import Command, option, options
from roce_lint.errors import UsageError

if TYPE_CHECKING:
    from roce_lint.pull.login import Access
    from roce_lint.pull.run import Job, Result

CLEAN, INCOMPLETE = 0, 3
SETS = ("config", "state", "counters", "all")

pull_options = options(
    option("connections", type=click.IntRange(1, 200), default=50, show_default=True),
    option("device", formerly=["--limit"]),
    option("collect", type=click.Choice(SETS), default="config"),
    option("timeout", type=click.FloatRange(1, 3600), default=30, show_default=True),
    option("device-timeout", type=click.FloatRange(1, 86400), default=600, show_default=True),
    *("resume", "dry-run", "default-nos", "accept-new", "known-hosts"),
    *("password-command", "enable-command", "ask-password"),
    option("max-refused", type=click.IntRange(1), default=5, show_default=True),
)
"""Options of a pull, also of `audit`."""


@dataclass(frozen=True, kw_only=True)
class PullOptions:
    """Values of the options; each field has the name of its option."""

    connections: int
    device: tuple[str, ...]
    collect: str
    timeout: float
    device_timeout: float
    resume: bool
    dry_run: bool
    default_nos: str | None
    accept_new: bool
    known_hosts: tuple[str, ...]
    password_command: str | None
    enable_command: str | None
    ask_password: bool
    max_refused: int


@click.command("pull", cls=Command)
@click.argument("inventory")
@option("output", "folder", required=True, help="Write the snapshot into DIR.")
@pull_options
@click.pass_context
def command(ctx: click.Context, /, inventory: str, folder: str, **given: Any) -> None:
    """Collect from the devices of INVENTORY over SSH into a snapshot, without secrets. Only show
    commands are sent.

    The password comes from ROCE_LINT_PASSWORD, --password-command or a prompt; without one, keys
    and the agent are used. Exit status: 0 complete; 2 wrong use; 3 some devices failed.
    """
    pulling = PullOptions(**given)
    if pulling.dry_run:
        print_plan(inventory, pulling)
        ctx.exit(CLEAN)
    results = pull(inventory, Path(folder), pulling)
    ctx.exit(INCOMPLETE if any(one.failure for one in results) else CLEAN)


def plan_jobs(inventory: str, pulling: PullOptions) -> list[Job]:
    """Devices to connect to, with their commands.

    Raises:
        UsageError: not an inventory, no device matches, or the system is unknown.
    """
    from roce_lint.inventory.entry import find_nos  # noqa: PLC0415
    from roce_lint.inventory.read import read_inventory  # noqa: PLC0415
    from roce_lint.nos.pull import Kind  # noqa: PLC0415
    from roce_lint.pull.run import plan_pull  # noqa: PLC0415

    found = read_inventory(Path(inventory))
    for remark in found.remarks:
        output.write(f"{inventory}:{remark.line}: {remark.text}\n", err=True)
    nos = find_nos(pulling.default_nos) if pulling.default_nos is not None else None
    if pulling.default_nos is not None and nos is None:
        raise UsageError(f"--default-nos {pulling.default_nos}: unknown system")
    entries = [
        entry
        for entry in found.entries
        if not pulling.device or any(fnmatchcase(entry.name, glob) for glob in pulling.device)
    ]
    if not entries:
        raise UsageError(f"{inventory}: no device matches")
    kinds = list(Kind) if pulling.collect == "all" else [Kind(pulling.collect)]
    return plan_pull(entries, kinds, nos)


def pull(
    inventory: str, folder: Path, pulling: PullOptions, *, summary: bool = True
) -> list[Result]:
    """Pull into a folder with progress; `summary` adds failures and the number of devices.

    Raises:
        UsageError: a file or an option cannot be used.
    """
    from roce_lint.inventory.entry import printable  # noqa: PLC0415
    from roce_lint.pull.run import Pull, run  # noqa: PLC0415
    from roce_lint.pull.snapshot import Snapshot  # noqa: PLC0415

    jobs = plan_jobs(inventory, pulling)
    snapshot = Snapshot(folder)
    snapshot.open(resume=pulling.resume)
    work = Pull(
        access=_access(pulling),
        snapshot=snapshot,
        jobs=pulling.connections,
        timeout=pulling.timeout,
        device_timeout=pulling.device_timeout,
        most_refused=pulling.max_refused,
    )
    results = run(work, jobs, _Progress(len(jobs)))
    if not summary:
        return results
    failed = [(one.failure, one.name) for one in results if one.failure is not None]
    for failure, name in sorted(failed, key=lambda pair: (pair[0].cause, pair[1])):
        output.write(f"{printable(name)}: {failure}\n", err=True)
    good = sum(one.failure is None for one in results)
    output.write(f"{good} of {len(results)} devices are in {folder}\n")
    return results


def _access(pulling: PullOptions) -> Access:
    from roce_lint.pull.hostkeys import KnownHosts  # noqa: PLC0415
    from roce_lint.pull.login import Access, read_ssh_config, secrets  # noqa: PLC0415

    home = Path(os.environ.get("HOME") or "~").expanduser() / ".ssh"
    files = [Path(name) for name in pulling.known_hosts] or [home / "known_hosts"]
    known = KnownHosts(files[0], accept_new=pulling.accept_new)
    try:
        for path in files:
            known.read(path)
        config = read_ssh_config(home / "config")
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}") from None
    ask = _ask if pulling.ask_password else None
    found = secrets(pulling.password_command, pulling.enable_command, ask)
    return Access(known, found, config, pulling.timeout)


def _ask(what: str) -> str:
    answer: str = click.prompt(what, hide_input=True, err=True, default="", show_default=False)
    return answer


class _Progress:
    """Progress: a counter on a terminal, else one line per device."""

    def __init__(self, total: int):
        self._total, self._done, self._failed = total, 0, 0
        self._counts = sys.stderr.isatty()

    def __call__(self, result: Result) -> None:
        self._done += 1
        self._failed += result.failure is not None
        for note in result.notes:
            output.write(f"{result.name}: {note}\n", err=True)
        if self._counts:
            end = "\n" if self._done == self._total else ""
            text = f"\r{self._done} of {self._total} devices, {self._failed} failed{end}"
            output.write(text, err=True)
        elif result.failure is None:
            output.write(f"{result.name}: {result.commands} answers\n", err=True)


def print_plan(inventory: str, pulling: PullOptions) -> None:
    """Print devices and commands of a pull, without connecting."""
    from roce_lint.inventory.entry import printable  # noqa: PLC0415

    for job in plan_jobs(inventory, pulling):
        entry = job.entry
        if entry.fault is not None:
            output.write(f"{printable(entry.name)}: {entry.fault}\n")
            continue
        output.write(f"{entry.name}: {job.nos.name} at {entry.host}:{entry.port}\n")
        for each in job.commands:
            output.write(f"  {each.text}\n")
        for _ in job.files:
            output.write("  sh -s  (the script of `roce-lint host-script`)\n")
