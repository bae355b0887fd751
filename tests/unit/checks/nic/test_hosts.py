"""Branches of the rules about hosts that the examples of their pages do not reach."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device, Role
from roce_lint.model.interface import Neighbor
from roce_lint.model.nic import Flow, Gid
from tests.unit.checks.judging import judged, missing, severities_and_values, taken_in, values
from tests.unit.fabric import emission, host, lines_of, port, switch

LOCAL = "fe80::966d:aeff:fe00:1"


def state(device: Device, name: str, value: str) -> None:
    """An application's variable on a new line."""
    device.environment[name] = value
    device.at[name] = lines_of(device).next()


def give(device: Device, index: int, gid: str, version: int | None = 2) -> None:
    """An entry of the GID table of the first RDMA device."""
    line = lines_of(device).next()
    address = gid.removeprefix("::ffff:")
    entry = Gid(index=index, gid=gid, roce_version=version, address=address, src=device.src)
    entry.at = {"": line, "roce_version": line}
    device.nics["mlx5_0"].gids += (entry,)


def with_index(index: str, *, listed: bool = True) -> Device:
    gpu = host("gpu1", "ens1")
    state(gpu, "NCCL_IB_GID_INDEX", index)
    if listed:
        state(gpu, "NCCL_IB_HCA", "mlx5_0")
    return gpu


def test_an_index_without_a_table_is_unknown() -> None:
    gpu = with_index("3")
    assert severities_and_values("NIC005", gpu) == []
    assert missing("NIC005", gpu) == {"the GID tables of the host's RDMA devices (show_gids)"}


def test_an_index_that_a_damaged_table_lacks_is_unknown() -> None:
    gpu = with_index("3")
    give(gpu, 1, "::ffff:10.0.0.1")
    gpu.nics["mlx5_0"].gids_partial = True
    assert severities_and_values("NIC005", gpu) == []
    assert missing("NIC005", gpu) == {"the whole GID tables of the host's RDMA devices (show_gids)"}


@pytest.mark.parametrize("index", ["-1", "auto", "", "12345"])
def test_an_index_that_is_none_is_left_alone(index: str) -> None:
    gpu = with_index(index)
    assert (severities_and_values("NIC005", gpu), missing("NIC005", gpu)) == ([], set())


@pytest.mark.parametrize(("listed", "severity"), [(True, "error"), (False, "warning")])
def test_only_a_listed_device_makes_an_error(listed: bool, severity: str) -> None:
    gpu = with_index("3", listed=listed)
    give(gpu, 1, "::ffff:10.0.0.1")
    assert severities_and_values("NIC005", gpu) == [(severity, "gpu1 3 mlx5_0")]


@pytest.mark.parametrize(("routed", "severity"), [(True, "error"), (None, "warning")])
def test_a_link_local_gid_fails_where_the_switch_routes(routed: bool | None, severity: str) -> None:
    leaf, gpu = switch("leaf1"), with_index("1")
    port(leaf, "e1").routed = routed
    give(gpu, 1, LOCAL)
    (found,) = judged("NIC005", leaf, gpu, links=[((leaf, "e1"), (gpu, "ens1"))]).findings
    assert (found.severity.label, values(found.message)) == (severity, "gpu1 1 mlx5_0")
    assert "link-local" in found.message


def test_a_gid_of_unknown_version_is_left_alone() -> None:
    gpu = with_index("3")
    give(gpu, 3, "::ffff:10.0.0.1", None)
    assert severities_and_values("NIC005", gpu) == []


def test_a_device_outside_the_list_is_not_judged() -> None:
    gpu = host("gpu1", "ens1", "ens2")
    state(gpu, "NCCL_IB_HCA", "=mlx5_1")
    state(gpu, "NCCL_IB_GID_INDEX", "3")
    give(gpu, 1, "::ffff:10.0.0.1")
    assert [message for _, message in severities_and_values("NIC005", gpu)] == []


def test_a_list_without_known_devices_is_unknown() -> None:
    gpu = host("gpu1", "ens1")
    gpu.nics["mlx5_0"].active = None
    state(gpu, "NCCL_IB_HCA", "mlx5_7")
    assert severities_and_values("NIC006", gpu) == []
    assert missing("NIC006", gpu) == {"the RDMA devices of the host and their state (rdma link)"}


def test_a_device_that_may_not_have_been_asked_for_is_not_missing() -> None:
    gpu = host("gpu1", "ens1")
    state(gpu, "NCCL_IB_HCA", "mlx5_0,mlx5_7")
    text = "gpu1 mlx5_7"
    assert severities_and_values("NIC006", gpu) == [("error", text)]
    gpu.nics_partial = True
    assert severities_and_values("NIC006", gpu) == []
    assert missing("NIC006", gpu) == {"the list of all RDMA devices of the host (rdma link)"}


