"""QoS objects: classifiers, class maps, PFC, queues, scheduling, ECN marking, rewrite.

Named objects are stored once per device in `QosObjects`; a port refers to them by key and keeps the
line of its own binding. Numbers of traffic classes, queues and priority groups are local labels of
one device (OpenConfig calls them forwarding groups); only the PFC priority appears on the wire.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from roce_lint.model.buffer import BufferProfile, HeadroomRules, IngressBuffer
from roce_lint.model.sourced import Part, Sourced
from roce_lint.model.units import Threshold
from roce_lint.text.source import Where


class Trust(enum.Enum):
    """Header field by which a port classifies arriving packets (IEEE 802.1Q, RFC 2474)."""

    DSCP = "dscp"
    PCP = "pcp"
    BOTH = "both"  # DSCP for IP packets, PCP for the rest
    NONE = "none"


@dataclass(slots=True, kw_only=True)
class CodeMap(Sourced):
    """A map from one number space to another; every entry can have its own line.

    `at[n]` is the position of entry n. `otherwise` is the result for numbers without an entry
    (None: not known); `at["otherwise"]` is its source. `at[Part("number", n)]` is the line that
    states the number itself, where another one gives its value (a class-map and the policy that
    refers to it); `at[Part("number", None)]` that of a value whose number is defined nowhere.
    """

    name: str | None = None
    entries: dict[int, int] = field(default_factory=dict)
    otherwise: int | None = None

    def get(self, number: int) -> int | None:
        """Map a number; None when the result is not known."""
        return self.entries.get(number, self.otherwise)

    def key(self, number: int) -> int | str:
        """Key under which `where()` finds the place that determines `number`."""
        if number in self.entries:
            return number
        if self.otherwise is None and (number in self.at or "otherwise" not in self.at):
            return number  # rejected, or not known
        return "otherwise"

    def number_place(self, number: int | None) -> Where | None:
        """The line that states the number of an entry, where another line gives its value."""
        own = Part("number", number)
        return self.where(own) if self.stated(own) else None


class MatchKind(enum.Enum):
    """Header field or rule that a classifier entry matches."""

    DSCP = "dscp"
    PCP = "pcp"
    ACL = "acl"
    PROTOCOL = "protocol"
    VLAN = "vlan"
    ANY = "any"  # class-default
    NOTHING = "nothing"  # a class that is defined and names no packets
    OTHER = "other"  # not understood; `text` describes it


@dataclass(slots=True, kw_only=True)
class Match(Sourced):
    """One entry of an ordered classifier: its match, and its action on the packets."""

    kind: MatchKind
    values: frozenset[int] = frozenset()  # DSCPs or PCPs
    text: str = ""  # ACL or protocol as named in the configuration
    partly: str = ""  # reason why it may not take all packets of its values: "IPv6 packets alone"
    class_name: str | None = None
    tc: int | None = None
    set_dscp: int | None = None
    police_bps: int | None = None  # rate of a policer, bits per second; 0: all of it is dropped
    police_drops: bool | None = None  # False: excess traffic is forwarded, marked down


@dataclass(slots=True, kw_only=True)
class Classifier(Sourced):
    """Classification by DSCP or PCP into traffic classes, as one port applies it.

    `matches` is the complete ordered list; `dscp_to_tc` and `pcp_to_tc` are its projections.
    `exact` is False if an ACL, VLAN or protocol match also decides, or a class that names no
    packets: a projected value then holds only for packets that no such match takes. `matches` lists
    the DSCPs and PCPs concerned, if any.
    """

    name: str | None = None
    matches: list[Match] = field(default_factory=list)
    dscp_to_tc: CodeMap = field(default_factory=CodeMap)
    pcp_to_tc: CodeMap = field(default_factory=CodeMap)
    exact: bool = True
    builtin: bool = False  # default of the platform, not named by the configuration


@dataclass(slots=True, kw_only=True)
class Forwarding(Sourced):
    """Resources of a traffic class inside the device: queue, priority group, PFC priority."""

    name: str | None = None
    tc_to_queue: CodeMap = field(default_factory=CodeMap)
    tc_to_pg: CodeMap = field(default_factory=CodeMap)
    tc_to_pfc_priority: CodeMap = field(default_factory=CodeMap)
    """Priority in the PFC frames sent for a received class. No entry and no `otherwise`: no PFC
    frame is sent for the class (NX-OS: no `pause` in its network-qos class)."""
    pfc_priority_to_queue: CodeMap = field(default_factory=CodeMap)
    """Egress queue that a received PFC frame for a priority pauses."""
    pfc_priority_to_pg: CodeMap = field(default_factory=CodeMap)
    tc_mtu: CodeMap = field(default_factory=CodeMap)
    """Largest packet of the class in bytes, where the platform has such a setting."""
    tc_mtu_limits: bool | None = None
    """True: longer packets of the class are dropped; False: its buffers are sized for `tc_mtu`
    and longer packets pass; None: not known, or there is no such setting."""


@dataclass(slots=True, kw_only=True)
class Policing(Sourced):
    """Policers of packets that arrive at a port, or leave it, in order; separate from
    classification.

    An ACL entry takes some packets of the DSCPs it lists, or of any DSCP where it lists none.
    """

    name: str
    matches: list[Match] = field(default_factory=list)


class PfcMode(enum.Enum):
    """Priority flow control of a port: forced, negotiated, or off (IEEE 802.1Q clause 36)."""

    ON = "on"
    AUTO = "auto"
    OFF = "off"


@dataclass(slots=True, kw_only=True)
class PfcConfig(Sourced):
    """Priority flow control of one port, after inheritance."""

    mode: PfcMode | None = None
    generate: frozenset[int] | None = None  # priorities it sends PFC frames for
    honour: frozenset[int] | None = None  # priorities whose received PFC frames it honours
    dcbx: str | None = None  # protocol version the port negotiates with: "ieee", "cee", "off"
    willing: bool | None = None  # adopts what the peer advertises
    agents: frozenset[str] | None = None  # DCBX agents that may change it: "firmware", "lldpad"
    overwriter: str | None = None
    """Agent that may replace the operator's settings by unknown ones; `at[Aside.SETTER]` is the
    line that configures it, if a file has one."""
    advertises: bool | None = None  # sends the DCBX PFC TLV
    link_pause_rx: bool | None = None  # 802.3x global pause
    link_pause_tx: bool | None = None
    cable_m: float | None = None  # cable length the PFC headroom is sized for
    named: frozenset[int] | None = None
    """Priorities configured as lossless, whether PFC is on or not; `at[n]` is the line of priority
    n. Differs from `generate` where only half of the required PFC settings are present."""


class WatchdogAction(enum.Enum):
    """Action of the PFC watchdog on a queue stuck in pause."""

    DROP = "drop"
    FORWARD = "forward"
    ALERT = "alert"
    ERRDISABLE = "errdisable"


@dataclass(slots=True, kw_only=True)
class PfcWatchdog(Sourced):
    """PFC watchdog of one port or of the device; times in milliseconds."""

    enabled: bool | None = None
    polling_ms: float | None = None
    detection_ms: float | None = None
    restoration_ms: float | None = None
    action: WatchdogAction | None = None
    priorities: frozenset[int] | None = None


class SchedulerKind(enum.Enum):
    """Scheduling discipline of a queue."""

    STRICT = "strict"
    WEIGHTED = "weighted"


class ShareKind(enum.Enum):
    """Base of a scheduler share; shares of different kinds are never added."""

    LINK = "percent of link"
    REMAINING = "percent of remaining"
    WEIGHT = "weight"


@dataclass(slots=True, kw_only=True)
class Scheduler(Sourced):
    """Scheduling of one egress queue."""

    name: str | None = None
    kind: SchedulerKind | None = None
    strict_level: int | None = None  # 1 is served first
    share: float | None = None
    share_of: ShareKind | None = None
    shape_bps: int | None = None
    shape_percent: float | None = None  # of the link, if stated in percent
    guaranteed_bps: int | None = None  # served before the others get their shares
    guaranteed_percent: float | None = None


class MarkingMode(enum.Enum):
    """Kind of ECN thresholds: stated numbers, or chosen by the platform."""

    STATIC = "static"
    PLATFORM = "platform"  # chosen by the platform: marks, numbers unknown


@dataclass(slots=True, kw_only=True)
class Marking(Sourced):
    """ECN marking and WRED dropping of one egress queue (RFC 3168; DCQCN's congestion point)."""

    name: str | None = None
    ecn: bool | None = None
    wred_drop: bool | None = None  # drops (too) instead of marking
    mode: MarkingMode = MarkingMode.STATIC
    kmin: Threshold | None = None
    kmax: Threshold | None = None
    pmax_percent: float | None = None
    allow_non_ect: bool | None = None
    averaged_over: int | None = None
    """Exponent of the number of packets the depth is averaged over; 0: the current depth."""
    enabled: bool | None = None  # separate setting beside `ecn`, where the platform has one

    @property
    def in_force(self) -> bool:
        """Whether it marks: it is neither switched off nor has a probability of 0."""
        off = self.enabled is False and self.stated("enabled")
        return bool(self.ecn) and not off and self.pmax_percent != 0


class QueueKind(enum.Enum):
    """Unicast and multicast queues with one number are different queues."""

    UNICAST = "unicast"
    MULTICAST = "multicast"


@dataclass(slots=True, kw_only=True)
class Queue(Sourced):
    """One egress queue of an egress policy."""

    number: int
    kind: QueueKind = QueueKind.UNICAST
    scheduler: Scheduler | None = None
    marking: Marking | None = None
    buffer: BufferProfile | None = None


@dataclass(slots=True, kw_only=True)
class EgressPolicy(Sourced):
    """Scheduling and ECN marking of all queues of a port, and the shaper of the port itself.

    `at[Part(Aside.LOST, n)]` are lines about unidentified queues: they use an undefined name.
    """

    name: str | None = None
    queues: dict[tuple[QueueKind, int], Queue] = field(default_factory=dict)
    complete: bool = True  # False: queues not listed exist, but their settings are not known
    shape_bps: int | None = None
    shape_percent: float | None = None  # of the link, if stated in percent

    def queue(self, number: int | None) -> Queue | None:
        """The unicast queue `number`, if the policy has it."""
        return self.queues.get((QueueKind.UNICAST, number)) if number is not None else None


@dataclass(slots=True, kw_only=True)
class Rewrite(Sourced):
    """DSCP written on egress, by traffic class. Acts only where `active` is True."""

    name: str | None = None
    tc_to_dscp: CodeMap = field(default_factory=CodeMap)
    active: bool | None = None
    on_trusted: bool | None = None  # also acts on packets received on a port that trusts DSCP


@dataclass(slots=True, kw_only=True)
class PortQos(Sourced):
    """QoS bindings of a port: keys into the device's QosObjects, each with its own line.

    A reference to an undefined name has no value, only a line: `at[field]`, or `at[Aside.PROFILE]`
    where the target would give several of the fields.
    """

    trust: Trust | None = None
    classifier: str | None = None
    forwarding: str | None = None
    pfc: PfcConfig | None = None
    egress: str | None = None
    rewrite: str | None = None
    ingress_buffer: str | None = None
    watchdog: PfcWatchdog | None = None
    default_pcp: int | None = None  # priority of untagged packets under PCP trust
    default_tc: int | None = None  # class of packets on an untrusted port
    policing: str | None = None  # policer of packets before classification
    policing_out: str | None = None  # policer of packets as they leave
    trimmed: frozenset[int] | None = None  # queues that trim packets they have no room for


@dataclass(slots=True, kw_only=True)
class QosObjects:
    """The named QoS objects of one device, each once."""

    classifiers: dict[str, Classifier] = field(default_factory=dict)
    forwardings: dict[str, Forwarding] = field(default_factory=dict)
    egress: dict[str, EgressPolicy] = field(default_factory=dict)
    rewrites: dict[str, Rewrite] = field(default_factory=dict)
    ingress_buffers: dict[str, IngressBuffer] = field(default_factory=dict)
    policing: dict[str, Policing] = field(default_factory=dict)
    tc_names: dict[int, str] = field(default_factory=dict)
    """Names of traffic classes, on devices that use names instead of numbers."""
    repeated: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Egress policies that repeat another one in other lines; metadata of reading."""

    def class_name(self, tc: int | None) -> str:
        """A traffic class in the device's own terms."""
        return "" if tc is None else self.tc_names.get(tc, str(tc))


class HeadroomModel(enum.Enum):
    """Source of the headroom of a lossless class."""

    PLATFORM = "platform"  # sized by the platform from the configuration
    STATIC = "static"  # an explicit row per port and priority group; absent row: no headroom
    DYNAMIC = "dynamic"  # computed at run time; rows need not be in the file
    MANUAL = "manual"  # the operator states buffer sizes (NIC receive buffers)


@dataclass(slots=True, kw_only=True)
class SystemQos(Sourced):
    """Device-wide QoS: kill switches, defaults, headroom model."""

    pfc_killed: bool | None = None  # a global switch turns PFC off (or drops) regardless of ports
    headroom: HeadroomModel | None = None
    headroom_in_file: bool | None = None  # a file in which headroom rows must appear
    headroom_written: bool | None = None
    """False: the device will add the rows itself, and has not done so yet."""
    headroom_rules: HeadroomRules | None = None  # inputs of a DYNAMIC device
    watchdog: PfcWatchdog | None = None
    allow_non_ect: bool | None = None
    qos_supported: bool = True  # False: a virtual lab image that cannot hold PFC or ECN lines
    own_tc: int | None = None  # the class of all packets the device sends (routing protocols)
    own_dscp: int | None = None  # the DSCP of all these packets
    trimming: bool | None = None  # False: no packet is trimmed, regardless of ports and queues
    trim_dscp: int | None = None  # the DSCP of packets that were trimmed to their headers
    has_qos: bool | None = None  # False: the files read hold no QoS part at all (port-only capture)


__all__ = ["BufferProfile", "HeadroomRules", "IngressBuffer", "Threshold"]
