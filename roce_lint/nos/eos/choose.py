"""Which statements of EOS say what a device is to do.

Queues that several ports share stand in a QoS profile; what a port alone says stands on the port.
A member of a channel says what the channel does not. Class maps and policy maps are not chosen yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.errors import RenderError
from roce_lint.model.buffer import BufferPool
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.qos import PfcWatchdog
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.eos.bounds import LIMITS
from roce_lint.nos.eos.choose_ports import INHERITED, port_words
from roce_lint.nos.eos.choose_queues import own_policy, profile_of, queue_words
from roce_lint.nos.eos.choose_routing import bgp, by_port, forwarding, unsaid
from roce_lint.nos.eos.render import TOLD
from roce_lint.nos.eos.words import (
    AllowNonEct,
    CosMap,
    DscpMap,
    HeadroomPool,
    Hostname,
    NoDrop,
    PfcAllOff,
    PortWords,
    QosWords,
    QueueMap,
    RewriteMap,
    RewriteOn,
    WatchdogDoes,
    WatchdogTime,
    seconds_text,
)
from roce_lint.nos.omissions import Omission, find_omissions
from roce_lint.nos.selection import Selection, by_value, is_named, value_to_state
from roce_lint.nos.words import Words

CODES, PRIORITIES = range(64), range(8)

TIMES = {
    "timeout": "detection_ms",
    "recovery-time": "restoration_ms",
    "polling-interval": "polling_ms",
}
"""Times of the watchdog, and the fields that hold them."""

NON_ECT = "qos random-detect ecn allow non-ect"


def choose(device: Device) -> Selection:
    """The statements of the whole configuration, and what none says."""
    left = [*find_omissions(device, TOLD), *_unsaid(device)]
    return Selection(tuple(_stanzas(device)), tuple(left))


def _unsaid(device: Device) -> Iterator[Omission]:
    """What depends on more than one field: whether there are words for it."""
    for port in device.interfaces.values():
        yield from _unsaid_of(port)
    yield from unsaid(device)
    for name, policy in device.qos.egress.items():
        for queue in policy.queues.values():
            mark = queue.marking
            if mark is None or not (mark.ecn or mark.wred_drop):
                continue
            if mark.kmin is None or mark.kmin.unit is ThresholdUnit.PERCENT:
                yield Omission("marking without thresholds", f"egress {name} queue {queue.number}")
            elif mark.ecn and mark.wred_drop:
                yield Omission("thresholds of dropping", f"egress {name} queue {queue.number}")


def _unsaid_of(port: Interface) -> Iterator[Omission]:
    """What of a port has no words, or is not known, so that a default takes its place."""
    if port.kind is InterfaceKind.TUNNEL:
        yield Omission("tunnel", port.name)
    if port.routed is False and port.tagged_vlans is None and value_to_state(port, "untagged_vlan"):
        yield from (Omission(name, port.name) for name in ("untagged_vlan", "tagged"))
    if (
        port.fec is not None
        and value_to_state(port, "fec")
        and port.kind is not InterfaceKind.PHYSICAL
    ):
        yield Omission("fec", port.name)
    qos = port.qos
    if qos is None:
        return
    if qos.egress is None and qos.pfc is None:  # its profile or channel is defined elsewhere
        yield Omission("qos", port.name)
        return
    if qos.trust is None:  # lines contradict each other
        yield Omission("qos.trust", port.name)
    if qos.pfc is not None and qos.pfc.generate is None:
        yield Omission("qos.pfc", port.name)


def _stanzas(device: Device) -> Iterator[Words]:
    if is_named(device):
        yield Hostname(hostname=device.hostname)
    common = _common_watchdog(device)
    ports = {
        port.name: port_words(port)
        for port in device.interfaces.values()
        if port.kind is not InterfaceKind.TUNNEL
    }
    profiles: dict[str, QosWords] = {}
    for name, words in ports.items():
        _qos(device, device.interfaces[name], words, common, profiles)
    for name, words in ports.items():
        channel = ports.get(device.interfaces[name].lag or "")
        if channel is not None:
            ports[name] = words.without(channel, *INHERITED)
    for name in by_port(device) & ports.keys():
        ports[name].six = True
    yield from profiles.values()
    yield from ports.values()
    yield from _maps(device)
    yield from _system(device, common)
    yield from (_pool(pool) for pool in device.pools.values() if pool.name == "headroom")
    yield from forwarding(device)
    yield from bgp(device)


def _qos(
    device: Device,
    port: Interface,
    words: PortWords,
    common: PfcWatchdog | None,
    profiles: dict[str, QosWords],
) -> None:
    """What a port says of QoS; a profile that it applies goes to `profiles`."""
    qos = port.qos
    if qos is None:
        return
    words.trust = value_to_state(qos, "trust")
    words.cos = value_to_state(qos, "default_pcp")
    _pause(port, words)
    if qos.watchdog is not None:
        _watch(qos.watchdog, common, words)
    policy = own_policy(device, port)
    if policy is None:
        return
    if profile_of(device, policy) is None:
        queue_words(device, policy, words)
    elif words.name is not None:
        words.profile = policy.name
        made = QosWords(name=policy.name)
        queue_words(device, policy, made)
        if profiles.setdefault(policy.name or "", made) != made:
            raise RenderError(f"two profiles are called {policy.name}")


def _pause(port: Interface, words: PortWords) -> None:
    pfc = port.qos.pfc if port.qos is not None else None
    if pfc is None:
        return
    mode = value_to_state(pfc, "mode")
    words.pfc = None if mode is None else mode.value == "on"
    if mode is not None and mode.value == "auto":
        raise RenderError(f"{port.name}: PFC is on or off, EOS negotiates none")
    if pfc.honour != pfc.generate:
        raise RenderError(f"{port.name}: a priority is paused in both directions or in none")
    named = pfc.named if pfc.named is not None else value_to_state(pfc, "generate")
    if named:
        words.no_drop = tuple(
            NoDrop(priorities=frozenset({each}), treatment="no-drop") for each in sorted(named)
        )
    words.dcbx = value_to_state(pfc, "dcbx")
    words.pause_tx = value_to_state(pfc, "link_pause_tx")
    words.pause_rx = value_to_state(pfc, "link_pause_rx")


def _common_watchdog(device: Device) -> PfcWatchdog | None:
    """What device-wide lines say of the watchdog: what is stated so, or is alike on all ports."""
    if device.system.watchdog is not None:
        return device.system.watchdog
    watchdogs = [p.qos.watchdog for p in device.interfaces.values() if p.qos is not None]
    first = next(iter(watchdogs), None)
    same = first is not None and all(each == first for each in watchdogs)
    return first if same and any(_time(first, field) for field in TIMES.values()) else None


def _time(watchdog: PfcWatchdog | None, field: str) -> float | None:
    return value_to_state(watchdog, field) if watchdog is not None else None


def _watch(watchdog: PfcWatchdog, common: PfcWatchdog | None, words: PortWords) -> None:
    """What a port says of the watchdog beyond the device-wide lines."""
    if value_to_state(watchdog, "enabled") is False:
        words.watched = False
    action = value_to_state(watchdog, "action")
    if action != (value_to_state(common, "action") if common is not None else None):
        words.watchdog_action = action
    own = {which: _time(watchdog, field) for which, field in TIMES.items()}
    if own == {which: _time(common, field) for which, field in TIMES.items()}:
        return
    texts = [
        f"{which} {seconds_text(which, own[which] or 0, LIMITS) if own[which] else 'auto'}"
        for which in ("timeout", "polling-interval", "recovery-time")
        if own[which] or which == "polling-interval"
    ]
    words.watchdog_timer = " ".join(texts)


def _maps(device: Device) -> Iterator[Words]:
    """The maps of the whole switch; of a default nothing is said."""
    own = [t for t in device.qos.classifiers.values() if not t.builtin and not t.matches]
    if len(own) > 1:
        raise RenderError("the switch has one map of code points for all of its ports")
    for table in own:
        for tc, codes in by_value(table.dscp_to_tc, CODES):
            yield DscpMap(codes=codes, tc=tc)
        for tc, codes in by_value(table.pcp_to_tc, PRIORITIES):
            yield CosMap(codes=codes, tc=tc)
    for inside in device.qos.forwardings.values():
        for queue, classes in by_value(inside.tc_to_queue):
            # Which queues the first two classes leave by differs; that of the others has their
            # number where nothing is said.
            named = frozenset(tc for tc in classes if tc != queue or tc < 2)
            if named:
                yield QueueMap(classes=named, queue=str(queue))
    for rewrite in device.qos.rewrites.values():
        for dscp, classes in by_value(rewrite.tc_to_dscp):
            yield RewriteMap(classes=classes, dscp=dscp)
        if value_to_state(rewrite, "active"):
            yield RewriteOn(on=True)


def _system(device: Device, common: PfcWatchdog | None) -> Iterator[Words]:
    if value_to_state(device.system, "allow_non_ect"):
        yield AllowNonEct(words=NON_ECT)
    if value_to_state(device.system, "pfc_killed"):
        yield PfcAllOff(on=True)
    if common is None:
        return
    for which, field in TIMES.items():
        time = _time(common, field)
        if time is not None:
            yield WatchdogTime(which=which, seconds=seconds_text(which, time, LIMITS))
    action = value_to_state(common, "action")
    if action is not None:
        yield WatchdogDoes(action=action)


def _pool(pool: BufferPool) -> Words:
    in_cells = pool.headroom_cells is not None
    size = pool.headroom_cells if in_cells else pool.headroom_bytes
    return HeadroomPool(unit="cells" if in_cells else "bytes", limit=size)