@pytest.mark.parametrize("listed", ["mlx5", "=mlx5_0", "^mlx5_7", "mlx5_0:1", "=mlx5_0,mlx5_1"])
def test_a_list_that_means_what_it_says(listed: str) -> None:
    gpu = host("gpu1", "ens1", "ens2")
    state(gpu, "NCCL_IB_HCA", listed)
    assert severities_and_values("NIC006", gpu) == []


def test_an_exclusion_is_a_beginning_too() -> None:
    gpu = host("gpu1", *(f"ens{n}" for n in range(11)))
    state(gpu, "NCCL_IB_HCA", "^mlx5_1")
    assert severities_and_values("NIC006", gpu) == [("warning", "gpu1 mlx5_1 mlx5_10")]


def test_a_device_that_leads_to_a_storage_network() -> None:
    leaf, gpu = switch("stor1", role=Role.STORAGE), host("gpu1", "ens1")
    port(leaf, "e1")
    state(gpu, "NCCL_IB_HCA", "mlx5_0")
    assert severities_and_values("NIC006", leaf, gpu, links=[((leaf, "e1"), (gpu, "ens1"))]) == [
        (
            "warning",
            "gpu1 mlx5_0 ens1 stor1",
        )
    ]


@pytest.mark.parametrize(
    ("reacts", "points"),
    [
        ({3}, []),
        ({5}, ["5 26"]),
        (set(), ["26"]),
    ],
)
def test_the_reaction_point_has_to_be_on_for_the_data(reacts: set[int], points: list[str]) -> None:
    leaf, gpu = switch("leaf1", marked=(3,)), host("gpu1", "ens1", sends=26, pauses=(3,))
    port(leaf, "e1")
    gpu.nics["mlx5_0"].rp_priorities = frozenset(reacts)
    gpu.nics["mlx5_0"].np_priorities = frozenset({3})
    assert severities_and_values("NIC007", leaf, gpu, links=[((leaf, "e1"), (gpu, "ens1"))]) == [
        ("warning", f"gpu1 ens1 {named}") for named in points
    ]


def test_unknown_points_are_asked_for_only_where_switches_mark() -> None:
    asked = "the DCQCN priorities of the NICs (their ECN settings)"
    for queues, wanted in (((3,), {asked}), ((), set())):
        leaf, gpu = switch("leaf1", marked=queues), host("gpu1", "ens1", sends=26, pauses=(3,))
        port(leaf, "e1")
        assert missing("NIC007", leaf, gpu, links=[((leaf, "e1"), (gpu, "ens1"))]) == wanted


def test_rails_in_one_subnet_need_the_settings_of_the_kernel() -> None:
    gpu = host("gpu1", "ens1", "ens2")
    for name, address in (("ens1", "10.0.0.1/24"), ("ens2", "10.0.0.2/24")):
        gpu.interfaces[name].addresses = (address,)
    asked = "how a host's interfaces answer ARP (sysctl arp_ignore, arp_announce)"
    assert (severities_and_values("NIC010", gpu), missing("NIC010", gpu)) == ([], {asked})
    for name in ("ens1", "ens2"):
        gpu.kernel[f"net.ipv4.conf.{name}.arp_ignore"] = "1"
        gpu.kernel[f"net.ipv4.conf.{name}.arp_announce"] = "2"
    assert (severities_and_values("NIC010", gpu), missing("NIC010", gpu)) == ([], set())


@pytest.mark.parametrize("addresses", [("10.0.0.0/31", "10.0.0.1/31"), ("nonsense", "fd00::1/64")])
def test_addresses_that_share_no_broadcast_domain(addresses: tuple[str, str]) -> None:
    gpu = host("gpu1", "ens1", "ens2")
    for name, address in zip(("ens1", "ens2"), addresses, strict=True):
        gpu.interfaces[name].addresses = (address,)
    assert missing("NIC010", gpu) == set()


def test_a_tie_of_nic_counts_is_left_alone() -> None:
    hosts = [host("gpu1", "a"), host("gpu2", "a"), host("gpu3", "a", "b"), host("gpu4", "a", "b")]
    assert severities_and_values("NIC013", *hosts) == []


def test_a_host_of_which_not_all_devices_are_listed_is_not_counted() -> None:
    hosts = [host("gpu1", "a", "b"), host("gpu2", "a", "b"), host("gpu3", "a")]
    assert [message for _, message in severities_and_values("NIC013", *hosts)] == ["gpu3 1 2 2"]
    hosts[2].nics_partial = True
    assert severities_and_values("NIC013", *hosts) == []


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        # Most of the devices are there: some are missing, on however many hosts.
        ([4, 4, 4, 3], [3]),
        ([4, 4, 4, 3, 3], [3]),  # one cause on two hosts
        # Half of them: a host alone is one that lacks some, two may be a kind of their own.
        ([4, 4, 4, 2], [2]),
        ([4, 4, 4, 2, 2], []),
        # A storage node with one of the boards.
        ([4, 4, 4, 1], []),
        # One more than all the others, and two that have more alike.
        ([4, 4, 4, 5], [5]),
        ([4, 4, 4, 5, 5], []),
    ],
)
def test_a_host_with_another_number_of_nics(counts: list[int], told: list[int]) -> None:
    """Whatever the hosts are called."""
    for names in ("gpu1 gpu2 gpu3 gpu4 gpu5", "ada login grace stor-a zed"):
        ports = [(name, "abcde"[:n]) for name, n in zip(names.split(), counts, strict=False)]
        hosts = [host(name, *own) for name, own in ports]
        usual = sum(n == 4 for n in counts)
        first = next((name for name, own in ports if told and len(own) == told[0]), None)
        assert severities_and_values("NIC013", *hosts) == [
            ("warning", values(f"{first} {n} {usual} 4")) for n in told
        ]


