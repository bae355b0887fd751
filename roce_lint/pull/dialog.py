"""One command and its answer, on a terminal: until the prompt stands alone on the last line."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Protocol

from roce_lint.pull.failure import CLOSED, TIME_LIMIT, TOO_LARGE, Failure

LARGEST = 64 << 20
"""Bytes of an answer; the configuration of a chassis has 5 MB."""

NAP = 0.05
"""Seconds after which a terminal that says nothing has said what it had to say."""

_TAIL = 4096
_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[()][0-9A-B]|\x1b[=>78MDEHc]"
)
_PROMPT = re.compile(r"\S.{0,254}[>#$%\]]", re.DOTALL)


class Terminal(Protocol):
    """What a channel of an SSH connection has to be here."""

    def settimeout(self, seconds: float) -> None:
        """Let the next read wait so long."""

    def recv(self, count: int) -> bytes:
        """What came, at most so many bytes; nothing at the end."""

    def sendall(self, data: bytes) -> None:
        """Send all of it."""


@dataclass(frozen=True)
class Limits:
    """How long an answer may take, in seconds, and how many bytes it may have."""

    command: float
    until: float  # on the clock time.monotonic: the end for the whole device
    largest: int = LARGEST


class Dialog:
    """Commands and answers on a terminal of which the prompt was learned."""

    def __init__(self, terminal: Terminal, limits: Limits, around: str):
        self._terminal = terminal
        self._limits = limits
        self._around = re.compile(around)
        self._prompt = re.compile(r"(?!)")
        self.prompt = ""

    def learn(self) -> str:
        """The prompt: what an empty line is answered with.

        Raises:
            Failure: nothing comes that looks like one.
        """
        end = self._end()
        self._send("")
        said = b""
        while True:
            more = self._receive(end, NAP if self._looks_ready(said) else None)
            if more is None:
                self.prompt = _last_line(clean(said))
                digits = re.sub(r"\d+", lambda _: r"\d+", re.escape(self.prompt))
                self._prompt = re.compile(digits)
                return self.prompt
            said += more

    def ask(self, command: str) -> str:
        """The answer to a command, without its echo and the prompt.

        An answer may hold a line that looks like the prompt. So where the prompt stands on the
        last line an empty line is sent, which is answered by the prompt once more, and behind
        whatever was still to come.

        Raises:
            Failure: the connection is closed, or a limit is passed.
        """
        end = self._end()
        self._drain()
        self._send(command)
        said, asked = bytearray(), False
        while True:
            more = self._receive(end, None)
            said += more or b""
            if len(said) > self._limits.largest:
                raise Failure(TOO_LARGE, f"{command}: more than {self._limits.largest} bytes")
            prompts = self._prompts(bytes(said[-_TAIL:]))
            if prompts and not asked:
                asked = True
                self._send("")
            elif prompts > 1:
                return self._answer(bytes(said), command)

    def until(self, wanted: re.Pattern[str]) -> str:
        """What is said until a pattern is met at its end; for a question with its answer.

        Raises:
            Failure: the connection is closed, or the time is over.
        """
        end, said = self._end(), b""
        while not wanted.search(clean(said)[-_TAIL:]):
            said += self._receive(end, None) or b""
        return clean(said)

    def send_hidden(self, secret: str) -> None:
        """Answer a question for a password."""
        self._terminal.sendall(f"{secret}\n".encode())

    def _end(self) -> float:
        return min(time.monotonic() + self._limits.command, self._limits.until)

    def _send(self, line: str) -> None:
        try:
            self._terminal.sendall(f"{line}\n".encode())
        except OSError:
            raise Failure(CLOSED) from None

    def _receive(self, end: float, nap: float | None) -> bytes | None:
        """What comes next; None where nothing comes for so short a time."""
        left = end - time.monotonic()
        if left <= 0:
            raise Failure(TIME_LIMIT, "no prompt behind the answer")
        self._terminal.settimeout(min(nap, left) if nap else left)
        try:
            data = self._terminal.recv(1 << 16)
        except TimeoutError:
            if nap:
                return None
            raise Failure(TIME_LIMIT, "no prompt behind the answer") from None
        except OSError:
            raise Failure(CLOSED) from None
        if not data:
            raise Failure(CLOSED)
        return data

    def _drain(self) -> None:
        while self._receive(time.monotonic() + 1, NAP / 10) is not None:
            pass

    def _looks_ready(self, said: bytes) -> bool:
        return _PROMPT.fullmatch(_last_line(clean(said[-_TAIL:]))) is not None

    def _prompts(self, tail: bytes) -> int:
        """How many prompts stand alone at the end: 0, 1, or 2."""
        lines = [line.strip() for line in clean(tail).split("\n")]
        if not self._prompt.fullmatch(lines[-1]):
            return 0
        before = [line for line in lines[:-1] if line and not self._around.fullmatch(line)]
        return 2 if before and self._prompt.fullmatch(before[-1]) else 1

    def _answer(self, said: bytes, command: str) -> str:
        lines = clean(said).split("\n")
        prompts = 0
        while lines and prompts < 2:
            last = lines.pop().strip()
            prompts += self._prompt.fullmatch(last) is not None
        while lines and (not lines[-1].strip() or self._around.fullmatch(lines[-1].strip())):
            lines.pop()
        # The echo is the first line with the command; an echo of the line before may precede it.
        for number, line in enumerate(lines[:3]):
            if line.rstrip().endswith(command):
                del lines[: number + 1]
                break
        return "".join(f"{line}\n" for line in lines)


def clean(data: bytes) -> str:
    """Bytes of a terminal as text: without escapes, NUL and what backspaces take back."""
    text = data.decode("utf-8", "replace").replace("\x00", "").replace("\r\n", "\n")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\b" in text:
        text = _erase(text)
    return text.replace("\r\n", "\n").replace("\r", "\n" if "\n" not in text else "")


def _erase(text: str) -> str:
    """What is left where each backspace takes one character of its line."""
    first, *rest = text.split("\b")
    left = list(first)
    for piece in rest:
        if left and left[-1] != "\n":
            left.pop()
        left += piece
    return "".join(left)


def _last_line(text: str) -> str:
    return text.rsplit("\n", 1)[-1].strip()
