"""Builds the Device of a Junos switch from its statements; leaves out truncated objects."""

from __future__ import annotations

from roce_lint.model.buffer import PoolUse
from roce_lint.model.device import Device, Limits
from roce_lint.model.interface import WIRED
from roce_lint.model.qos import SystemQos
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.bindings import CLASS_SET, Bindings
from roce_lint.nos.junos.classes import Classes, Classifiers, read_rewrites
from roce_lint.nos.junos.codes import CodePoints
from roce_lint.nos.junos.context import SOURCE, Context
from roce_lint.nos.junos.filters import Filters
from roce_lint.nos.junos.groups import apply_groups, expand_ranges
from roce_lint.nos.junos.interfaces import Interfaces, Port, link_members, read_ports
from roce_lint.nos.junos.naming import kind_of, place_of
from roce_lint.nos.junos.pause import Forwardings, read_profiles
from roce_lint.nos.junos.policers import Policers
from roce_lint.nos.junos.port_filters import PortFilters
from roce_lint.nos.junos.port_qos import Binder
from roce_lint.nos.junos.queues import Egress, read_pools
from roce_lint.nos.junos.route_policies import read_policies
from roce_lint.nos.junos.routing import add_protocols, balance, read_bgp
from roce_lint.nos.junos.vlans import Vlans, add_tunnel, read_vlans
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.nos.statements import GROUPS, Branch
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import LineState
from roce_lint.text.statements import Word

# Truncated configurations: the object that contains the end is unknown, so it is left out.

TYPED = frozenset({"classifiers", "rewrite-rules", "code-point-aliases"})
"""Stanzas of `class-of-service` that have a type above the names."""


def remove_truncated(reading: Reading) -> None:
    """Leave out the object whose end is missing, such as an interface or a scheduler.

    Its missing statements are unknown, so no default applies to them.
    """
    for entry in reading[SOURCE]:
        found = entry.statements
        if found is None or found.cut is None:
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


def _path(root: Word, target: Word) -> list[str]:
    """Path of a word; empty for the root."""
    stack: list[tuple[Word, list[str]]] = [(root, [])]
    while stack:
        word, path = stack.pop()
        if word is target:
            return path
        stack += [(below, [*path, name]) for name, below in word.below.items()]
    return []


# The device.

LIMITS = Limits(
    whole_partitions=frozenset({PoolUse.LOSSLESS, PoolUse.HEADROOM, PoolUse.LOSSY}),
)
"""The partitions of the ingress buffer must add up to 100 percent (docs/nos/junos.md)."""


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
    """Class of all traffic from the Routing Engine."""
    stated = context.cos.get("host-outbound-traffic").text("forwarding-class")
    named = binder.classes.find(stated) if stated else None
    return ABSENT if named is None else Value(named.tc, stated.position)


def _own_dscp(context: Context, binder: Binder) -> Value[int]:
    """DSCP of all traffic from the Routing Engine."""
    stated = context.cos.get("host-outbound-traffic").text("dscp-code-point")
    return stated.map(lambda text: binder.codes.number("dscp", text))


def _context(reading: Reading) -> Context:
    """The configuration with its groups applied and ranges expanded."""
    top = _top(reading)
    context = Context(reading, Branch(reading, top), top.line, whole=False)
    remove_truncated(reading)
    apply_groups(reading, top)
    hostname = context.top.get("system").text("host-name")
    context.named = bool(hostname)
    context.whole = context.named and not _is_torn(reading)
    context.begin = hostname.position or top.line
    expand_ranges(context)
    return context


def _top(reading: Reading) -> Word:
    """Tree of all files of the device; later files add to earlier ones."""
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
    """The autonomous system, if written as one number."""
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
    """Create ports that a partial configuration names in `class-of-service` only."""
    if context.whole:
        return
    for name, entry in bindings.by_name.items():
        if name not in ports and place_of(name) is not None:
            stanza = Branch(context.reading, Word(entry.begin))
            units = {unit: Branch(context.reading, Word(entry.begin)) for unit in entry.units}
            ports[name] = Port(name, kind_of(name), stanza, units)
