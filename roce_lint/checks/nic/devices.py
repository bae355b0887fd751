"""RDMA devices and GID table entries chosen by applications of a host."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from roce_lint.analysis.result import Analysis
from roce_lint.analysis.scope import OFF_PATH_ROLES, wires
from roce_lint.catalog.applications import (
    DEVICE_NAMES,
    GID_INDEX,
    leaving,
    of_kind,
    row_of,
    selects,
    without_rdma,
)
from roce_lint.engine.api import Given, Outcome, Problem, Unknown, Where, device_check, fabric_check
from roce_lint.engine.finding import Severity
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.nic import Gid, Nic
from roce_lint.model.units import spell_speed
from roce_lint.text.numbers import count, whole_of

LINK_LOCAL = ("fe80:", "169.254.")
"""Prefixes of link-local addresses, which are not routed (RFC 4291, RFC 3927)."""

LOCAL = "link-local"
HARMS = {
    "missing": "connections with it fail: the job fails or hangs at its start",
    "RoCE v1": "RoCE v1 has no IP header: it is not routed and carries no DSCP",
    LOCAL: "a link-local address is not routed: only hosts in the same VLAN are reachable",
}
"""Consequence of each kind of unusable GID table entry."""

SHOWN = 40
"""Characters of a value that a message quotes."""

SLOW = 4
"""Devices this many times slower than the fastest one are hardly meant for the same data."""


@fabric_check("nic.gid_index_unusable")
def unusable_gid_index(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A configured GID index that is not a routable RoCE v2 address on every device."""
    analysis = given.analysis
    usable: dict[tuple[str, int, int], list[tuple[Device, Nic, Gid]]] = defaultdict(list)
    rows = of_kind(GID_INDEX).values()
    for device in fabric.devices.values():
        for row in rows if device.environment else ():
            variable, text = row.name, _used(device, row.name)
            if not (text.isascii() and text.isdigit()) or len(text) > 4:
                continue  # -1 and auto leave the choice to the library
            index = whole_of(text)
            listed = device.environment.get(row.devices, "")
            every = analysis.roce_nics if device.fleet else ()
            chosen = [each for each in every if selects(listed, each[1].name, row.devices)]
            yield from _of_job(analysis, device, variable, index, chosen)
            for nic in analysis.nics_of(device):
                if not selects(listed, nic.name, row.devices):
                    continue
                yield from _entry(analysis, device, nic, variable, index, named=bool(listed))
                if (gid := _at(nic, index)) is not None and not _kind(gid):
                    usable[variable, index, _network(analysis, device, nic)].append(
                        (device, nic, gid)
                    )
    for (variable, index, _), entries in usable.items():
        yield from _families(variable, index, entries)


def _used(device: Device, name: str) -> str:
    """Value of a variable; "" where it is unknown or its application may not use RDMA."""
    text, row = device.environment.get(name, "").strip(), row_of(name)
    if not text or row is None or without_rdma(device.environment, row.used_by):
        return ""
    is_open = any(n not in device.environment and device.stated(n) for n in leaving(row.used_by))
    return "" if is_open else text


def _of_job(
    analysis: Analysis, device: Device, variable: str, index: int, nics: list[tuple[Device, Nic]]
) -> Iterator[Outcome]:
    """A GID index of a job that is unusable on RDMA devices it may use: an error if on all."""
    where, bad, good = device.where(variable), list[tuple[str, Nic, Gid | None]](), 0
    for host, nic in nics:
        gid = _at(nic, index)
        kind = _kind(gid)
        if not kind or (kind == LOCAL and not _is_routed(analysis, host, nic)):
            good += 1
        elif gid is not None or (not nic.gids_partial and (nic.gids or nic.gids_none)):
            bad.append((kind, nic, gid))
    if not good and len(bad) < len(nics):
        missing = "the GID tables of all RDMA devices that a job may use (show_gids)"
        yield Unknown(missing, [where], device.hostname)
    elif bad:
        kinds = " or ".join(dict.fromkeys(kind for kind, _, _ in bad))
        few = f"{len(bad)} of " if good else ""
        yield Problem(
            f"{device.hostname} uses GID index {index} ({variable}), which is {kinds} on {few}the "
            f"{count(len(nics), 'RoCE NIC')} that it may use here",
            HARMS[bad[0][0]],
            [where, *(gid.where() for _, _, gid in bad[:1] if gid is not None)],
            device.hostname,
            (variable,),
            value=f"{index}: {kinds}",
            severity=Severity.WARNING if good else None,
        )


