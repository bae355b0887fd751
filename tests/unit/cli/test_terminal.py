"""On a real terminal (a pty): what is read last is what matters, and nothing is lost on the way."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from roce_lint.cli.main import main
from tests.command import fork
from tests.conftest import ROOT

BROKEN = "sample_configs/broken-fabric"
CLEAN = "sample_configs/clean-fabric"
CURSOR_BACK = "\x1b[?25h"
BAR_GONE = re.compile(r"^(?:\x1b\[[0-9]*[AK]|\r|\n)+")
PAINT = re.compile(r"\x1b\[[0-9;]*m")


class Terminal:
    """Output of a command on a terminal of this size."""

    def __init__(self, *words: str, rows: int = 500, columns: int = 100, **environment: str):
        self.status, told = _played(words, rows, columns, environment)
        _, bar, rest = told.rpartition(CURSOR_BACK)  # a progress bar, where there was time for one
        self.raw = BAR_GONE.sub("", rest) if bar else rest
        self.text = PAINT.sub("", self.raw)
        self.lines = self.text.splitlines()


def _played(
    words: tuple[str, ...], rows: int, columns: int, environment: dict[str, str]
) -> tuple[int, str]:
    keys = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "PAGER")
    kept = {name: value for name, value in os.environ.items() if name not in keys}
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    if (child := fork()) == 0:
        for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
            os.dup2(theirs, number)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))
        os.environ.clear()
        os.environ.update({**kept, "TERM": "xterm", **environment})
        sys.argv = ["roce-lint", *words]
        try:
            main()
        finally:
            os._exit(99)
    os.close(theirs)
    told = b"".join(_chunks(ours))
    os.close(ours)
    _, ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended), told.decode().replace("\r\n", "\n")


def _chunks(stream: int) -> Iterator[bytes]:
    try:
        while chunk := os.read(stream, 1 << 16):
            yield chunk
    except OSError:  # Linux says so when the other side is closed
        return


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def broken() -> Terminal:
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        return Terminal("check", BROKEN)
    finally:
        os.chdir(before)


def test_the_verdict_is_the_last_line(broken: Terminal) -> None:
    assert broken.status == 1
    assert broken.lines[-1].startswith("NOT READY: 456 of 462")


def test_the_gravest_stands_next_to_the_prompt(broken: Terminal) -> None:
    heads = re.findall(r"^\S+: (error|warning|info) ([A-Z]{3}\d{3}) ", broken.text, re.MULTILINE)
    order = {"info": 0, "warning": 1, "error": 2}
    ranks = [order[severity] for severity, _ in heads]
    assert ranks == sorted(ranks)
    assert set(ranks) == {1, 2}
    assert heads[-1] == ("error", "ECN003")  # 402 of 462 pairs


def test_the_value_is_marked_between_the_lines_around_it(broken: Terminal) -> None:
    at = next(n for n, text in enumerate(broken.lines) if text.endswith("| mtu 1500".rjust(14)) or text.strip() == "192 |   mtu 1500")  # fmt: skip
    assert broken.lines[at - 2 : at + 4] == [
        "    190 |   priority-flow-control mode on",
        "    191 |   priority-flow-control watch-dog-interval on",
        "    192 |   mtu 1500",
        "        |       ^^^^",
        "    193 |   ip address 10.0.1.5/31",
        "    194 |   no shutdown",
    ]


def test_a_path_is_told_whole_once(broken: Terminal) -> None:
    assert f"{BROKEN}/switches/leaf2.cfg:192: error MTU001" in broken.text
    assert "    hosts/gpu01/ibv_devinfo.txt:15    active_mtu:  4096 (5)" in broken.lines


def test_nothing_wrong_is_told_in_two_lines_and_the_verdict() -> None:
    clean = Terminal("check", CLEAN, columns=120)
    assert clean.status == 0
    assert clean.lines[0].startswith("RoCE DSCP 26: set on 11 hosts; PFC on every hop")
    assert clean.lines[1].startswith("CNP DSCP 48: set on 10 hosts; ")
    assert clean.lines[2] == ""
    assert clean.lines[-1] == "READY: all 462 NIC pairs judged, none broken"
    assert len(clean.lines) == 6
    assert "gpu01/traffic_class-mlx5_0.txt:2" in Terminal("check", CLEAN, "-v").text


def test_no_line_is_wider_than_the_terminal() -> None:
    narrow = Terminal("check", BROKEN, columns=60)
    assert max(map(len, narrow.lines)) <= 60


@pytest.mark.parametrize(
    ("words", "environment", "painted"),
    [
        ((), {}, True),
        ((), {"NO_COLOR": "1"}, False),
        ((), {"CLICOLOR": "0"}, False),
        ((), {"FORCE_COLOR": "0"}, False),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
    ],
)
def test_colour_is_as_it_is_asked_for(
    words: tuple[str, ...], environment: dict[str, str], painted: bool
) -> None:
    shown = Terminal("check", CLEAN, *words, **environment)
    assert bool(PAINT.search(shown.raw)) is painted
    assert len(shown.lines) > 4  # the layout does not hang on colour


@pytest.mark.parametrize("command", [("explain", "PFC001"), ("show", CLEAN)])
def test_what_is_longer_than_the_terminal_goes_through_the_pager(
    command: tuple[str, ...],
) -> None:
    through = Terminal(*command, rows=24, PAGER="sed s/^/paged:/")
    assert through.lines[0].startswith("paged:")
    whole = [line.removeprefix("paged:") for line in through.lines if line.startswith("paged:")]
    plain = Terminal(*command, "--no-pager", rows=24)
    assert whole == plain.lines
    assert not Terminal(*command, rows=5000, PAGER="sed s/^/paged:/").text.startswith("paged:")
    assert Terminal(*command, rows=24, PAGER="no-such-pager").lines == plain.lines


def test_a_trace_begins_with_eight_lines_that_fit() -> None:
    words = ("--from", "gpu01", "--to", "gpu05")
    shown = Terminal("trace", BROKEN, *words, columns=80)
    assert shown.lines[:8] == [
        "gpu01 mlx5_0 to gpu05 mlx5_0: RoCE DSCP 26",
        "    broken on 2 of 2 paths: first at hop 2",
        "    1  gpu01 ens1f0np0  holds",
        "    2  leaf1 Ethernet1/1 > Ethernet32/1  broken: MAP002, PFC001",
        "    3  spine2 Ethernet1/1 > Ethernet3/1  broken: ECN003",
        "    4  leaf3 Ethernet248 > Ethernet0  holds, LNK001",
        "    5  gpu05 ens1f0np0  holds",
        "",
    ]
