"""Collects from one device; the only module that uses netmiko, which prepares sessions.

netmiko sends lines by itself, and some of its types answer questions that change a device. So it
writes through a guard that sends only lines declared for the system.
"""

from __future__ import annotations

import io
import logging
import re
import tarfile
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
from roce_lint.pull.dialog import CLOSED, TIME_LIMIT, TOO_LARGE, Dialog, Failure, Limits
from roce_lint.pull.login import Access, close, connect
from roce_lint.resources import resource_dir
from roce_lint.text.masking import mask_secrets

# Runs the collection script on a host over one connection; the result is a tar of outputs.

FILE = "collected.tar"
MEMBERS = 20_000
_BEGIN = "set -u\n"


def script(name: str) -> bytes:
    """The collection script for a host of that name, as `host-script` prints it."""
    path = resource_dir("templates") / "linux" / "collect" / "collect.sh"
    text = path.read_text(encoding="utf-8")
    return text.replace(_BEGIN, f"{_BEGIN}ROCE_LINT_HOST={name}\n", 1).encode()


def collect(client: Any, name: str, limits: Limits) -> bytes:
    """The tar that the script writes on a host, without secrets.

    Raises:
        Failure: the connection is closed, a limit is exceeded, or it is not a tar.
    """
    channel = client.get_transport().open_session(timeout=limits.command)
    channel.settimeout(max(limits.until - time.monotonic(), 0.1))
    try:
        channel.exec_command("sh -s")
        channel.sendall(script(name))
        channel.shutdown_write()
        data = bytearray()
        while more := channel.recv(1 << 16):
            data += more
            if len(data) > limits.largest:
                raise Failure(TOO_LARGE, f"more than {limits.largest} bytes")
            if time.monotonic() > limits.until:
                raise Failure(TIME_LIMIT, "the collection script did not finish")
    except TimeoutError:
        raise Failure(TIME_LIMIT, "the collector did not end") from None
    except (OSError, EOFError):
        raise Failure(CLOSED) from None
    return without_secrets(bytes(data))


def without_secrets(data: bytes) -> bytes:
    """A copy of a tar with secrets masked in every file; anything but plain files is left out.

    Raises:
        Failure: it is not a tar, or was cut off.
    """
    written = io.BytesIO()
    try:
        with (
            tarfile.open(fileobj=io.BytesIO(data)) as there,
            tarfile.open(fileobj=written, mode="w") as ours,
        ):
            members = 0
            for member in there:
                file = there.extractfile(member) if member.isfile() else None
                members += 1
                if file is None or members > MEMBERS:
                    continue
                text = file.read().decode("utf-8", "surrogateescape")
                kept = mask_secrets(text).encode("utf-8", "surrogateescape")
                info = tarfile.TarInfo(member.name)
                info.size, info.mtime = len(kept), member.mtime
                ours.addfile(info, io.BytesIO(kept))
    except (tarfile.TarError, EOFError, ValueError):
        raise Failure("no output of the collection script", "not a tar") from None
    if not members:
        raise Failure("no output of the collection script", "empty")
    return written.getvalue()


# Sessions on switches.

PREPARING = 10
"""Seconds that netmiko may wait for each line by which it prepares a session."""

_SHORT = 2000
_WORD = re.compile(r"assword[^\n]*$|[>#]\s*$")

for _library in ("netmiko", "paramiko"):
    logging.getLogger(_library).addHandler(logging.NullHandler())
    logging.getLogger(_library).propagate = False


@dataclass(frozen=True)
class Answer:
    """The answer to a command; `known` is False if the release does not have it."""

    command: Command
    text: str
    began: float  # seconds since 1970
    seconds: float
    known: bool = True


@dataclass
class DeviceAnswers:
    """All answers of a device, and the failure that ended it, if any."""

    answers: list[Answer]
    failure: Failure | None = None
    files: dict[str, bytes] = field(default_factory=dict)
    logged_in: bool = False


