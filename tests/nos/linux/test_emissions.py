"""Markings of a host with origin and certainty (forced class, applications, rdma_cm, CNPs)."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device, NoteKind
from roce_lint.model.nic import Certainty, Flow
from roce_lint.nos.linux import defaults
from tests.nos.linux.reading import notes, read
from tests.nos.reader import default_sentence, line

TWO_NICS = (
    "rdma link",
    (
        "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1\n"
        "link mlx5_1/1 state ACTIVE physical_state LINK_UP netdev ens2\n"
    ),
)
FORCED_0 = ("cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class", "Global tclass=106\n")
ALL = ()


def emitted(device: Device, *, cnp: bool = False) -> list[tuple[int, str, str, tuple[str, ...]]]:
    return [
        (e.dscp, e.by, e.certainty.value, e.nics)
        for e in device.emits
        if cnp or e.flow is not Flow.CNP
    ]


def test_nccl_marks_on_every_nic() -> None:
    device = read(TWO_NICS, ("nccl.conf", "NCCL_IB_TC=106\nNCCL_IB_FIFO_TC=192\n"))
    assert emitted(device) == [
        (26, "NCCL_IB_TC", "stated", ALL),
        (48, "NCCL_IB_FIFO_TC", "stated", ALL),
    ]
    data, control = (e for e in device.emits if e.flow is not Flow.CNP)
    assert (data.flow, data.ect, line(data, "dscp")) == (Flow.DATA, 2, 1)
    assert (control.flow, control.ect, line(control, "dscp")) == (Flow.CONTROL, 0, 2)


@pytest.mark.parametrize(
    ("listed", "nics"),
    [
        ("mlx5_1", ("mlx5_1",)),
        ("mlx5", ALL),
        ("=mlx5_0", ("mlx5_0",)),
        ("^mlx5_0", ("mlx5_1",)),
        ("^=mlx5_1", ("mlx5_0",)),
        ("mlx5_1:1", ("mlx5_1",)),
        ("bnxt_re0", ALL),
    ],
)
def test_nccl_uses_its_configured_devices(listed: str, nics: tuple[str, ...]) -> None:
    device = read(TWO_NICS, ("nccl.conf", f"NCCL_IB_TC=106\nNCCL_IB_HCA={listed}\n"))
    assert emitted(device) == [(26, "NCCL_IB_TC", "stated", nics)]


def test_a_forced_class_goes_before_the_application() -> None:
    device = read(TWO_NICS, FORCED_0, ("nccl.conf", "NCCL_IB_TC=160\n"))
    assert emitted(device) == [
        (26, "global traffic class", "stated", ("mlx5_0",)),
        (40, "NCCL_IB_TC", "stated", ("mlx5_1",)),
        (40, "NCCL_IB_TC (queue pairs made through DevX)", "possible", ("mlx5_0",)),
    ]


def test_the_same_dscp_needs_no_second_word() -> None:
    device = read(TWO_NICS, FORCED_0, ("nccl.conf", "NCCL_IB_TC=104\n"))
    assert emitted(device) == [
        (26, "global traffic class", "stated", ("mlx5_0",)),
        (26, "NCCL_IB_TC", "stated", ("mlx5_1",)),
    ]


@pytest.mark.parametrize(("ibgda", "certainty"), [("1", "stated"), ("0", "possible")])
def test_devx_escapes_the_force(ibgda: str, certainty: str) -> None:
    env = f"NVSHMEM_IB_TRAFFIC_CLASS=160\nNVSHMEM_IB_ENABLE_IBGDA={ibgda}\n"
    device = read((TWO_NICS[0], TWO_NICS[1].split("\n")[0]), FORCED_0, ("job.env", env))
    assert [(dscp, sure) for dscp, _, sure, _ in emitted(device)] == [
        (26, "stated"),
        (40, certainty),
    ]


def test_unset_where_nothing_of_the_library_was_captured_is_unknown() -> None:
    assert emitted(read(TWO_NICS)) == []
    assert emitted(read(TWO_NICS, ("job.conf", "NCCL_SOCKET_IFNAME=eth0\n"))) == []


def test_unset_where_the_library_is_set_up_is_its_default() -> None:
    device = read(TWO_NICS, ("nccl.conf", "NCCL_IB_HCA==mlx5_0\nNCCL_IB_GID_INDEX=3\n"))
    default = (0, "NCCL_IB_TC is not set", "default-of-present-app", ("mlx5_0",))
    assert emitted(device) == [default]
    (emission,) = (e for e in device.emits if e.flow is Flow.DATA)
    assert default_sentence(emission, "dscp") == defaults.NCCL_UNMARKED.says
    assert emission.where("dscp").position == emission.where().position > 0


@pytest.mark.parametrize(
    "more",
    [
        "NCCL_IB_TC=98\n",
        "NCCL_IB_TC=$TC\n",
        "NCCL_IB_DISABLE=1\n",
        "NCCL_NET=Socket\n",
        "NCCL_NET_PLUGIN=ofi\n",
        "NCCL_IB_SL=3\n",
    ],
)
def test_a_stated_value_replaces_the_default(more: str) -> None:
    device = read(TWO_NICS, ("job.conf", f"NCCL_IB_HCA=mlx5\n{more}"))
    defaults = [e for e in device.emits if e.certainty is Certainty.DEFAULT]
    assert [e.by for e in defaults if e.flow is Flow.DATA] == []


def test_a_forced_class_reaches_all_but_queue_pairs_made_on_the_gpu() -> None:
    forced = (26, "global traffic class", "stated", ("mlx5_0",))
    plain = read(TWO_NICS, FORCED_0, ("job.conf", "NCCL_IB_HCA==mlx5_0\n"))
    assert emitted(plain) == [forced]
    on_gpu = read(TWO_NICS, FORCED_0, ("job.conf", "NCCL_IB_HCA==mlx5_0\nNCCL_GIN_TYPE=3\n"))
    by = "NCCL_IB_TC is not set, and its queue pairs are made through DevX"
    assert emitted(on_gpu) == [forced, (0, by, "default-of-present-app", ("mlx5_0",))]
    assert line(on_gpu.emits[1], "") == 2
    ibgda = read(TWO_NICS, FORCED_0, ("job.conf", "NVSHMEM_IB_ENABLE_IBGDA=1\n"))
    by = "NVSHMEM_IB_TRAFFIC_CLASS is not set, and its queue pairs are made through DevX"
    assert (0, by, "default-of-present-app", ALL) in emitted(ibgda)


def test_every_value_that_is_set_somewhere_is_sent() -> None:
    device = read(TWO_NICS, ("nccl.conf", "NCCL_IB_TC=106\n"), ("job.env", "NCCL_IB_TC=160\n"))
    assert emitted(device) == [
        (26, "NCCL_IB_TC", "stated", ALL),
        (40, "NCCL_IB_TC", "stated", ALL),
    ]
    assert "NCCL_IB_TC" not in device.environment
    assert notes(device, NoteKind.CONFLICT) == ["NCCL_IB_TC is 106 in nccl.conf and 160 in job.env"]


def test_a_running_process_knows_better() -> None:
    dump = "PATH=/bin\nNCCL_IB_TC=160\n"
    device = read(TWO_NICS, ("nccl.conf", "NCCL_IB_TC=106\n"), ("env | sort", dump))
    assert device.environment == {"NCCL_IB_TC": "160"}
    assert notes(device, NoteKind.CONFLICT) == []


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ("UCX_TLS=rc,self\n", True),
        ("UCX_TLS=tcp\nUCX_NET_DEVICES=ens1\n", False),
        ("UCX_NET_DEVICES=mlx5_0:1\n", True),
        ("UCX_NET_DEVICES=ens1\n", False),
        ("UCX_IB_TRAFFIC_CLASS=auto\n", True),
        ("UCX_TLS=rc\nUCX_IB_TRAFFIC_CLASS=160\n", False),
        ("UCX_MAX_RNDV_RAILS=1\n", False),
    ],
)
def test_ucx_marks_by_itself(variables: str, found: bool) -> None:
    device = read(TWO_NICS, ("job.env", variables))
    own = [e for e in device.emits if e.certainty is Certainty.DEFAULT and e.flow is Flow.DATA]
    assert [(e.dscp, default_sentence(e, "dscp"), line(e)) for e in own] == (
        [(26, defaults.UCX_DSCP.says, 1)] if found else []
    )


@pytest.mark.parametrize(
    ("tos", "emission"),
    [("106", (26, "rdma_cm default ToS", "stated")), ("0", (0, "rdma_cm default ToS", "possible"))],
)
def test_rdma_cm(tos: str, emission: tuple[int, str, str]) -> None:
    device = read(TWO_NICS, ("cma_roce_tos -d mlx5_1", f"{tos}\n"))
    assert emitted(device) == [(*emission, ("mlx5_1",))]


def test_rdma_cm_is_overruled_by_a_forced_class() -> None:
    device = read(TWO_NICS, FORCED_0, ("cma_roce_tos -d mlx5_0", "160\n"))
    assert emitted(device) == [(26, "global traffic class", "stated", ("mlx5_0",))]


def test_cnps() -> None:
    tree = (
        "/sys/class/net/ens1/ecn/roce_np/cnp_dscp:46\n"
        "/sys/class/net/ens1/ecn/roce_np/cnp_802p_prio:5\n"
    )
    device = read(TWO_NICS, ("grep -r . /sys/class/net/ens1/ecn/", tree))
    assert emitted(device, cnp=True) == [
        (46, "cnp_dscp", "stated", ("mlx5_0",)),
        (48, "cnp_dscp", "default-of-present-app", ("mlx5_1",)),
    ]
    assert (device.nics["mlx5_0"].cnp_priority, line(device.emits[0], "dscp")) == (5, 2)
    assert default_sentence(device.emits[1], "dscp") == defaults.CNP_DSCP.says


def test_no_cnp_where_the_notification_point_is_off() -> None:
    tree = "".join(f"/sys/class/net/ens1/ecn/roce_np/enable/{n}:0\n" for n in range(8))
    device = read(TWO_NICS, ("grep -r . /sys/class/net/ens1/ecn/", tree))
    assert device.nics["mlx5_0"].np_priorities == frozenset()
    assert [nics for *_, nics in emitted(device, cnp=True)] == [("mlx5_1",)]


def test_a_part_of_the_ecn_tree_leaves_the_rest_open() -> None:
    tree = "/sys/class/net/ens1/ecn/roce_np/enable/3:1\n"
    nic = read(TWO_NICS, ("grep -r . /sys/class/net/ens1/ecn/", tree)).nics["mlx5_0"]
    assert (nic.np_priorities, nic.np_open) == ({3}, {0, 1, 2, 4, 5, 6, 7})


def test_other_nics_have_no_default() -> None:
    device = read(("rdma link", "link rxe0/1 state ACTIVE physical_state LINK_UP netdev ens1\n"))
    assert device.nics["rxe0"].cnp_dscp is None
    assert device.emits == []


@pytest.mark.parametrize(
    ("value", "reported"),
    [
        ("26", ["NCCL_IB_TC=26 is the whole traffic class byte and marks DSCP 6; DSCP 26 would be 104"]),
        ("41", ["NCCL_IB_TC=41 is the whole traffic class byte and marks DSCP 10; DSCP 41 would be 164"]),
        ("0", []),
        ("106", []),
    ],
)  # fmt: skip
def test_a_dscp_in_the_place_of_the_byte_is_noted(value: str, reported: list[str]) -> None:
    device = read(("nccl.conf", f"NCCL_IB_TC={value}\n"))
    assert notes(device, NoteKind.LEXICAL) == reported


@pytest.mark.parametrize("value", ["abc", "256", "-1", "1e2", "0x1ff"])
def test_an_invalid_byte_is_noted(value: str) -> None:
    device = read(("nccl.conf", f"NCCL_IB_TC={value}\n"))
    assert notes(device, NoteKind.BAD_VALUE) == [f"NCCL_IB_TC={value} is no number from 0 to 255"]
    assert device.emits == []
