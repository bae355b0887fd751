"""Builds the Device of a Cumulus Linux switch, access lists included, from its files."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from roce_lint.model.buffer import BufferPool, Direction, PoolUse
from roce_lint.model.device import Device, Limits
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.qos import HeadroomModel, PortQos
from roce_lint.model.sourced import Home
from roce_lint.nos.access_lists import ARRIVING, IPV4, KINDS, LEAVING, AccessLists, Dialect
from roce_lint.nos.cumulus import defaults
from roce_lint.nos.cumulus.commands import Unread, read_commands
from roce_lint.nos.cumulus.context import (
    COMMANDS,
    DATAPATH,
    DOCUMENT,
    FEATURES,
    INTERFACES,
    NCLU,
    Context,
    name_profiles,
)
from roce_lint.nos.cumulus.datapath import read_datapath
from roce_lint.nos.cumulus.documents import DocumentReader
from roce_lint.nos.cumulus.egress import SENDING, EgressReader
from roce_lint.nos.cumulus.legacy import read_interfaces, read_nclu
from roce_lint.nos.cumulus.mapping import MappingReader, read_forwarding, read_remark, rewrites
from roce_lint.nos.cumulus.pause import PauseReader, WatchdogReader, read_pause
from roce_lint.nos.cumulus.ports import PortReader
from roce_lint.nos.cumulus.repeats import Repeats, StatementLayout, move_qos
from roce_lint.nos.cumulus.roce import STORAGE, RoceDefaults, choose
from roce_lint.nos.cumulus.routing import read_balancing, read_bgp, read_policies
from roce_lint.nos.cumulus.statements import EVERY_PORT, GLOBAL, Node, Statements, View
from roce_lint.nos.reading import ABSENT, Input, Reading, Value, put
from roce_lint.nos.stanzas import LAST_AS
from roce_lint.nos.states import ignore
from roce_lint.text.numbers import real
from roce_lint.text.source import LineState

# Access lists of NVUE: rules that drop RoCE, and the ports they are bound to.

WAYS = {"inbound": ARRIVING, "outbound": LEAVING}

CONTROL_PLANE = "control-plane"
"""Word below a direction of a list for packets to the switch itself."""

DROPPING = frozenset({"deny", "drop"})
"""Dropping actions of a rule; all others (permit, set, log, police) let packets pass."""

EVERY = ("ANY", "any", "0.0.0.0/0", "::/0")

_PORTS = (("source-port", "source-ip"), ("dest-port", "dest-ip"))


class FilterReader:
    """Access lists of a switch by IP version, and the ports they apply to."""

    def __init__(self, reading: Reading, top: View) -> None:
        self.types: dict[str, str] = {}
        self.lists = AccessLists(reading, Dialect(passes_rest=True))
        for name, view in top.members("acl"):
            stated = view.word("type").value or IPV4
            kind = self.types[name] = KINDS.get(stated, stated)
            rules = sorted(view.members("rule"), key=lambda rule: rule[0].zfill(10))
            self.lists.define(kind, name, [_rule(each) for _, each in rules])

    def bind(self, view: View, port: Interface, qos: PortQos | None) -> None:
        """Bind lists that drop some RoCE to a port, or to the ports of an interface's VLANs."""
        for name, place in view.members("acl"):
            kind = self.types.get(name, IPV4)
            for word, field in WAYS.items():
                way = place.get(word)
                if not way or CONTROL_PLANE in way.next_words():
                    way.get(CONTROL_PLANE).take()
                    continue
                bound = Value(name, way.take().position or way.begin)
                if qos is not None:
                    self.lists.bind(qos, field, kind, bound, port.addresses)
                else:
                    self.lists.bind_elsewhere(port, field, kind, bound)


