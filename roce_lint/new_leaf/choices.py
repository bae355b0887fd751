"""Numbers, addresses and ports of new leaves, each with the pattern that it follows."""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from roce_lint.analysis.missing_switches import find_absent
from roce_lint.errors import UsageError
from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric, Link
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.sourced import Sourced
from roce_lint.new_leaf.substitution import Series, Words, next_name, number_of, series_of, shape_of
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.names import natural
from roce_lint.text.numbers import whole_of

Port = tuple[str, str]
Interfaced = ipaddress.IPv4Interface | ipaddress.IPv6Interface
Slot = tuple[str, str, int]
"""Purpose of an address: kind of its port, switch at the other end, and its number."""


_FREE = re.compile(r"\b(?:free|unused|spare|available|empty|not used|tbd)\b", re.IGNORECASE)
"""Words in descriptions of free ports."""


@dataclass(slots=True, frozen=True, kw_only=True)
class LeafRequest:
    """The requested leaf; None follows the pattern of its sisters."""

    like: str
    name: str
    ports: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by spine, in order of links
    addresses: Mapping[str, str] = field(default_factory=dict)  # by port of the leaf
    asn: int | None = None
    loopback: str | None = None


@dataclass(slots=True)
class NewLink:
    """A cable of a new leaf, like one of its sister; `far` is the sister's end."""

    like: Link
    near: Endpoint
    far: Endpoint
    a: Port  # of the new leaf
    b: Port

    @property
    def to_spine(self) -> bool:
        """Whether it leads to an existing switch."""
        return self.far.key[0] == self.b[0]


