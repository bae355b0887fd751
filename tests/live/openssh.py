"""A real OpenSSH server on a port of this machine, which starts an sshd for each connection."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.parts import part

SETTINGS = """\
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/.ssh/id_ed25519.pub
AuthenticationMethods publickey
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
LogLevel VERBOSE
"""


@dataclass(frozen=True)
class Sshd:
    """A running server: its port, its public key, and the file of its log."""

    port: int
    key: str
    log: Path

    def known(self) -> str:
        """The line of a known_hosts file."""
        return f"[127.0.0.1]:{self.port} {self.key}\n"


def keygen(file: Path) -> str:
    """Make a key; give its public half."""
    file.parent.mkdir(exist_ok=True)
    words = [part("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(file)]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    return file.with_name(f"{file.name}.pub").read_text(encoding="utf-8").strip()


@contextmanager
def sshd(folder: Path, *settings: str) -> Iterator[Sshd]:
    """A server that lets in the key of the home `folder`, until the block ends."""
    program = part("sshd")
    public = keygen(folder / "host_key")
    keygen(folder / ".ssh" / "id_ed25519")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # where its children without rights live
    config, log = folder / "sshd_config", folder / "sshd.log"
    config.write_text(SETTINGS.format(folder=folder) + "".join(f"{line}\n" for line in settings))
    words = [program, "-i", "-f", str(config), "-E", str(log)]
    children: list[subprocess.Popen[bytes]] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):  # it is closed when the block ends
                while True:
                    one, _ = listening.accept()
                    with one:
                        children.append(subprocess.Popen(words, stdin=one, stdout=one))

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield Sshd(listening.getsockname()[1], public, log)
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()
            for child in children:
                child.wait(60)
