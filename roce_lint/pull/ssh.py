"""Asks one device; the only module that knows netmiko, which prepares sessions of each system.

netmiko sends lines by itself, and some of its types answer questions that change a device. So it
writes through a guard: what a system does not declare is not sent, whoever wants to send it.
"""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import netmiko
from netmiko.channel import SSHChannel
from netmiko.exceptions import NetmikoBaseException
from netmiko.ssh_dispatcher import CLASS_MAPPER

from roce_lint.inventory.entry import Entry
from roce_lint.nos.base import Nos
from roce_lint.nos.pull import Command, PullPlan
from roce_lint.pull import collector
from roce_lint.pull.dialog import Dialog, Limits
from roce_lint.pull.failure import CLOSED, TIME_LIMIT, Failure
from roce_lint.pull.login import Access, close, connect

PREPARING = 10
"""Seconds that netmiko may wait for each line by which it prepares a session."""

_SHORT = 2000
_WORD = re.compile(r"assword[^\n]*$|[>#]\s*$")

logging.getLogger("netmiko").addHandler(logging.NullHandler())
logging.getLogger("netmiko").propagate = False
logging.getLogger("paramiko").addHandler(logging.NullHandler())
logging.getLogger("paramiko").propagate = False


@dataclass(frozen=True)
class Answer:
    """What a command was answered; `known` is false where the release does not know it."""

    command: Command
    text: str
    began: float  # seconds since 1970
    seconds: float
    known: bool = True


@dataclass
class DeviceAnswers:
    """All answers of a device, and what ended it, if something did."""

    answers: list[Answer]
    failure: Failure | None = None
    files: dict[str, bytes] = field(default_factory=dict)
    logged_in: bool = False


class _GuardedConnection:
    """Put before a class of netmiko: connects our way, and sends only what is declared."""

    pulled: PullPlan
    clients: list[Any]

    def establish_connection(self, width: int = 511, height: int = 1000) -> None:
        """Open a terminal on the connection that is there."""
        self.remote_conn_pre = self.clients[-1]
        self.remote_conn = self.remote_conn_pre.invoke_shell("vt100", width, height)
        self.remote_conn.settimeout(PREPARING)
        self.channel = SSHChannel(conn=self.remote_conn, encoding="utf-8")
        self.special_login_handler()

    def special_login_handler(self, delay_factor: float = 1.0) -> None:  # noqa: ARG002  (netmiko's)
        """Questions at login are for the owner of a device: whoever only reads answers none.

        Raises:
            Failure: there is one.
        """
        if self.pulled.asks is None:
            return
        said = self.read_until_pattern(pattern=rf"(?:{self.pulled.asks}|[\]>]\s*$)")  # type: ignore[attr-defined]
        if re.search(self.pulled.asks, said):
            raise Failure("a question at login", "log in by hand and answer it")

    def read_channel(self) -> str:
        """What came; a channel that was closed is told at once, and not waited for.

        Raises:
            Failure: it is closed.
        """
        said: str = super().read_channel()  # type: ignore[misc]
        if not said and (self.remote_conn.closed or self.remote_conn.eof_received):
            raise Failure(CLOSED)
        return said

    def write_channel(self, out_data: str) -> None:
        """Send a line that is declared.

        Raises:
            Failure: it is not.
        """
        line = out_data.strip()
        if line and line not in self.pulled.prepares:
            raise Failure("not sent", f"netmiko wanted to send {line[:60]!r}")
        super().write_channel(out_data)  # type: ignore[misc]


@cache
def _class(device_type: str) -> type[Any]:
    base = CLASS_MAPPER[device_type]
    return type(f"Guarded{base.__name__}", (_GuardedConnection, base), {})


def pull_host(
    entry: Entry, nos: Nos, commands: tuple[Command, ...], access: Access, limits: Limits
) -> DeviceAnswers:
    """Ask a device for answers to all commands; it never raises: one device is not the run."""
    asked = DeviceAnswers([])
    clients: list[Any] = []
    try:
        clients = connect(entry, access)
        asked.logged_in = True
        if nos.pulled is not None and nos.pulled.script:
            asked.files[collector.FILE] = collector.collect(clients[-1], entry.name, limits)
        else:
            _ask(nos, commands, clients, access, limits, asked)
    except Failure as failure:
        asked.failure = failure
    except NetmikoBaseException as error:
        late = "imeout" in type(error).__name__ or "imed" in str(error)
        asked.failure = Failure(TIME_LIMIT if late else CLOSED, "while preparing the session")
    except Exception as error:
        # The text of an error of somebody else may hold what was sent.
        asked.failure = Failure("a fault of roce-lint", type(error).__name__)
    finally:
        close(clients)
    return asked


def _ask(
    nos: Nos,
    commands: tuple[Command, ...],
    clients: list[Any],
    access: Access,
    limits: Limits,
    asked: DeviceAnswers,
) -> None:
    if nos.pulled is None or nos.netmiko_type is None:
        raise Failure("this system cannot be pulled", nos.name)
    session = _prepare(nos, nos.pulled, clients)
    terminal: Any = session.remote_conn
    dialog = Dialog(terminal, limits, nos.pulled.around)
    prompt = dialog.learn()
    if nos.pulled.enable is not None and prompt.endswith(">"):
        _enable(dialog, nos.pulled.enable, access)
    unknown = re.compile(rf"\s*(?:{nos.pulled.unknown})")
    for command in commands:
        began, clock = time.time(), time.monotonic()
        text = dialog.ask(command.text)
        known = not (len(text) < _SHORT and any(map(unknown.match, text.split("\n"))))
        if command.needed and (not known or not text.strip()):
            said = text.strip().split("\n")[0][:80] or "nothing"
            raise Failure(f"another system than {nos.name}, or not permitted", f"answers {said!r}")
        asked.answers.append(Answer(command, text, began, time.monotonic() - clock, known))


def _prepare(nos: Nos, pulled: PullPlan, clients: list[Any]) -> netmiko.BaseConnection:
    made = _class(str(nos.netmiko_type))
    session: Any = object.__new__(made)
    session.pulled, session.clients = pulled, clients
    session.__init__(
        device_type=str(nos.netmiko_type),
        host="device",
        username="user",
        read_timeout_override=PREPARING,
        auto_connect=False,
    )
    session.establish_connection()
    session._try_session_preparation()  # noqa: SLF001  (what netmiko's own connecting calls next)
    found: netmiko.BaseConnection = session
    return found


def _enable(dialog: Dialog, word: str, access: Access) -> None:
    """Go where the configuration may be shown.

    Raises:
        Failure: the device does not let us.
    """
    dialog.send_hidden(word)
    said = dialog.until(_WORD)
    if "assword" in said.rsplit("\n", 1)[-1]:
        dialog.send_hidden(access.secrets.enable or "")
        said = dialog.until(_WORD)
        if "assword" in said.rsplit("\n", 1)[-1]:
            raise Failure("enable refused")
    if not dialog.learn().endswith("#"):
        raise Failure("enable refused")