def _entry(
    analysis: Analysis, device: Device, nic: Nic, variable: str, index: int, *, named: bool
) -> Iterator[Outcome]:
    where, port = device.where(variable), nic.port or nic.name
    if not nic.gids:
        missing = "the GID tables of the host's RDMA devices (show_gids)"
        yield Unknown(missing, [where], device.hostname, (port,))
        return
    gid = _at(nic, index)
    if gid is None and nic.gids_partial:
        missing = "the whole GID tables of the host's RDMA devices (show_gids)"
        yield Unknown(missing, [where, nic.where("gids_partial")], device.hostname, (port,))
        return
    kind = _kind(gid)
    if not kind:
        return
    severity = None if named else Severity.WARNING
    if kind == LOCAL and not _is_routed(analysis, device, nic):
        severity = Severity.WARNING
    fault = f"which is {kind} on {nic.name}" if gid else f"which {nic.name} does not have"
    proof = gid.where("" if kind == LOCAL else "roce_version") if gid else nic.gids[0].where()
    yield Problem(
        f"{device.hostname} uses GID index {index} ({variable}), {fault}",
        HARMS[kind],
        [where, proof],
        device.hostname,
        (port,),
        value=f"{index}: {kind}",
        severity=severity,
    )


VERSION = "NCCL_IB_ROCE_VERSION_NUM"
"""Variable by which NCCL selects GID table entries of a RoCE version."""


@device_check("nic.roce_v1_on_routed_path")
def roce_v1_on_routed_path(device: Device, given: Given) -> Iterator[Outcome]:
    """A host configured for RoCE v1, which has no IP header, behind a routed switch port."""
    yield from _v1_for_many(given.analysis, device)
    for nic in given.analysis.nics_of(device):
        set_apart = any(gid.roce_version == 2 for gid in nic.gids)  # not by missing entries
        if _used(device, VERSION) == "1":
            where, by = device.where(VERSION), f"{VERSION}=1"
            change = Change.on_entry(device, ("environment", VERSION), "", "2")
        elif nic.roce_version == 1 and (set_apart or not nic.gids_partial):
            where, by = nic.where("roce_version"), nic.name
            change = Change.on_entry(device, ("nics", nic.name), "roce_version", 2)
        else:
            continue
        if _is_routed(given.analysis, device, nic):
            yield Problem(
                f"{device.hostname} uses RoCE v1 ({by}), but the switch port of {nic.name} routes",
                "RoCE v1 has no IP header: it is not routed and carries no DSCP",
                [where],
                subjects=(nic.port or nic.name,),
                value=by if "=" in by else "rdma_cm",
                changes=(change,),
            )


def _v1_for_many(analysis: Analysis, device: Device) -> Iterator[Outcome]:
    """A job or cluster policy that requests RoCE v1 while hosts are behind routed ports."""
    requests = {p.name: p.where("roce_version") for p in device.policies if p.roce_version == 1}
    if device.fleet and _used(device, VERSION) == "1":
        requests[f"{VERSION}=1"] = device.where(VERSION)
    nics = analysis.roce_nics if requests else ()
    routed = next((host for host, nic in nics if _is_routed(analysis, host, nic)), None)
    for by, where in requests.items() if routed is not None else ():
        message = f"{device.hostname} requests RoCE v1 ({by}), but host-facing ports are routed"
        harm = "RoCE v1 has no IP header: it is not routed and carries no DSCP"
        who = (device.hostname, (by,), by)
        yield Problem(message, harm, [where], *who, severity=Severity.WARNING)


def _at(nic: Nic, index: int) -> Gid | None:
    return next((gid for gid in nic.gids if gid.index == index), None)


def _kind(gid: Gid | None) -> str:
    """Reason why an entry is unusable on a routed path; empty for a usable one."""
    if gid is None:
        return "missing"
    local = (gid.address or gid.gid).startswith(LINK_LOCAL)
    return "RoCE v1" if gid.roce_version == 1 else LOCAL if local else ""


def _network(analysis: Analysis, device: Device, nic: Nic) -> int:
    port = analysis.port(device.hostname, wires(device, nic)[0])
    return port.network if port is not None else -1


def _is_routed(analysis: Analysis, device: Device, nic: Nic) -> bool:
    """Whether the switch port of a NIC is known to be routed."""
    port = analysis.port(device.hostname, wires(device, nic)[0])
    return bool(port is not None and port.peer is not None and port.peer.interface.routed)


def _family(gid: Gid) -> str:
    return "IPv6" if ":" in (gid.address or gid.gid) else "IPv4"


