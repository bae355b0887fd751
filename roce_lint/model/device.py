"""One device: a switch or a host, with its hardware and everything its files state."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field

from roce_lint.model.buffer import BufferPool, BufferProfile, PoolUse
from roce_lint.model.interface import Interface
from roce_lint.model.nic import AdapterPolicy, AddressPool, Emission, Nic
from roce_lint.model.qos import QosObjects, SystemQos
from roce_lint.model.routing import Balancing, Routing
from roce_lint.model.sourced import Concern, Sourced

# Hardware of a switch that bounds thresholds and buffers.


@dataclass(slots=True, frozen=True)
class Asic:
    """The forwarding chip.

    `buffer_bytes` is the largest reading of the published packet buffer size (1 MB as 1,048,576
    bytes): no pool and no queue is larger. None if unknown, and on chips with external memory,
    which hold far more. `shipped` are the headrooms that the vendor ships the model with: (Gb/s,
    metres of cable, bytes).
    """

    name: str
    source: str
    confirmed: bool = True
    buffer_bytes: int | None = None
    cell_bytes: int | None = None
    shipped: frozenset[tuple[float, float, int]] = frozenset()


class Role(enum.Enum):
    """Place of a device in the fabric."""

    LEAF = "leaf"
    SPINE = "spine"
    SUPERSPINE = "superspine"
    BORDER = "border"
    STORAGE = "storage"
    HOST = "host"
    OTHER = "other"


QOS_GROUP, GROUP = "configuration group with QoS", "configuration group"
"""Kinds of structures whose lines are in force only where they are applied."""


class NoteKind(enum.Enum):
    """Kind of a reader's remark about a line it could not turn into a value."""

    UNRECOGNISED = "unrecognised"
    SHADOWED = "shadowed"  # a later line sets the same value
    BAD_VALUE = "bad-value"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"  # two statements of one kind differ
    DRIFT = "drift"  # the declared and the live value differ
    AMBIGUOUS = "ambiguous"  # one statement gives two values; the effective one is unknown
    REMARK = "remark"  # useful to a reader of the file; no rule reports it
    NOT_TAKEN = "not-taken"  # a line mentions PFC, ECN marking or RoCE and no reader took it
    LEXICAL = "lexical"  # wrong form that the device or tool silently reads as something else
    REFUSED = "refused"  # outside the documented bounds or keywords of the platform
    UNSAVED = "unsaved"  # only the running or only the startup configuration has this line
    CUT = "cut"  # the text ends, or continues with something else, inside this block


_SHOWN = (
    (re.compile(r"(?<!here )\bis no (?!JSON|TOML|\d)(?=[AEIMaeio])"), "is not an "),
    (re.compile(r"(?<!here )\bis no (?!JSON|TOML|\d)"), "is not a "),
    (re.compile(r"which one the NIC uses is not known"), "the one used is unknown"),
    (
        re.compile(r" is not what (.+) sets \((.+); first .+\), lost at .+"),
        r" differs from \1 (\2; live value first)",
    ),
)


@dataclass(slots=True, kw_only=True)
class ParseNote(Sourced):
    """A remark of the reader with its line: `where()` is the place.

    For a value that the platform rejects, `where(Aside.LIMIT)` cites the source, `instead` is the
    value that holds, and `at[Aside.SECTION]` the line that begins the enclosing section.
    """

    kind: NoteKind
    message: str
    count: int = 1  # lines of this form, for UNRECOGNISED and SHADOWED
    instead: str = ""
    port: str = ""  # the interface it is about, if known
    around: tuple[int, ...] = field(default=(), compare=False)  # enclosing lines and sibling lines

    @property
    def shown(self) -> str:
        """The message in a report; `message` itself is part of the fingerprint."""
        text = self.message
        for old, new in _SHOWN:
            text = old.sub(new, text)
        return text


@dataclass(slots=True, kw_only=True)
class UnreadLine(Sourced):
    """An unrecognised line about QoS, or one that may drop packets: `where()` is the place.

    It leaves open everything its section does not state. `near` are positions of the lines that
    begin or make up that section, `around` those of the enclosing sections, `users` those of
    sections that apply it by name; where all are empty, it concerns the whole device.
    """

    text: str
    near: frozenset[int] = field(default=frozenset(), compare=False)
    around: frozenset[int] = field(default=frozenset(), compare=False)
    users: frozenset[int] = field(default=frozenset(), compare=False)
    about_qos: bool = field(default=True, compare=False)  # False: it states nothing about a port


