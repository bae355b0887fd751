"""`BGP_NEIGHBOR`: the sessions of BGP, and what the configuration made from them allows."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.routing import Balancing, BgpSession, Routing
from roce_lint.nos.declare import Default
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.sonic import defaults
from roce_lint.nos.sonic.tables import Namespace

TABLE = "BGP_NEIGHBOR"

OTHERS = ("STATIC_ROUTE", "OSPFV2_ROUTER", "BGP_PEER_RANGE", "BGP_GLOBALS_LISTEN_PREFIX")
"""Tables of routes that are not those of BGP, and of peers without a name."""

HIGHEST_ASN = (1 << 32) - 1

BY_TYPE: dict[str, Default] = {
    "ToRRouter": defaults.OWN_AS_AT_TOR,
    "SpineRouter": defaults.NO_OWN_AS,
}
"""How often the own AS may stand in a path, by the `type` of the device; of other types it hangs
on more than this table."""


def read_bgp(space: Namespace, device: Device) -> None:
    """Add the sessions of one namespace. The keys are `ADDRESS`, `VRF|ADDRESS` in later releases.

    Filters are route maps that other files hold: whether they let a route through is not known.
    """
    rows = space.rows(TABLE)
    if not rows:
        if _is_split(space) and space.rows("DEVICE_METADATA"):  # the daemon may have some
            device.routing = device.routing or space.reading.build(Routing)
        return
    own_as = _own_as(space)
    for key, row in rows.items():
        vrf, _, address = key.rpartition("|")
        if device.routing is None:
            device.routing = space.reading.build(Routing, row.position)
            if not (_is_split(space) or any(space.rows(table) for table in OTHERS)):
                device.routing.complete = device.routing.only_bgp = True
        asn = row.integer("asn", 0, HIGHEST_ASN).map(lambda number: number or None)
        row.text("local_addr")
        if own := row.text("local_asn"):
            device.routing.complete = None
        if row.text("admin_status").value == "down" or own:
            continue
        name = f"{vrf} {address}" if vrf not in ("", "default") else address
        device.routing.sessions[name] = space.reading.build(
            BgpSession, row.position, peer=address, asn=asn, own_as_allowed=own_as
        )


def read_hash(space: Namespace, device: Device) -> None:
    """What the hash over equal-cost paths looks at (`SWITCH_HASH`, sonic-hash.yang)."""
    row = space.rows("SWITCH_HASH").get("GLOBAL")
    if row is None:
        return
    fields = row.strings("ecmp_hash")
    if fields.value:
        ports = fields.map(lambda names: any(name.startswith("L4_") for name in names))
        device.balancing = space.reading.build(Balancing, row.position, l4_ports=ports)


def _own_as(space: Namespace) -> Value[int]:
    """What the templates say that the configuration of the routing daemon is made from."""
    row = space.rows("DEVICE_METADATA").get("localhost")
    if row is None or _is_split(space):
        return ABSENT
    default = BY_TYPE.get(row.text("type").value or "")
    return space.reading.default(default) if default is not None else ABSENT


def _is_split(space: Namespace) -> bool:
    """True where the daemon has a configuration of its own, or where that is not known."""
    row = space.rows("DEVICE_METADATA").get("localhost")
    return row is None or (row.text("docker_routing_config_mode").value or "").startswith("split")
