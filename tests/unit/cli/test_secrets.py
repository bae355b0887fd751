"""No password, key or community of a configuration reaches a report, `show` or the cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.report import FORMATS
from tests.unit.cli.conftest import Run

SECRET = "hunter"  # without digits: shapes of lines have none, and would hide it by chance

CONFIG = f"""! device: leaf1 (DCS-7060X6-64PE, EOS-4.32.1F)
hostname leaf1
username admin secret sha512 $6${SECRET}
enable password {SECRET}
snmp-server community {SECRET} rw
tacacs-server key 7 {SECRET}
!
interface Ethernet1
   no switchport
   mtu 1500
   mtu 1501
   snmp-server community {SECRET} ro
   qos trust password 7 {SECRET}
   priority-flow-control key {SECRET}
   priority-flow-control on
   priority-flow-control priority 3 no-drop
end
"""
TABLES = (
    '{"DEVICE_METADATA": {"localhost": {"hostname": "leaf2"}},'
    f'"PORT": {{"Ethernet0": {{"mtu": "1500", "x_password": "{SECRET}", "passkey": "{SECRET}"}}}},'
    f'"SNMP_COMMUNITY": {{"{SECRET}": {{"TYPE": "RO"}}}},'
    f'"TACPLUS": {{"global": {{"passkey": "{SECRET}"}}}}}}'
)
HOST = f"NCCL_IB_TC=106\nAWS_SECRET_ACCESS_KEY={SECRET}\nDB_PASSWORD='{SECRET}'\nexport TOKEN={SECRET}\n"


@pytest.fixture
def told(site: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> list[str | bytes]:
    """Everything that roce-lint writes about the three devices, and what it keeps."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(site / "cache"))
    (site / "configs" / "gpu1").mkdir()
    (site / "configs" / "leaf1.cfg").write_text(CONFIG)
    (site / "configs" / "leaf2.json").write_text(TABLES)
    (site / "configs" / "gpu1" / "nccl.conf").write_text(HOST)
    outputs = [f"--output={name}=out.{name}" for name in FORMATS]
    words = (["check", "-v", "--show-unknown", "--write-baseline=known", *outputs], ["show", "-v"])
    done = [
        run(*each, "configs") for each in (*words, ["show", "--lines"], ["show", "--format=json"])
    ]
    assert [each.exit_code for each in done] == [0, 0, 0, 0]
    files = [(site / f"out.{name}").read_text() for name in FORMATS]
    kept = [path.read_bytes() for path in (site / "cache").rglob("*") if path.is_file()]
    assert kept != []
    return [each.output for each in done] + files + [(site / "known").read_text()] + kept


def test_no_secret_is_told_or_kept(told: list[str | bytes]) -> None:
    for text in told:
        assert (SECRET if isinstance(text, str) else SECRET.encode()) not in text


def test_the_lines_that_hold_them_are_told(told: list[str | bytes]) -> None:
    assert ": snmp-server community ***" in str(told[0])
    assert ": qos trust password ***" in str(told[0])


TOKEN = "ghp_" + "Zqname" * 5
NAMES = f"""! device: leaf1 (DCS-7060X6-64PE, EOS-4.33.1F)
hostname leaf1
class-map type qos match-any {TOKEN}
   match dscp 26
policy-map type quality-of-service password=Zqpolicy
   class token=Zqclass
      set traffic-class 3
interface Ethernet1
   no switchport
   mtu 9214
   service-policy type qos input secret=Zqreference
end
"""
BARE = """#
 version 7.1.070, Release 6710
#
 sysname leaf2
#
traffic classifier simple operator or
#
acl number 3000
#
qos trust simple Zqbare
interface HundredGigE1/0/1
 port link-mode route
 priority-flow-control simple Zqbare
#
return
"""
KEYS = (
    '{"DEVICE_METADATA": {"localhost": {"hostname": "leaf3"}}, "PORT": {"Ethernet0": {"mtu": "9100"}},'
    '"DSCP_TO_TC_MAP": {"A": {"3": "3", "password": "Zqvalue"}, "password=Zqtable": {"3": "99"}},'
    '"WRED_PROFILE": {"A": {"secret": "Zqwred"}}}'
)


def test_a_secret_as_a_name_or_below_a_key_that_tells_it_is_masked(site: Path, run: Run) -> None:
    """Names of structures, a password written bare, and values in a map of code points."""
    (site / "configs" / "leaf1.cfg").write_text(NAMES)
    (site / "configs" / "leaf2.cfg").write_text(BARE)
    (site / "configs" / "leaf3.json").write_text(KEYS)
    form = ["check", "-v", "--strict", "--show-unknown", "configs", "--no-cache", "--format"]
    told = {name: run(*form, name).output for name in FORMATS}
    told["show json"] = run("show", "--format=json", "-v", "configs", "--no-cache").output
    leaks = [name for name, text in told.items() if "Zq" in text]
    assert leaks == []
    assert "class map token=***" in told["json"]
    assert "DSCP_TO_TC_MAP class '***' is refused" in told["json"]
