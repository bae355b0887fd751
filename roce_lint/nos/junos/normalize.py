"""From the statements of a Junos switch to the Device they describe."""

from __future__ import annotations

from roce_lint.model.buffer import PoolUse
from roce_lint.model.device import Device, Limits
from roce_lint.model.interface import WIRED
from roce_lint.model.qos import SystemQos
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.balancing import balance
from roce_lint.nos.junos.bindings import CLASS_SET, Bindings
from roce_lint.nos.junos.buffers import read_pools
from roce_lint.nos.junos.classes import Classes, Classifiers, read_rewrites
from roce_lint.nos.junos.codes import CodePoints
from roce_lint.nos.junos.context import SOURCE, Context
from roce_lint.nos.junos.cut import leave_out_cut
from roce_lint.nos.junos.filters import Filters
from roce_lint.nos.junos.groups import apply_groups
from roce_lint.nos.junos.igp import add_protocols
from roce_lint.nos.junos.interfaces import Interfaces, Port, link_members, read_ports
from roce_lint.nos.junos.naming import kind_of, place_of
from roce_lint.nos.junos.overlay import add_tunnel
from roce_lint.nos.junos.pause import Forwardings, read_profiles
from roce_lint.nos.junos.policers import Policers
from roce_lint.nos.junos.port_filters import PortFilters
from roce_lint.nos.junos.port_qos import Binder
from roce_lint.nos.junos.queues import Egress
from roce_lint.nos.junos.ranges import expand_ranges
from roce_lint.nos.junos.route_policies import read_policies
from roce_lint.nos.junos.routing import read_bgp
from roce_lint.nos.junos.vlans import Vlans, read_vlans
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.nos.statements import Branch
from roce_lint.text.numbers import whole_of
from roce_lint.text.statements import Word

LIMITS = Limits(
    whole_partitions=frozenset({PoolUse.LOSSLESS, PoolUse.HEADROOM, PoolUse.LOSSY}),
)
"""The partitions of the ingress buffer have to add up to 100 percent (docs/nos/junos.md)."""


def normalize(reading: Reading) -> Device:
    """Read one Junos or Junos Evolved switch."""
    context = _context(reading)
    device = reading.build(
        Device,
        context.begin,
        hostname=reading.hostname,
        nos=reading.nos,
        vendor="Juniper",
        os_version=context.top.text("version"),
        asn=_asn(context),
        partial=not context.whole,
        limits=LIMITS,
    )
    for refused, position in _refused_lines(reading):
        context.bad(f"the device ignores `{refused}` (it says so in a comment)", position)
    ports = read_ports(context)
    interfaces = Interfaces(context, ports)
    interfaces.vlans = read_vlans(context)
    binder = _binder(context, ports, interfaces.vlans)
    for port in ports.values():
        for made in interfaces.build(port):
            device.interfaces[made.name] = made
        physical = device.interfaces.get(port.name)
        if physical is not None and physical.kind in WIRED:
            physical.qos = binder.bind(port)
    link_members(device.interfaces)
    add_tunnel(context, interfaces.vlans, device.interfaces)
    add_protocols(context, device.interfaces)
    balance(context, device)
    peers = read_bgp(context, _asn(context))
    if peers is not None:
        device.routing = peers.routing(
            reading, context.begin, whole=context.whole, policies=read_policies(context)
        )
    device.pools = read_pools(context)
    device.qos = binder.objects()
    device.system = reading.build(
        SystemQos,
        context.begin,
        headroom=reading.default(defaults.HEADROOM),
        own_tc=_own_class(context, binder),
        own_dscp=_own_dscp(context, binder),
        has_qos=bool(context.cos),
    )
    return device


def _own_class(context: Context, binder: Binder) -> Value[int]:
    """The class that all traffic of the Routing Engine is put into."""
    stated = context.cos.get("host-outbound-traffic").text("forwarding-class")
    named = binder.classes.find(stated) if stated else None
    return ABSENT if named is None else Value(named.tc, stated.position)


def _own_dscp(context: Context, binder: Binder) -> Value[int]:
    """The code point that all traffic of the Routing Engine is given."""
    stated = context.cos.get("host-outbound-traffic").text("dscp-code-point")
    return stated.map(lambda text: binder.codes.number("dscp", text))


def _context(reading: Reading) -> Context:
    """The configuration as the device takes it: with its groups applied and ranges spelt out."""
    top = _top(reading)
    context = Context(reading, Branch(reading, top), top.line, whole=False)
    leave_out_cut(reading)
    apply_groups(reading, top)
    hostname = context.top.get("system").text("host-name")
    context.named = bool(hostname)
    context.whole = context.named and not _is_torn(reading)
    context.begin = hostname.position or top.line
    expand_ranges(context)
    return context


def _top(reading: Reading) -> Word:
    """The tree of all files of the device; later files add to earlier ones."""
    trees = [entry.statements.root for entry in reading[SOURCE] if entry.statements is not None]
    if not trees:
        return Word(0)
    first, *others = trees
    for other in others:
        _merge(first, other)
    return first


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


def _is_torn(reading: Reading) -> bool:
    return any(entry.statements and entry.statements.torn for entry in reading[SOURCE])


def _refused_lines(reading: Reading) -> list[tuple[str, int]]:
    return [
        found
        for entry in reading[SOURCE]
        if entry.statements is not None
        for found in entry.statements.refused
    ]


def _asn(context: Context) -> Value[int]:
    """The autonomous system, where it is written as one number."""
    value = context.top.get("routing-options").text("autonomous-system")
    text = value.value or ""
    if not (text.isascii() and text.isdigit() and len(text) < 11):
        return ABSENT
    return Value(whole_of(text), value.position)


def _binder(context: Context, ports: dict[str, Port], vlans: Vlans) -> Binder:
    """Everything that ports refer to, read once."""
    codes = CodePoints(context)
    classes = Classes(context)
    for name, branch in context.cos.get("forwarding-class-sets").pairs():
        context.reading.names.define(CLASS_SET, name, branch.begin)
    classifiers = Classifiers(context, classes, codes)
    rewrites = read_rewrites(context, classes, codes)
    profiles = read_profiles(context, codes)
    egress = Egress(context, classes)
    bindings = Bindings(context)
    _make_bound_ports(context, ports, bindings)
    bound = PortFilters(context, ports, vlans)
    return Binder(
        context=context,
        ports=ports,
        bindings=bindings,
        classes=classes,
        codes=codes,
        classifiers=classifiers,
        profiles=profiles,
        forwardings=Forwardings(context, classes),
        egress=egress,
        rewrites=rewrites,
        filters=Filters(context, codes, bound),
        policers=Policers(context, codes, bound),
    )


def _make_bound_ports(context: Context, ports: dict[str, Port], bindings: Bindings) -> None:
    """Ports that a part of a configuration names in `class-of-service` only."""
    if context.whole:
        return
    for name, entry in bindings.by_name.items():
        if name not in ports and place_of(name) is not None:
            stanza = Branch(context.reading, Word(entry.begin))
            units = {unit: Branch(context.reading, Word(entry.begin)) for unit in entry.units}
            ports[name] = Port(name, kind_of(name), stanza, units)
