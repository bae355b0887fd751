"""Interfaces, RDMA devices, GIDs, neighbours: their links, with lines."""

from __future__ import annotations

import json

import pytest

from roce_lint.model.device import Device, NoteKind, Role
from roce_lint.model.interface import Fec, InterfaceKind
from roce_lint.model.sourced import Concern
from tests.nos.linux.reading import MLNX_QOS, notes, read
from tests.nos.reader import default_sentence, line


def links(*elements: dict[str, object]) -> tuple[str, str]:
    common = {"flags": ["UP"], "mtu": 9000, "linkmode": "DEFAULT", "link_type": "ether"}
    listed = [{"ifindex": n, **common, **each} for n, each in enumerate(elements, 1)]
    return "ip -d -j link show", json.dumps(listed)


def kind(name: str, **data: object) -> dict[str, object]:
    return {"linkinfo": {"info_kind": name, **({"info_data": data} if data else {})}}


def test_a_host() -> None:
    device = read(
        ("cat /etc/os-release", 'NAME=x\nPRETTY_NAME="Rocky Linux 9.4"\n'), hostname="gpu-7"
    )
    assert (device.hostname, device.nos, device.role) == ("gpu-7", "linux", Role.HOST)
    assert (device.os_version, line(device, "os_version")) == ("Rocky Linux 9.4", 3)
    assert device.partial
    assert not read(links({"ifname": "ens1"})).partial


ONE = "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1"
TWO = f"{ONE}\nlink mlx5_1/1 state ACTIVE physical_state LINK_UP netdev ens2"
INFO = "hca_id:\tmlx5_0\n\tport:\t1\n\t\tstate:\tPORT_ACTIVE (4)\n"


@pytest.mark.parametrize(
    ("command", "text", "partial"),
    [
        ("rdma link", ONE, False),
        ("rdma link show", ONE, False),
        ("rdma -d link show mlx5_0/1", ONE, True),
        ("rdma -j link show mlx5_0/1", '[{"ifname": "mlx5_0", "port": 1}]', True),
        ("rdma -j link", '[{"ifname": "mlx5_0", "port": 1}]', False),
        ("rdma-link.txt", ONE, True),  # nothing shows whether it was asked about one device
        ("rdma-link.txt", TWO, False),
        ("ibv_devinfo -v", INFO, False),
        ("ibv_devinfo -d mlx5_0 -v", INFO, True),
        ("ibdev2netdev -v", "mlx5_0 port 1 ==> ens1 (Up)", False),
        ("mlnx_qos -i ens1", MLNX_QOS, True),
    ],
)
def test_whether_all_rdma_devices_are_listed(command: str, text: str, partial: bool) -> None:
    assert read((command, text)).nics_partial is partial


def test_two_lists_of_one_device_each_are_no_list_of_all() -> None:
    one = ("ibv_devinfo -d mlx5_0", INFO)
    other = ("ibv_devinfo -d mlx5_1", INFO.replace("mlx5_0", "mlx5_1"))
    assert read(one, other).nics_partial
    assert not read(one, other, ("rdma link", TWO)).nics_partial


def test_kinds() -> None:
    device = read(
        links(
            {"ifname": "lo", "link_type": "loopback"},
            {"ifname": "ens1"},
            {"ifname": "bond0", **kind("bond")},
            {"ifname": "ens1.5", "link": "ens1", **kind("vlan", id=5)},
            {"ifname": "br0", **kind("bridge")},
            {"ifname": "vx0", **kind("vxlan")},
            {"ifname": "mac0", "link": "ens1", **kind("macvlan")},
            {"ifname": "vethx", **kind("veth")},
        )
    )
    assert {name: port.kind.value for name, port in device.interfaces.items()} == {
        "lo": "loopback",
        "ens1": "physical",
        "bond0": "lag",
        "ens1.5": "subinterface",
        "br0": "bridge",
        "vx0": "tunnel",
        "mac0": "other",
    }
    assert device.interfaces["ens1.5"].tagged_vlans == frozenset({5})


