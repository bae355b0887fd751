"""Lines that captures of the field hold and that decide whether a port is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.load.load import load
from tests.captures.bases import BASES
from tests.captures.test_matrix import judged, put


@pytest.mark.parametrize("line", ["shutdown", "shutdown force"])
def test_a_port_that_is_shut_by_force_is_shut(line: str, tmp_path: Path) -> None:
    text = BASES["nxos"].text.replace("leaf1# \n", "")
    path = put(tmp_path, f"{text}\ninterface Ethernet1/60\n  {line}\n")
    (device,) = load((str(path),), jobs=1).devices
    assert device.interfaces["Ethernet1/60"].enabled is False


def test_lines_of_a_vlan_interface_are_known(tmp_path: Path) -> None:
    text = BASES["nxos"].text.replace("leaf1# \n", "")
    text += "\ninterface Vlan300\n  no autostate\n  autostate\n  no management\n"
    report = judged(put(tmp_path, text))
    assert "autostate" not in str([finding.message for finding in report.findings])
