"""Markings of host applications compared with the DSCPs that the network protects."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.cabling import emissions_by_port, nics_at
from roce_lint.analysis.cache import cached
from roce_lint.analysis.diagnosis.subject import Diagnosis, Fault, Lack
from roce_lint.analysis.protection import intended_codes
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.stages import Stage
from roce_lint.catalog.applications import CLASS_BYTE, DSCP, ENVIRONMENT, row_of
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.nic import Certainty, Emission, Flow, Nic
from roce_lint.model.units import DSCPS, ranges
from roce_lint.text.source import Where

SILENT = (
    "the DSCP of RDMA data (a forced traffic class, the rdma_cm default or the environment of a "
    "job)"
)


OUTSIDE, BYTE = "outside", "byte"
"""Kinds of wrong settings: the DSCP, or a byte taken for a DSCP."""

ESCAPES, BY_ADAPTER = "escapes", "by adapter"
"""Traffic without the setting: escaping queue pairs, or connections without a request."""

HIGHEST_DSCP = 63

ECT = 2
"""ECN bits of a traffic class byte for ECN-capable packets: ECT(0) of RFC 3168."""

OF_ADAPTERS = {
    "global traffic class": "traffic_class",
    "rdma_cm default ToS": "cma_tos",
    "roce_dscp": "own_dscp",
    "cnp_dscp": "cnp_dscp",
}
"""Field of `Nic` for each emission that a setting of adapters makes."""


def application(d: Diagnosis) -> Iterator[Fault | Lack]:
    """An application setting sends data outside the protected DSCPs.

    A DSCP is reported in its own class; without one, and where a host leaves it open, in the first
    protected class of the network.
    """
    if not d.port.device.is_host or not nics_at(d.analysis, d.port):
        return
    by_job = _jobs_mark(d.analysis)
    stated = [each for each in d.port.device.emits if _states_data(each, by_job=by_job)]
    if (
        not stated
        and _is_first(d)
        and any(d.analysis.protected(d.port.network, dscp) for dscp in DSCPS)
    ):
        yield Lack(Stage.APPLICATION, SILENT, (d.port.interface.where(),), OUTSIDE)
    mine = emissions_by_port(d.analysis, d.port)
    for emission in stated:
        if emission in mine and _is_reported_here(d, emission):
            yield from _stray(d, emission)
    for emission in mine:
        if _is_reported_here(d, emission):
            yield from _as_byte(d, emission)


def _as_byte(d: Diagnosis, emission: Emission) -> Iterator[Fault]:
    """The traffic class byte of an application has the value of a protected DSCP."""
    byte = None if emission.ect is None else emission.dscp << 2 | emission.ect
    if byte is None or not 0 < byte <= HIGHEST_DSCP or not emission.stated("dscp"):
        return
    protected, network = d.analysis.protected, d.port.network
    if emission.certainty is Certainty.DEFAULT or not protected(network, byte):
        return
    if not protected(network, emission.dscp):
        yield Fault(
            Stage.APPLICATION,
            (emission.where("dscp"),),
            f"sets the traffic class byte to {byte} ({emission.by}), which is DSCP {emission.dscp} "
            f"(byte / 4); for DSCP {byte}, which the fabric protects, use {byte << 2 | 2} "
            f"({byte << 2} plus ECT)",
            str(byte),
            kind=BYTE,
            changes=marked_as(d.port.device, emission, byte, ECT),
        )


def marked_as(
    device: Device, emission: Emission, dscp: int, ect: int | None = None
) -> tuple[Change, ...]:
    """The setting behind an emission changed to a DSCP; none where it is not a variable or a
    setting of adapters. Without `ect`, the ECN bits are those that the host has for other data.
    """
    if ect is None:
        ect = next((e.ect for e in (emission, *device.emits) if e.ect), ECT)
    name = emission.by.partition(" ")[0].partition("=")[0]
    row, own = row_of(name), OF_ADAPTERS.get(emission.by)
    like = [n for n, each in enumerate(device.emits) if each.by == emission.by]
    one_variable = row is not None and row.set_in == ENVIRONMENT and len(like) == 1
    wanted: list[tuple[tuple[str, str], str, object]] = []
    if own is not None:
        byte = dscp if own.endswith("dscp") else dscp << 2 | ect
        wanted += [(("nics", nic), own, byte) for nic in emission.nics]
    elif row is not None and row.kind in (CLASS_BYTE, DSCP) and one_variable:
        text = str(dscp if row.kind == DSCP else dscp << 2 | ect)
        wanted += [((ENVIRONMENT, name), "", text)]
    for place in (n for n in like if device.emits[n] is emission and wanted):
        sent = {"dscp": dscp, "ect": None if emission.ect is None else ect}
        wanted += [(("emits", str(place)), field, part) for field, part in sent.items()]
    made = (Change.on_entry(device, entry, field, value) for entry, field, value in wanted)
    return tuple(change for change in made if change.value != change.old)


def strays(d: Diagnosis) -> Iterator[Fault]:
    """A host sends unprotected traffic that its correct settings do not reach."""
    for nic in nics_at(d.analysis, d.port):
        yield from _escapes(d, nic)
        if _is_first(d):
            yield from _by_adapter(d, nic)


def _escapes(d: Diagnosis, nic: Nic) -> Iterator[Fault]:
    """The forced traffic class is protected, and that of queue pairs which escape it is not."""
    if nic.traffic_class is None:
        return
    dscp, protected = nic.traffic_class >> 2, d.analysis.protected
    emits = [each for each in d.port.device.emits if nic.name in each.nics]
    force = next((e for e in emits if e.flow is Flow.DATA and _is_stated(e)), None)
    for emission in emits:
        if emission.certainty is not Certainty.POSSIBLE or not _is_reported_here(d, emission):
            continue
        mine = protected(d.port.network, emission.dscp)
        if mine is not False or not protected(d.port.network, dscp):
            continue
        yield Fault(
            Stage.UNASKED,
            (emission.where("dscp"), *([force.where("dscp")] if force else [])),
            f"forces DSCP {dscp} on kernel queue pairs; those that bypass the kernel get DSCP "
            f"{emission.dscp} ({emission.by})",
            f"{emission.dscp}/{dscp}",
            kind=ESCAPES,
            changes=marked_as(d.port.device, emission, dscp, nic.traffic_class & 3),
        )


def _by_adapter(d: Diagnosis, nic: Nic) -> Iterator[Fault]:
    """An adapter marks traffic without a request with an unprotected DSCP, while an application of
    the host requests a protected one.
    """
    own, network = nic.own_dscp, d.port.network
    if own is None or nic.traffic_class is not None or not nic.stated("own_dscp"):
        return
    stated = [e for e in d.port.device.emits if e.flow is Flow.DATA and _is_stated(e)]
    good = [e for e in stated if d.analysis.protected(network, e.dscp)]
    if not good or d.analysis.protected(network, own) is not False:
        return
    mine = d.analysis.treat(d.port, own).ingress
    requested = sorted({emission.dscp for emission in good})
    paused = [dscp for dscp in requested if d.analysis.treat(d.port, dscp).ingress.lossless]
    inside = mine.lossless is False and bool(paused)
    also = f", and sends PFC for DSCP {ranges(paused)} only" if inside else ""
    yield Fault(
        Stage.UNASKED,
        (nic.where("own_dscp"), good[0].where("dscp", good[0].by), *mine.tc_where[:1]),
        f"uses DSCP {own} where none is requested{also}; the fabric protects "
        f"DSCP {ranges(requested)}",
        str(own),
        changes=_adapter_marks(d, nic, requested),
        slight=not inside,
        kind=BY_ADAPTER,
    )


def _adapter_marks(d: Diagnosis, nic: Nic, requested: list[int]) -> tuple[Change, ...]:
    """The only DSCP that applications request, for traffic without a request too."""
    mine = (e for e in d.port.device.emits if OF_ADAPTERS.get(e.by) == "own_dscp")
    emission = next((each for each in mine if nic.name in each.nics), None)
    if emission is None or len(requested) != 1:
        return ()
    return marked_as(d.port.device, emission, requested[0])


def _is_stated(emission: Emission) -> bool:
    return emission.certainty is Certainty.STATED


def _states_data(emission: Emission, *, by_job: bool) -> bool:
    """Whether an emission proves the marking of the host's data. A job may set what an application
    leaves unset, if the folder has job files that do so.
    """
    if emission.flow is not Flow.DATA or emission.certainty is Certainty.POSSIBLE:
        return False
    return emission.certainty is Certainty.STATED or emission.dscp > 0 or not by_job


@cached
def _jobs_mark(analysis: Analysis) -> bool:
    """Whether settings for many hosts at once state the marking of data."""
    return any(
        emission.flow is Flow.DATA and emission.certainty is Certainty.STATED
        for device in analysis.fabric.devices.values()
        if device.fleet
        for emission in device.emits
    )


def _is_reported_here(d: Diagnosis, emission: Emission) -> bool:
    """Whether a DSCP is reported in this class."""
    if any(emission.dscp in traffic.dscps for traffic in d.analysis.data_classes):
        return emission.dscp in d.traffic.dscps
    return _is_first(d)


def _is_first(d: Diagnosis) -> bool:
    """True for the first protected class of the network; if none is, for the first class."""
    network = d.port.network
    here = [traffic for traffic in d.analysis.data_classes if traffic.is_in(network)]
    kept = (t for t in here if any(d.analysis.protected(network, dscp) for dscp in t.dscps))
    return d.traffic is next(kept, here[0] if here else d.traffic)


def _stray(d: Diagnosis, emission: Emission) -> Iterator[Fault | Lack]:
    place, outside = emission.where("dscp"), _outside(d.analysis, d.port.network, emission.dscp)
    if isinstance(outside, str):
        yield Lack(Stage.APPLICATION, outside, (place,), OUTSIDE)
    elif outside is not None:
        classes, kept, doubts = outside
        yield Fault(
            Stage.APPLICATION,
            (place, *(where for each in classes for where in each.where[:1]), *doubts),
            f"sends RDMA data with DSCP {emission.dscp} ({emission.by}), but the fabric "
            f"protects DSCP {ranges(kept)}",
            str(emission.dscp),
            demanded=_is_stated(emission),
            rests_on=(place, *doubts),
            kind=OUTSIDE,
            changes=marked_as(d.port.device, emission, *kept) if len(kept) == 1 else (),
        )


_Outside = tuple[list[RoceClass], frozenset[int], list[Where]]
"""For a DSCP that a network does not protect: the protected classes, their DSCPs, and the
unconfirmed places that this rests on."""


@cached
def _outside(analysis: Analysis, network: int, dscp: int) -> _Outside | str | None:
    """Protected classes that a DSCP is outside of; None if it is protected, or nothing is."""
    protected = analysis.protected(network, dscp)
    if protected is None:
        return "how the switches treat the DSCP of the host"
    kept = set() if protected else intended_codes(analysis, network)
    if not kept:
        return None
    classes = [each for each in analysis.data_classes if kept.intersection(each.dscps)]
    named = {code for each in classes for code in each.dscps} or kept
    return classes, frozenset(named), _doubts(analysis, network, dscp, classes)


def _doubts(analysis: Analysis, network: int, dscp: int, classes: list[RoceClass]) -> list[Where]:
    """One unconfirmed place, if less than half of the switch ports certainly do not protect a DSCP.
    With PFC for the classes, absence of PFC is enough.
    """
    sure, ports, doubtful = 0, 0, []
    for port, count in analysis.kinds_in(network):
        if port.device.is_host:
            continue
        ports += count
        shaky = _shaky(analysis, port, dscp, classes)
        if shaky is not None:
            sure += 0 if shaky else count
            doubtful += shaky[:1]
    return doubtful[:1] if sure * 2 <= ports else []


def _shaky(
    analysis: Analysis, port: JudgedPort, dscp: int, classes: list[RoceClass]
) -> list[Where] | None:
    """Places that the missing protection of a DSCP by a port rests on; None if it protects it."""
    treated = analysis.treat(port, dscp)
    if treated.ingress.lossless or treated.egress.marks:
        return None
    shaky = list(treated.ingress.protected.doubts)
    if not any(analysis.needs_pause(traffic, port) for traffic in classes):
        shaky += treated.egress.marked.doubts
    return shaky
