"""One device: a switch or a host, with everything its files state."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from roce_lint.model.buffer import BufferPool, BufferProfile, PoolUse
from roce_lint.model.hardware import Asic
from roce_lint.model.interface import Interface
from roce_lint.model.nic import AdapterPolicy, AddressPool, Emission, Nic
from roce_lint.model.qos import QosObjects, SystemQos
from roce_lint.model.routing import Balancing, Routing
from roce_lint.model.sourced import Concern, Sourced


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
"""Kinds of structures that hold lines which are in force only where they are applied."""


class NoteKind(enum.Enum):
    """What a reader wants to say about a line it could not turn into a value."""

    UNRECOGNISED = "unrecognised"
    SHADOWED = "shadowed"  # a later line sets the same value
    BAD_VALUE = "bad-value"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"  # two statements of one kind differ
    DRIFT = "drift"  # what is declared is not what is live
    AMBIGUOUS = "ambiguous"  # one statement gives two values, and which holds is not known
    REMARK = "remark"  # worth knowing for whoever reads the file; no rule speaks of it
    NOT_TAKEN = "not-taken"  # a line speaks of pause, marking or RoCE, and nothing took it
    LEXICAL = "lexical"  # wrong form that the device or tool silently takes for something else
    REFUSED = "refused"  # the platform's documented bounds or words do not have the value
    CUT = "cut"  # the text ends, or goes on with something else, inside what begins here


class NoteLevel(enum.Enum):
    """What a remark means for the statement it is about."""

    REFUSED = "refused"  # the device does not take it: what it states does not hold
    UNREADABLE = "unreadable"  # nobody here can tell what it says
    ODD = "odd"  # it holds, and its form is not as it should be
    CONFLICT = "conflict"  # another statement says something else


_LEVELS = {
    NoteKind.REFUSED: NoteLevel.REFUSED,
    NoteKind.UNRECOGNISED: NoteLevel.UNREADABLE,
    NoteKind.BAD_VALUE: NoteLevel.UNREADABLE,
    NoteKind.CUT: NoteLevel.UNREADABLE,
    NoteKind.CONFLICT: NoteLevel.CONFLICT,
    NoteKind.AMBIGUOUS: NoteLevel.CONFLICT,
    NoteKind.DRIFT: NoteLevel.CONFLICT,
}


@dataclass(slots=True, kw_only=True)
class ParseNote(Sourced):
    """A remark of the reader with its line: `where()` is the place.

    Of what the platform refuses, `where(Aside.LIMIT)` cites who says so, `instead` is what holds
    then, and `at[Aside.SECTION]` the line that begins the section it stands in.
    """

    kind: NoteKind
    message: str
    count: int = 1  # lines of this shape, for UNRECOGNISED and SHADOWED
    instead: str = ""
    port: str = ""  # the interface it is about, where the reader knows it
    around: tuple[int, ...] = field(default=(), compare=False)  # lines above it, and beside it

    @property
    def level(self) -> NoteLevel:
        """What it means for the statement."""
        return _LEVELS.get(self.kind, NoteLevel.ODD)


@dataclass(slots=True, kw_only=True)
class UnreadLine(Sourced):
    """A line about QoS, or that may drop packets, that nothing understood: `where()` is the place.

    It leaves open what its section does not state. `near` are positions of the lines that begin or
    make up that section, `around` those of the sections around it, `users` those of sections that
    apply it by its name; where all are empty, it is of the whole device.
    """

    text: str
    near: frozenset[int] = field(default=frozenset(), compare=False)
    around: frozenset[int] = field(default=frozenset(), compare=False)
    users: frozenset[int] = field(default=frozenset(), compare=False)
    about_qos: bool = field(default=True, compare=False)  # else it states nothing of a port


@dataclass(slots=True, kw_only=True)
class Structure(Sourced):
    """A named structure: where it is defined and where it is referred to.

    `at[""]` is the definition (0 when there is none). `kind` is in field terms ("qos policy",
    "class map"); `needed` is False where an unused structure is no matter of concern.
    """

    kind: str
    name: str
    references: tuple[int, ...] = ()
    builtin: bool = False
    lossless_matters: bool = True  # it belongs to the QoS chain
    reserved: bool = False  # the platform keeps the name for another kind: nothing can define it
    dscps: frozenset[int] | None = None  # of a class of packets: those it takes for certain

    @property
    def expected(self) -> bool:
        """True where the device makes it when it loads the file, if its board has a size for it."""
        return Concern.LOST in self.at

    @property
    def defined(self) -> bool:
        """True when the configuration defines it or the platform brings it."""
        return self.builtin or self.at.get("", 0) > 0


@dataclass(slots=True, kw_only=True)
class Limits:
    """What the platform refuses or is bounded by; None where not known."""

    headroom_cable_m: float | None = None
    """Metres of cable up to which the platform's own headroom is enough; beyond, state a buffer."""
    cable_steps_m: tuple[float, ...] | None = None
    """The only lengths of cable that the platform takes; the next longer one is stated."""
    assumed_cable_m: float | None = None
    """Metres of cable that a driver prints where nobody told it a length."""
    whole_partitions: frozenset[PoolUse] | None = None
    """Parts into which the ingress buffer is divided; their shares have to add up to all of it."""
    stock_pfc_priorities: frozenset[int] | None = None
    """Priorities that the configuration the platform is delivered with pauses."""
    adaptive_on_routed_ports: bool | None = None
    """True: adaptive routing acts on routed ports only, not on bridged ones or channels."""
    watchdog_polling_ms: tuple[float, float] | None = None
    """Shortest and longest time between two looks of the PFC watchdog."""
    watchdog_detection_ms: tuple[float, float] | None = None
    """Shortest and longest time after which a paused queue counts as stuck."""
    watchdog_restoration_ms: tuple[float, float] | None = None
    """Shortest and longest time after which a stuck queue is restored."""
    watchdog_polls: int | None = None
    """Polling intervals that the detection and the restoration time have to span."""
    watchdog_mends: bool | None = None
    """True: where they span fewer, the device takes another interval instead of refusing it."""


@dataclass(slots=True, kw_only=True)
class Device(Sourced):
    """A switch or host as its configuration and state describe it.

    `hostname` is its identity in the fabric; `nos` the public name of its operating system.
    `fleet` is True for what is no device but set for many hosts at once, a job or a policy of a
    cluster; which hosts it meets is not known.
    `partial` is True when the files hold only a part (QoS tables without ports, say), so that
    what is missing is unknown and not absent. `nics_partial` says so of the RDMA devices alone.
    """

    hostname: str
    nos: str
    role: Role | None = None
    vendor: str | None = None
    model: str | None = None
    asic: Asic | None = None  # by the model, from the catalogue
    os_version: str | None = None
    asn: int | None = None  # BGP autonomous system
    routing: Routing | None = None  # None: no BGP was read
    balancing: Balancing | None = None
    partial: bool = False
    fleet: bool | None = None
    above_leaves: bool | None = None  # True: by its own word other switches are below it, no hosts
    nics_partial: bool = False
    interfaces: dict[str, Interface] = field(default_factory=dict)
    qos: QosObjects = field(default_factory=QosObjects)
    system: SystemQos = field(default_factory=SystemQos)
    pools: dict[str, BufferPool] = field(default_factory=dict)
    headroom_table: dict[tuple[float, float], BufferProfile] = field(default_factory=dict)
    """Headroom the platform knows by (Gb/s, metres of cable); other lengths get none."""
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

    @property
    def is_host(self) -> bool:
        """True for servers, False for switches."""
        return self.role is Role.HOST
