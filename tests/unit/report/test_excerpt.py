"""The lines around a finding, the mark under its value, and the short line of a hop."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.report.blocks import Near, value_columns
from roce_lint.report.trace import cut
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Location, SourceFile, SourceMap, Where, digest


@pytest.mark.parametrize(
    ("text", "message", "value"),
    [
        ("   mtu 1500", "carries 1500 bytes, 9214 are needed", "1500"),
        ("pfc priority 4 no-drop", "pauses priority 4, not 3", "4"),
        ("DSCP : 26 ==> priority : 2", "puts DSCP 26 into priority 2", "2"),
        ("   qos trust cos", "classifies by 802.1p", "qos trust cos"),
        ("   service-policy ROCE-IN", "no policy ROCE-IN is defined", "ROCE-IN"),
        ("", "anything", ""),
    ],
)
def test_the_value_is_what_the_message_repeats(text: str, message: str, value: str) -> None:
    begin, end = value_columns(text, message)
    assert text[begin:end] == value


def excerpts_of(path: Path, line: int) -> Excerpts:
    text = path.read_text()
    source = SourceMap()
    source.add(SourceFile(path.name, text, digest(text.encode()), str(path)), "running-config")
    found = Excerpts()
    found.locate(Where(source, line))
    return found


def shown(path: Path, line: int, width: int = 80) -> list[str]:
    near = Near(excerpts_of(path, line), str(path.parent), str(path.parent), width)
    return [each.text for each in near.lines(Location(path.name, line, ""), "mtu 1500", "error")]


def test_secrets_around_a_line_are_masked(tmp_path: Path) -> None:
    path = tmp_path / "leaf1.cfg"
    path.write_text("username x secret 0 hunter22\n\tmtu 1500\nend\n")
    lines = shown(path, 2)
    assert "hunter22" not in "\n".join(lines)
    assert lines[1:3] == ["    2 |         mtu 1500", "      |             ^^^^"]


def test_a_mark_under_a_folded_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "leaf1.cfg"
    path.write_text(f"{'x' * 90} 1500\n")
    assert len(shown(path, 1, width=80)) == 1
    assert len(shown(path, 1, width=120)) == 2


def test_a_file_that_changed_shows_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "leaf1.cfg"
    path.write_text("mtu 1500\n")
    found = excerpts_of(path, 1)
    assert found.around("leaf1.cfg", 1, 2) == [(1, "mtu 1500")]
    assert found.around("other.cfg", 1, 2) == []
    assert found.around("leaf1.cfg", 0, 2) == []
    source = SourceMap()
    source.add(SourceFile("leaf1.cfg", "mtu 9214\n", digest(b"mtu 9214\n"), str(path)), "x")
    other = Excerpts()
    other.locate(Where(source, 1))
    assert other.around("leaf1.cfg", 1, 2) == []


def test_what_is_cut_keeps_both_ends() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcdefghij", 7) == "abc\N{HORIZONTAL ELLIPSIS}hij"
    assert len(cut("x" * 300, 76)) == 76
