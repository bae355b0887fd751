"""Two-tier fabrics made by hand: leaves with one host each, below all spines, with BGP."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.model.device import Device, Role
from roce_lint.model.interface import Interface
from roce_lint.model.routing import Balancing, BgpSession, Routing
from tests.unit.fabric import Ends, host, lines_of, port, switch


@dataclass
class Clos:
    """`links[i]` are pairs of a device and a port; hosts send DSCP 26, priority 3 is paused."""

    leaves: list[Device]
    spines: list[Device]
    hosts: list[Device]
    links: list[Ends] = field(default_factory=list)

    @property
    def devices(self) -> list[Device]:
        """All of them, in no order that matters."""
        return [*self.leaves, *self.spines, *self.hosts]


def clos(leaves: int = 4, spines: int = 2, *, per_spine: int = 1) -> Clos:
    """Leaf L has port `host` and, to spine S, `upS` (`upS-2` ...), there `downL`."""
    made = Clos(
        [switch(f"leaf{n}", role=Role.LEAF) for n in range(1, leaves + 1)],
        [switch(f"spine{n}", role=Role.SPINE) for n in range(1, spines + 1)],
        [host(f"gpu{n}", "ens1", sends=26, pauses=(3,)) for n in range(1, leaves + 1)],
    )
    for n, (leaf, gpu) in enumerate(zip(made.leaves, made.hosts, strict=True), 1):
        speed(port(leaf, "host"), leaf)
        made.links.append(((leaf, "host"), (gpu, "ens1")))
        for m, spine in enumerate(made.spines, 1):
            for k in range(per_spine):
                extra = f"-{k + 1}" if k else ""
                below = speed(port(leaf, f"up{m}{extra}"), leaf)
                above = speed(port(spine, f"down{n}{extra}"), spine)
                below.routed = above.routed = True
                below.addresses, above.addresses = (
                    (f"10.{m}.{k}.{2 * n + 1}/31",),
                    (f"10.{m}.{k}.{2 * n}/31",),
                )
                made.links.append(((leaf, below.name), (spine, above.name)))
    return made


def speed(interface: Interface, device: Device, gbps: float = 400.0) -> Interface:
    """The port with a stated speed."""
    interface.speed_gbps = gbps
    interface.at["speed_gbps"] = lines_of(device).next()
    return interface


def speaks(made: Clos, leaf_asns: list[int], spine_asns: list[int], **said: object) -> None:
    """Give every link a session on both sides; `said` are fields of the spines' sessions."""
    for device, asn in zip([*made.leaves, *made.spines], [*leaf_asns, *spine_asns], strict=True):
        device.asn, device.at["asn"] = asn, lines_of(device).next()
        device.routing = Routing(src=device.src, at={"": device.at["asn"]})
    for (a, a_port), (b, b_port) in made.links:
        if b.is_host:
            continue
        for own, peer, name in ((a, b, b_port), (b, a, a_port)):
            address = peer.interfaces[name].addresses[0].partition("/")[0]
            session = BgpSession(
                peer=address, asn=peer.asn, own_as_allowed=0, filtered_in=False,
                filtered_out=False, src=own.src, at={"": lines_of(own).next()},
            )  # fmt: skip
            for key, value in said.items() if own in made.spines else ():
                setattr(session, key, value)
                session.at[key] = lines_of(own).next()
            if own.routing is not None:
                own.routing.sessions[address] = session


def balances(device: Device, **said: object) -> None:
    """Load balancing of a switch, one line per field."""
    device.balancing = Balancing(src=device.src, **said)  # type: ignore[arg-type]
    device.balancing.at = {name: lines_of(device).next() for name in said}