def test_kinds_without_details_come_from_names() -> None:
    device = read(
        ("ip -j link", links({"ifname": "ens1"}, {"ifname": "ens1.5", "link": "ens1"}, {"ifname": "mac0", "link": "ens1"})[1])
    )  # fmt: skip
    assert [port.kind for port in device.interfaces.values()] == [
        InterfaceKind.PHYSICAL,
        InterfaceKind.SUBINTERFACE,
        InterfaceKind.OTHER,
    ]


def test_a_virtual_function_has_the_qos_of_its_port() -> None:
    device = read(
        links(
            {"ifname": "ens1np0", "vfinfo_list": [{"vf": 0, "mac": "02:00:00:00:00:10"}]},
            {"ifname": "net1", "address": "02:00:00:00:00:10"},
            {"ifname": "ens1v3", "address": "02:00:00:00:00:13"},
            {"ifname": "ens2v0", "address": "02:00:00:00:00:20"},
        ),
        ("mlnx_qos -i ens1np0", MLNX_QOS),
        ("rdma link", "link mlx5_4/1 state ACTIVE physical_state LINK_UP netdev net1\n"),
        ("grep -r . /sys/class/net/ens1np0/ecn/", "/sys/class/net/ens1np0/ecn/roce_np/cnp_dscp:46\n"),
    )  # fmt: skip
    port = device.interfaces["ens1np0"]
    for name in ("net1", "ens1v3"):
        function = device.interfaces[name]
        assert (function.kind, function.parent) == (InterfaceKind.VF, "ens1np0")
        assert function.qos is port.qos
    assert device.interfaces["ens2v0"].kind is InterfaceKind.PHYSICAL
    assert device.nics["mlx5_4"].cnp_dscp == 46


@pytest.mark.parametrize(
    ("plain", "stacked", "tagged"),
    [(True, False, False), (False, True, True), (True, True, None), (False, False, None)],
)
def test_the_place_of_the_addresses_shows_whether_roce_is_tagged(
    plain: bool, stacked: bool, tagged: bool | None
) -> None:
    address = [{"family": "inet", "local": "10.0.0.1", "prefixlen": 31, "scope": "global"}]
    device = read(
        links(
            {"ifname": "ens1", "addr_info": address if plain else []},
            {"ifname": "ens1.5", "link": "ens1", **kind("vlan", id=5), "addr_info": address if stacked else []},
        )
    )  # fmt: skip
    assert device.interfaces["ens1"].tagged is tagged


@pytest.mark.parametrize(
    ("text", "fec", "place"),
    [
        ("Configured FEC encodings: Auto\nActive FEC encoding: RS\n", Fec.AUTO, 3),
        ("Configured FEC encodings: RS\nActive FEC encoding: RS\n", Fec.RS, 3),
        ("Supported/Configured FEC encodings: RS BaseR\nActive FEC encoding: BaseR\n", Fec.FC, 4),
        ("Supported/Configured FEC encodings: None\nActive FEC encoding: None\n", Fec.NONE, 3),
        ("Configured FEC encodings: Off\nActive FEC encoding: Off\n", Fec.NONE, 3),
        ("Configured FEC encodings: LLRS\n", Fec.RS, 3),
    ],
)
def test_fec(text: str, fec: Fec | None, place: int) -> None:
    device = read(("ethtool --show-fec ens1", f"FEC parameters for ens1:\n{text}"))
    port = device.interfaces["ens1"]
    assert (port.fec, line(port, "fec")) == (fec, place)


def test_a_fec_that_is_not_known_is_left_out() -> None:
    text = "FEC parameters for ens1:\nActive FEC encoding: Strange\n"
    assert read(("ethtool --show-fec ens1", text)).interfaces == {}


def test_speed_of_a_link_that_is_down() -> None:
    device = read(
        ("ethtool ens1", "Settings for ens1:\n\tSpeed: Unknown!\n\tAuto-negotiation: on\n")
    )
    port = device.interfaces["ens1"]
    assert (port.speed_gbps, port.autoneg) == (None, True)


