"""Defaults of Linux and its NICs, each with its source."""

from __future__ import annotations

from functools import partial

from roce_lint.nos.declare import Default
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/linux.md#"
_TRUST = _PAGE + "trust"
_MAP = _PAGE + "dscp-to-priority"
_CNP = _PAGE + "congestion-notification"
_MARKS = _PAGE + "what-applications-mark"
_unconfirmed = partial(Default, confidence=Confidence.UNCONFIRMED)

FUNCTIONS_WITHOUT_RDMA = Default(
    False,
    "SriovNetworkNodePolicy: isRdma is false unless it is set",
    _PAGE + "objects-of-a-cluster",
)
TRUST_PCP_MLX5 = Default(
    "pcp", "mlx5: without DSCP entries in the APP table the port trusts the VLAN priority", _TRUST
)
TRUST_PCP = _unconfirmed(
    "pcp", "without DSCP entries in the APP table the priority comes from the VLAN tag", _TRUST
)
DSCP_MAP = Default(
    {dscp: dscp >> 3 for dscp in range(64)},
    "mlnx_qos --trust dscp maps each DSCP to priority DSCP / 8",
    _MAP,
)
DSCP_MAP_UNSEEN = _unconfirmed(
    DSCP_MAP.value, "the DSCP map was not captured; by default it is priority DSCP / 8", _MAP
)
UNLISTED_DSCP = _unconfirmed(0, "a DSCP without an entry in the APP table is priority 0", _MAP)
UNTAGGED_PRIORITY = Default(
    0, "untagged packets are priority 0 while the port trusts the VLAN priority", _TRUST
)
PRIORITY_IS_PCP = Default(
    {n: n for n in range(8)}, "the priority of a tagged packet is its 802.1p value", _TRUST
)
PAUSE_IS_PRIORITY = Default(
    PRIORITY_IS_PCP.value, "a NIC pauses the priority itself",
    _PAGE + "what-a-priority-is-inside-the-nic",
)  # fmt: skip
CNP_DSCP = Default(48, "mlx5: CNPs carry DSCP 48", _CNP)
CNP_PRIORITY = Default(6, "mlx5: CNPs are sent with priority 6", _CNP)
CNP_DSCP_BNXT = _unconfirmed(
    48, "bnxt_re: the profile of the firmware sends CNPs with DSCP 48", _CNP
)
CNP_PRIORITY_BNXT = _unconfirmed(
    7, "bnxt_re: the profile of the firmware sends CNPs with priority 7", _CNP
)
REACTION_OFF_IRDMA = _unconfirmed(frozenset(), "irdma: DCQCN is off until it is switched on", _CNP)
UCX_DSCP = Default(26, "UCX: UCX_IB_TRAFFIC_CLASS=auto is 106 for RoCEv2, DSCP 26", _MARKS)
NCCL_UNMARKED = Default(0, "NCCL: without NCCL_IB_TC data is sent with DSCP 0", _MARKS)
NVSHMEM_UNMARKED = Default(
    0, "NVSHMEM: without NVSHMEM_IB_TRAFFIC_CLASS data is sent with DSCP 0", _MARKS
)
RDMA_MTU = Default(
    ((4192, 4096), (2144, 2048), (1120, 1024), (608, 512), (352, 256)),
    "the kernel takes the largest RDMA MTU that fits the interface MTU less 96 bytes",
    _PAGE + "how-mtu-is-counted",
)
KERNEL_FILTER = _unconfirmed(
    True,
    "the kernel's filter drops RoCE of software (rxe) and where it is offloaded to the adapter",
    _PAGE + "filters-of-the-kernel",
)

DEFAULTS = tuple(entry for entry in list(vars().values()) if isinstance(entry, Default))
