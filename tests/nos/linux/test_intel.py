"""Intel adapters: RoCE or iWARP, congestion control, lldptool with the firmware's agent."""

from __future__ import annotations

import pytest

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux import defaults
from tests.nos.linux.reading import notes, read
from tests.nos.reader import default_sentence, line

DRIVER = ("ethtool -i ens1", "driver: ice\nbus-info: 0000:af:00.0\n")
LINK = ("rdma link", "link rocep175s0f0/1 state ACTIVE physical_state LINK_UP netdev ens1\n")
NIC = "rocep175s0f0"

DEVLINK = """
pci/0000:af:00.0:
  name enable_roce type generic
    values:
      cmode runtime value {roce}
  name enable_iwarp type generic
    values:
      cmode runtime value {iwarp}
"""
DEVLINK_JSON = (
    '{"param":{"pci/0000:af:00.0":[{"name":"enable_roce","type":"generic",'
    '"values":[{"cmode":"runtime","value":%s}]}]}}'
)


@pytest.mark.parametrize(
    ("file", "ethernet"),
    [
        (("ibv_devinfo", f"hca_id:\t{NIC}\n\ttransport:\t\tiWARP (1)\n"), False),
        (("ibv_devinfo", f"hca_id:\t{NIC}\n\ttransport:\t\tInfiniBand (0)\n"), None),
        (("devlink dev param show", DEVLINK.format(roce="false", iwarp="true")), False),
        (("devlink dev param show", DEVLINK.format(roce="true", iwarp="false")), None),
        (("devlink -j dev param show", DEVLINK_JSON % "false"), False),
        (("devlink -j dev param show", DEVLINK_JSON % "true"), None),
        (("cat /sys/module/irdma/parameters/roce_ena", "0\n"), False),
        (("cat /sys/module/irdma/parameters/roce_ena", "1\n"), None),
        (("cat /etc/modprobe.d/irdma.conf", "options irdma limits_sel=5 roce_ena=0\n"), False),
        (("roce.sh", "#!/bin/sh\nmodprobe irdma roce_ena=1\n"), None),
    ],
)
def test_a_device_set_to_iwarp_is_not_a_roce_device(
    file: tuple[str, str], ethernet: bool | None
) -> None:
    assert read(DRIVER, LINK, file).nics[NIC].ethernet is ethernet


def test_other_adapters_do_not_follow_the_module() -> None:
    device = read(
        ("ethtool -i ens1", "driver: mlx5_core\n"),
        ("rdma link", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1\n"),
        ("cat /sys/module/irdma/parameters/roce_ena", "0\n"),
    )
    assert device.nics["mlx5_0"].ethernet is None


def test_congestion_control_is_switched_on() -> None:
    path = f"/sys/kernel/config/irdma/{NIC}"
    shown = f"{path}/roce_dcqcn_enable:1\n{path}/roce_timely_enable:0\n"
    nic = read(DRIVER, LINK, (f"grep -r . {path}", shown)).nics[NIC]
    assert (nic.rp_priorities, line(nic, "rp_priorities")) == (frozenset(range(8)), 2)
    assert (nic.np_priorities, line(nic, "np_priorities")) == (frozenset(range(8)), 2)


def test_the_module_will_come_back_with_another_transport() -> None:
    device = read(
        DRIVER,
        LINK,
        ("ibv_devinfo", f"hca_id:\t{NIC}\n\ttransport:\t\tInfiniBand (0)\n"),
        ("cat /sys/module/irdma/parameters/roce_ena", "1\n"),
        ("cat /etc/modprobe.d/irdma.conf", "options irdma roce_ena=0\n"),
    )
    assert notes(device, NoteKind.DRIFT) == [
        "irdma roce_ena is 1 now, 4.txt sets 0 (lost at reboot or never applied)"
    ]


def test_a_switch_that_is_off_leaves_the_response_to_marks_unknown() -> None:
    path = f"/sys/kernel/config/irdma/{NIC}"
    nic = read(DRIVER, LINK, (f"grep -r . {path}", f"{path}/roce_dcqcn_enable:0\n")).nics[NIC]
    assert (nic.rp_priorities, line(nic, "rp_priorities")) == (frozenset(), 2)
    assert nic.np_priorities is None


def test_congestion_control_is_off_by_default() -> None:
    nic = read(DRIVER, LINK).nics[NIC]
    assert (nic.rp_priorities, default_sentence(nic, "rp_priorities")) == (
        frozenset(),
        defaults.REACTION_OFF_IRDMA.says,
    )
    assert not nic.where("rp_priorities").confirmed


def test_the_agent_of_the_firmware_beside_lldpad() -> None:
    device = read(
        DRIVER,
        LINK,
        (
            "ethtool --show-priv-flags ens1",
            "Private flags for ens1:\nfw-lldp-agent          : on\n",
        ),
        (
            "lldptool -ti ens1",
            "IEEE 8021QAZ PFC TLV\n\t Willing: no\n\t PFC enabled: 3 \nEnd of LLDPDU TLV\n",
        ),
    )
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert qos.pfc.agents == frozenset({"firmware", "lldpad"})


def test_a_script_with_joined_options() -> None:
    script = "#!/bin/sh\nlldptool -Ti ens1 -V PFC willing=no enabled=0\nlldptool -Ti ens1 -V APP app=1,5,26\n"
    device = read(DRIVER, LINK, ("dcb.sh", script))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.pfc.generate, qos.pfc.willing) == (frozenset({0}), False)
    assert device.qos.classifiers["ens1"].dscp_to_tc.entries[26] == 1
