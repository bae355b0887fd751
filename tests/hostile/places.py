"""Runs of the command with restrictions, and the files they leave behind."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

BROKEN = ROOT / "sample_configs" / "broken-fabric"
HOSTS = BROKEN / "hosts"  # with findings, and checked in half the time
COMMAND = [sys.executable, "-m", "roce_lint"]
OTHER = 65534
CAPABILITIES = range(4)
"""CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER of capabilities(7): what lets root
read and write whatever the permissions are.
"""
VERSION_3 = 0x20080522


def bound_by_permissions() -> None:
    """Make permissions apply to root as well."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        header, sets = (ctypes.c_uint32 * 2)(VERSION_3, 0), (ctypes.c_uint32 * 6)()
        assert libc.capget(header, sets) == 0
        for kind in range(3):  # effective, permitted, inheritable
            sets[kind] &= ~sum(1 << each for each in CAPABILITIES)
        assert libc.capset(header, sets) == 0


def another_user() -> None:
    """A user that owns nothing here."""
    os.setgroups([])
    os.setgid(OTHER)
    os.setuid(OTHER)


def quota(size: int) -> Callable[[], None]:
    """No file may grow beyond so many bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def patience() -> None:
    """End a process that waits for ever, or reads without end."""
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    signal.alarm(120)


@contextlib.contextmanager
def disk(place: Path) -> Iterator[Path]:
    """A disk of 64 KiB."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:  # noqa: PLW1510
        pytest.skip("only root can make a disk that is full")
    yield place
    subprocess.run(["umount", str(place)], check=True)
