"""Builds the Device of a Junos switch from its statements; leaves out truncated objects."""

from __future__ import annotations

from roce_lint.model.buffer import PoolUse
from roce_lint.model.device import Device, Limits
from roce_lint.model.interface import WIRED
from roce_lint.model.qos import SystemQos
from roce_lint.nos.bgp import add_own_routes
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.context import SOURCE, Context
from roce_lint.nos.junos.groups import apply_groups, expand_ranges
from roce_lint.nos.junos.interfaces import Interfaces, read_ports
from roce_lint.nos.junos.port_qos import Binder
from roce_lint.nos.junos.queues import read_pools
from roce_lint.nos.junos.routing import add_protocols, balance, read_bgp, read_policies
from roce_lint.nos.junos.vlans import add_tunnel, read_vlans
from roce_lint.nos.reading import ABSENT, Reading, Value, put
from roce_lint.nos.stanzas import routed_families
from roce_lint.nos.statements import GROUPS, Branch
from roce_lint.nos.switch_ports import link_members
from roce_lint.text.numbers import whole_number
from roce_lint.text.source import LineState
from roce_lint.text.statements import Statements, Word

# Truncated configurations: the object that contains the end is unknown, so it is left out.

TYPED = frozenset({"classifiers", "rewrite-rules", "code-point-aliases"})
"""Stanzas of `class-of-service` that have a type above the names."""


def remove_truncated(reading: Reading) -> None:
    """Leave out the object (interface, scheduler) whose end is missing: its rest is unknown."""
    for found in _statements(reading):
        if found.cut is None:
            continue
        path = _path(found.root, found.cut)
        length = _object(path)
        above = found.root.get(*path[: length - 1])
        if above is not None and len(path) >= length:
            gone = above.below.pop(path[length - 1])
            for line in gone.lines():  # of any file of the device, as the trees are one by now
                reading.mark(line, LineState.IGNORED)


def _object(path: list[str]) -> int:
    """Number of words in the path of the object that contains a path."""
    inherited = 2 if path[:1] == [GROUPS] else 0
    stanza, *below = path[inherited:] or [""]
    if stanza == "interfaces":
        return inherited + 2
    return inherited + (4 if below and below[0] in TYPED else 3)


def _statements(reading: Reading) -> list[Statements]:
    return [entry.statements for entry in reading[SOURCE] if entry.statements is not None]


def _path(root: Word, target: Word) -> list[str]:
    stack: list[tuple[Word, list[str]]] = [(root, [])]
    while stack:
        word, path = stack.pop()
        if word is target:
            return path
        stack += [(below, [*path, name]) for name, below in word.below.items()]
    return []


# The device.

LIMITS = Limits(whole_partitions=frozenset({PoolUse.LOSSLESS, PoolUse.HEADROOM, PoolUse.LOSSY}))
"""The partitions of the ingress buffer must add up to 100 percent (docs/nos/junos.md)."""


def normalize(reading: Reading) -> Device:
    """Read one Junos or Junos Evolved switch."""
    context = _context(reading)
    stated_as = context.top.get("routing-options").text("autonomous-system")
    asn = stated_as.map(lambda text: whole_number(text, high=10**10 - 1))  # else in another form
    device = reading.build(
        Device,
        context.begin,
        hostname=reading.hostname,
        nos=reading.nos,
        vendor="Juniper",
        os_version=context.top.text("version"),
        asn=asn,
        partial=not context.whole,
        lldp=_lldp(context),
        limits=LIMITS,
    )
    for found in _statements(reading):
        for refused, position in found.refused:
            context.bad(f"the device ignores `{refused}` (it says so in a comment)", position)
    ports = read_ports(context)
    vlans = read_vlans(context)
    interfaces = Interfaces(context, ports, vlans)
    binder = Binder(context, ports, vlans)
    for port in ports.values():
        for made in interfaces.build(port):
            device.interfaces[made.name] = made
        physical = device.interfaces.get(port.name)
        if physical is not None and physical.kind in WIRED:
            physical.qos = binder.bind(port)
    link_members(device.interfaces)
    put(device, forwards=routed_families(device.interfaces.values()))
    add_tunnel(context, vlans, device.interfaces)
    add_protocols(context, device.interfaces)
    balance(context, device)
    peers = read_bgp(context, asn)
    if peers is not None:
        device.routing = peers.routing(
            reading, context.begin, whole=context.whole, policies=read_policies(context)
        )
        default = reading.default(defaults.NOT_CONNECTED).position
        add_own_routes(device.routing, "direct", default, whole=context.whole)
    device.pools = read_pools(context)
    device.qos = binder.objects()
    own = context.cos.get("host-outbound-traffic")  # of the Routing Engine
    stated = own.text("forwarding-class")
    named = binder.classes.find(stated) if stated else None
    device.system = reading.build(
        SystemQos,
        context.begin,
        headroom=reading.default(defaults.HEADROOM),
        own_tc=Value(named.tc, stated.position) if named is not None else ABSENT,
        own_dscp=own.text("dscp-code-point").map(lambda text: binder.codes.number("dscp", text)),
        has_qos=bool(context.cos),
    )
    return device


def _lldp(context: Context) -> Value[bool]:
    """Whether all ports send LLDP frames; unknown if lines name single ones."""
    stated = context.top.get("protocols", "lldp", "interface")
    every = stated.get("all")
    if every:
        every.take_all()
        return Value("disable" not in every, every.begin)
    return context.reading.default(defaults.NO_LLDP) if context.whole and not stated else ABSENT


def _context(reading: Reading) -> Context:
    """The configuration with its groups applied and ranges expanded."""
    first, *others = [found.root for found in _statements(reading)] or [Word(0)]
    for other in others:  # later files add to earlier ones
        _merge(first, other)
    context = Context(reading, Branch(reading, first), first.line, whole=False)
    remove_truncated(reading)
    apply_groups(reading, first)
    hostname = context.top.get("system").text("host-name")
    context.named = bool(hostname)
    context.whole = context.named and not any(found.torn for found in _statements(reading))
    context.begin = hostname.position or first.line
    expand_ranges(context)
    return context


def _merge(target: Word, given: Word) -> None:
    """Add one tree to another; iterative, since files may nest deeply."""
    stack = [(target, given)]
    while stack:
        above, added = stack.pop()
        for name, below in added.below.items():
            found = above.below.get(name)
            if found is None:
                above.below[name] = below
            elif below.below:
                stack.append((found, below))
            else:
                below.rank = 1  # the same statement in both files
