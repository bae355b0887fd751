"""Opens SSH connections: target, key or password, and jump hosts; collects the passwords."""

from __future__ import annotations

import base64
import getpass
import os
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import paramiko
from paramiko.ssh_exception import (
    AuthenticationException,
    BadHostKeyException,
    NoValidConnectionsError,
    PasswordRequiredException,
    SSHException,
)

from roce_lint.errors import UsageError
from roce_lint.inventory.entry import SSH_PORT, Entry
from roce_lint.pull.dialog import CHANGED, CLOSED, LOGIN_REFUSED, REFUSED, TIME_LIMIT, Failure
from roce_lint.pull.hostkeys import KnownHosts, fingerprint
from roce_lint.text.numbers import whole_number

# Passwords. One object holds them, prints as nothing, and passes them to the login only.

PASSWORD, ENABLE, PASSPHRASE = "ROCE_LINT_PASSWORD", "ROCE_LINT_ENABLE", "ROCE_LINT_PASSPHRASE"
WAIT = 60
"""Seconds that a command may take to print a password; it may prompt a person."""


@dataclass(frozen=True, repr=False)
class Secrets:
    """Credentials for the login."""

    password: str | None = None
    enable: str | None = None
    passphrase: str | None = None

    def __repr__(self) -> str:
        return "Secrets(...)"

    def without(self, text: str) -> str:
        """Mask all of them in untrusted text."""
        for each in (self.password, self.enable, self.passphrase):
            if each:
                text = text.replace(each, "***")
        return text


def secrets(
    password_command: str | None, enable_command: str | None, ask: Callable[[str], str] | None
) -> Secrets:
    """Collect the secrets; those in the environment are removed from it for child processes.

    Raises:
        UsageError: a command fails or prints nothing.
    """
    found = {name: os.environ.pop(name, None) for name in (PASSWORD, ENABLE, PASSPHRASE)}
    password = _output_of("--password-command", password_command) or found[PASSWORD]
    enable = _output_of("--enable-command", enable_command) or found[ENABLE]
    if ask is not None and password is None:
        password = ask("Password") or None
    return Secrets(password, enable, found[PASSPHRASE])


def _output_of(option: str, command: str | None) -> str | None:
    """The first line that a command of the user prints."""
    if command is None:
        return None
    try:
        done = subprocess.run(  # noqa: S602  (the user's own command, as a shell runs it)
            command, shell=True, check=True, stdout=subprocess.PIPE, timeout=WAIT
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"{option}: the command printed nothing within {WAIT} s") from None
    except subprocess.CalledProcessError as error:
        raise UsageError(f"{option}: the command failed with status {error.returncode}") from None
    line = done.stdout.decode("utf-8", "replace").split("\n", 1)[0].rstrip("\r")
    if not line:
        raise UsageError(f"{option}: the command printed nothing")
    return line


# Connections.

MOST_JUMPS = 5

LATE = 0.9
"""Share of the time limit from which a failure without a reason is attributed to the limit."""


@dataclass(frozen=True)
class Access:
    """Access parameters for all devices of a run."""

    known: KnownHosts
    secrets: Secrets
    config: paramiko.SSHConfig
    timeout: float


@dataclass(frozen=True)
class Target:
    """One host to connect to, after applying ssh_config."""

    host: str
    port: int
    user: str
    keys: tuple[str, ...]
    jumps: tuple[str, ...]


def read_ssh_config(path: Path) -> paramiko.SSHConfig:
    """Parse ssh_config; a missing file is empty."""
    return paramiko.SSHConfig.from_path(str(path)) if path.is_file() else paramiko.SSHConfig()


def target_of(entry: Entry, access: Access) -> Target:
    """The target of an entry of an inventory, which takes precedence over ssh_config.

    Raises:
        Failure: it requires a proxy command, which is not run here.
    """
    options = access.config.lookup(entry.host)
    if options.get("proxycommand", "none") != "none":
        raise Failure("ProxyCommand is not supported", "use ProxyJump")
    jump = options.get("proxyjump", "none")
    port = entry.port
    if port == SSH_PORT:
        port = whole_number(options.get("port", "22"), 1, 65535) or SSH_PORT
    return Target(
        host=options.get("hostname", entry.host),
        port=port,
        user=entry.user or options.get("user") or getpass.getuser(),
        keys=tuple(options.get("identityfile", ())),
        jumps=() if jump == "none" else tuple(jump.split(",")),
    )


def connect(entry: Entry, access: Access) -> list[paramiko.SSHClient]:
    """Connections to the device and all jump hosts, the device's last; the caller closes.

    Raises:
        Failure: with the cause, at whichever host.
    """
    target = target_of(entry, access)
    opened: list[paramiko.SSHClient] = []
    try:
        sock = None
        hops = [*(_jump(jump, access) for jump in target.jumps[:MOST_JUMPS]), target]
        for hop, after in pairwise(hops):
            opened.append(_open(hop, access, sock))
            sock = _through(opened[-1], after, access)
        opened.append(_open(target, access, sock))
    except (Failure, OSError, SSHException):
        close(opened)
        raise
    return opened