@dataclass(slots=True, kw_only=True)
class Structure(Sourced):
    """A named structure: where it is defined and where it is referenced.

    `at[""]` is the definition (0 when there is none). `kind` is in terms of the field ("qos
    policy", "class map"); `needed` is False if an unused structure is no cause for concern.
    """

    kind: str
    name: str
    references: tuple[int, ...] = ()
    builtin: bool = False
    lossless_matters: bool = True  # it belongs to the QoS chain
    reserved: bool = False  # the platform reserves the name for another kind: it cannot be defined
    dscps: frozenset[int] | None = None  # of a traffic class: the packets it certainly takes

    @property
    def expected(self) -> bool:
        """Whether the device creates it when it loads the file, if its board has a size for it."""
        return Concern.LOST in self.at

    @property
    def defined(self) -> bool:
        """Whether the configuration defines it or the platform provides it."""
        return self.builtin or self.at.get("", 0) > 0


@dataclass(slots=True, kw_only=True)
class Limits:
    """Limits of the platform; None if not known."""

    headroom_cable_m: float | None = None
    """Longest cable in metres with sufficient default headroom; longer ones need a buffer line."""
    cable_steps_m: tuple[float, ...] | None = None
    """The only cable lengths that the platform accepts; round up to the next one."""
    assumed_cable_m: float | None = None
    """Cable length in metres that a driver prints when none is configured."""
    whole_partitions: frozenset[PoolUse] | None = None
    """Parts of the ingress buffer whose shares must add up to the whole."""
    stock_pfc_priorities: frozenset[int] | None = None
    """Priorities with PFC on in the configuration that the platform is shipped with."""
    adaptive_on_routed_ports: bool | None = None
    """True: adaptive routing acts on routed ports only, not on bridged ports or channels."""
    watchdog_polling_ms: tuple[float, float] | None = None
    """Shortest and longest polling interval of the PFC watchdog."""
    watchdog_detection_ms: tuple[float, float] | None = None
    """Shortest and longest detection time of the PFC watchdog."""
    watchdog_start_ms: float | None = None
    """Detection time that the platform's own start command sets, where one must be stated."""
    watchdog_restoration_ms: tuple[float, float] | None = None
    """Shortest and longest restoration time of the PFC watchdog."""
    watchdog_polls: int | None = None
    """Polling intervals that the detection and restoration times must span."""
    watchdog_adjusts: bool | None = None
    """True: if they span fewer, the device changes the interval instead of rejecting it."""


@dataclass(slots=True, kw_only=True)
class Device(Sourced):
    """A switch or host, from its configuration and state.

    `hostname` is its identity in the fabric; `nos` the public name of its operating system. `fleet`
    is True for settings of many hosts at once (a job or a cluster policy) instead of a device; the
    hosts concerned are unknown. `partial` is True when the files hold only a part (QoS tables
    without ports, say), so that missing settings are unknown and not absent. `nics_partial` is the
    same for the RDMA devices alone.
    """

    hostname: str
    nos: str
    role: Role | None = None
    vendor: str | None = None
    model: str | None = None
    asic: Asic | None = None  # by model, from the catalogue
    os_version: str | None = None
    asn: int | None = None  # BGP autonomous system
    routing: Routing | None = None  # None: no BGP was read
    balancing: Balancing | None = None
    partial: bool = False
    fleet: bool | None = None
    forwards: frozenset[str] | None = None  # address families it routes: "ipv4", "ipv6"
    lldp: bool | None = None  # it sends LLDP frames; a port may state otherwise
    above_leaves: bool | None = None  # True: declared to have switches below it, no hosts
    nics_partial: bool = False
    interfaces: dict[str, Interface] = field(default_factory=dict)
    qos: QosObjects = field(default_factory=QosObjects)
    system: SystemQos = field(default_factory=SystemQos)
    pools: dict[str, BufferPool] = field(default_factory=dict)
    headroom_table: dict[tuple[float, float], BufferProfile] = field(default_factory=dict)
    """Headroom known to the platform by (Gb/s, metres of cable); other lengths get none."""
    nics: dict[str, Nic] = field(default_factory=dict)
    emits: list[Emission] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    """RDMA settings of applications by variable name (NCCL_IB_HCA ...); `at[name]` is the line."""
    kernel: dict[str, str] = field(default_factory=dict)
    """Network settings of a host's kernel by sysctl name; `at[name]` is the line."""
    policies: list[AdapterPolicy] = field(default_factory=list)
    node_pools: list[AddressPool] = field(default_factory=list)
    structures: list[Structure] = field(default_factory=list)
    notes: list[ParseNote] = field(default_factory=list)
    unread: list[UnreadLine] = field(default_factory=list)
    limits: Limits = field(default_factory=Limits)
    shape: bytes | None = field(default=None, compare=False, repr=False)
    """Equal for hosts that differ only in names, addresses, times and files; None if unknown."""

    @property
    def is_host(self) -> bool:
        """True for servers, False for switches."""
        return self.role is Role.HOST