def test_gids_in_any_spelling() -> None:
    rows = (
        "DEV\tPORT\tINDEX\tGID\tIPv4\tVER\tDEV\n"
        "mlx5_0\t1\t2\t0000:0000:0000:0000:0000:ffff:0a00:0001\t10.0.0.1\tv1\tens1\n"
        "mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:0a00:0001\t10.0.0.1\tv2\tens1\n"
        "mlx5_0\t2\t0\tfe80:0000:0000:0000:0000:00ff:fe00:0001\t\tv2\tens2\n"
    )
    verbs = (
        "hca_id:\tmlx5_0\n\tfw_ver:\t28.39.1002\n\tboard_id:\tMT_0000000838\n\t\tport:\t1\n"
        "\t\t\tstate:\tPORT_ACTIVE (4)\n\t\t\tactive_mtu:\t4096 (5)\n\t\t\tlink_layer:\tEthernet\n"
        "\t\t\tGID[  3]:\t\t::ffff:10.0.0.1, RoCE v2\n\t\t\tGID[  7]:\t\t0000:0000:0000:0000:0000:0000:0000:0000\n"
    )
    device = read(("show_gids mlx5_0", rows), ("ibv_devinfo -v", verbs))
    assert notes(device, NoteKind.CONFLICT) == []
    nic = device.nics["mlx5_0"]
    assert [(g.index, g.gid, g.roce_version, g.address) for g in nic.gids] == [
        (2, "::ffff:10.0.0.1", 1, "10.0.0.1"),
        (3, "::ffff:10.0.0.1", 2, "10.0.0.1"),
    ]
    assert (nic.port, nic.rdma_mtu, line(nic, "rdma_mtu"), nic.roce_version) == ("ens1", 4096, 7, 2)
    assert (nic.firmware, nic.family, nic.active, nic.ethernet) == (
        "28.39.1002",
        "MT_0000000838",
        True,
        True,
    )
    assert device.nics["mlx5_0:2"].port == "ens2"


GID_ROWS = (
    "DEV\tPORT\tINDEX\tGID\tIPv4\tVER\tDEV\n"
    "mlx5_0\t1\t2\t0000:0000:0000:0000:0000:ffff:0a00:0001\t10.0.0.1\tv1\tens1\n"
    "mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:0a00:0001\t10.0.0.1\tv2\tens1\n"
    "n_gids_found=2\n"
)


@pytest.mark.parametrize(
    ("old", "new", "why", "place"),
    [
        ("=2", "=2", None, 0),
        ("=2", "=5", "show_gids: 2 entries stand above it", 4),
        ("3\t0000:0000", "3\t\ufffd", "show_gids: it is no entry of a GID table", 3),
        ("0001\t10.0.0.1\tv2", "00", "show_gids: it is no entry of a GID table", 3),
    ],
)
def test_a_gid_table_that_lost_an_entry(old: str, new: str, why: str | None, place: int) -> None:
    device = read(("show_gids", GID_ROWS.replace(old, new)))
    nic = device.nics["mlx5_0"]
    assert (nic.gids_partial, line(nic, "gids_partial")) == (bool(why) or None, place)
    reported = [note for note in device.notes if note.kind is NoteKind.BAD_VALUE]
    assert [n.message for n in reported][:1] == ([f"{why}: the table is not whole"] if why else [])


def test_gid_tables_taken_at_different_times() -> None:
    before = "/sys/class/infiniband/mlx5_0/ports/1/gids/3:0000:0000:0000:0000:0000:ffff:0a00:0001\n"
    device = read(
        ("grep . /sys/class/infiniband/mlx5_0/ports/1/gids/*", before),
        ("grep . /sys/class/infiniband/mlx5_0/ports/1/gids/*", before.replace("0a00", "0b00")),
    )
    assert device.nics["mlx5_0"].gids == ()
    assert notes(device, NoteKind.CONFLICT) == [
        "mlx5_0 3 GID is ::ffff:10.0.0.1 in sysfs and ::ffff:11.0.0.1 in sysfs"
    ]


def test_the_first_slot_is_the_port_not_a_vlan() -> None:
    tree = (
        "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/10:ens1.5\n"
        "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/2:ens1\n"
        "grep: /sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/11: Invalid argument\n"
    )
    device = read(("grep . /sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/*", tree))
    assert device.nics["mlx5_0"].port == "ens1"