class Choices:
    """All attributes of new leaves that differ from their sisters.

    Raises:
        UsageError: a name is taken or unknown, a link is not known, or there is no pattern.
    """

    def __init__(
        self, fabric: Fabric, excerpts: Excerpts, wishes: Sequence[LeafRequest], hosts: int
    ) -> None:
        self.fabric, self.excerpts = fabric, excerpts
        self.series: dict[str, Series | None] = {}  # by sister
        self.renamed: dict[str, str] = {}  # devices: sisters and their hosts
        self.words = Words()
        self.links: list[NewLink] = []
        self.free: list[Endpoint] = []  # ports of sisters whose hosts are not copied
        self.reasons: list[str] = []  # each choice with its pattern
        self._taken: set[Port] = set()
        for wish in wishes:
            self._require_names(wish)
            self.series[wish.like] = series_of(fabric.devices, wish.like, wish.name)
            self.renamed[wish.like] = wish.name
        self._choose_hosts(hosts)
        self.words.names |= self.renamed
        for wish in wishes:
            self._choose_as(wish)
            self._choose_addresses(wish)
        for wish in wishes:
            self._choose_links(wish)

    def place_of(self, item: Sourced, name: str = "") -> str | None:
        """File and line of a value, as `leaf8.cfg:12`; None if no line states it."""
        if item.at.get(name, 0) <= 0:
            return None
        found = self.excerpts.locate(item.where(name))
        return f"{found.file}:{found.line}" if found.line else found.file

    def line_in(self, file: str, item: Sourced, name: str = "") -> int:
        """The line of a file that states a value; 0 if another file does, or none."""
        head, _, line = (self.place_of(item, name) or "").rpartition(":")
        return whole_of(line) if head == file and line.isdigit() else 0

    def _ends(self, device: str) -> list[tuple[Endpoint, Endpoint, Link]]:
        """The near and far ends of the links of a device, in the order of its ports."""
        found = [
            (end, link.other(end), link)
            for link in self.fabric.links
            for end in link.ends
            if end.device.hostname == device and link.other(end).device is not end.device
        ]
        return sorted(found, key=lambda each: natural(each[0].interface.name))

    def _members(self, like: str) -> Iterator[Device]:
        series = self.series[like]
        yield from (self.fabric.devices[name] for name in (series.members if series else [like]))

    def _extend(self, like: str, values: Mapping[str, int]) -> int | None:
        """The next value of a series, or the value that all its members share."""
        series = self.series[like]
        if len(values) > 1 and len(set(values.values())) == 1:
            return values[like]
        return series.extend(values) if series is not None else None

    def _require_names(self, wish: LeafRequest) -> None:
        devices = self.fabric.devices
        if wish.like not in devices or devices[wish.like].is_host:
            known = ", ".join(name for name, device in devices.items() if not device.is_host)
            raise UsageError(f"--like {wish.like}: no such switch; known are {known}")
        same = next((d for n, d in devices.items() if n.lower() == wish.name.lower()), None)
        if same is not None:
            place = self.place_of(same, "hostname")
            raise UsageError(f"--name {wish.name}: this name is taken", location=place)
        if not self._ends(wish.like):
            raise UsageError(
                f"--like {wish.like}: it has no known links",
                hint="provide a links.yaml, LLDP output or /31 addresses",
            )

    def _choose_hosts(self, count: int) -> None:
        likes = list(self.renamed)
        below: dict[str, list[Endpoint]] = {}
        for near, far, _ in (end for name in likes for end in self._ends(name)):
            if far.device.is_host:
                below.setdefault(far.device.hostname, []).append(near)
        names = sorted(below, key=natural)
        if count > len(names):
            raise UsageError(f"--hosts {count}: below {' and '.join(likes)} are {len(names)}")
        known = list(self.fabric.devices)
        for name in names[:count]:
            others = {far.device.hostname for _, far, _ in self._ends(name)} - {*likes}
            if others:
                raise UsageError(
                    f"--hosts: {name} is linked to {', '.join(sorted(others))} too",
                    hint="name all leaves that hosts share: --like leaf7,leaf8 --name leaf9,leaf10",
                )
            new = next_name(known, name)
            if new is None:
                raise UsageError(f"--hosts: cannot continue the series of {name}: no number")
            known.append(new)
            self.renamed[name] = new
            self.reasons.append(f"{new}: a host like {name}")
        self.free += [near for name in names[count:] for near in below[name]]

    def _choose_as(self, wish: LeafRequest) -> None:
        sister = self.fabric.devices[wish.like]
        if sister.asn is None:
            if wish.asn is not None:
                raise UsageError(f"--asn: {wish.like} has no known AS number")
            return
        values = {d.hostname: d.asn for d in self._members(wish.like) if d.asn is not None}
        found = wish.asn if wish.asn is not None else self._extend(wish.like, values)
        if found is None:
            shown = ", ".join(f"{name} {value}" for name, value in list(values.items())[:6])
            raise UsageError(
                f"AS numbers show no pattern for {wish.name}: {shown}", hint="set it with --asn"
            )
        users = [d for d in self.fabric.devices.values() if d.asn == found]
        shared = len(values) > 1 and list(values.values()).count(found) > 1
        if users and not shared:
            place = self.place_of(users[0], "asn")
            raise UsageError(f"AS {found} is used by {users[0].hostname}", location=place)
        if found != sister.asn:
            self.words.names[str(sister.asn)] = str(found)
        self.reasons.append(f"{wish.name}: AS {found} ({_why(wish.asn, values)})")

    # ------------------------------------------------------------------------------------ addresses

    def _slots(self, device: Device) -> dict[Slot, tuple[Interface, str]]:
        """The addresses of a device by purpose.

        Links count by the switch that they lead to, other ports by their kind, in order: sisters of
        other systems name their ports differently.
        """
        order: Counter[tuple[str, str]] = Counter()
        found = {}
        for port in sorted(device.interfaces.values(), key=lambda each: natural(each.name)):
            peer = self.fabric.peer(device.hostname, port.name)
            far = peer.device.hostname if peer is not None and not peer.device.is_host else ""
            name = port.name if port.kind is InterfaceKind.VLAN else ""
            parent = device.interfaces.get(port.parent or "")
            for address in port.addresses:
                if parent is not None and address in parent.addresses:
                    continue  # the same address, of a part of the port
                kind = ("link" if far else port.kind.value, far or name)
                found[(*kind, order[kind])] = (port, address)
                order[kind] += 1
        return found

    def _choose_addresses(self, wish: LeafRequest) -> None:
        slots = {d.hostname: self._slots(d) for d in self._members(wish.like)}
        given, missing = dict(wish.addresses), []
        used = {
            ipaddress.ip_interface(address).ip: (device, port)
            for device in self.fabric.devices.values()
            for port in device.interfaces.values()
            for address in port.addresses
        }
        for slot, (port, address) in slots[wish.like].items():
            own = ipaddress.ip_interface(address)
            wanted = given.pop(port.name, None)
            if slot[::2] == (InterfaceKind.LOOPBACK.value, 0):
                wanted = wanted or wish.loopback
            known = [(n, ipaddress.ip_interface(s[slot][1])) for n, s in slots.items() if slot in s]
            values = {name: number_of(ip.ip) for name, ip in known if ip.version == own.version}
            value = _parse(wanted, port, own) if wanted else self._extend(wish.like, values)
            if value is None or not 0 <= value < 1 << own.max_prefixlen:
                missing.append(f"{port.name} ({address})")
                continue
            new = type(own.ip)(value)
            if new == own.ip and not wanted:
                continue  # all sisters share it
            if new in used:
                device, other = used[new]
                raise UsageError(
                    f"{new}, for {port.name}, is used by {device.hostname} {other.name}",
                    location=self.place_of(other, "addresses"),
                    hint="give another with --addresses PORT=ADDRESS",
                )
            moved = self.words.moved.by
            moved[ipaddress.ip_network(own.ip)] = value - number_of(own.ip)
            if new not in own.network:  # the others of a shared network stay
                moved[own.network] = value - number_of(own.ip)
            why = _why(wanted, values)
            self.reasons.append(f"{wish.name} {port.name}: {new}/{own.network.prefixlen} ({why})")
        if given:
            names = ", ".join(sorted(given))
            raise UsageError(f"--addresses: {wish.like} has no address on {names}")
        if missing:
            raise UsageError(
                f"there is no pattern for the address of {', '.join(missing)} of {wish.like}",
                hint="give those of the new leaf with --addresses PORT=ADDRESS,...",
            )

    # ---------------------------------------------------------------------------------------- links

    def _choose_links(self, wish: LeafRequest) -> None:
        order: Counter[str] = Counter()
        for near, far, link in self._ends(wish.like):
            peer, a = far.device.hostname, (wish.name, near.interface.name)
            if peer in self.renamed:  # a host, or the other sister, which adds this link
                if far.device.is_host or far.key > near.key:
                    b = (self.renamed[peer], far.interface.name)
                    self.links.append(NewLink(link, near, far, a, b))
                continue
            if far.device.is_host:
                continue
            if peer in {device.hostname for device in self._members(wish.like)} and (
                far.device.role is near.device.role
            ):
                raise UsageError(
                    f"--like {wish.like}: it is linked to {peer}, which is of its series",
                    location=self.place_of(near.interface),
                    hint=f"name both: --like {wish.like},{peer}",
                )
            ports, number = wish.ports.get(peer), order[peer]
            order[peer] += 1
            if ports is not None and number >= len(ports):
                raise UsageError(f"--ports: {wish.like} has more links to {peer} than ports given")
            chosen = ports[number] if ports else self._free_port(wish, far, number)
            chosen = self._spelled(far, chosen)
            if not self._is_free(far.device, chosen, like=far.interface if not ports else None):
                port = far.device.interfaces.get(chosen)
                place = self.place_of(port) if port is not None else None
                raise UsageError(f"{peer} {chosen} is in use", location=place)
            self._taken.add((peer, chosen))
            self.links.append(NewLink(link, near, far, a, (peer, chosen)))
            new = far.device.interfaces.get(chosen)
            spelled = {far.interface.name: chosen, **_aliases(far.interface, new)}
            self.words.near.setdefault(peer, {}).update(spelled)
            beside = "" if new is not None else ", new in its configuration"
            self.reasons.append(f"{wish.name} {near.interface.name}: to {peer} {chosen}{beside}")
        for spine, ports in wish.ports.items():
            if len(ports) > order[spine]:
                raise UsageError(f"--ports: {wish.like} has {order[spine]} links to {spine}")
        for (device, name), neighbor in find_absent(self.fabric).items():
            if device == wish.like:
                words = f"{wish.name} {name}: to {neighbor.device}, which is not in the folder"
                self.reasons.append(f"{words}: configure its port and add the cable yourself")

    def _spelled(self, far: Endpoint, name: str) -> str:
        """A port name as its device spells it."""
        for port in far.device.interfaces.values():
            if name.lower() in (each.lower() for each in (port.name, *port.aliases)):
                return port.name
        if shape_of(name)[0] != shape_of(far.interface.name)[0]:
            raise UsageError(
                f"{far.device.hostname} has no port {name!a}", hint=f"as in {far.interface.name}"
            )
        return name

    def _free_port(self, wish: LeafRequest, far: Endpoint, number: int) -> str:
        """A port of a spine for a link like a sister's: by the series' pattern, or a free one."""
        peer, like = far.device, far.interface
        shape, tokens = shape_of(like.name)
        numbers = {}
        for member in self._members(wish.like):
            ends = [end for _, end, _ in self._ends(member.hostname) if end.device is peer]
            if number < len(ends) and shape_of(ends[number].interface.name)[0] == shape:
                numbers[member.hostname] = shape_of(ends[number].interface.name)[1]
        made = like.name
        for index, token in reversed(list(enumerate(tokens))):
            values = {name: own[index].value or 0 for name, own in numbers.items()}
            found = self._extend(wish.like, values)
            made = f"{made[: token.begin]}{found}{made[token.end :]}" if found is not None else ""
            if not made:
                break
        free = [
            port.name
            for port in sorted(peer.interfaces.values(), key=lambda each: natural(each.name))
            if shape_of(port.name)[0] == shape and port.kind is like.kind
            if self._is_free(peer, port.name, like)
        ]
        # A device that states its free ports states all of them.
        if made in free or (made and not free and self._is_free(peer, made, like)):
            return made
        behind = [name for name in free if natural(name) > natural(like.name)]
        for name in behind or free:
            return name
        raise UsageError(
            f"there is no free port on {peer.hostname} like {like.name}",
            location=self.place_of(like),
            hint=f"name one: --ports {peer.hostname}:PORT",
        )

    def _is_free(self, device: Device, name: str, like: Interface | None) -> bool:
        """Whether a port is unused; a port that was not given must also look free."""
        key, port = (device.hostname, name), device.interfaces.get(name)
        if key in self._taken or key in self.fabric.by_port or key in self.fabric.unread:
            return False
        if port is None:
            return True
        used = port.addresses or port.lag or port.neighbors or port.members
        if like is not None:
            other = port.speed_gbps not in (None, like.speed_gbps)
            taken = port.description and not _FREE.search(port.description)
            if other or taken:
                return False
        return not used and (port.enabled is False or not (port.routed or port.tagged_vlans))