def test_devices_that_are_down_show_what_a_host_lacks() -> None:
    hosts = [host(f"gpu{n}", *"abcd") for n in range(1, 6)]
    for short in hosts[:2]:
        for name in ("mlx5_0", "mlx5_1"):
            short.nics[name].active = False
    found = judged("NIC013", *hosts).findings
    assert [o.device for finding in found for o in finding.occurrences] == ["gpu1", "gpu2"]
    hosts[0].role = hosts[1].role = Role.STORAGE
    assert severities_and_values("NIC013", *hosts) == []


def test_firmware_is_compared_without_the_board_in_brackets() -> None:
    one, other = host("gpu1", "a"), host("gpu2", "a")
    for gpu, firmware in ((one, "28.42.1000 (MT_1)"), (other, "28.42.1000")):
        gpu.nics["mlx5_0"].family, gpu.nics["mlx5_0"].firmware = "MT_1", firmware
    assert severities_and_values("NIC012", one, other) == []


ERROR = ("error", "gpu1 ens1 4")
INFO = (
    "info",
    "gpu1 ens1",
)


@pytest.mark.parametrize(("told", "found"), [({4}, [ERROR]), ({3, 4}, []), (None, [INFO])])
def test_a_willing_port_takes_what_its_peer_advertises(
    told: set[int] | None, found: list[tuple[str, str]]
) -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1", sends=26, pauses=(3,))
    port(leaf, "e1")
    mine = gpu.interfaces["ens1"]
    assert mine.qos is not None
    assert mine.qos.pfc is not None
    mine.qos.pfc.willing = True
    mine.qos.pfc.at["willing"] = lines_of(gpu).next()
    said_by_peer = frozenset(told) if told is not None else None
    mine.neighbors = (Neighbor(device="leaf1", pfc_priorities=said_by_peer),)
    assert (
        severities_and_values("NIC009", leaf, gpu, links=[((leaf, "e1"), (gpu, "ens1"))]) == found
    )


def test_one_agent_is_no_fight() -> None:
    gpu = host("gpu1", "ens1", pauses=(3,))
    mine = gpu.interfaces["ens1"].qos
    assert mine is not None
    assert mine.pfc is not None
    mine.pfc.agents = frozenset({"lldpad"})
    assert severities_and_values("NIC009", gpu) == []
    mine.pfc.overwriter = "lldpad"  # and nobody knows what it would set
    mine.pfc.at["overwriter"] = lines_of(gpu).next()
    (found,) = judged("NIC009", gpu).findings
    assert (found.severity.label, found.subjects) == ("info", ("ens1",))
    assert "lldpad" in found.message


def test_cnp_that_the_leaf_puts_with_data_too_is_told_once() -> None:
    for dscps, found in (
        ({26: 3, 27: 3}, [("CLS002", ("NIC008",))]),
        ({26: 3, 27: 6}, [("NIC008", ())]),
    ):
        leaf, gpu = switch("leaf1", dscps=dscps), host("gpu1", "ens1", sends=26, pauses=(3,))
        port(leaf, "e1")
        gpu.nics["mlx5_0"].cnp_dscp = 27  # the NIC's own map gives it priority 3
        gpu.emits.append(emission(gpu, 27, flow=Flow.CNP))
        links = [((leaf, "e1"), (gpu, "ens1"))]
        assert taken_in("CLS002 NIC008", leaf, gpu, links=links) == found
        # and whoever asks for it alone is told
        assert [
            severity for severity, _ in severities_and_values("NIC008", leaf, gpu, links=links)
        ] == ["warning"]


def test_ports_configured_alike_whose_nics_differ_are_looked_at_each() -> None:
    leaf, gpu = switch("leaf1", marked=(3,)), host("gpu1", "ens1", "ens2", sends=26, pauses=(3,))
    links = []
    for name, on in (("ens1", {3}), ("ens2", set[int]())):
        port(leaf, name)
        links.append(((leaf, name), (gpu, name)))
        nic = next(nic for nic in gpu.nics.values() if nic.port == name)
        nic.rp_priorities, nic.np_priorities = frozenset(on), frozenset({3})
    (found,) = judged("NIC007", leaf, gpu, links=links).findings
    assert found.subjects == ("ens2",)