@pytest.mark.parametrize(
    ("mtu", "rdma"),
    [(9000, 4096), (4192, 4096), (4191, 2048), (1500, 1024), (700, 512), (300, None)],
)
def test_the_rdma_mtu_follows_from_the_interface(mtu: int, rdma: int | None) -> None:
    device = read(
        links({"ifname": "ens1", "mtu": mtu}),
        ("rdma link", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1\n"),
    )
    nic = device.nics["mlx5_0"]
    assert nic.rdma_mtu == rdma
    assert (default_sentence(nic, "rdma_mtu") is None) == (rdma is None)


def test_ports_stand_for_devices_that_no_tool_lists() -> None:
    device = read(("mlnx_qos -i ens1", MLNX_QOS), ("nccl.conf", "NCCL_IB_TC=106\n"))
    assert {name: nic.port for name, nic in device.nics.items()} == {"ens1": "ens1"}
    assert [e.nics for e in device.emits if e.by == "NCCL_IB_TC"] == [()]


def test_a_lone_device_is_that_of_a_lone_port() -> None:
    one = ("cma_roce_tos -d mlx5_0", "106\n")
    assert read(one, ("mlnx_qos -i ens1", MLNX_QOS)).nics["mlx5_0"].port == "ens1"
    two = read(one, ("mlnx_qos -i ens1", MLNX_QOS), ("mlnx_qos -i ens2", MLNX_QOS))
    assert two.nics["mlx5_0"].port is None


@pytest.mark.parametrize(("function", "dscp", "place"), [("0", 46, 4), ("1", 4, 5)])
def test_firmware_settings_by_function(function: str, dscp: int, place: int) -> None:
    device = read(
        ("rdma link", "link mlx5_3/1 state ACTIVE physical_state LINK_UP netdev ens1\n"),
        (
            "ethtool -i ens1",
            f"driver: mlx5_core\nfirmware-version: 28.1\nbus-info: 0000:41:00.{function}\n",
        ),
        (
            "mlxconfig -d 41:00.0 q",
            "Device #1:\nConfigurations:\n  CNP_DSCP_P1    46\n  CNP_DSCP_P2   4\n",
        ),
    )
    nic = device.nics["mlx5_3"]
    assert (nic.cnp_dscp, line(nic, "cnp_dscp")) == (dscp, place)


@pytest.mark.parametrize(
    ("values", "drift"),
    [
        ("IB(1)", ["port 1 of 41:00.0 is InfiniBand from the next boot on (LINK_TYPE_P1)"]),
        ("ETH(2)", []),
        ("ETH(2)  ETH(2)  IB(1)", ["port 1 of 41:00.0 is InfiniBand from the next boot on (LINK_TYPE_P1)"]),
        ("ETH(2)  IB(1)  IB(1)", []),  # it is so already
    ],
)  # fmt: skip
def test_what_the_next_boot_makes_of_a_port(values: str, drift: list[str]) -> None:
    device = read(
        ("rdma link", "link mlx5_3/1 state ACTIVE physical_state LINK_UP netdev ens1\n"),
        ("ethtool -i ens1", "driver: mlx5_core\nbus-info: 0000:41:00.0\n"),
        ("mlxconfig -d 41:00.0 q", f"Device #1:\nConfigurations:\n  LINK_TYPE_P1    {values}\n"),
    )
    assert notes(device, NoteKind.DRIFT) == drift


@pytest.mark.parametrize(
    ("row", "becomes"),
    [
        ("CNP_DSCP_P1  48  48  4", "is set to send CNPs with DSCP 4"),
        ("CNP_802P_PRIO_P1  6  6  3", "is set to send CNPs with priority 3"),
        ("LLDP_NB_DCBX_P1  False(0)  False(0)  True(1)", "is set to have DCBX of its firmware on"),
        ("LLDP_NB_TX_MODE_P1  ALL(2)  ALL(2)  OFF(0)", "is set to have LLDP of its firmware off"),
        ("ROCE_CC_PRIO_MASK_P1  255  255  1", "is without congestion control for priority 3"),
        ("ROCE_CC_PRIO_MASK_P1  255  255  8", ""),
        ("CNP_DSCP_P1  4", ""),  # what is in force is not shown
    ],
)
def test_what_the_next_boot_changes(row: str, becomes: str) -> None:
    device = read(
        ("rdma link", "link mlx5_3/1 state ACTIVE physical_state LINK_UP netdev ens1\n"),
        ("ethtool -i ens1", "driver: mlx5_core\nbus-info: 0000:41:00.0\n"),
        ("mlnx_qos -i ens1", "PFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   1   0   0   0   0\n"),
        ("mlxconfig -d 41:00.0 -e q", f"Device #1:\nConfigurations:\n  {row}\n"),
    )  # fmt: skip
    noted = f"port 1 of 41:00.0 {becomes} from the next boot on ({row.split(maxsplit=1)[0]})"
    assert notes(device, NoteKind.DRIFT) == ([noted] if becomes else [])


def test_congestion_control_that_the_next_boot_takes_away() -> None:
    """Nothing else is known of port 2: there is no live value to compare with."""
    device = read(
        ("rdma link", "link mlx5_3/1 state ACTIVE physical_state LINK_UP netdev ens1\n"),
        ("mlxconfig -d mlx5_3 q", "Device #1:\nConfigurations:\n  ROCE_CC_PRIO_MASK_P2    0\n"),
    )
    (note,) = [note for note in device.notes if note.kind is NoteKind.DRIFT]
    assert (line(note), note.stated(Concern.OTHER)) == (4, False)


def test_an_output_that_does_not_say_whose_it_is() -> None:
    lone = read(
        ("rdma link", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1\n"),
        ("output.txt", MLNX_QOS),
    )
    assert lone.interfaces["ens1"].qos is not None
    unknown = read(("output.txt", MLNX_QOS))
    assert unknown.interfaces == {}
    assert notes(unknown, NoteKind.UNRECOGNISED)[0] == (
        "it does not say which network interface it is about: keep the `# command:` line, or use"
        " a file name that tells it (docs/nos/linux.md#forms-of-the-config)"
    )
    named = read(("mlnx_qos-ens5np1.txt", MLNX_QOS))
    assert list(named.interfaces) == ["ens5np1"]


NEIGHBOUR = {
    "via": "LLDP",
    "port": {"id": {"type": "ifname", "value": "Ethernet1/1"}, "mfs": "9236"},
    "unknown-tlvs": {"unknown-tlv": [{"oui": "00,80,c2", "subtype": "11", "value": "88,18"}]},
}


def heard(device: Device) -> list[tuple[object, ...]]:
    return [
        (port.name, n.device, n.names, n.max_frame, n.pfc_priorities, n.pfc_willing)
        for port in device.interfaces.values()
        for n in port.neighbors
    ]


@pytest.mark.parametrize(
    "interface",
    [
        {"ens1": {**NEIGHBOUR, "chassis": {"leaf1": {"id": {"value": "02:00"}}}}},
        [{"ens1": {**NEIGHBOUR, "chassis": {"leaf1": {"id": {"value": "02:00"}}}}}],
        {"ens1": [{**NEIGHBOUR, "chassis": {"leaf1": {"id": {"value": "02:00"}}}}]},
        [{"name": "ens1", **NEIGHBOUR, "chassis": [{"name": [{"value": "leaf1"}], "id": [{"value": "02:00"}]}]}],
    ],
)  # fmt: skip
def test_neighbours_in_every_shape_of_json(interface: object) -> None:
    device = read(
        ("lldpcli -f json show neighbors", json.dumps({"lldp": {"interface": interface}}))
    )
    assert heard(device) == [("ens1", "leaf1", ("Ethernet1/1",), 9236, frozenset({3, 4}), True)]


def test_a_neighbour_without_a_name_goes_by_its_chassis() -> None:
    data = {"lldp": {"interface": {"ens1": {**NEIGHBOUR, "chassis": {"id": {"value": "02:00"}}}}}}
    assert heard(read(("lldpcli -f json show neighbors", json.dumps(data))))[0][1] == "02:00"


def test_two_agents_behind_one_port_are_both_kept() -> None:
    data = [
        {"ens1": {**NEIGHBOUR, "chassis": {name: {"id": {"value": "02:00"}}}}}
        for name in ("leaf1", "nic", "leaf1")
    ]
    text = json.dumps({"lldp": {"interface": data}})
    device = read(("lldpcli -f json show neighbors", text))
    assert [found[1] for found in heard(device)] == ["leaf1", "nic"]