def _rule(view: View) -> Value[str]:
    """A rule in the syntax of the access lists of other systems."""
    drops = not DROPPING.isdisjoint(view.get("action").next_words())
    match = view.get("match", "ip")
    words = [(match.word("protocol").value or "ip").lower()]
    held = match.next_words() - {"protocol"}
    for port, address in _PORTS:
        given = match.word(address).value
        words += ["any"] if given in (None, *EVERY) else ["host", given]
        held.discard(address)
        for kind in ("", "udp", "tcp"):
            place = match.get(kind) if kind else match
            named = place.word(port).value
            if named is not None and named not in EVERY:
                low, dash, high = named.replace(":", "-").partition("-")
                words += ["range", low, high] if dash else ["eq", named]
        held.discard(port)
    code = match.word("dscp").value
    words += [] if code in (None, *EVERY) else ["dscp", code]
    more = held - {"udp", "tcp", "dscp"} or view.get("match").next_words() - {"ip"}
    words += ["more"] if more else []
    return Value(f"{'deny' if drops else 'permit'} {' '.join(words)}", _place(view))


def _place(view: View) -> int:
    """Line of the action, else of the rule."""
    return max((node.stated for node in view.get("action").all_below()), default=0) or view.begin


# The device.

LOSSLESS_POOL = "default-lossless"
"""The only possible lossless pool without `qos roce`."""

BY_PORT = "port-level"
"""DSCP of trimmed packets by class, configured at the egress port."""

LIMITS = Limits(adaptive_on_routed_ports=True, watchdog_polling_ms=(100, 5000))


def normalize(reading: Reading) -> Device:
    """Build the Device of one switch."""
    device = reading.build(Device, hostname=reading.hostname, nos=reading.nos)
    device.system.src = reading.src
    device.limits = LIMITS
    statements = Statements(reading)
    documents, claimed = _collect(reading, statements)
    statements.spread()
    _identity(statements, device)
    ports = PortReader(statements, device)
    ports.read()
    _routing(statements, device)
    _trimming(statements, device)
    kinds = {port.kind for port in device.interfaces.values()}
    device.partial = InterfaceKind.PHYSICAL not in kinds
    qos = statements.top.get("qos")
    chosen = choose(qos, statements.release, stated=statements.knows_qos)
    if chosen.base is None and not qos:
        chosen = _storage(statements) or chosen
    context = Context(statements, device, qos, chosen)
    device.system.has_qos = bool(qos) or chosen.line > 0
    if qos or chosen.base is not None:
        device.system.headroom = HeadroomModel.PLATFORM
        name_profiles(context)
        _pools(context)
        _PortQosReader(context, ports.layouts).read()
    for entry, lines in claimed:
        _settle(reading, entry, lines)
    for document in documents:
        document.settle()
    return device


def _collect(
    reading: Reading, statements: Statements
) -> tuple[list[DocumentReader], list[tuple[Input, list[Unread]]]]:
    """Add all files to one tree; NVUE statements replace the files that NVUE writes."""
    documents: list[DocumentReader] = []
    claimed: list[tuple[Input, list[Unread]]] = []
    for entry in (*reading[DOCUMENT], *reading[COMMANDS]):
        statements.knows_qos = True
        if entry.source.name == DOCUMENT:
            document = DocumentReader(statements, entry)
            documents.append(document)
            claimed.append((entry, document.read()))
        else:
            claimed.append((entry, read_commands(statements, entry)))
    nvue = statements.knows_qos
    for name, read in ((INTERFACES, read_interfaces), (NCLU, read_nclu)):
        claimed += [(entry, read(statements, entry)) for entry in reading[name] if not nvue]
    flat = reading[DATAPATH]
    if not (nvue and "qos" in statements.root.below):
        claimed += [(entry, read_datapath(statements, entry)) for entry in flat]
    statements.knows_qos = nvue or bool(flat)
    return documents, claimed


def _identity(statements: Statements, device: Device) -> None:
    top = statements.top
    bgp = [view.get("router", "bgp") for view in (top, top.get("vrf", "default"))]
    name = top.word("system", "hostname")
    if name.position:
        device.at[""] = device.at["hostname"] = name.position
    stated = (view.integer("autonomous-system", low=1, high=LAST_AS) for view in bgp)
    asn = next((each for each in stated if each.position), ABSENT)
    put(device, os_version=Value(statements.release, statements.release_at), asn=asn)


