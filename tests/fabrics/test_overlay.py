"""RoCE in VXLAN between two leaves: the walk follows the outer header, or says what is missing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from roce_lint.cli.main import cli
from tests.nos.pair import HOSTS

PORTS = ("Ethernet1/1", "Ethernet49/1", "Ethernet50/1")
COPY = "vxlan qos dscp propagation encapsulation"
OUTER = "vxlan qos map dscp to traffic-class decapsulation"


def eos(name: str, *overlay: str) -> str:
    lines = [
        f"! device: {name} (DCS-7060X6-64PE, EOS-4.33.1F)", f"hostname {name}",
        "qos profile ROCE", "   qos trust dscp", "   priority-flow-control on",
        "   priority-flow-control priority 3 no-drop",
    ]  # fmt: skip
    if overlay:
        lines += ["interface Vxlan1", "   vxlan vlan 10 vni 10010", *(f"   {t}" for t in overlay)]
    for n, port in enumerate(PORTS):
        bridged = overlay and n == 0
        mode = "switchport access vlan 10" if bridged else "no switchport"
        lines += [f"interface {port}", "   mtu 9214", f"   {mode}", "   service-profile ROCE"]
    return "\n".join(lines) + "\n"


@pytest.fixture
def fabric(tmp_path: Path) -> Path:
    for host in ("gpu1", "gpu2"):
        shutil.copytree(HOSTS / host, tmp_path / "hosts" / host)
    (tmp_path / "spine1.cfg").write_text(eos("spine1"))
    (tmp_path / "links.yaml").write_text(
        "- [leaf1:Ethernet1/1, gpu1:ens1np0]\n"
        "- [leaf2:Ethernet1/1, gpu2:ens1np0]\n"
        "- [leaf1:Ethernet49/1, spine1:Ethernet49/1]\n"
        "- [leaf2:Ethernet49/1, spine1:Ethernet50/1]\n"
    )
    return tmp_path


def hops(fabric: Path, *overlay: str) -> list[dict[str, Any]]:
    for leaf in ("leaf1", "leaf2"):
        (fabric / f"{leaf}.cfg").write_text(eos(leaf, *overlay))
    words = ["trace", str(fabric), "--from", "gpu1", "--to", "gpu2", "--format", "json"]
    done = CliRunner().invoke(cli, [*words, "--no-cache"])
    assert done.exit_code in (0, 1), done.output
    (trace,) = json.loads(done.stdout)["traces"]
    (way,) = trace["ways"]
    return list(way["hops"])


def seen(found: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(hop["dscp"]["value"], hop["tc"]["value"], hop["dscp_out"]["value"]) for hop in found]


def test_a_copied_code_point_is_in_its_class_on_every_hop(fabric: Path) -> None:
    assert seen(hops(fabric, COPY, OUTER))[1:] == [
        ("26", "3", "26 over 26"), ("26 over 26", "3", "26 over 26"), ("26 over 26", "3", "26"),
        ("26", "3", "-"),
    ]  # fmt: skip


def test_without_a_line_the_hops_behind_are_not_known_and_say_so(fabric: Path) -> None:
    found = hops(fabric, f"no {OUTER}")
    assert seen(found)[1:4] == [
        ("26", "3", "? over 26"), ("? over 26", "?", "? over 26"), ("? over 26", "3", "?"),
    ]  # fmt: skip
    lack = "the DSCP that leaf1 Vxlan1 writes into the outer header"
    assert [lack in hop["missing"] for hop in found] == [False, False, True, False, True]


def test_routed_hosts_are_not_in_the_overlay(fabric: Path) -> None:
    assert seen(hops(fabric))[1:] == [("26", "3", "26")] * 3 + [("26", "3", "-")]
