"""Address networks and number patterns of a fabric, as a design assigns them."""

from __future__ import annotations

from collections import Counter
from ipaddress import (
    IPv4Interface,
    IPv4Network,
    IPv6Interface,
    IPv6Network,
    ip_interface,
    ip_network,
)

from roce_lint.analysis.result import Analysis
from roce_lint.design.drafting.draft import Draft, usual
from roce_lint.design.drafting.fabric import DeviceEntries, first_address
from roce_lint.model.device import Device
from roce_lint.model.interface import InterfaceKind
from roce_lint.nos.registry import all_nos

Numbered = IPv4Interface | IPv6Interface


def put_numbers(analysis: Analysis, listed: DeviceEntries, draft: Draft) -> None:
    """Add the address networks, and the sizes that most ports have."""
    _put_links(analysis, "links", draft)
    _put_links(analysis, "hosts", draft)
    _put_loopbacks(listed, draft)
    _drop_overlaps(draft)
    offers = [all_nos()[device.nos].offer for device in listed.switches.values()]
    sizes = [port.interface.ip_mtu for port in analysis.ports]
    fitting = {s for s in sizes if s is not None and all(o and s in o.ip_mtu for o in offers)}
    size = usual((size, 1) for size in sizes if size in fitting)
    if size is not None:
        draft.put(("mtu",), size)
    payload = usual((nic.rdma_mtu, 1) for _, nic in analysis.roce_nics)
    if payload in (256, 512, 1024, 2048, 4096):
        draft.put(("rdma_payload",), payload)
    _drop_shared_numbers(listed, draft)


def _put_links(analysis: Analysis, key: str, draft: Draft) -> None:
    """The network of links between switches, or of those to hosts, where each has two consecutive
    addresses of it.
    """
    pairs = []
    for entry in draft.tree.get("fabric", {}).get("links", []):
        low, high = (_address(analysis, entry[end]) for end in ("a", "b"))
        nearest = analysis.fabric.devices[entry["a"].partition(":")[0]]
        if nearest.is_host is not (key == "hosts"):
            continue
        if low is None or high is None or (key == "hosts" and "rail" in entry):
            return
        pairs.append((low, high))
    if not pairs:
        return
    first = pairs[0][1].ip
    length = first.max_prefixlen - 1
    fitting = sum(
        high.ip == first + 2 * place and low.ip == high.ip + 1 and low.network.prefixlen == length
        for place, (low, high) in enumerate(pairs)
        if low.version == high.version == first.version
    )
    network = _network(int.from_bytes(first.packed), first.version, 2 * len(pairs))
    if 2 * fitting > len(pairs) and network:
        draft.put(("addressing", key), network)


def _address(analysis: Analysis, end: str) -> Numbered | None:
    name, _, port = end.partition(":")
    found = first_address(analysis.fabric.devices[name].interfaces[port])
    return ip_interface(found) if found else None


def _network(first: int, version: int, count: int) -> str:
    """The smallest network of a size that begins at an address; "" if there is none."""
    bits = max(count - 1, 1).bit_length()
    if first % (1 << bits):
        return ""
    whole = ip_network("0.0.0.0/0" if version == 4 else "::/0")
    return f"{whole.network_address + first}/{whole.max_prefixlen - bits}"


def loopback_of(device: Device) -> str:
    """Address of the first loopback of a switch; "" if there is none."""
    loopbacks = [p for p in device.interfaces.values() if p.kind is InterfaceKind.LOOPBACK]
    found = [first_address(port) for port in loopbacks]
    return next((a for a in found if a and not ip_interface(a).is_loopback), "")


def _put_loopbacks(listed: DeviceEntries, draft: Draft) -> None:
    order = draft.tree.get("fabric", {}).get("devices", {})
    given = [loopback_of(listed.switches[name]) for name in order]
    if not given or "" in given:
        return
    found = [ip_interface(address) for address in given]
    bases = Counter(
        (each.version, int.from_bytes(each.packed) - n) for n, each in enumerate(found, 1)
    )
    (version, base), fitting = bases.most_common(1)[0]
    network = _network(base, version, len(given) + 1) if base > 0 else ""
    if network and 2 * fitting > len(given):
        draft.put(("addressing", "loopbacks"), network)


def _drop_overlaps(draft: Draft) -> None:
    """Remove the later of overlapping networks: its addresses are listed one by one."""
    kept: list[IPv4Network | IPv6Network] = []
    for key, text in list(draft.tree.get("addressing", {}).items()):
        own = ip_network(text)
        if any(own.version == other.version and own.overlaps(other) for other in kept):
            draft.drop(("addressing", key))
        else:
            kept.append(own)


def _drop_shared_numbers(listed: DeviceEntries, draft: Draft) -> None:
    """Remove numbers that two leafs or two tiers share."""
    owners: dict[int, list[str]] = {}
    for name, made in draft.tree.get("fabric", {}).get("devices", {}).items():
        if "asn" in made:
            owners.setdefault(made["asn"], []).append(name)
    for asn, names in owners.items():
        roles = {draft.tree["fabric"]["devices"][name]["role"] for name in names}
        if len(names) > 1 and (len(roles) > 1 or "leaf" in roles):
            for name in names:
                draft.drop(("fabric", "devices", name, "asn"))
            lines = (draft.line(listed.switches[name].where("asn")) for name in names)
            text = f"{', '.join(names)} share AS {asn}: a design needs one for each leaf"
            draft.leave(f"QUESTION: {text} ({', '.join(filter(None, lines))})")
