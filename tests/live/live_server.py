"""A stand-in for the terminals of all systems: one asyncssh server that records every input.

The login user selects the system: `eos`, `nxos`, ...; its answers are a table of commands. Prompts,
echoes and refusals are those of the system.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncssh

PASSWORD = "correct-Horse-9"

PROMPTS = {
    "eos": "leaf1#",
    "nxos": "leaf1# ",
    "iosxr": "RP/0/RP0/CPU0:leaf1#",
    "junos": "admin@leaf1> ",
    "sonic": "\x1b]0;admin@leaf1: ~\x07\x1b[01;32madmin@leaf1\x1b[00m:~$ ",
    "cumulus": "cumulus@leaf1:mgmt:~$ ",
    "esonic": "leaf1# ",
    "srlinux": "--{ running }--[  ]--\r\nA:leaf1# ",
    "os10": "leaf1# ",
    "aoscx": "leaf1# ",
    "vrp": "<leaf1>",
    "comware": "<leaf1>",
}
SAYS = {
    "terminal width 511": "Width set to 511 columns.",
    "terminal length 0": "Pagination disabled.",
    "set cli screen-width 511": "Screen width set to 511",
    "set cli complete-on-space off": "Disabling complete-on-space",
    "set cli screen-length 0": "Screen length set to 0",
}
REFUSES = {
    "eos": "% Invalid input",
    "nxos": "% Invalid command at '^' marker.",
    "iosxr": "% Invalid input detected at '^' marker.",
    "junos": "unknown command.",
    "sonic": "Error: No such command",
    "cumulus": "Error: no such thing",
    "esonic": "% Error: Invalid input detected",
    "srlinux": "Error: unknown",
    "os10": "% Error: Unrecognized command",
    "aoscx": "Invalid input: x",
    "vrp": "Error: Unrecognized command found",
    "comware": " % Unrecognized command found",
}


@dataclass
class Box:
    """One device: what it prints, and how it misbehaves."""

    nos: str
    answers: dict[str, str]
    prompt: str = ""
    enabled: bool = True
    cut_at: str | None = None  # the connection is cut at this command
    hang_at: str | None = None  # nothing is answered to this one
    flood_at: str | None = None
    chunk: int = 0  # characters at a time, with a pause
    banner: str = ""
    heard: list[str] = field(default_factory=list)


@dataclass
class Live:
    """A running server: its port, its key, and its devices by user."""

    port: int
    key: str
    boxes: dict[str, Box]
    logins: list[str]

    def known(self) -> str:
        """The line of a known_hosts file."""
        return f"[127.0.0.1]:{self.port} {self.key}\n"


class _Server(asyncssh.SSHServer):
    def __init__(self, logins: list[str], connections: list[asyncssh.SSHServerConnection]):
        self._logins, self._connections = logins, connections

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connections.append(conn)

    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        self._logins.append(username)
        return password == PASSWORD and username != "locked"


async def _talk(process: asyncssh.SSHServerProcess, box: Box) -> None:
    out, line = process.stdout, ""
    prompt = box.prompt or PROMPTS[box.nos]
    shell = box.nos == "esonic"
    closed = "" if box.enabled else prompt.replace("#", ">")
    out.write(box.banner + "\r\n" + ("admin@leaf1:~$ " if shell else closed or prompt))
    while data := await process.stdin.read(1024):
        for char in data:
            if char not in "\r\n":
                line += char
                out.write(char)
                continue
            said, line = line.strip(), ""
            box.heard.append(said)
            out.write("\r\n")
            if said == "sonic-cli":
                shell = False
            elif said == "enable":
                closed = ""
            elif said and not await _answer(out, box, said):
                return
            out.write("admin@leaf1:~$ " if shell else closed or prompt)


async def _run(process: asyncssh.SSHServerProcess, box: Box) -> None:
    """A command without a terminal: a host runs it, as far as this machine is one."""
    box.heard.append(process.command)
    given = await process.stdin.read()
    if process.command in box.answers:
        process.stdout.write(box.answers[process.command])
        return
    child = await asyncio.create_subprocess_exec(
        *process.command.split(), stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    said, _ = await child.communicate(given.encode())
    process.stdout.write(said.decode("utf-8", "surrogateescape"))


async def _answer(out, box: Box, said: str) -> bool:
    if said == box.cut_at:
        out.write("half of it")
        return False
    if said == box.hang_at:
        await asyncio.sleep(60)
    while said == box.flood_at:
        out.write("x" * 65536 + "\r\n")
        await out.drain()
    text = box.answers.get(said)
    if text is None:
        known = said in SAYS or said.startswith(("environment ", "no page", "screen-length "))
        text = SAYS.get(said, "") if known else REFUSES[box.nos]
    text = text.replace("\n", "\r\n")
    for at in range(0, len(text), box.chunk or len(text) or 1):
        out.write(text[at : at + (box.chunk or len(text))])
        if box.chunk:
            await asyncio.sleep(0.02)
    if text and not text.endswith("\n"):
        out.write("\r\n")
    return True


@contextmanager
def serve(boxes: dict[str, Box]) -> Iterator[Live]:
    """A server with these devices, by user, until the block ends."""
    loop = asyncio.new_event_loop()
    key = asyncssh.generate_private_key("ssh-ed25519")
    logins: list[str] = []
    connections: list[asyncssh.SSHServerConnection] = []

    async def handle(process: asyncssh.SSHServerProcess) -> None:
        box = boxes[process.get_extra_info("username")]
        try:
            await (_run(process, box) if process.command else _talk(process, box))
        except (asyncssh.Error, OSError):
            box.heard.append("(gone)")
        process.exit(0)

    async def begin() -> asyncssh.SSHAcceptor:
        return await asyncssh.create_server(
            lambda: _Server(logins, connections), "127.0.0.1", 0, server_host_keys=[key],
            process_factory=handle, line_editor=False, encoding="utf-8", errors="surrogateescape",
            backlog=512,
        )  # fmt: skip

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(begin(), loop).result(10)
    public = key.export_public_key().decode().strip()
    try:
        yield Live(server.sockets[0].getsockname()[1], public, boxes, logins)
    finally:
        stop: Callable[[], None] = server.close
        loop.call_soon_threadsafe(stop)
        asyncio.run_coroutine_threadsafe(_end(connections), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def _end(connections: list[asyncssh.SSHServerConnection]) -> None:
    for each in connections:
        each.abort()
        await each.wait_closed()
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def inventory(path: Path, live: Live, nos: dict[str, str] | None = None) -> Path:
    """An inventory of all devices of a server, each named after its user."""
    rows = [
        f"  - {{name: {user}, host: 127.0.0.1, port: {live.port}, user: {user}, "
        f"nos: {(nos or {}).get(user, box.nos)}}}"
        for user, box in live.boxes.items()
    ]
    path.write_text("\n".join(["devices:", *rows]) + "\n", encoding="utf-8")
    return path
