"""What jobs choose against what the fabric does: timeouts, adaptive routing, queue pairs."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.paths import all_paths_of
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.catalog.applications import selects, without_rdma
from roce_lint.engine.api import (
    Device,
    Given,
    NoParams,
    Outcome,
    Problem,
    Where,
    device_check,
)
from roce_lint.model.nic import Nic
from roce_lint.model.qos import WatchdogAction
from roce_lint.model.routing import Spread
from roce_lint.text.numbers import whole_of

TIMEOUT, RETRIES = "NCCL_IB_TIMEOUT", "NCCL_IB_RETRY_CNT"
DEFAULTS = {TIMEOUT: 20, RETRIES: 7}
"""What NCCL takes where a variable is not set (NCCL documentation, environment variables)."""

UNIT_MS = 4.096e-3
"""Local ACK timeout 0 (InfiniBand Architecture Specification, 9.9.2.1.1): 4.096 us, doubled by
each step."""

MOST = {TIMEOUT: 31, RETRIES: 7}
"""Fields of 5 and 3 bits in the queue pair."""

ADAPTIVE = "NCCL_IB_ADAPTIVE_ROUTING"
QUEUE_PAIRS = "NCCL_IB_QPS_PER_CONNECTION"


@device_check("nic.gives_up_before_watchdog")
def job_giving_up_before_watchdog(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A job's queue pairs fail sooner than a watchdog gives a stuck queue back."""
    stated = [n for n in (TIMEOUT, RETRIES) if device.stated(n)] if _uses_nccl(device) else []
    timeout, retries = (_number(device, name) for name in (TIMEOUT, RETRIES))
    if not stated or timeout is None or retries is None or not timeout:
        return  # a timeout of 0 waits for ever
    patience = UNIT_MS * 2**timeout * (retries + 1)
    slow = _slowest(given.analysis, device)
    if slow is None or patience >= slow[0]:
        return
    outage, port, places = slow
    yield Problem(
        f"{device.hostname}: queue pairs of NCCL fail after {_spell(patience)} without an answer, "
        f"and the PFC watchdog of {port} takes up to {_spell(outage)} to give a queue back",
        "a pause storm that the watchdog would end has ended the job by then",
        [device.where(stated[0]), *places],
        device.hostname,
        tuple(stated),
        value=f"{timeout}/{retries}",
    )


def _number(device: Device, name: str) -> int | None:
    """A variable that holds a number; its default where it is not set, None where it is odd."""
    if not device.stated(name):
        return DEFAULTS[name]
    text = device.environment.get(name, "").strip()
    number = whole_of(text) if text.isascii() and text.isdigit() and len(text) < 4 else None
    return number if number is not None and number <= MOST[name] else None


def _slowest(analysis: Analysis, device: Device) -> tuple[float, JudgedPort, list[Where]] | None:
    """The longest time for which a watchdog throws away what a port would send, in ms."""
    networks = {port.network for port in analysis.ports_of(device)}
    found: list[tuple[float, JudgedPort, list[Where]]] = []
    for port, _ in analysis.kinds:
        qos = port.interface.qos
        watchdog = qos.watchdog if qos is not None else None
        if port.device.is_host or watchdog is None or not watchdog.enabled:
            continue
        if networks and port.network not in networks:
            continue
        times = (watchdog.detection_ms, watchdog.restoration_ms)
        if watchdog.action is WatchdogAction.DROP and None not in times:
            places = [watchdog.where("restoration_ms"), watchdog.where("detection_ms")]
            found.append((sum(time or 0 for time in times), port, places))
    return max(found, key=lambda each: each[0], default=None)


def _spell(ms: float) -> str:
    return f"{ms / 1000:.3g} s" if ms >= 1000 else f"{ms:.3g} ms"


@device_check("nic.not_told_of_adaptive_routing")
def job_without_adaptive_routing(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """The fabric sends packets of one flow over several paths, and NCCL is not told."""
    if not _uses_nccl(device) or device.environment.get(ADAPTIVE, "0").strip() != "0":
        return
    if not device.environment.get(ADAPTIVE) and device.stated(ADAPTIVE):
        return  # set to what is not known
    networks = {port.network for port in given.analysis.ports_of(device)}
    choosing = [
        (node.name, _adapts([crossing.out for crossing in node.up]))
        for node in all_paths_of(given.analysis).nodes.values()
        if len(node.up) > 1 and (not networks or node.up[0].out.network in networks)
    ]
    adapting = [(name, how) for name, how in choosing if how is not None]
    if len(adapting) * 2 <= len(choosing):
        return
    name, (words, place) = adapting[0]
    yield Problem(
        f"{device.hostname} runs NCCL without {ADAPTIVE}=1, and {name} {words}, as do "
        f"{len(adapting)} of {len(choosing)} switches with uplinks to choose from",
        "NCCL then counts on the last packet of a message to arrive last, and gains nothing from "
        "the paths that the fabric chooses",
        [_line(device, ADAPTIVE), place],
        device.hostname,
        (ADAPTIVE,),
        value=ADAPTIVE,
    )


def _adapts(ports: list[JudgedPort]) -> tuple[str, Where] | None:
    """How a switch moves packets between uplinks, and the line; None: flows keep theirs."""
    balancing = ports[0].device.balancing
    if balancing is not None and balancing.spread is Spread.PACKET:
        return "sends every packet its own way", balancing.where("spread")
    if balancing is not None and balancing.adaptive is False:
        return None
    if all(port.interface.adaptive_routing for port in ports):
        return "routes adaptively", ports[0].interface.where("adaptive_routing")
    return None


@device_check("nic.few_queue_pairs_over_bond")
def few_queue_pairs_over_bond(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """NCCL opens one queue pair a connection over an RDMA device of two bonded ports."""
    if not _uses_nccl(device) or device.environment.get(QUEUE_PAIRS, "1").strip() != "1":
        return
    if not device.environment.get(QUEUE_PAIRS) and device.stated(QUEUE_PAIRS):
        return
    for nic in given.analysis.nics_of(device):
        bond = device.interfaces.get(nic.port or "")
        if bond is None or len(bond.members) < 2 or not _is_used(device, nic):
            continue
        yield Problem(
            f"{device.hostname} {nic.name} is a bond of {len(bond.members)} ports, and NCCL opens "
            "one queue pair a connection",
            f"a queue pair keeps to one port: a connection has 1/{len(bond.members)} of the bond "
            "at most, and chance decides how connections share the ports",
            [_line(device, QUEUE_PAIRS), nic.where("port")],
            device.hostname,
            (nic.port or nic.name,),
            value=QUEUE_PAIRS,
        )


def _is_used(device: Device, nic: Nic) -> bool:
    return selects(device.environment.get("NCCL_IB_HCA", ""), nic.name)


def _uses_nccl(device: Device) -> bool:
    """Whether the environment of a job was captured that uses NCCL over verbs."""
    names = [name for name in device.environment if device.stated(name)]
    off = without_rdma(device.environment, "NCCL")
    return not off and any(name.startswith("NCCL_IB_") for name in names)


def _line(device: Device, name: str) -> Where:
    """The line of a variable; of one that is not set, that of another one of NCCL."""
    if device.stated(name):
        return device.where(name)
    said = (n for n in device.environment if n.startswith("NCCL_IB_") and device.stated(n))
    return device.where(next(said))
