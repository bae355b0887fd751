"""Routes of BGP that hosts do not have: sessions that stay down, networks that nobody announces."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.routes import RouteFault, route_faults
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, fabric_check
from roce_lint.engine.conclusion import some


@fabric_check("routes.session_contradicted")
def bgp_session_contradicted(_fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """The other side of a BGP session has another AS number, or no such session."""
    for each in route_faults(given.analysis):
        if each.stated is None or each.other is None:
            continue
        far, peer = each.other, each.stated.peer
        says = f"has a BGP session with {far.hostname} ({peer}), which has none with it"
        if each.by_number:
            says = f"expects AS {each.stated.asn} at {peer}: {far.hostname} is AS {far.asn}"
        value = str(far.asn) if each.by_number else "no session"
        harm = "the session does not come up: no route is exchanged over this link, so that "
        yield _problem(each, says, harm + "traffic takes the other links or none", value)


@fabric_check("routes.hosts_without_route")
def hosts_without_route(_fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """No line announces the networks of hosts, or a leaf refuses them for its own AS number."""
    for each in route_faults(given.analysis):
        says, value = f"does not announce by BGP {some(each.networks)}, where hosts are", "silent"
        if each.other is not None:
            far, value = each.other, "same AS"
            says = f"has AS {far.asn} as {far.hostname}, and both refuse routes that hold it"
        if each.stated is None:
            harm = "packets from hosts of other leaves have no route and are dropped"
            yield _problem(each, says, harm, value)


def _problem(fault: RouteFault, says: str, harm: str, value: str) -> Problem:
    name = fault.device.hostname
    ports = tuple(port for device, port in fault.ports if device == name)
    return Problem(f"{name} {says}", harm, [*fault.where], name, ports, value=value)
