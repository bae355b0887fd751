"""Defaults of Linux and its NICs, each with its source."""

from __future__ import annotations

from roce_lint.nos.base import Default
from roce_lint.text.source import Confidence

PAGE = "docs/nos/linux.md"

TRUST_PCP_MLX5 = Default(
    "pcp",
    "mlx5: without DSCP entries in the APP table the port trusts the VLAN priority",
    f"{PAGE}#trust",
)
TRUST_PCP = Default(
    "pcp",
    "without DSCP entries in the APP table the priority comes from the VLAN tag",
    f"{PAGE}#trust",
    Confidence.UNCONFIRMED,
)
DSCP_MAP = Default(
    {dscp: dscp >> 3 for dscp in range(64)},
    "mlnx_qos --trust dscp maps each DSCP to priority DSCP / 8",
    f"{PAGE}#dscp-to-priority",
)
DSCP_MAP_UNSEEN = Default(
    DSCP_MAP.value,
    "the DSCP map was not captured; by default it is priority DSCP / 8",
    f"{PAGE}#dscp-to-priority",
    Confidence.UNCONFIRMED,
)
UNLISTED_DSCP = Default(
    0,
    "a DSCP without an entry in the APP table is priority 0",
    f"{PAGE}#dscp-to-priority",
    Confidence.UNCONFIRMED,
)
UNTAGGED_PRIORITY = Default(
    0,
    "untagged packets are priority 0 while the port trusts the VLAN priority",
    f"{PAGE}#trust",
)
PRIORITY_IS_PCP = Default(
    {priority: priority for priority in range(8)},
    "the priority of a tagged packet is its 802.1p value",
    f"{PAGE}#trust",
)
PAUSE_IS_PRIORITY = Default(
    {priority: priority for priority in range(8)},
    "a NIC pauses the priority itself",
    f"{PAGE}#what-a-priority-is-inside-the-nic",
)
FUNCTIONS_WITHOUT_RDMA = Default(
    False,
    "SriovNetworkNodePolicy: isRdma is false unless it is set",
    f"{PAGE}#objects-of-a-cluster",
)
CNP_DSCP = Default(48, "mlx5: CNPs carry DSCP 48", f"{PAGE}#congestion-notification")
CNP_PRIORITY = Default(6, "mlx5: CNPs are sent with priority 6", f"{PAGE}#congestion-notification")
CNP_DSCP_BNXT = Default(
    48,
    "bnxt_re: the profile of the firmware sends CNPs with DSCP 48",
    f"{PAGE}#congestion-notification",
    Confidence.UNCONFIRMED,
)
CNP_PRIORITY_BNXT = Default(
    7,
    "bnxt_re: the profile of the firmware sends CNPs with priority 7",
    f"{PAGE}#congestion-notification",
    Confidence.UNCONFIRMED,
)
REACTION_OFF_IRDMA = Default(
    frozenset(),
    "irdma: DCQCN is off until it is switched on",
    f"{PAGE}#congestion-notification",
    Confidence.UNCONFIRMED,
)
UCX_DSCP = Default(
    26,
    "UCX: UCX_IB_TRAFFIC_CLASS=auto is 106 for RoCEv2, DSCP 26",
    f"{PAGE}#what-applications-mark",
)
NCCL_UNMARKED = Default(
    0, "NCCL: without NCCL_IB_TC data is sent with DSCP 0", f"{PAGE}#what-applications-mark"
)
NVSHMEM_UNMARKED = Default(
    0,
    "NVSHMEM: without NVSHMEM_IB_TRAFFIC_CLASS data is sent with DSCP 0",
    f"{PAGE}#what-applications-mark",
)
RDMA_MTU = Default(
    ((4192, 4096), (2144, 2048), (1120, 1024), (608, 512), (352, 256)),
    "the kernel takes the largest RDMA MTU that fits the interface MTU less 96 bytes",
    f"{PAGE}#how-mtu-is-counted",
)

KERNEL_FILTER = Default(
    True,
    "the kernel's filter drops RoCE of software (rxe) and where it is offloaded to the adapter",
    f"{PAGE}#filters-of-the-kernel",
    Confidence.UNCONFIRMED,
)

DEFAULTS = (
    FUNCTIONS_WITHOUT_RDMA,
    TRUST_PCP_MLX5,
    TRUST_PCP,
    DSCP_MAP,
    DSCP_MAP_UNSEEN,
    UNLISTED_DSCP,
    UNTAGGED_PRIORITY,
    PRIORITY_IS_PCP,
    PAUSE_IS_PRIORITY,
    CNP_DSCP,
    CNP_PRIORITY,
    CNP_DSCP_BNXT,
    CNP_PRIORITY_BNXT,
    REACTION_OFF_IRDMA,
    UCX_DSCP,
    NCCL_UNMARKED,
    NVSHMEM_UNMARKED,
    RDMA_MTU,
    KERNEL_FILTER,
)
