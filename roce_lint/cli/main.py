"""Entry point of roce-lint: dispatch to a command, and the exit status.

Only click is imported here: `--help` and `--version` load nothing else, and a command imports its
own modules when it runs.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, NoReturn

import click

from roce_lint._version import __version__
from roce_lint.errors import RoceLintError, UsageError, WriteError

WRONG_USE = 2
INCOMPLETE = 3  # an output could not be written
CRASHED = 3  # incomplete; the 1 of Python would mean findings
INTERRUPTED = 130

GROUPS = {
    "Check": {
        "init": "Write settings and links for a folder.",
        "check": "Check saved configurations or snapshots.",
        "read": "Read into a bundle, to check later or elsewhere.",
        "explain": "Explain a rule.",
        "rules": "List the rules.",
    },
    "Look and compare": {
        "show": "Show the devices and ports that were read.",
        "trace": "Follow a traffic class from NIC to NIC.",
        "diff": "Compare two states of a fabric.",
        "whatif": "Evaluate a hypothetical change.",
    },
    "Change": {
        "fix": "Propose fixes and verify them.",
        "new-leaf": "Generate one more leaf.",
        "intent": "Show, validate or draft an intent.",
        "generate": "Generate configurations from an intent.",
    },
    "Collect": {
        "pull": "Collect from live devices over SSH (read-only).",
        "audit": "Pull, check and report drift.",
        "inventory": "Show the devices of an inventory.",
        "host-script": "Print the host collection script.",
    },
    "Shell": {
        "completion": "Print the shell completion script.",
        "man": "Print the manual page.",
    },
}
"""Commands by group, each with its line in the help."""

COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}
"""Every command, which is the function `command` of roce_lint.cli.NAME."""


class Commands(click.Group):
    """Group of commands that are imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click passes it)
        """All commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"roce_lint.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Keep the command line, which HTML reports show."""
        words = tuple(args)
        ctx = super().make_context(info_name, args, parent, **extra)
        ctx.meta["roce_lint.words"] = words
        return ctx

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command; an unknown name is refused with a suggestion."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            from roce_lint.text.names import did_you_mean  # noqa: PLC0415  (a wrong name only)

            raise UsageError(f"unknown command {name!r}", hint=did_you_mean(name, COMMANDS))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands from the table, without importing their modules."""
        width = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                own = max(map(len, commands))
                formatter.write_dl(list(commands.items()), col_spacing=2 + width - own)

    # click overloads `main` by return type; this one never returns in standalone mode.
    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **extra: Any
    ) -> Any:
        """Run a command and exit with its status."""
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **extra)
        try:
            status = super().main(args, standalone_mode=False, **extra)
        except SystemExit:
            sys.exit(0)  # click exits by itself only where the reader of its help is gone
        except click.Abort:
            sys.exit(INTERRUPTED)
        except click.ClickException as error:
            ctx = getattr(error, "ctx", None)
            hint = f" (see {ctx.command_path} --help)" if ctx is not None else ""
            _report_error(f"{error.format_message()}{hint}")
            sys.exit(WRONG_USE)
        except WriteError as error:
            _report_error(str(error))
            sys.exit(INCOMPLETE)
        except RoceLintError as error:
            _report_error(str(error))
            sys.exit(WRONG_USE)
        sys.exit(status if isinstance(status, int) else 0)


def _report_error(message: str) -> None:
    for line in message.splitlines():
        click.echo(f"roce-lint: {line}", err=True)


def _version(ctx: click.Context, _param: click.Parameter, given: bool) -> None:  # noqa: FBT001
    if given and not ctx.resilient_parsing:
        click.echo(f"roce-lint {__version__}")
        ctx.exit()


@click.group(
    cls=Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Print the version and exit.",
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Find faults in RoCE fabrics, each with the configuration line that causes it.

    Exit status: 0 no finding at or above --fail-on; 1 findings; 2 wrong use, settings or intent;
    3 incomplete: something could not be read or checked.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(WRONG_USE)


def main() -> None:
    """Run the command line; a closed pipe (`| head`) is not an error."""
    sys.excepthook = _crash
    gc.disable()  # a run creates few cycles, and its memory is freed with the process
    _open_standard_streams()
    _note_interrupts()
    try:
        cli.main(prog_name="roce-lint")
    except SystemExit as left:
        _close()
        status = left.code if isinstance(left.code, int) else 0
        # Python would first free the model object by object.
        os._exit(INTERRUPTED if _interrupted else status)
    finally:
        _close()


def _crash(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> NoReturn:
    """Report an internal error; its exit status is not that of findings."""
    if issubclass(kind, KeyboardInterrupt) or _interrupted:
        os._exit(INTERRUPTED)
    import traceback  # noqa: PLC0415  (a fault only)

    from roce_lint.text.redaction import redact  # noqa: PLC0415

    text = "".join(traceback.format_exception(kind, error, trace))
    click.echo(redact(text), err=True, nl=False)
    _report_error("internal error of roce-lint; the configurations were not checked")
    os._exit(CRASHED)


_interrupted: list[int] = []
"""Interrupts that were received."""


def _note_interrupts() -> None:
    """Record interrupts, and let Python raise them as usual.

    A library may turn a KeyboardInterrupt into an error of its own (pydantic does while it builds
    a class); the run still ended by the interrupt.
    """

    def interrupted(number: int, frame: FrameType | None) -> None:
        _interrupted.append(number)
        signal.default_int_handler(number, frame)

    # A shell starts background jobs with the signal ignored: it stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupted)


def _open_standard_streams() -> None:
    """Open standard streams that the caller closed on /dev/null.

    The next opened file would take the number of a closed stream, and messages for standard error
    would be written into it.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            while (handle := os.open(os.devnull, os.O_RDWR)) < number:
                pass
            setattr(sys, name, open(handle, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def _close() -> None:
    try:
        sys.stdout.flush()
    except OSError:  # gone, or full: the write reported it
        # Python would report it again when it closes the stream at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    with suppress(OSError):
        sys.stderr.flush()
