"""One command and its answer on a terminal (up to the prompt on the last line), and failures."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Protocol

# Failures of a collection, as grouped in reports.


class Failure(Exception):
    """A device that could not be collected from, or not completely: the cause, and details."""

    def __init__(self, cause: str, about: str = ""):
        super().__init__(cause, about)
        self.cause = cause
        self.about = about

    def __str__(self) -> str:
        return f"{self.cause} ({self.about})" if self.about else self.cause


LOGIN_REFUSED = "login refused"
CHANGED = "host key changed"
UNKNOWN_KEY = "host key unknown"
REFUSED = "connection refused"
TIME_LIMIT = "time limit"
CLOSED = "connection closed"
TOO_LARGE = "output too large"
NOT_TRIED = "not tried"


# Dialogs.

LARGEST = 64 << 20
"""Bytes of an answer; the configuration of a chassis has 5 MB."""

NAP = 0.05
"""Seconds of silence after which an answer is taken as complete."""

_TAIL = 4096
_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[()][0-9A-B]|\x1b[=>78MDEHc]"
)
_PROMPT = re.compile(r"\S.{0,254}[>#$%\]]", re.DOTALL)


class Terminal(Protocol):
    """Methods of an SSH channel that are used here."""

    def settimeout(self, seconds: float) -> None:
        """Set the timeout of the next read."""

    def recv(self, count: int) -> bytes:
        """Read at most so many bytes; nothing at the end."""

    def sendall(self, data: bytes) -> None:
        """Send all bytes."""


@dataclass(frozen=True)
class Limits:
    """Limits of an answer, in seconds and bytes."""

    command: float
    until: float  # on the clock time.monotonic: the end for the whole device
    largest: int = LARGEST


class Dialog:
    """Commands and answers on a terminal with a known prompt."""

    def __init__(self, terminal: Terminal, limits: Limits, around: str):
        self._terminal = terminal
        self._limits = limits
        self._around = re.compile(around)
        self._prompt = re.compile(r"(?!)")
        self.prompt = ""

    def learn(self) -> str:
        """Learn the prompt: the answer to an empty line.

        Raises:
            Failure: there is no answer that looks like a prompt.
        """
        end = self._end()
        self._send("")
        output = b""
        while True:
            ready = _PROMPT.fullmatch(_last_line(clean(output[-_TAIL:])))
            more = self._receive(end, NAP if ready else None)
            if more is None:
                self.prompt = _last_line(clean(output))
                digits = re.sub(r"\d+", lambda _: r"\d+", re.escape(self.prompt))
                self._prompt = re.compile(digits)
                return self.prompt
            output += more

    def run(self, command: str) -> str:
        """The answer to a command, without its echo and the prompt.

        An answer may contain a line that looks like the prompt. So when the last line is the prompt
        an empty line is sent, which the device answers with another prompt, after the rest of the
        output.

        Raises:
            Failure: the connection is closed, or a limit is exceeded.
        """
        end = self._end()
        self._drain()
        self._send(command)
        output, confirmed = bytearray(), False
        while True:
            output += self._receive(end, None) or b""
            if len(output) > self._limits.largest:
                raise Failure(TOO_LARGE, f"{command}: more than {self._limits.largest} bytes")
            prompts = self._prompts(bytes(output[-_TAIL:]))
            if prompts and not confirmed:
                confirmed = True
                self._send("")
            elif prompts > 1:
                return self._answer(bytes(output), command)

    def until(self, wanted: re.Pattern[str]) -> str:
        """Read until a pattern matches at the end; for a question and its answer.

        Raises:
            Failure: the connection is closed, or the time is over.
        """
        end, output = self._end(), b""
        while not wanted.search(clean(output)[-_TAIL:]):
            output += self._receive(end, None) or b""
        return clean(output)

    def send_hidden(self, secret: str) -> None:
        """Send a password."""
        self._terminal.sendall(f"{secret}\n".encode())

    def _end(self) -> float:
        return min(time.monotonic() + self._limits.command, self._limits.until)

    def _send(self, line: str) -> None:
        try:
            self._terminal.sendall(f"{line}\n".encode())
        except OSError:
            raise Failure(CLOSED) from None

    def _receive(self, end: float, nap: float | None) -> bytes | None:
        """Read the next bytes; None if nothing comes within `nap`."""
        left = end - time.monotonic()
        if left <= 0:
            raise Failure(TIME_LIMIT, "no prompt after the answer")
        self._terminal.settimeout(min(nap, left) if nap else left)
        try:
            data = self._terminal.recv(1 << 16)
        except TimeoutError:
            if nap:
                return None
            raise Failure(TIME_LIMIT, "no prompt after the answer") from None
        except OSError:
            raise Failure(CLOSED) from None
        if not data:
            raise Failure(CLOSED)
        return data

    def _drain(self) -> None:
        while self._receive(time.monotonic() + 1, NAP / 10) is not None:
            pass

    def _prompts(self, tail: bytes) -> int:
        """Number of prompts at the end: 0, 1, or 2."""
        lines = [line.strip() for line in clean(tail).split("\n")]
        if not self._prompt.fullmatch(lines[-1]):
            return 0
        before = [line for line in lines[:-1] if line and not self._around.fullmatch(line)]
        return 2 if before and self._prompt.fullmatch(before[-1]) else 1

    def _answer(self, output: bytes, command: str) -> str:
        lines = clean(output).split("\n")
        prompts = 0
        while lines and prompts < 2:
            prompts += self._prompt.fullmatch(lines.pop().strip()) is not None
        while lines and (not lines[-1].strip() or self._around.fullmatch(lines[-1].strip())):
            lines.pop()
        # The echo is the first line with the command; an echo of the line before may precede it.
        for number, line in enumerate(lines[:3]):
            if line.rstrip().endswith(command):
                del lines[: number + 1]
                break
        return "".join(f"{line}\n" for line in lines)


def clean(data: bytes) -> str:
    """Convert terminal bytes to text: without escapes, NUL and erased characters."""
    text = data.decode("utf-8", "replace").replace("\x00", "").replace("\r\n", "\n")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\b" in text:
        text = _erase(text)
    return text.replace("\r\n", "\n").replace("\r", "\n" if "\n" not in text else "")


def _erase(text: str) -> str:
    """Apply backspaces, each of which erases one character of its line."""
    first, *rest = text.split("\b")
    left = list(first)
    for piece in rest:
        if left and left[-1] != "\n":
            left.pop()
        left += piece
    return "".join(left)


def _last_line(text: str) -> str:
    return text.rsplit("\n", 1)[-1].strip()
