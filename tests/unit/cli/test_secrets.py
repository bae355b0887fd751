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
    assert "not understood: snmp-server community ***" in str(told[0])
    assert "not understood: qos trust password ***" in str(told[0])