def _why(given: object, values: Mapping[str, int]) -> str:
    if given is not None:
        return "given"
    names = sorted(values, key=natural)
    return f"by the pattern of {names[0]} to {names[-1]}" if len(names) > 1 else "its sister's"


def _parse(text: str, port: Interface, like: Interfaced) -> int:
    """Parse an address given to replace another, as a number."""
    try:
        found = ipaddress.ip_interface(text)
    except ValueError:
        raise UsageError(f"{text!a}, for {port.name}, is not an address") from None
    length = found.network.prefixlen if "/" in text else like.network.prefixlen
    network = ipaddress.ip_interface(f"{found.ip}/{length}").network
    ends = network.num_addresses > 2 and found.ip in (network[0], network[-1])
    wrong = found.ip.is_multicast or found.ip.is_unspecified or found.ip.is_loopback or ends
    if found.version != like.version or length != like.network.prefixlen or wrong:
        raise UsageError(f"{text!a}, for {port.name}, cannot replace {like}")
    return number_of(found.ip)


def _aliases(old: Interface, new: Interface | None) -> dict[str, str]:
    """Other spellings of a port, paired with those of another of the same form."""
    shapes = {shape_of(alias)[0]: alias for alias in (new.aliases if new is not None else ())}
    return {a: shapes[shape] for a in old.aliases if (shape := shape_of(a)[0]) in shapes}