def _families(
    variable: str, index: int, entries: list[tuple[Device, Nic, Gid]]
) -> Iterator[Outcome]:
    """A GID index that is IPv4 on some hosts and IPv6 on others."""
    counts = Counter(_family(gid) for _, _, gid in entries)
    if len(counts) < 2:
        return
    usual, often = counts.most_common(1)[0]
    like = next(entry for entry in entries if _family(entry[2]) == usual)
    for device, nic, gid in entries:
        if _family(gid) == usual:
            continue
        yield Problem(
            f"{device.hostname} uses GID index {index} ({variable}), which is {_family(gid)} on "
            f"{nic.name} but {usual} on {often} other RDMA devices of the network",
            "an IPv4 GID cannot reach an IPv6 GID: connections between them fail",
            [device.where(variable), gid.where(), like[2].where()],
            device.hostname,
            (nic.port or nic.name,),
            value=f"{index}: {_family(gid)}",
        )


@device_check("nic.device_list_wrong")
def wrong_rdma_device_list(device: Device, given: Given) -> Iterator[Outcome]:
    """NCCL_IB_HCA that selects unintended devices, or devices that cannot carry the data."""
    yield from _switched_off(given.analysis, device)
    listed = _used(device, "NCCL_IB_HCA")
    if not listed or not device.is_host:
        return
    fabric = given.analysis.fabric
    if all(n.ethernet is False and not _is_cabled(fabric, device, n) for n in device.nics.values()):
        return  # a host of an InfiniBand network
    where = device.where("NCCL_IB_HCA")
    exclude, text = listed.startswith("^"), listed.removeprefix("^")
    exact, text = text.startswith("="), text.removeprefix("=")
    entries = [entry.strip().split(":")[0] for entry in text.split(",") if entry.strip()]
    if all(nic.active is None for nic in device.nics.values()):
        missing = "the RDMA devices of the host and their state (rdma link)"
        yield Unknown(missing, [where], device.hostname)
        return
    for entry in dict.fromkeys(entries):
        if not exact:
            yield from _also(device, entry, where, exclude=exclude)
        if not exclude:
            yield from _absent(fabric, device, entry, where, exact=exact)
    if exclude:
        yield from _all_excluded(device, entries, where, exact=exact)
    else:
        yield from _unfit(given.analysis, device, where)


@device_check("nic.mapping_names_absent_device")
def mapping_names_missing_device(device: Device, given: Given) -> Iterator[Outcome]:
    """A library setting that names an RDMA device the host does not have."""
    if not device.is_host or not device.nics:
        return
    known = {name.split(":")[0] for name in device.nics}
    for variable in of_kind(DEVICE_NAMES):
        listed = _used(device, variable)
        if not listed or not device.stated(variable) or listed.startswith("^"):
            continue
        entries = [entry.strip().split(":") for entry in listed.split(",")]
        named = [entry[0] for entry in entries if len(entry) > 1 and entry[0]]
        gone = [name for name in dict.fromkeys(named) if name not in known]
        if not gone:
            continue
        if device.nics_partial:
            missing = "all RDMA devices of the host (rdma link)"
            yield Unknown(missing, [device.where(variable)], device.hostname)
            continue
        yield Problem(
            f"{device.hostname}: {variable} names {', '.join(gone)}, which the host does not have",
            "the library fails at its start, or uses fewer devices than intended",
            [device.where(variable), *(nic.where() for nic in device.nics.values())],
            subjects=(variable,),
            value=f"{variable}: {', '.join(gone)}",
        )


@device_check("nic.gid_table_empty")
def gid_table_empty(device: Device, given: Given) -> Iterator[Outcome]:
    """A host whose RDMA devices have empty GID tables."""
    nics = [nic for nic in given.analysis.nics_of(device) if nic.gids_none]
    if nics:
        names = ", ".join(nic.name for nic in nics)
        yield Problem(
            f"{device.hostname} has no GID on any RDMA device ({names})",
            "no RoCE connection can be set up: the port has no address, or is in another network "
            "namespace",
            [nics[0].where("gids_none"), *(nic.where() for nic in nics)],
            subjects=tuple(nic.port or nic.name for nic in nics),
            value="empty",
        )


def _switched_off(analysis: Analysis, device: Device) -> Iterator[Outcome]:
    """An application configured not to use RDMA."""
    nics = [nic for _, nic in analysis.roce_nics] if device.fleet else analysis.nics_of(device)
    for name, value in device.environment.items() if nics else ():
        row = row_of(name)
        if row is not None and row.leaves_rdma(value):
            program = row.used_by.partition(",")[0]
            yield Problem(
                f"{device.hostname} sets {name}={value[:SHOWN]}: {program} leaves "
                f"{'the' if device.fleet else 'its'} {count(len(nics), 'RoCE device')} unused",
                f"{program} sends no data over RDMA, and its other RDMA settings have no effect",
                [device.where(name)],
                subjects=(name,),
                value=name,
                severity=Severity.INFO,
            )


