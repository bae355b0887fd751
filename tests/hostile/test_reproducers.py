"""Inputs that once crashed, hung or bloated a run, beside a fabric whose errors stay."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from roce_lint.cli.main import cli
from roce_lint.report import FORMATS
from tests.conftest import ROOT, Within

EOS = "! device: leaf1 (DCS-7060X6-64PE, EOS-4.33.1F)\nhostname x\n"
NXOS = "!Command: show running-config\nversion 9.3(3)\nhostname x\n"
IOSXR = "!! IOS XR Configuration 7.5.2\nhostname x\n"
DIGITS = "9" * 5000


def sonic(port: str, extra: str = "") -> str:
    name = '"DEVICE_METADATA":{"localhost":{"hostname":"x"}}'
    return f'{{{name},"PORT":{{"Ethernet0":{{"mtu":"9100",{port}}}}}{extra}}}'


def groups(n: int) -> str:
    made = "".join(f" g{i} {{ interfaces {{ <et-*> {{ mtu {i + 1500}; }} }} }}\n" for i in range(n))
    ports = "".join(f" et-0/0/{i} {{ mtu 9216; }}\n" for i in range(n))
    names = " ".join(f"g{i}" for i in range(n))
    head = f"system {{ host-name x; }}\ngroups {{\n{made}}}\napply-groups [ {names} ];\n"
    return head + f"interfaces {{\n{ports}}}\n"


def nested(n: int) -> str:
    made = "".join(f" g{i} {{ apply-groups g{i + 1}; }}\n" for i in range(n))
    head = f"system {{ host-name x; }}\ngroups {{\n{made}}}\napply-groups g0;\n"
    return head + "interfaces { et-0/0/0 { mtu 9216; } }\n"


def lldpad(blanks: int) -> str:
    line = f"enableTx ={' ' * blanks};;x"
    return f"lldp :\n{{\n  e0 :\n  {{\n    tlvid0080c20b :\n    {{\n      {line}\n    }};\n  }};\n}};\n"


def loops() -> str:
    names = " ".join(f"eth{i}" for i in range(4000))
    inner = "".join(f"for v{i} in 1 2 3 4 5 6 7 8; do\n" for i in range(20))
    one = f"for i in {names}; do mlnx_qos -i $i --pfc 0,0,0,1,0,0,0,0; done\n"
    return "#!/bin/bash\n" + one + inner + "mlnx_qos -i $v1 --trust dscp\n" + "done\n" * 20


def nvue() -> str:
    lists = "".join(f"      swp1-{i}:\n        link: {{mtu: 9216}}\n" for i in range(2, 3000))
    return f"- set:\n    system:\n      hostname: x\n    interface:\n{lists}"


CASES = {
    "surrogate in a key": ("x.json", sonic('"\\ud800":"1"')),
    "surrogate in a map": ("x.json", sonic('"dscp_to_tc_map":"m\\ud800"')),
    "surrogate in a list": ("x.json", sonic('"a":"1"', ',"BUFFER_PG":{"Ethernet0|3":{"profile_list":"\\ud800"}}')),
    "eos dscp": ("x.cfg", f"{EOS}qos map dscp {DIGITS} to traffic-class 3\n"),
    "eos share": ("x.cfg", f"{EOS}interface Ethernet1\n   tx-queue 3\n      bandwidth percent {DIGITS[:400]}\n"),
    "nxos dscp": ("x.cfg", f"{NXOS}class-map type qos match-all a\n  match dscp {DIGITS}\n"),
    "iosxr dscp": ("x.cfg", f"{IOSXR}class-map match-any a\n match dscp {DIGITS}\n end-class-map\n!\n"),
    "nxos svi": ("x.cfg", f"{NXOS}feature interface-vlan\ninterface Vlan5\n  no shutdown\ninterface Vlan5 x\n  no shutdown\n"),
    "nxos trailing": ("x.cfg", f"{NXOS}interface Ethernet1/1\n  mtu 9216 {'a !' * 64_000}x\n"),
    "lldpad": ("x/lldpad.conf", lldpad(4000)),
    "ibdev2netdev": ("x/ibdev2netdev.txt", "a " + "(a)" * 64_000 + "\n"),
    "junos groups": ("x.conf", groups(250)),
    "junos nested groups": ("x.conf", nested(8000)),
    "shell loops": ("x/qos.sh", loops()),
    "nvue lists": ("x.yaml", nvue()),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_others_are_judged_in_time(name: str, tmp_path: Path, within: Within) -> None:
    file, text = CASES[name]
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    (tmp_path / "leaf9.cfg").write_text(
        "! device: leaf9 (DCS-7060X6-64PE, EOS-4.33.1F)\nhostname leaf9\ninterface Ethernet1\n"
        "   no switchport\n   mtu 9214\n   service-policy type qos input GONE\n"
    )
    words = ["check", str(tmp_path), "--no-cache", "-j", "1", "--format", "json"]
    with within(30):  # each took minutes to days, or ended the run
        done = CliRunner().invoke(cli, words, prog_name="roce-lint")
    assert isinstance(done.exception, SystemExit), done.exception
    report = json.loads(done.stdout)
    assert "leaf9" in {device["name"] for device in report["devices"]}
    assert any(finding["device"] == "leaf9" for finding in report["findings"])
    rules = {finding["rule"] for finding in report["findings"]}
    assert not rules & {"SRC900", "SRC901"}


def test_a_surrogate_beside_a_broken_fabric_costs_no_report(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(sonic('"\\ud800":"1"'))
    outputs = [f"--output={name}={tmp_path}/out.{name}" for name in FORMATS]
    paths = [str(ROOT / "sample_configs" / "broken-fabric"), str(tmp_path / "x.json")]
    words = ["check", "--no-cache", *outputs, *paths]
    done = CliRunner().invoke(cli, words, prog_name="roce-lint")
    assert done.exit_code == 1
    assert "MTU001" in done.stdout
    for name in FORMATS:
        assert (tmp_path / f"out.{name}").stat().st_size


def test_the_working_folder_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("open('PWNED', 'w')\n")
    code = [sys.executable, "-m", "roce_lint", "--version"]
    subprocess.run(
        code, cwd=tmp_path, check=False, capture_output=True, env={"PYTHONPATH": str(ROOT)}
    )
    assert not (tmp_path / "PWNED").exists()