def _routing(statements: Statements, device: Device) -> None:
    peers = read_bgp(statements)
    if peers is not None:
        begin = max(device.at.get("asn", 0), 0)
        policies = read_policies(statements)
        device.routing = peers.routing(statements.reading, begin, whole=True, policies=policies)
    read_balancing(statements, device)
    if statements.knows_qos:  # NVUE, or the whole system
        reading = statements.reading
        lldp = statements.top.switch("system", "lldp", "state")
        lldp = lldp.or_else(reading.default(defaults.LLDP_ON))
        put(device, forwards=reading.default(defaults.FORWARDS), lldp=lldp)


def _trimming(statements: Statements, device: Device) -> None:
    """Packet trimming: whether it is on, and the DSCP of trimmed packets."""
    view = statements.top.get("system", "forwarding", "packet-trim")
    by_port = view.word("remark", "dscp").value == BY_PORT
    dscp = ABSENT if by_port else view.get("remark").integer("dscp", high=63)
    put(device.system, trimming=view.switch("state"), trim_dscp=dscp)


def _storage(statements: Statements) -> RoceDefaults | None:
    """Defaults that `net add interface ... storage-optimized` writes for the whole switch."""
    for nodes in statements.ports.values():
        for node in nodes:
            found = node.below.get("storage-optimized")
            if found is not None:
                View(statements.reading, (found,)).take()
                return RoceDefaults(STORAGE, found.line)
    return None


def _pools(context: Context) -> None:
    """Shares of the shared buffer; the device refuses a sum above 100 percent."""
    total = last = 0
    for name, view in context.qos.members("traffic-pool"):
        percent = view.integer("memory-percent", low=1, high=100)
        view.integers("switch-priority", 7)
        fields = {"direction": Direction.BOTH, "share_percent": percent.map(real)}
        pool = context.reading.build(BufferPool, view.begin, name=name, **fields)
        context.device.pools[name] = pool
        total += percent.value or 0
        last = max(last, percent.position)
    context.reading.accepts_number("memory-percent of all pools", total, last)
    # The lossless pool of PFC without `qos roce`: none unless a line creates it.
    paused = [view for _, view in context.qos.members("pfc") if read_pause(view)]
    base = context.base
    if base is None or base.paused or not paused or context.qos.get("advance-buffer-config"):
        return
    if not any("lossless" in name for name in context.device.pools):
        context.device.pools[LOSSLESS_POOL] = context.reading.build(
            BufferPool,
            min(view.begin for view in paused),
            name=LOSSLESS_POOL,
            direction=Direction.BOTH,
            use=PoolUse.LOSSLESS,
            share_percent=context.reading.default(defaults.NO_LOSSLESS_POOL),
        )


