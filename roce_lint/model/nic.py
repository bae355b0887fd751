"""RDMA network adapters of a host, and the DSCPs the host can send."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from roce_lint.model.sourced import Sourced


class Flow(enum.Enum):
    """Kinds of packets that a RoCE host sends."""

    DATA = "data"
    RESPONSE = "response"  # READ responses and ACKs: carry the responder's own ToS
    CONTROL = "control"  # clear-to-send and other small control messages
    CNP = "cnp"
    STORAGE = "storage"
    OTHER = "other"


class Certainty(enum.Enum):
    """Certainty that a host sends a DSCP; only STATED may lead to an error."""

    STATED = "stated"
    DEFAULT = "default-of-present-app"
    POSSIBLE = "possible"


@dataclass(slots=True, kw_only=True)
class Gid(Sourced):
    """One entry of an RDMA port's GID table."""

    index: int
    gid: str
    roce_version: int | None = None
    address: str | None = None


@dataclass(slots=True, kw_only=True)
class Nic(Sourced):
    """One RDMA device of a host: `name` as verbs list it (mlx5_0), `port` its network interface.

    `at[Part("np_priorities", 3)]` is the line of one priority, where each has its own.
    """

    name: str
    port: str | None = None
    active: bool | None = None  # port state ACTIVE
    ethernet: bool | None = None  # link layer Ethernet (RoCE), not InfiniBand
    family: str | None = None  # board type or vendor part: firmware is compared among equal ones
    maker: str | None = None  # vendor of the adapter: "nvidia", "broadcom", "intel", "amd"
    firmware: str | None = None
    roce_version: int | None = None
    gids: tuple[Gid, ...] = ()
    gids_none: bool | None = None  # a tool that lists the table reports it as empty
    gids_partial: bool | None = None  # some entry of the table could not be read
    rdma_mtu: int | None = None  # active path MTU: RDMA payload bytes
    traffic_class: int | None = None  # forced ToS byte of all queue pairs through the kernel
    cma_tos: int | None = None  # ToS byte of rdma_cm connections
    own_dscp: int | None = None  # the adapter applies it where the application sets nothing
    cnp_dscp: int | None = None
    cnp_priority: int | None = None
    np_priorities: frozenset[int] | None = None  # notification point on (answers CE with CNP)
    rp_priorities: frozenset[int] | None = None  # reaction point on (slows down on CNP)
    np_open: frozenset[int] = frozenset()  # priorities with unknown state, besides those
    rp_open: frozenset[int] = frozenset()
    takes_out_of_order: bool | None = None  # able to place packets of one flow in any order
    pcie_gbps: float | None = None  # bandwidth of its slot, after line coding
    slot: str | None = None  # PCI address without the function: ports of one card share it
    gpu_by_switch: bool | None = None  # behind the same PCI switch as a GPU; None: no GPU known
    gpu_redirected: bool | None = None  # a bridge between it and GPUs sends packets up to the root
    relaxed_ordering: bool | None = None  # it may send PCI writes that overtake each other
    all_writes_relaxed: bool | None = None  # its firmware makes all writes such; else on request
    announced_by: frozenset[str] | None = None  # LLDP agents of its port: "firmware", "lldpd"


@dataclass(slots=True, kw_only=True)
class Emission(Sourced):
    """A DSCP that this host can send, and its source. `at["dscp"]` is the line.

    `nics` are the RDMA devices it applies to; empty means all RoCE devices of the host.
    """

    dscp: int
    flow: Flow
    certainty: Certainty
    by: str  # "NCCL_IB_TC", "global traffic class"
    nics: tuple[str, ...] = ()
    ect: int | None = None  # ECN bits stated with it, 0-3
    storage: bool | None = None  # RDMA of storage (True) or of jobs (False); None: either


@dataclass(slots=True, kw_only=True)
class AdapterPolicy(Sourced):
    """Settings of a cluster for adapters of host `node`, of all (""), or of unknown ones (None)."""

    name: str
    node: str | None = None
    ports: tuple[str, ...] = ()  # physical functions, by the names of their interfaces
    rdma: bool | None = None  # virtual functions come with their RDMA devices
    handed_over: bool | None = None  # virtual functions are taken from the kernel, for a guest
    roce_version: int | None = None


@dataclass(slots=True, kw_only=True)
class AddressPool(Sourced):
    """Addresses that each node of a cluster assigns to pods independently of the other nodes."""

    network: str
    ranges: tuple[str, ...]  # "10.61.0.0/20", or with ends "10.61.0.0/20 10.61.0.10 10.61.0.99"
    master: str | None = None  # the host interface that the network is built on