def close(opened: list[paramiko.SSHClient]) -> None:
    """Close connections, the last one first."""
    for client in reversed(opened):
        with suppress(OSError, EOFError, SSHException):
            client.close()


def _jump(text: str, access: Access) -> Target:
    user, _, rest = text.strip().rpartition("@")
    host, colon, port = rest.partition(":")
    number = whole_number(port, 1, 65535) if colon else None
    entry = Entry(host, host, number or SSH_PORT, user or None)
    return replace(target_of(entry, access), jumps=())


def _through(client: paramiko.SSHClient, target: Target, access: Access) -> Any:
    transport = client.get_transport()
    if transport is None:
        raise Failure(CLOSED, "on the jump host")
    try:
        return transport.open_channel(
            "direct-tcpip", (target.host, target.port), ("127.0.0.1", 0), timeout=access.timeout
        )
    except SSHException as error:
        raise Failure(REFUSED, f"through a jump host: {error}") from None


class _KeyCheck(paramiko.MissingHostKeyPolicy):  # type: ignore[misc]  # it ships no types
    """Checks every key against our known hosts. paramiko's own tables stay empty: it trusts the
    keys in them without their type.
    """

    def __init__(self, known: KnownHosts, target: Target):
        self._known, self._target = known, target

    def missing_host_key(self, client: Any, hostname: str, key: Any) -> None:  # noqa: ARG002  (paramiko calls it so)
        """Refuse a key that is not recorded.

        Raises:
            Failure: as KnownHosts.check.
        """
        self._known.check(self._target.host, self._target.port, key.get_name(), key.asbytes())


def _open(target: Target, access: Access, sock: Any) -> paramiko.SSHClient:
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(_KeyCheck(access.known, target))
    _prefer_recorded(client, target, access.known)
    password = access.secrets.password
    begun = time.monotonic()
    keys = [name for name in target.keys if Path(name).expanduser().is_file()]
    try:
        client.connect(
            target.host,
            port=target.port,
            username=target.user,
            password=password,
            passphrase=access.secrets.passphrase,
            key_filename=[str(Path(name).expanduser()) for name in keys] or None,
            # Some devices count each rejected key as a refused login: with a password, only the
            # keys that ssh_config names are offered.
            allow_agent=password is None,
            look_for_keys=password is None,
            timeout=access.timeout,
            banner_timeout=access.timeout,
            auth_timeout=access.timeout,
            channel_timeout=access.timeout,
            sock=sock,
        )
    except (Failure, OSError, EOFError, SSHException, ValueError) as error:
        close([client])
        raise _failure_of(error, access, waited=time.monotonic() - begun) from None
    return client


def _prefer_recorded(client: paramiko.SSHClient, target: Target, known: KnownHosts) -> None:
    """Request a key of a recorded type: the host may have several."""
    name = target.host if target.port == SSH_PORT else f"[{target.host}]:{target.port}"
    for one in known.of(target.host, target.port):
        with suppress(SSHException, ValueError, paramiko.pkey.UnknownKeyType):
            key = paramiko.PKey.from_type_string(one.kind, base64.b64decode(one.key))
            client.get_host_keys().add(name, one.kind, key)


def _failure_of(error: Exception, access: Access, *, waited: float) -> Failure:
    if isinstance(error, Failure):
        return error
    if isinstance(error, BadHostKeyException):
        return Failure(CHANGED, f"{error.key.get_name()} {fingerprint(error.key.asbytes())}")
    if isinstance(error, AuthenticationException):
        return _of_login(error)
    if isinstance(error, SSHException):
        late = waited >= access.timeout * LATE
        return _of_protocol(access.secrets.without(str(error)), late=late)
    return _of_network(error)


def _of_login(error: AuthenticationException) -> Failure:
    if isinstance(error, PasswordRequiredException):
        return Failure(LOGIN_REFUSED, "the key needs a passphrase")
    if "imeout" in str(error):
        return Failure(TIME_LIMIT, "while logging in")
    return Failure(LOGIN_REFUSED)


def _of_network(error: Exception) -> Failure:
    if isinstance(error, TimeoutError):
        return Failure(TIME_LIMIT, "while connecting")
    if isinstance(error, socket.gaierror):
        return Failure("unknown host name", "it does not resolve")
    if isinstance(error, NoValidConnectionsError | ConnectionRefusedError):
        return Failure(REFUSED)
    if isinstance(error, EOFError | ConnectionError):
        return Failure(CLOSED, "while connecting")
    about = error.strerror if isinstance(error, OSError) else None
    return Failure("unreachable", about or type(error).__name__)


def _of_protocol(text: str, *, late: bool) -> Failure:
    if "No authentication methods" in text:
        return Failure(LOGIN_REFUSED, "no password and no key available")
    if late or "imeout" in text or "no response" in text.lower():
        return Failure(TIME_LIMIT, "while connecting")
    if any(word in text for word in ("EOF", "closed", "No existing session", "protocol banner")):
        return Failure(CLOSED, "while connecting")
    return Failure("not an SSH server", text.split("\n", maxsplit=1)[0][:100])
