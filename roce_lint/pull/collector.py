"""Runs the collector on a host over one connection; what it brings is a tar of answers."""

from __future__ import annotations

import io
import tarfile
import time
from typing import Any

from roce_lint.pull.dialog import Limits
from roce_lint.pull.failure import CLOSED, TIME_LIMIT, TOO_LARGE, Failure
from roce_lint.resources import resource_dir
from roce_lint.text.masking import mask_secrets

FILE = "collected.tar"
MEMBERS = 20_000
_BEGIN = "set -u\n"


def script(name: str) -> bytes:
    """The collector for a host of that name, as `host-script` prints it."""
    path = resource_dir("templates") / "linux" / "collect" / "collect.sh"
    text = path.read_text(encoding="utf-8")
    return text.replace(_BEGIN, f"{_BEGIN}ROCE_LINT_HOST={name}\n", 1).encode()


def collect(client: Any, name: str, limits: Limits) -> bytes:
    """The tar that the collector writes on a host, without secrets.

    Raises:
        Failure: the connection is closed, a limit is passed, or it is no tar.
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
                raise Failure(TIME_LIMIT, "the collector did not end")
    except TimeoutError:
        raise Failure(TIME_LIMIT, "the collector did not end") from None
    except (OSError, EOFError):
        raise Failure(CLOSED) from None
    return without_secrets(bytes(data))


def without_secrets(data: bytes) -> bytes:
    """A tar of which every text is masked; what is no plain file is left out.

    Raises:
        Failure: it is no tar, or was cut off.
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
        raise Failure("the collector did not answer", "what came is no tar") from None
    if not members:
        raise Failure("the collector did not answer", "nothing came")
    return written.getvalue()