def _all_excluded(
    device: Device, entries: list[str], where: Where, *, exact: bool
) -> Iterator[Outcome]:
    """An exclude list that leaves no RDMA device."""
    names = {name.split(":")[0] for name, nic in device.nics.items() if nic.active is not False}
    gone = {n for n in names if any(n == e if exact else n.startswith(e) for e in entries)}
    if names and gone == names and not device.nics_partial:
        yield Problem(
            f"{device.hostname}: NCCL_IB_HCA excludes {', '.join(sorted(gone))}, and no other "
            "RDMA device is up",
            "NCCL finds no RDMA device: all its data goes over TCP",
            [where, *(nic.where() for nic in device.nics.values())],
            subjects=("NCCL_IB_HCA",),
            value=f"^{','.join(entries)}",
            severity=Severity.WARNING,
        )


def _also(device: Device, entry: str, where: Where, *, exclude: bool) -> Iterator[Outcome]:
    """An entry that names a device and is a prefix of other device names."""
    names = {name.split(":")[0] for name in device.nics}
    others = sorted(n for n in names if n.startswith(entry) and n[len(entry) :].isdigit())
    if entry not in names or not others:
        return
    verb = "excludes" if exclude else "selects"
    nics = [nic for name, nic in device.nics.items() if name.split(":")[0] in others]
    yield Problem(
        f"{device.hostname}: {entry} in NCCL_IB_HCA also {verb} {', '.join(others)}",
        "entries match by prefix: data uses other devices than intended",
        [where, *(nic.where() for nic in nics)],
        subjects=tuple(nic.port or nic.name for nic in nics),
        value=f"{entry}: {', '.join(others)}",
        severity=Severity.WARNING,
    )


def _is_cabled(fabric: Fabric, device: Device, nic: Nic) -> bool:
    """Whether an RDMA device is cabled to a switch, and so to Ethernet."""
    return fabric.peer(device.hostname, wires(device, nic)[0]) is not None


def _absent(
    fabric: Fabric, device: Device, entry: str, where: Where, *, exact: bool
) -> Iterator[Outcome]:
    """An entry that selects nothing, a device that is down, or a cabled one without RoCE."""
    meant = [
        nic
        for name, nic in device.nics.items()
        if (name.split(":")[0] == entry if exact else name.startswith(entry))
    ]
    own = [nic for nic in meant if nic.name.split(":")[0] == entry]
    cabled = [nic for nic in meant if nic.ethernet is False and _is_cabled(fabric, device, nic)]
    if not meant and device.nics_partial:
        missing = "the list of all RDMA devices of the host (rdma link)"
        yield Unknown(missing, [where], device.hostname)
        return
    if not meant:
        fault, proof = "which this host does not have", next(iter(device.nics.values())).where()
    elif own and all(nic.active is False for nic in own):
        fault, proof = "whose port is down", own[0].where("active")
    elif cabled:
        fault, proof = "which is set to InfiniBand or iWARP, not RoCE", cabled[0].where("ethernet")
    else:
        return
    yield Problem(
        f"{device.hostname} lists {entry} in NCCL_IB_HCA, {fault}",
        "NCCL ignores the entry: the other devices carry its share, or all data goes over TCP",
        [where, proof],
        subjects=tuple(nic.port or nic.name for nic in own or cabled),
        value=f"{entry}: {fault}",
    )


def _unfit(analysis: Analysis, device: Device, where: Where) -> Iterator[Outcome]:
    """Selected devices of another network, or far slower than the others."""
    speeds: dict[str, float] = {}
    for nic in analysis.nics_of(device):
        speed = sum(
            device.interfaces[wire].speed_gbps or 0
            for wire in wires(device, nic)
            if wire in device.interfaces
        )
        if speed:
            speeds[nic.name] = speed
    fastest = max(speeds.values(), default=0.0)
    for nic in analysis.nics_of(device):
        port = device.interfaces.get(wires(device, nic)[0])
        if port is None:
            continue
        peer = analysis.fabric.peer(device.hostname, port.name)
        if peer is not None and peer.device.role in OFF_PATH_ROLES:
            fault = f"which leads to {peer.device.hostname}, outside the RoCE network"
        elif speeds.get(nic.name, fastest) * SLOW <= fastest and fastest:
            mine = speeds[nic.name]
            fault = f"with {spell_speed(mine)} beside devices with {spell_speed(fastest)}"
        else:
            continue
        yield Problem(
            f"{device.hostname}: NCCL_IB_HCA selects {nic.name} ({port.name}), {fault}",
            "a management or storage port carries part of the data and slows down all of it",
            [where, port.where("speed_gbps")],
            subjects=(port.name,),
            value=f"{nic.name}: {fault}",
            severity=Severity.WARNING,
        )
