"""Switches that treat a configured DSCP differently from their network."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace

from roce_lint.analysis.equal_switches import AGREEING, pairs_of_switches, place_of, usual
from roce_lint.analysis.protection import codes_named_alone, is_listed, names
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.model.device import Device
from roce_lint.model.qos import Scheduler, SchedulerKind

DECISIVE = ("lossless", "with data")
"""Properties that decide a class, and from which its ECN marking and scheduling follow."""


@dataclass(slots=True, frozen=True)
class CodeTreatment:
    """Treatment of a DSCP on a port, comparable between devices."""

    lossless: bool
    with_data: bool  # in the queue of RoCE data
    bulk: bool  # in the queue of unmarked traffic
    marked: bool | None
    turn: str  # how its queue is served

    def fields(self, *, alike: bool) -> dict[str, Hashable]:
        """Known properties to compare; scheduling only between switches of one system and place."""
        known = {"lossless": self.lossless, "with data": self.with_data, "bulk": self.bulk}
        marked = {} if self.marked is None else {"marked": self.marked}
        return known | marked | ({"turn": self.turn} if alike else {})


@dataclass(slots=True)
class Switch:
    """Treatment of the DSCPs in lines of a network by one switch."""

    device: Device
    place: Hashable  # system and role, else neighbours: equal ones are fully comparable
    named: frozenset[int]
    done: dict[int, tuple[CodeTreatment, JudgedPort]]


def switch_outliers(analysis: Analysis) -> Iterator[tuple[list[int], SwitchOutlier]]:
    """Switches that differ from most of their network, with all DSCPs of one difference."""
    pairs = pairs_of_switches(analysis)
    networks: dict[int, list[JudgedPort]] = defaultdict(list)
    for port, _ in analysis.kinds:
        if not port.device.is_host and not port.device.partial:  # not for a template
            networks[port.network].append(port)
    groups = [networks[network] for network in sorted(networks)]
    names_of = [{port.device.hostname for port in ports} for ports in groups]
    for pair in pairs:
        if not any(here.issuperset(pair) for here in names_of):  # across planes, or without a spine
            groups.append([p for ports in groups for p in ports if p.device.hostname in pair])
    for ports in groups:
        here = sorted({port.device.hostname for port in ports})
        if len(here) > AGREEING or tuple(here) in pairs:
            yield from _outliers(analysis, ports, pairs)


def _outliers(
    analysis: Analysis, ports: list[JudgedPort], pairs: list[tuple[str, ...]]
) -> Iterator[tuple[list[int], SwitchOutlier]]:
    taken = {dscp for traffic in analysis.classes for dscp in traffic.dscps} | {0}
    taken |= _tunnel_dscps(ports)
    compared = sorted(
        {dscp for port in ports for dscp in codes_named_alone(analysis, port)} - taken
    )
    by_device: dict[str, list[JudgedPort]] = defaultdict(list)
    for port in ports:
        by_device[port.device.hostname].append(port)
    switches = [_switch_of(analysis, each, compared) for each in by_device.values()]
    found: dict[Hashable, list[tuple[int, SwitchOutlier]]] = defaultdict(list)
    for dscp in compared:
        here = [switch for switch in switches if dscp in switch.done]
        for odd in _outliers_of(here, dscp, pairs):
            if _replaces_data(analysis, odd.port, dscp):
                continue  # mistaken for the DSCP of RoCE; reported with RoCE
            tc = analysis.treat(odd.port, dscp).ingress.tc
            found[odd.switch.device.hostname, tc, odd.what].append((dscp, odd))
    groups = [([dscp for dscp, _ in entries], entries[0][1]) for entries in found.values()]
    exchanged = [_swapped(each, groups, switches) for each in groups]
    wrong = {_key(other) for others in exchanged for other in others}
    for one, others in zip(groups, exchanged, strict=True):
        if _key(one) not in wrong:
            instead = tuple(dscp for dscps, _ in others for dscp in dscps)
            yield one[0], replace(one[1], instead=instead)


def _key(one: tuple[list[int], SwitchOutlier]) -> tuple[str, int]:
    return one[1].switch.device.hostname, one[0][0]


def _swapped(
    one: tuple[list[int], SwitchOutlier],
    groups: list[tuple[list[int], SwitchOutlier]],
    switches: list[Switch],
) -> list[tuple[list[int], SwitchOutlier]]:
    """DSCPs named by this switch alone that it swaps with those of `one`, compared to most
    switches: one line with the wrong DSCP is one fault.
    """
    dscps, odd = one
    others = (switch.named for switch in switches if switch.device is not odd.switch.device)
    named = frozenset[int]().union(*others)
    if not named.intersection(dscps):
        return []
    return [
        (codes, other)
        for codes, other in groups
        if other.switch.device is odd.switch.device
        and not named.intersection(codes)
        and (other.what, other.mine, other.usual) == (odd.what, odd.usual, odd.mine)
    ]


def _tunnel_dscps(ports: list[JudgedPort]) -> set[int]:
    """DSCPs of tunnels: their endpoints use separate maps (RFC 2983)."""
    devices = {port.device.hostname: port.device for port in ports}
    ends = (end for device in devices.values() for end in device.interfaces.values())
    tunnels = [end.tunnel for end in ends if end.tunnel is not None]
    detours = [tunnel.detour for tunnel in tunnels if tunnel.detour is not None]
    fixed = {tunnel.dscp for tunnel in tunnels if tunnel.dscp is not None}
    return fixed | {dscp for each in detours for dscp in each.tc_to_dscp.entries.values()}


def _replaces_data(analysis: Analysis, port: JudgedPort, dscp: int) -> bool:
    """True where the DSCP is lossless as RoCE should be, and a DSCP of RoCE is not."""
    into = analysis.treat(port, dscp).ingress
    return bool(into.lossless) and any(
        analysis.mode(traffic, port).priority == into.priority
        and any(analysis.treat(port, d).ingress.lossless is False for d in traffic.dscps)
        for traffic in analysis.data_classes
        if analysis.needs_pause(traffic, port)
    )


def _switch_of(analysis: Analysis, ports: list[JudgedPort], compared: list[int]) -> Switch:
    device = ports[0].device
    done: dict[int, tuple[CodeTreatment, JudgedPort]] = {}
    for dscp in compared:
        votes: Counter[CodeTreatment] = Counter()
        example: dict[CodeTreatment, JudgedPort] = {}
        for port in ports:
            each = _treatment_of(analysis, port, dscp)
            if each is None:
                break
            votes[each] += len(analysis.equals.get(port.key, (port,)))
            example.setdefault(each, port)
        else:
            most = max(votes, key=lambda each: votes[each])
            done[dscp] = most, example[most]
    named = frozenset(dscp for port in ports for dscp in codes_named_alone(analysis, port))
    named |= {d for d in {*compared} - named if any(is_listed(port, d) for port in ports)}
    return Switch(device, place_of(analysis, device), named, done)


def _treatment_of(analysis: Analysis, port: JudgedPort, dscp: int) -> CodeTreatment | None:
    """Treatment of a DSCP; None if unknown, or if the port treats RoCE itself wrongly: then other
    differences are a consequence.
    """
    treated = analysis.treat(port, dscp)
    into, out = treated.ingress, treated.egress
    data = [analysis.treat(port, d) for t in analysis.data_classes for d in t.dscps]
    right = [each for each in data if each.ingress.lossless or each.egress.marks]
    if not right or not into.certain or None in (into.tc, into.lossless, out.queue):
        return None
    queues = {each.egress.queue for each in right}
    bulk = out.queue in analysis.bulk_queues(port)
    turn = _turn_of(out.scheduler)
    return CodeTreatment(bool(into.lossless), out.queue in queues, bulk, out.marks, turn)


def _turn_of(scheduler: Scheduler | None) -> str:
    if scheduler is None or scheduler.kind is None:
        return "with no turn of its own"
    if scheduler.kind is SchedulerKind.STRICT:
        return "strictly"
    return "without a share" if scheduler.share == 0 else "by share"


@dataclass(slots=True, frozen=True)
class SwitchOutlier:
    """A switch that differs, one of its ports, and the treatment on most switches."""

    switch: Switch
    port: JudgedPort
    mine: CodeTreatment
    usual: CodeTreatment
    what: tuple[str, ...]  # fields that differ
    example: tuple[Switch, JudgedPort]
    agreeing: int
    all: int
    alike: bool  # peers are of its system and place
    instead: tuple[int, ...] = ()  # DSCPs that it treats in place of these


def _outliers_of(
    switches: list[Switch], dscp: int, pairs: list[tuple[str, ...]]
) -> Iterator[SwitchOutlier]:
    """Switches that differ from most of those with lines about the DSCP, from most of their system,
    from most of their system and place (scheduling included), or alone of their system from most;
    and one of a pair in which the two differ.
    """
    systems: dict[Hashable, list[Switch]] = defaultdict(list)
    places: dict[Hashable, list[Switch]] = defaultdict(list)
    for switch in switches:
        systems[switch.device.nos].append(switch)
        places[switch.place].append(switch)
    groups = [([switch for switch in switches if dscp in switch.named], False)]
    groups += [(group, False) for group in systems.values()]
    groups += [(group, True) for group in places.values()]
    groups += [(switches, False)]
    found: dict[str, SwitchOutlier] = {}
    for group, alike in groups:
        for odd in _odd_of(group, dscp, alike=alike):
            name = odd.switch.device.hostname
            if group is switches and (name in found or not _is_alone(odd, systems, dscp)):
                continue
            if name not in found or set(odd.what) >= set(found[name].what):
                found[name] = odd
    yield from found.values()
    by_name = {switch.device.hostname: switch for switch in switches}
    for pair in pairs:
        two = [by_name[name] for name in pair if name in by_name and name not in found]
        kinds = {switch.device.nos for switch in two}
        naming = [switch for switch in two if dscp in switch.named]
        if len(two) == AGREEING and len(naming) >= len(kinds):
            (mine, port), (other, its) = (switch.done[dscp] for switch in two)
            theirs = other.fields(alike=len(kinds) == 1)
            what = tuple(k for k, v in mine.fields(alike=True).items() if theirs.get(k, v) != v)
            what = tuple(k for k in what if k in DECISIVE) or what
            if what:
                example = two[1], its
                yield SwitchOutlier(two[0], port, mine, other, what, example, 1, 2, alike=True)


def _is_alone(odd: SwitchOutlier, systems: Mapping[Hashable, list[Switch]], dscp: int) -> bool:
    """Whether the switch is alone with this treatment in its system, and one peer agrees with most
    of the network: then the platform is not the reason. A lossless DSCP on one switch alone is
    reported where RoCE is compared.
    """
    if not set(DECISIVE).isdisjoint(odd.what):
        return False
    others = [b.done[dscp][0] for b in systems[odd.switch.device.nos] if b is not odd.switch]
    compared = odd.usual.fields(alike=False)
    return bool(others) and all(
        done.fields(alike=False).get(name) == compared[name] for done in others for name in odd.what
    )


def _odd_of(group: list[Switch], dscp: int, *, alike: bool) -> Iterator[SwitchOutlier]:
    fields = [(switch, switch.done[dscp][0].fields(alike=alike)) for switch in group]
    most = {
        name: found
        for name in dict.fromkeys(name for _, values in fields for name in values)
        if (found := usual(values[name] for _, values in fields if name in values)) is not None
    }
    for switch, values in fields:
        what = tuple(k for k, v in values.items() if k in most and most[k][0] != v)
        what = tuple(k for k in what if k in DECISIVE) or what
        like = [b for b, its in fields if all(its.get(name) == most[name][0] for name in what)]
        if what and like:
            example = min(like, key=lambda b: (not names(b.device, dscp), b.device.hostname))
            (other, its), (mine, port) = example.done[dscp], switch.done[dscp]
            yield SwitchOutlier(
                switch, port, mine, other, what, (example, its), *most[what[0]][1:], alike
            )
