"""Forms other than configurations are reported with the form to save instead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.captures.bases import BASES
from tests.captures.test_matrix import is_incomplete, judged

LEAF = """hostname leaf1
interface Ethernet1
   mtu 9214
   priority-flow-control on
   priority-flow-control priority 3 no-drop
end
"""

COMPARED = """ hostname leaf1
 interface Ethernet1
-   mtu 1500
+   mtu 9214
    priority-flow-control on
 end
"""

FORMS = {
    "a table": (b"Hostname,Interface,MTU\nleaf1,Ethernet1,9214\nleaf1,Ethernet2,1500\n", "CSV"),
    "a table of a program": (b'"device";"port";"mtu"\n"leaf1";"Ethernet1/1";"9216"\n', "CSV"),
    "a table with tabs": (b"Device\tPort\tMTU\nleaf1\tEthernet1\t9214\n", "CSV"),
    "letters of a mainframe": ((LEAF * 3).encode("cp037"), "EBCDIC"),
    "7z": (b"7z\xbc\xaf\x27\x1c" + bytes(40), "unpack"),
    "RAR": (b"Rar!\x1a\x07\x00" + bytes(40), "unpack"),
    "packets": (b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + bytes(40), "packet capture"),
    "SNMP": (b"IF-MIB::ifMtu.1 = INTEGER: 9214\nIF-MIB::ifMtu.2 = INTEGER: 9214\n", "SNMP"),
    "SNMP by numbers": (b".1.3.6.1.2.1.2.2.1.4.1 = INTEGER: 9214\n" * 3, "SNMP"),
    "a comparison": (COMPARED.encode(), "a diff"),
    "a comparison of what came": (
        f" !\n+{LEAF.replace(chr(10), chr(10) + '+')}\n".encode(),
        "a diff",
    ),
    "a patch": (json.dumps([{"op": "add", "path": "/PORT", "value": {}}]).encode(), "JSON patch"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_told_by_its_name(form: str, tmp_path: Path) -> None:
    data, word = FORMS[form]
    path = tmp_path / "leaf1.cfg"
    path.write_bytes(data)
    report = judged(path)
    assert is_incomplete(report)
    assert any(word in entry.message for entry in report.diagnostics), report.diagnostics
    assert not report.devices


def test_a_shell_that_traces_is_no_comparison(tmp_path: Path) -> None:
    path = tmp_path / "setup.log"
    path.write_text("+ mlnx_qos -i ens1np0 --trust dscp\n+ ip link set ens1np0 mtu 9000\n" * 3)
    report = judged(path)
    assert not any("a diff" in entry.message for entry in report.diagnostics)


def test_lines_of_several_hosts_are_those_of_each(tmp_path: Path) -> None:
    path = tmp_path / "pdsh.txt"
    ports = [f"link mlx5_{n}/1 state ACTIVE physical_state LINK_UP netdev eth{n}" for n in range(4)]
    path.write_text("".join(
        f"gpu{host}: {line}\n" for line in ports for host in (1, 2)
    ))  # fmt: skip
    report = judged(path)
    assert sorted(device.name for device in report.devices) == ["gpu1", "gpu2"]
    assert all(device.lines["understood"] == len(ports) for device in report.devices)


def test_keys_and_values_are_no_lines_of_hosts(tmp_path: Path) -> None:
    path = tmp_path / "notes.yaml"
    path.write_text("mtu: 9000\npfc: on\nqueue: 3\nname: leaf1\ndscp: 26\n")
    report = judged(path)
    assert not report.devices


def test_a_device_of_which_nothing_is_known_is_told(tmp_path: Path) -> None:
    """A table of an unidentified NIC: none of its lines names it."""
    path = tmp_path / "capture.txt"
    path.write_text("DCBX mode: OS controlled\nPriority trust state: dscp\nPFC configuration:\n"
                    "\tpriority    0   1   2   3   4   5   6   7\n"
                    "\tenabled     0   0   0   1   0   0   0   0\n")  # fmt: skip
    assert is_incomplete(judged(path))


@pytest.mark.parametrize("base", sorted(BASES))
def test_two_files_put_together_are_two_devices_or_refused(base: str, tmp_path: Path) -> None:
    """As from `cat leaf1.cfg leaf2.cfg`, without a separator."""
    one = BASES[base].text
    path = tmp_path / "all.txt"
    path.write_text(one)
    (alone,) = judged(path).devices
    other = one.replace(alone.name, "other9")
    assert other != one
    path.write_text(one + other)
    report = judged(path)
    names = {device.name for device in report.devices}
    assert ("other9" in names and len(names) > 1) or is_incomplete(report), names
