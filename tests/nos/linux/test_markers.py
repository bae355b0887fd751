"""All settings that mark a flow: their marking, and the effect of a forced class."""

from __future__ import annotations

import pytest

from roce_lint.catalog.applications import CLASS_BYTE, DSCP, of_kind
from roce_lint.model.nic import Flow
from tests.nos.linux.reading import read
from tests.nos.linux.test_emissions import ALL, FORCED_0, TWO_NICS, emitted
from tests.nos.reader import line

FORCED_1 = ("cat /sys/class/infiniband/mlx5_1/tc/1/traffic_class", "Global tclass=106\n")
NVME = ("nvme.sh", "#!/bin/sh\nnvme connect -t rdma -a 10.0.0.1 -s 4420 -n nqn.x --tos=96\n")

FLOWS = {
    "NCCL_IB_TC": Flow.DATA,
    "NCCL_IB_FIFO_TC": Flow.CONTROL,
    "UCX_IB_TRAFFIC_CLASS": Flow.DATA,
    "NVSHMEM_IB_TRAFFIC_CLASS": Flow.DATA,
    "MORI_RDMA_TC": Flow.DATA,
    "MORI_IO_TC": Flow.DATA,
    "MC_IB_TC": Flow.DATA,
    "NIC_TRAFFIC_CLASS": Flow.DATA,
    "NCCL_GIN_IB_TC": Flow.DATA,
    "UCCL_IB_TC": Flow.DATA,
    "HCCL_RDMA_TC": Flow.DATA,
    "ROCSHMEM_GDA_TRAFFIC_CLASS": Flow.DATA,
    "NVME_TRANSPORT_TOS": Flow.DATA,
    "ms_async_rdma_dscp": Flow.DATA,
}
STORAGE = {"NVME_TRANSPORT_TOS", "ms_async_rdma_dscp"}
UNCONFIRMED = {"ROCSHMEM_GDA_TRAFFIC_CLASS"}
ELSEWHERE = {"nvme connect --tos", "ko2iblnd tos"}
"""Options of commands and modules, as opposed to variables."""

ESCAPING = {
    "NVSHMEM_IB_TRAFFIC_CLASS": "NVSHMEM_IB_ENABLE_IBGDA=1\n",
    "NCCL_GIN_IB_TC": "NCCL_GIN_TYPE=3\nNCCL_IB_TC=98\n",
    "MORI_RDMA_TC": "",
}
"""Settings whose queue pairs escape a forced class, and the reason."""


def test_every_supported_setting_is_listed_here() -> None:
    rows = of_kind(CLASS_BYTE, DSCP)
    assert FLOWS.keys() | ELSEWHERE == rows.keys()
    assert ESCAPING.keys() == {name for name, row in rows.items() if row.devx}
    assert {name for name, row in rows.items() if row.storage} == STORAGE | ELSEWHERE


@pytest.mark.parametrize("name", sorted(FLOWS.keys() - UNCONFIRMED))
def test_a_setting_is_stated_for_all_nics(name: str) -> None:
    device = read(TWO_NICS, ("job.conf", f"{name}=98\n"))
    assert emitted(device) == [(24, name, "stated", ALL)]
    (emission,) = (e for e in device.emits if e.by == name)
    assert (emission.flow, emission.ect, line(emission, "dscp")) == (FLOWS[name], 2, 1)


@pytest.mark.parametrize("name", sorted(FLOWS.keys() - ESCAPING.keys() - STORAGE))
def test_a_forced_class_leaves_what_may_escape_it(name: str) -> None:
    device = read(TWO_NICS, FORCED_0, FORCED_1, ("job.conf", f"{name}=98\n"))
    assert emitted(device) == [
        (26, "global traffic class", "stated", ("mlx5_0",)),
        (26, "global traffic class", "stated", ("mlx5_1",)),
        (24, f"{name} (queue pairs made through DevX)", "possible", ("mlx5_0", "mlx5_1")),
    ]


@pytest.mark.parametrize("name", ESCAPING)
def test_queue_pairs_that_pass_the_kernel_by_are_not_forced(name: str) -> None:
    text = f"{ESCAPING[name]}{name}=98\n"
    device = read(TWO_NICS, FORCED_0, FORCED_1, ("job.conf", text))
    assert (24, name, "stated", ALL) in emitted(device)


def test_what_is_not_confirmed_to_be_the_byte_is_possible() -> None:
    device = read(TWO_NICS, ("job.conf", "ROCSHMEM_GDA_TRAFFIC_CLASS=98\n"))
    assert emitted(device) == [(24, "ROCSHMEM_GDA_TRAFFIC_CLASS", "possible", ALL)]


UNDER = ", under the forced traffic class 106"


def test_storage_is_stated_and_a_forced_class_goes_before_it() -> None:
    own = (24, "nvme connect --tos", "stated")
    under = (26, f"nvme connect --tos{UNDER}", "stated")
    assert emitted(read(TWO_NICS, NVME)) == [(*own, ALL)]
    assert emitted(read(TWO_NICS, FORCED_0, NVME)) == [
        (26, "global traffic class", "stated", ("mlx5_0",)),
        (*own, ("mlx5_1",)),
        (*under, ("mlx5_0",)),
    ]
    forced = read(TWO_NICS, FORCED_0, FORCED_1, NVME)
    assert emitted(forced) == [
        (26, "global traffic class", "stated", ("mlx5_0",)),
        (26, "global traffic class", "stated", ("mlx5_1",)),
        (*under, ("mlx5_0", "mlx5_1")),
    ]
    assert [line(each, "dscp") for each in forced.emits if each.storage] == [2]


def test_storage_that_asks_for_no_class_is_in_the_forced_one_alone() -> None:
    plain = (NVME[0], NVME[1].replace(" --tos=96", ""))
    assert emitted(read(TWO_NICS, plain)) == []
    assert emitted(read(TWO_NICS, FORCED_0, plain))[1:] == [
        (26, f"nvme connect --tos{UNDER}", "stated", ("mlx5_0",))
    ]


@pytest.mark.parametrize("name", sorted(STORAGE))
def test_a_variable_of_storage_is_overruled_by_a_forced_class(name: str) -> None:
    device = read(TWO_NICS, FORCED_0, FORCED_1, ("job.conf", f"{name}=98\nNCCL_DEBUG=INFO\n"))
    assert emitted(device)[2:] == [(26, f"{name}{UNDER}", "stated", ("mlx5_0", "mlx5_1"))]
