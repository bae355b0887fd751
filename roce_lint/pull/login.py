"""Opens an SSH connection: where to, by which key or password, and through which other host."""

from __future__ import annotations

import base64
import getpass
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
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

from roce_lint.inventory.entry import SSH_PORT, Entry
from roce_lint.pull.failure import CHANGED, CLOSED, LOGIN_REFUSED, REFUSED, TIME_LIMIT, Failure
from roce_lint.pull.hostkeys import KnownHosts, fingerprint
from roce_lint.pull.secrets import Secrets
from roce_lint.text.numbers import whole_number

MOST_JUMPS = 5

LATE = 0.9
"""Of the time limit: what ends so late without a reason was ended by the limit."""


@dataclass(frozen=True)
class Access:
    """How all devices of a run are reached."""

    known: KnownHosts
    secrets: Secrets
    config: paramiko.SSHConfig
    timeout: float


@dataclass(frozen=True)
class Target:
    """One host that is connected to, after ssh_config was asked."""

    host: str
    port: int
    user: str
    keys: tuple[str, ...]
    jumps: tuple[str, ...]


def read_ssh_config(path: Path) -> paramiko.SSHConfig:
    """What ssh_config says; a file that is not there says nothing."""
    return paramiko.SSHConfig.from_path(str(path)) if path.is_file() else paramiko.SSHConfig()


def target_of(entry: Entry, access: Access) -> Target:
    """Where an entry of an inventory leads; what the inventory says goes before ssh_config.

    Raises:
        Failure: it is reached by a command, which is not run here.
    """
    said = access.config.lookup(entry.host)
    if said.get("proxycommand", "none") != "none":
        raise Failure("ProxyCommand is not run", "ProxyJump is understood")
    jump = said.get("proxyjump", "none")
    port = entry.port
    if port == SSH_PORT:
        port = whole_number(said.get("port", "22"), 1, 65535) or SSH_PORT
    return Target(
        host=said.get("hostname", entry.host),
        port=port,
        user=entry.user or said.get("user") or getpass.getuser(),
        keys=tuple(said.get("identityfile", ())),
        jumps=() if jump == "none" else tuple(jump.split(",")),
    )


def connect(entry: Entry, access: Access) -> list[paramiko.SSHClient]:
    """Connections to the device and all hosts on the way, the device's last; the caller closes.

    Raises:
        Failure: with the cause, at whichever host.
    """
    target = target_of(entry, access)
    opened: list[paramiko.SSHClient] = []
    try:
        sock = None
        for jump in target.jumps[:MOST_JUMPS]:
            hop = _jump(jump, access)
            opened.append(_open(hop, access, sock))
            after = (
                target
                if jump == target.jumps[-1]
                else _jump(target.jumps[target.jumps.index(jump) + 1], access)
            )
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
    found = target_of(Entry(host, host, number or SSH_PORT, user or None), access)
    return Target(found.host, found.port, found.user, found.keys, ())


def _through(client: paramiko.SSHClient, target: Target, access: Access) -> Any:
    transport = client.get_transport()
    if transport is None:
        raise Failure(CLOSED, "the host on the way")
    try:
        return transport.open_channel(
            "direct-tcpip", (target.host, target.port), ("127.0.0.1", 0), timeout=access.timeout
        )
    except SSHException as error:
        raise Failure(REFUSED, f"by way of another host: {error}") from None


class _KeyCheck(paramiko.MissingHostKeyPolicy):  # type: ignore[misc]  # it ships no types
    """Asks our known hosts about every key: none is in paramiko's own tables of keys to trust
    without its type, so each key comes here.
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
            # Each key that is offered and not taken counts as a refused login where they are
            # counted: with a password, only the keys that ssh_config names are offered.
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
    """Let the host show a key of a type that is recorded: it may have several."""
    name = target.host if target.port == SSH_PORT else f"[{target.host}]:{target.port}"
    for one in known.of(target.host, target.port):
        with suppress(SSHException, ValueError, paramiko.pkey.UnknownKeyType):
            key = paramiko.PKey.from_type_string(one.kind, base64.b64decode(one.key))
            client.get_host_keys().add(name, one.kind, key)


def _failure_of(error: Exception, access: Access, *, waited: float) -> Failure:
    """The cause of what went wrong while connecting."""
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
        return Failure("not a host name", "it has no address")
    if isinstance(error, NoValidConnectionsError | ConnectionRefusedError):
        return Failure(REFUSED)
    if isinstance(error, EOFError | ConnectionError):
        return Failure(CLOSED, "while connecting")
    about = error.strerror if isinstance(error, OSError) else None
    return Failure("not reached", about or type(error).__name__)


def _of_protocol(text: str, *, late: bool) -> Failure:
    if "No authentication methods" in text:
        return Failure(LOGIN_REFUSED, "no password and no key is there")
    if late or "imeout" in text or "no response" in text.lower():
        return Failure(TIME_LIMIT, "while connecting")
    if any(word in text for word in ("EOF", "closed", "No existing session", "protocol banner")):
        return Failure(CLOSED, "while connecting")
    return Failure("SSH is not spoken", text.split("\n", maxsplit=1)[0][:100])
