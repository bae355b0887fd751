"""Ordinary words that look like those of a terminal stay unchanged."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from roce_lint.loading.load import load
from tests.captures.test_matrix import judged, model, put

LEAF = """\
hostname leaf1
!
banner motd
leaf1#show running-config
--More--
{{ welcome }} to leaf1
hostname elsewhere
EOF
!
qos map dscp 26 to traffic-class 3
!
interface Ethernet1
   description --More-- # show running-config
   mtu 9214
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
!
interface Ethernet2
   description lines 1-23 [root@gpu1 ~]# <leaf2> ${port}
   mtu 9214
!
end
"""


def test_descriptions_and_banners_are_nobodys_prompt(tmp_path: Path) -> None:
    (device,) = load((str(put(tmp_path, LEAF)),), jobs=1).devices
    words = [port.description for port in device.interfaces.values()]
    assert words == [
        "--More-- # show running-config",
        "lines 1-23 [root@gpu1 ~]# <leaf2> ${port}",
    ]
    report = judged(tmp_path / "capture.txt")
    assert [entry for entry in report.diagnostics if entry.incomplete] == []


@pytest.mark.parametrize("prompt", ["leaf1#", "leaf1>", "admin@leaf1:~$ "])
def test_a_banner_in_a_session_is_not_cut(prompt: str, tmp_path: Path) -> None:
    plain = model(put(tmp_path, LEAF))
    assert model(put(tmp_path, f"{prompt}show running-config\n{LEAF}{prompt}exit\n")) == plain


def test_several_devices_are_several(tmp_path: Path) -> None:
    both = LEAF + LEAF.replace("leaf1", "leaf2")
    report = judged(put(tmp_path, both))
    assert [device.name for device in report.devices] == ["leaf1", "leaf2"]


def test_several_devices_that_cannot_be_told_apart_are_refused(tmp_path: Path) -> None:
    both = LEAF.replace("end\n", "").replace("!\n", "") + "interface Ethernet9\n   mtu 9214\n"
    report = judged(put(tmp_path, both + "hostname leaf2\ninterface Ethernet1\n   mtu 1500\n"))
    assert report.devices == []
    (entry,) = report.diagnostics
    assert entry.incomplete
    assert "leaf1, leaf2" in entry.message


HOSTILE = {
    "cursor a million to the right": "\x1b[999999999C" * 1000 + "x",
    "cursor far away, often": "interface Ethernet1\n" + "\x1b[99999C\b" * 20_000 + "\n",
    "returns without end": "hostname leaf1\r" * 100_000,
    "sequences that never end": "\x1b]0;" * 50_000,
    "brackets": "[" * 100_000,
    "JSON in JSON": "{" + '"a": "{' * 1000,
    "hashes": "#" * 200_000 + "\n" + "a#" * 100_000,
    "prompts": "leaf1#show running-config\n" * 50_000,
    "headings": "--- show running-config ---\n" * 50_000,
    "headings of blanks": "# command: x" + " " * 200_000 + "y\n",
    "short headings of blanks": f"--- show{' ' * 900}x\n# command: x{' ' * 900}y\n" * 2000,
    "fences": "```\n" * 100_000,
    "scalars": "a: |\n" * 50_000,
    "blanks": " " * 1_000_000 + "\n" + "\t" * 1_000_000,
    "escaped quotes": '{"a": "' + '\\"' * 200_000,
    "tasks": 'ok: [leaf1] => {"stdout": "a"\n' * 20_000,
    "names": "hostname a\nhostname b\n" * 20_000,
}


@pytest.mark.deep
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_bounded(name: str, tmp_path: Path) -> None:
    begin = time.process_time()
    judged(put(tmp_path, HOSTILE[name]))
    assert time.process_time() - begin < 10
