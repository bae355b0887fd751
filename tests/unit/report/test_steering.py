"""Text of a configuration controls neither a terminal nor the pipeline that keeps the log."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from roce_lint.cli.main import cli
from roce_lint.report import FORMATS
from roce_lint.report.wording import clean, escape_json

COMMANDS = re.compile(r"##\[|##vso\[|^\s*::(?:error|set-output)", re.MULTILINE)
CONFIG = """\
! device: leaf1##vso[task.setvariable variable=PATH]evil (DCS-7060X6-64PE, EOS-4.32.1F)
hostname leaf1##vso[task.complete]x
!
qos profile ##[add-mask]e
   qos trust dscp
!
interface Ethernet1
   description ##vso[task.setvariable variable=PATH]/evil
   mtu 99999
   service-profile ::set-output name=a::b
   service-profile ##[set-env name=PATH]evil
   qos trust ##vso[task.complete]
   priority-flow-control \x9b31m \u202e on
!
end
"""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a ##vso[task.x]b ##[error]c", "a # #vso[task.x]b # #[error]c"),
        ("::error file=a::b", ": :error file=a::b"),
        ("::endgroup::", ": :endgroup::"),
        ("ip route fd00::a/64 fd00::b ## note", "ip route fd00::a/64 fd00::b ## note"),
        ("## SECRET-DATA, #[x], Foo::bar::baz", "## SECRET-DATA, #[x], Foo::bar::baz"),
    ],
)
def test_commands_of_pipelines_are_broken(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_json_keeps_its_data() -> None:
    data = {"a": "##vso[x] ##[y] \x7f\x9b \u202e", "b": "##"}
    text = escape_json(json.dumps(data, ensure_ascii=False))
    assert json.loads(text) == data
    assert text.isascii()
    assert not COMMANDS.search(text)


@pytest.mark.parametrize("format_name", [*FORMATS, "show", "show-json"])
def test_no_output_holds_a_command(format_name: str, tmp_path: Path) -> None:
    (tmp_path / "leaf1.cfg").write_text(CONFIG, encoding="utf-8")
    words = ["check", "-v", "--show-unknown", "--no-cache", "--format", format_name]
    if format_name.startswith("show"):
        words = ["show", "--no-cache", *(["--format=json"] if format_name == "show-json" else [])]
    done = CliRunner().invoke(cli, [*words, str(tmp_path)])
    told = done.stdout + done.stderr
    if format_name == "github":  # its own commands begin a line, and none comes from a device
        told = "\n".join(
            (line if line[:1] == " " else line.partition("::")[2].partition("::")[2])
            for line in told.splitlines()
        )
    assert done.exit_code in (0, 1)
    assert "evil" in told
    assert not COMMANDS.search(told)
    assert not any(mark in told for mark in "\x9b\u202e")