class _PortQosReader:
    """Builds the QoS of every port; ports with the same lines share it."""

    def __init__(self, context: Context, layouts: Mapping[int, StatementLayout | None]) -> None:
        self.context = context
        self.layouts = layouts
        self.repeats = Repeats(context.reading, move_qos)
        every = context.statements.ports.get(EVERY_PORT, ())
        views = (context.qos, View(context.reading, every))
        self.common = {
            line for view in views for node in view.all_below() for line in (node.line, node.stated)
        }
        """Lines about all ports; a port whose own lines include one is never copied."""
        self.mapping = MappingReader(context)
        self.egress = EgressReader(context)
        self.pause = PauseReader(context)
        self.watchdog = WatchdogReader(context)
        self.forwarding = read_forwarding(context)
        self.filters = FilterReader(context.reading, context.statements.top)
        self.made: dict[Hashable, PortQos] = {}
        self.remarks: set[str] = set()

    def read(self) -> None:
        """Read the ports, then the rewrites they use."""
        context = self.context
        ports = context.statements.ports
        every = ports.get(EVERY_PORT, ())
        self.mapping.classifier(GLOBAL)
        self.egress.policy(GLOBAL, GLOBAL, GLOBAL)
        for port in context.device.interfaces.values():
            if port.kind is InterfaceKind.PHYSICAL:
                own = ports.get(port.name, ())
                bond = ports.get(port.lag or "", ())
                layout = None if bond else self.layouts.get(id(own))
                if layout and (layout.binds or not self.common.isdisjoint(layout.lines)):
                    layout = None  # it names a profile or shares a line
                port.qos = self._of(port, (*own, *bond, *every), layout)
            elif port.kind is not InterfaceKind.LAG:
                view = View(context.reading, ports.get(port.name, ()))
                self.filters.bind(view, port, None)
        self.filters.lists.spread(context.device.interfaces)
        context.device.qos.policing = self.filters.lists.found
        rewrites(context, self.remarks)
        self._read_unused()

    def _read_unused(self) -> None:
        """Read unused profiles, so that their lines have a state."""
        qos = self.context.qos
        for name, _ in qos.members("mapping"):
            self.mapping.classifier(name)
        for _, view in qos.members("remark"):
            read_remark(view)
        for _, view in (*qos.members("pfc"), *qos.members("link-pause")):
            read_pause(view)
        for name, view in qos.members("congestion-control"):
            self.egress.markings(name, view)
        for name, view in qos.members("egress-scheduler"):
            self.egress.schedulers(name, view)
        for _, view in qos.members("egress-shaper"):
            self.egress.shape(view, {})

    def _of(
        self, port: Interface, nodes: tuple[Node, ...], layout: StatementLayout | None
    ) -> PortQos:
        key = (*map(id, nodes), port.at[""])
        if key not in self.made:
            view = View(self.context.reading, nodes)
            self.made[key] = self.repeats.read(layout, lambda: self._read(view, port))
        return self.made[key]

    def _read(self, view: View, port: Interface) -> PortQos:
        context, begin = self.context, port.at[""]
        bound = context.profile_names(view)
        for feature, profile in bound.items():
            if profile.position:
                context.reading.refer(FEATURES[feature], profile)
        name = bound["mapping"].value or GLOBAL
        classifier = self.mapping.classifier(name)
        trust = self.mapping.trusts.get(name, Value(None))
        pcp, priority = self.mapping.untagged.get(name, (Value(None), Value(None)))
        egress = self.egress.policy(*(bound[feature].value or GLOBAL for feature in SENDING))
        remark = bound["remark"].value or GLOBAL
        self.remarks.add(remark)
        trimmed = view.get("packet-trim", "egress-eligibility").integers("traffic-class", 7)
        chosen, home = context.chosen.line, context.profile("mapping", name).begin
        place = home or chosen  # of `default-global`, or of its replacement
        qos = context.reading.build(
            PortQos,
            chosen or begin,
            trust=trust,
            classifier=Value(classifier, bound["mapping"].position or place or trust.position),
            forwarding=Value(self.forwarding, chosen),
            pfc=self.pause.read(view, bound, begin),
            egress=Value(egress, bound["congestion-control"].position or chosen),
            rewrite=Value(
                remark if context.profile("remark", remark) else None, bound["remark"].position
            ),
            watchdog=self.watchdog.read(view, begin),
            default_pcp=pcp,
            default_tc=priority,
            trimmed=Value(frozenset(trimmed), min(trimmed.values())) if trimmed else ABSENT,
        )
        self.filters.bind(view, port, qos)
        if not qos.stated("trust") and home:
            qos.at[Home("trust")] = home
        return qos


def _settle(reading: Reading, entry: Input, lines: list[Unread]) -> None:
    """Mark untaken lines of claimed parts as unrecognised, unless known to be irrelevant."""
    states = reading.src.files[entry.file].states
    missed = [line for line in lines if states[line.number] == LineState.UNCLAIMED]
    for line in missed:
        states[line.number] = LineState.UNRECOGNISED
    ignore(entry.source, [[(0, line.text, line.number + 1)] for line in missed], states)