class _GuardedConnection:
    """Mixin for a class of netmiko: connects our way, and sends only declared lines."""

    pulled: PullPlan
    clients: list[Any]

    def establish_connection(self, width: int = 511, height: int = 1000) -> None:
        """Open a terminal on the existing connection."""
        self.remote_conn_pre = self.clients[-1]
        self.remote_conn = self.remote_conn_pre.invoke_shell("vt100", width, height)
        self.remote_conn.settimeout(PREPARING)
        self.channel = SSHChannel(conn=self.remote_conn, encoding="utf-8")
        self.special_login_handler()

    def special_login_handler(self, delay_factor: float = 1.0) -> None:  # noqa: ARG002  (netmiko's)
        """Refuse questions at login: only the owner of a device may answer them.

        Raises:
            Failure: there is one.
        """
        if self.pulled.asks is None:
            return
        output = self.read_until_pattern(pattern=rf"(?:{self.pulled.asks}|[\]>]\s*$)")  # type: ignore[attr-defined]
        if re.search(self.pulled.asks, output):
            raise Failure("a question at login", "log in by hand and answer it")

    def read_channel(self) -> str:
        """Read a channel; a closed one is reported at once, and not waited for.

        Raises:
            Failure: it is closed.
        """
        output: str = super().read_channel()  # type: ignore[misc]
        if not output and (self.remote_conn.closed or self.remote_conn.eof_received):
            raise Failure(CLOSED)
        return output

    def write_channel(self, out_data: str) -> None:
        """Send a declared line.

        Raises:
            Failure: it is not declared.
        """
        line = out_data.strip()
        if line and line not in self.pulled.prepares:
            raise Failure("blocked", f"netmiko tried to send {line[:60]!r}")
        super().write_channel(out_data)  # type: ignore[misc]


@cache
def _class(device_type: str) -> type[Any]:
    base = CLASS_MAPPER[device_type]
    return type(f"Guarded{base.__name__}", (_GuardedConnection, base), {})


def pull_host(
    entry: Entry, nos: Nos, commands: tuple[Command, ...], access: Access, limits: Limits
) -> DeviceAnswers:
    """Collect all commands from a device; never raises: one device must not end the run."""
    answers = DeviceAnswers([])
    clients: list[Any] = []
    try:
        clients = connect(entry, access)
        answers.logged_in = True
        if nos.pulled is not None and nos.pulled.script:
            answers.files[FILE] = collect(clients[-1], entry.name, limits)
        else:
            _collect(nos, commands, clients, access, limits, answers)
    except Failure as failure:
        answers.failure = failure
    except NetmikoBaseException as error:
        late = "imeout" in type(error).__name__ or "imed" in str(error)
        answers.failure = Failure(TIME_LIMIT if late else CLOSED, "while preparing the session")
    except Exception as error:
        # The text of a third-party error may contain what was sent.
        answers.failure = Failure("internal error of roce-lint", type(error).__name__)
    finally:
        close(clients)
    return answers


def _collect(
    nos: Nos,
    commands: tuple[Command, ...],
    clients: list[Any],
    access: Access,
    limits: Limits,
    answers: DeviceAnswers,
) -> None:
    if nos.pulled is None or nos.netmiko_type is None:
        raise Failure("this system is not supported by pull", nos.name)
    session = _prepare(nos, nos.pulled, clients)
    terminal: Any = session.remote_conn
    dialog = Dialog(terminal, limits, nos.pulled.around)
    prompt = dialog.learn()
    if nos.pulled.enable is not None and prompt.endswith(">"):
        _enable(dialog, nos.pulled.enable, access)
    unknown = re.compile(rf"\s*(?:{nos.pulled.unknown})")
    for command in commands:
        began, clock = time.time(), time.monotonic()
        text = dialog.run(command.text)
        known = not (len(text) < _SHORT and any(map(unknown.match, text.split("\n"))))
        if command.needed and (not known or not text.strip()):
            output = text.strip().split("\n")[0][:80] or "nothing"
            raise Failure(f"not {nos.name}, or not permitted", f"answer: {output!r}")
        answers.answers.append(Answer(command, text, began, time.monotonic() - clock, known))


def _prepare(nos: Nos, pulled: PullPlan, clients: list[Any]) -> netmiko.BaseConnection:
    session: Any = object.__new__(_class(str(nos.netmiko_type)))
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
    """Enter the mode that shows the configuration."""
    dialog.send_hidden(word)
    output = dialog.until(_WORD)
    if "assword" in output.rsplit("\n", 1)[-1]:
        dialog.send_hidden(access.secrets.enable or "")
        output = dialog.until(_WORD)
        if "assword" in output.rsplit("\n", 1)[-1]:
            raise Failure("enable refused")
    if not dialog.learn().endswith("#"):
        raise Failure("enable refused")
