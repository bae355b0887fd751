"""The command roce-lint: finds the command that is asked for, and ends with the right status.

Only click is imported here. `--help` and `--version` answer without loading anything else, and a
command loads what it needs when it runs.
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
INCOMPLETE = 3  # what was asked for could not be written
CRASHED = 3  # no answer is an incomplete one; Python's own 1 would say that there are findings
INTERRUPTED = 130

COMMANDS = {
    "init": "Look at a folder and write its settings and links.",
    "check": "Judge saved configurations or snapshots.",
    "explain": "Print the page of a rule.",
    "rules": "List all rules.",
    "show": "Show what was understood of the configurations.",
    "diff": "Show what two states of a fabric differ in, by meaning.",
    "whatif": "Judge a change that stands in no file.",
    "fix": "Put findings right, and prove it.",
    "new-leaf": "Write the configuration of one more leaf.",
    "intent": "Tell what an intent may say.",
    "pull": "Ask live devices over SSH, with commands that only show.",
    "audit": "Pull, judge, and tell what drifted: one report.",
    "inventory": "Show what an inventory was understood as.",
    "generate": "Write the configurations that an intent wants.",
    "host-script": "Print a script that collects on hosts what is judged.",
    "completion": "Print what makes a shell complete commands and names.",
    "man": "Print the manual page.",
    "trace": "Follow a traffic class from NIC to NIC, hop by hop.",
}
"""Every command with its line in the help; it is the function `command` of roce_lint.cli.NAME."""


class Commands(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click calls it so)
        """All commands in the order of the table."""
        return list(COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002  (as above)
        cmd_name: str,
    ) -> click.Command | None:
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
        """Keep the words of the command line: a page tells by which command it was made."""
        words = tuple(args)
        ctx = super().make_context(info_name, args, parent, **extra)
        ctx.meta["roce_lint.words"] = words
        return ctx

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is asked for; a wrong name says which one was probably meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            from roce_lint.text.spelling import did_you_mean  # noqa: PLC0415  (a wrong name only)

            raise UsageError(f"no command is called {name!r}", hint=did_you_mean(name, COMMANDS))
        return super().resolve_command(ctx, args)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002  (as above)
        formatter: click.HelpFormatter,
    ) -> None:
        """The list of commands, from the table and not from their modules."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    # click overloads `main` by what it returns; this one never comes back in standalone mode.
    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **extra: Any
    ) -> Any:
        """Run, and leave with the exit status of the contract."""
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **extra)
        try:
            status = super().main(args, standalone_mode=False, **extra)
        except SystemExit:
            sys.exit(0)  # click leaves by itself only where the reader of its help went away
        except click.Abort:
            sys.exit(INTERRUPTED)
        except click.ClickException as error:
            _complain(_usage(error))
            sys.exit(WRONG_USE)
        except WriteError as error:
            _complain(str(error))
            sys.exit(INCOMPLETE)
        except RoceLintError as error:
            _complain(str(error))
            sys.exit(WRONG_USE)
        sys.exit(status if isinstance(status, int) else 0)


def _usage(error: click.ClickException) -> str:
    message = error.format_message()
    ctx = getattr(error, "ctx", None)
    return f"{message} (see {ctx.command_path} --help)" if ctx is not None else message


def _complain(message: str) -> None:
    for line in message.splitlines():
        click.echo(f"roce-lint: {line}", err=True)


def _version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:  # noqa: FBT001
    if wanted and not ctx.resilient_parsing:
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

    Exit status: 0 nothing at or above the fail level; 1 findings; 2 wrong use, settings or
    intent; 3 the answer is incomplete.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(WRONG_USE)


def main() -> None:
    """Entry point of the command; a reader that goes away early (`| head`) is no error."""
    sys.excepthook = _crash
    gc.disable()  # a run forms no cycles worth collecting, and its memory goes with the process
    _open_standard_streams()
    _note_interrupts()
    try:
        cli.main(prog_name="roce-lint")
    except SystemExit as left:
        _close()
        status = left.code if isinstance(left.code, int) else 0
        # Python would first take the model apart, object by object.
        os._exit(INTERRUPTED if _interrupted else status)
    finally:
        _close()


def _crash(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> NoReturn:
    """A fault of our own: say so, and leave with a status that does not speak of findings."""
    if issubclass(kind, KeyboardInterrupt) or _interrupted:
        os._exit(INTERRUPTED)
    import traceback  # noqa: PLC0415  (a fault only)

    from roce_lint.text.redaction import redact  # noqa: PLC0415

    told = "".join(traceback.format_exception(kind, error, trace))
    click.echo(redact(told), err=True, nl=False)
    _complain("this is a fault of roce-lint itself; nothing can be said of the configurations")
    os._exit(CRASHED)


_interrupted: list[int] = []
"""Signals by which somebody asked this run to end."""


def _note_interrupts() -> None:
    """Remember that an interrupt came, and let Python raise it as always.

    A library may turn the KeyboardInterrupt that strikes it into an error of its own (pydantic
    does while it builds a class); what ended the run is still the interrupt.
    """

    def interrupted(number: int, frame: FrameType | None) -> None:
        _interrupted.append(number)
        signal.default_int_handler(number, frame)

    # A shell starts what runs in the background with the signal ignored: it stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupted)


def _open_standard_streams() -> None:
    """Streams that the caller closed lead nowhere.

    Left closed, their numbers would go to the next files that are opened, and whoever writes to
    standard error would write into those.
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
    except OSError:  # gone, or full: what is lost was told where it was written
        # Python would complain once more when it closes the stream at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    with suppress(OSError):
        sys.stderr.flush()
