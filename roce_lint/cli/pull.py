"""`roce-lint pull`: what live devices answer, as a snapshot that `check` reads."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roce_lint.cli import output
from roce_lint.errors import UsageError

if TYPE_CHECKING:
    from roce_lint.pull.login import Access
    from roce_lint.pull.run import Job, Result

CLEAN, INCOMPLETE = 0, 3
SETS = ("config", "state", "counters", "all")
F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("-j", "--sessions", type=click.IntRange(1, 200), default=50, show_default=True,
                 metavar="N", help="Devices that are asked at a time."),
    click.option("--limit", multiple=True, metavar="GLOB", help="Only devices of these names."),
    click.option("--set", "wanted", type=click.Choice(SETS), default="config", show_default=True,
                 help="What is asked."),
    click.option("--timeout", type=click.FloatRange(1, 3600), default=30, show_default=True,
                 metavar="S", help="Seconds for connecting, and for each command."),
    click.option("--device-timeout", type=click.FloatRange(1, 86400), default=600,
                 show_default=True, metavar="S", help="Seconds for a device."),
    click.option("--resume", is_flag=True, help="Fetch what is missing in the snapshot."),
    click.option("--dry-run", is_flag=True, help="Print devices and commands; connect to nothing."),
    click.option("--nos", metavar="NAME", help="The system of devices that say none."),
    click.option("--accept-new", is_flag=True, help="Record host keys that are not known yet."),
    click.option("--known-hosts", multiple=True, metavar="FILE",
                 help="Known host keys  [default: ~/.ssh/known_hosts]"),
    click.option("--password-command", metavar="CMD", help="A command that prints the password."),
    click.option("--enable-command", metavar="CMD", help="The same for `enable`."),
    click.option("--ask-password", is_flag=True, help="Ask for the password."),
    click.option("--max-refused", type=click.IntRange(1), default=5, show_default=True,
                 metavar="N", help="End after so many refused logins on end."),
)  # fmt: skip


def pull_options(function: F) -> F:
    """Add the options of a pull to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@dataclass(frozen=True, kw_only=True)
class PullOptions:
    """What was given on the command line; the fields are the options of the same names."""

    sessions: int
    limit: tuple[str, ...]
    wanted: str
    timeout: float
    device_timeout: float
    resume: bool
    dry_run: bool
    nos: str | None
    accept_new: bool
    known_hosts: tuple[str, ...]
    password_command: str | None
    enable_command: str | None
    ask_password: bool
    max_refused: int


@click.command("pull")
@click.argument("inventory")
@click.option("-o", "--output", "folder", required=True, metavar="SNAPSHOT", help="Where to.")
@pull_options
@click.pass_context
def command(ctx: click.Context, /, inventory: str, folder: str, **given: Any) -> None:
    """Ask the devices of an inventory over SSH, with commands that only show, and write what they
    answer, without its secrets, into the folder SNAPSHOT.

    A password comes from ROCE_LINT_PASSWORD, from --password-command or from a prompt; without
    one keys and the agent are used. Exit status: 0 all answered; 2 wrong use; 3 some did not.
    """
    pulling = PullOptions(**given)
    if pulling.dry_run:
        print_plan(inventory, pulling)
        ctx.exit(CLEAN)
    results = pull(inventory, Path(folder), pulling)
    ctx.exit(INCOMPLETE if any(one.failure for one in results) else CLEAN)


def plan_jobs(inventory: str, pulling: PullOptions) -> list[Job]:
    """What is to be asked of whom.

    Raises:
        UsageError: it is no inventory, no device is meant, or no system is called so.
    """
    from roce_lint.inventory.entry import find_nos  # noqa: PLC0415
    from roce_lint.inventory.read import read_inventory  # noqa: PLC0415
    from roce_lint.nos.pull import Kind  # noqa: PLC0415
    from roce_lint.pull.run import plan_pull  # noqa: PLC0415

    found = read_inventory(Path(inventory))
    for remark in found.remarks:
        output.write(f"{inventory}:{remark.line}: {remark.text}\n", err=True)
    if pulling.nos is not None and find_nos(pulling.nos) is None:
        raise UsageError(f"--nos {pulling.nos}: no system is called so")
    entries = [
        entry
        for entry in found.entries
        if not pulling.limit or any(fnmatchcase(entry.name, glob) for glob in pulling.limit)
    ]
    if not entries:
        raise UsageError(f"{inventory}: no device is meant")
    kinds = list(Kind) if pulling.wanted == "all" else [Kind(pulling.wanted)]
    return plan_pull(entries, kinds, find_nos(pulling.nos) if pulling.nos else None)


def pull(inventory: str, folder: Path, pulling: PullOptions, *, said: bool = True) -> list[Result]:
    """Pull into a folder and tell how it went; who failed and how many did not only if `said`.

    Raises:
        UsageError: a file or an option cannot be used.
    """
    from roce_lint.pull.run import Pull, run  # noqa: PLC0415
    from roce_lint.pull.snapshot import Snapshot  # noqa: PLC0415

    jobs = plan_jobs(inventory, pulling)
    snapshot = Snapshot(folder)
    snapshot.open(resume=pulling.resume)
    work = Pull(
        access=_access(pulling),
        snapshot=snapshot,
        jobs=pulling.sessions,
        timeout=pulling.timeout,
        device_timeout=pulling.device_timeout,
        most_refused=pulling.max_refused,
    )
    results = run(work, jobs, _Teller(len(jobs)))
    if not said:  # the report does
        return results
    _print_failures(results)
    good = sum(one.failure is None for one in results)
    output.write(f"{good} of {len(results)} devices are in {folder}\n")
    return results


def _access(pulling: PullOptions) -> Access:
    from roce_lint.pull.hostkeys import KnownHosts  # noqa: PLC0415
    from roce_lint.pull.login import Access, read_ssh_config  # noqa: PLC0415
    from roce_lint.pull.secrets import secrets  # noqa: PLC0415

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
    said: str = click.prompt(what, hide_input=True, err=True, default="", show_default=False)
    return said


class _Teller:
    """Says which devices are done: counts on a terminal, else a line each."""

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
            said = f"\r{self._done} of {self._total} devices, {self._failed} failed{end}"
            output.write(said, err=True)
        elif result.failure is None:
            output.write(f"{result.name}: {result.commands} answers\n", err=True)


def _print_failures(results: list[Result]) -> None:
    from roce_lint.inventory.entry import printable  # noqa: PLC0415

    failed = [(one.failure, one.name) for one in results if one.failure is not None]
    for failure, name in sorted(failed, key=lambda pair: (pair[0].cause, pair[1])):
        output.write(f"{printable(name)}: {failure}\n", err=True)


def print_plan(inventory: str, pulling: PullOptions) -> None:
    """Print whom a pull would ask for what; it connects to nothing."""
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
            output.write("  sh -s  (what `roce-lint host-script` prints)\n")
