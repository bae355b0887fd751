"""Files of new leaves: their own, those of their hosts, and the spines with the new ports."""

from __future__ import annotations

import ipaddress
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from roce_lint.errors import UsageError
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.interface import Interface
from roce_lint.new_leaf.choices import Choices, Interfaced, LeafRequest
from roce_lint.new_leaf.sister import Copy, copy
from roce_lint.new_leaf.spines import Addition, Marks, splices_of
from roce_lint.new_leaf.substitution import Address, Moved, Series, mentions, series_of
from roce_lint.new_leaf.texts import Text, texts_of
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.redaction import redact
from roce_lint.text.splice import splice

COMPARED = 8
"""Maximum devices of a series whose files are compared with those of a sister."""


@dataclass(slots=True)
class Spine:
    """An existing switch, and its new file."""

    device: Device
    text: Text
    after: str


@dataclass(slots=True)
class NewLeaves:
    """The files of new leaves and the changed files of their spines."""

    wishes: Sequence[LeafRequest]
    choices: Choices
    copies: list[Copy] = field(default_factory=list)
    spines: list[Spine] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)  # lines of other devices about a sister

    def files(self, *, outputs: bool = False) -> dict[str, str]:
        """Texts by their paths below the folder; with `outputs` also command outputs."""
        changed = (each for each in self.spines if outputs or not each.text.head)
        made = {each.name: each.text for each in self.copies}
        return made | {
            each.text.name: f"{each.text.head}\n{each.after}" if each.text.head else each.after
            for each in changed
        }


def make(
    fabric: Fabric, excerpts: Excerpts, root: Path, wishes: Sequence[LeafRequest], hosts: int
) -> NewLeaves:
    """Make the files of new leaves.

    Raises:
        UsageError: a value cannot be chosen, or a file cannot be copied; nothing is written.
    """
    made = NewLeaves(wishes, Choices(fabric, excerpts, wishes, hosts))
    likes = [wish.like for wish in wishes]
    for wish in wishes:
        own = texts_of(fabric.devices[wish.like], root)
        series = made.choices.series[wish.like]
        others = _others(fabric, series, likes, root)
        for text in own:
            like = [each for each in others if each.ref.source == text.ref.source]
            _take(made, copy(text, like, made.choices, series), root)
    for old, new in made.choices.renamed.items():
        if old not in likes:
            series = series_of(fabric.devices, old, new)
            others = _others(fabric, series, [old], root, outputs=True)
            for text in texts_of(fabric.devices[old], root, outputs=True):
                like = [each for each in others if _file(each) == _file(text)]
                _take(made, copy(text, like, made.choices, series), root)
    changed = {link.b[0] for link in made.choices.links if link.to_spine}
    for device in fabric.devices.values():
        if device.hostname not in {*made.choices.renamed, *changed}:
            made.elsewhere += _mentions(made, device, root)
    marker = Marker(fabric)
    for name in sorted(changed):
        _add_to_spine(made, marker, fabric.devices[name], root)
    return made


def _take(made: NewLeaves, new: Copy, root: Path) -> None:
    if (root / new.name).exists() or any(each.name == new.name for each in made.copies):
        raise UsageError(f"file already exists: {new.name}")
    made.copies.append(new)


def _mentions(made: NewLeaves, device: Device, root: Path) -> Iterator[str]:
    """Lines of an unchanged device that name a sister or an address of it."""
    names = [wish.like for wish in made.wishes]
    moved = made.choices.words.moved
    own = [str(net.network_address) for net in moved.by if net.prefixlen == net.max_prefixlen]
    with suppress(UsageError):
        for text in texts_of(device, root):
            if any(word in text.text for word in (*names, *own)):
                for each in text.statements:
                    if mentions(each.text, names, moved):
                        yield f"{text.name}:{each.line}: {redact(each.text)}"


def _others(
    fabric: Fabric,
    series: Series | None,
    without: Sequence[str],
    root: Path,
    *,
    outputs: bool = False,
) -> list[Text]:
    """The files of the members of a series beside its sister, if they run its system."""
    if series is None:
        return []
    here, nos = series.members[series.sister], fabric.devices[series.sister].nos
    near = sorted(series.members, key=lambda name: abs(series.members[name] - here))
    names = [n for n in near if n not in without and fabric.devices[n].nos == nos]
    found: list[Text] = []
    for name in names[:COMPARED]:
        # An unreadable one shows no pattern; only the sister must be copied.
        with suppress(UsageError):
            found += texts_of(fabric.devices[name], root, outputs=outputs)
    return found


def _file(text: Text) -> tuple[str, str]:
    """The kind of a file of a host: its output, and the port or device that it is about."""
    return text.ref.source, Path(text.name).name


def _add_to_spine(made: NewLeaves, marker: Marker, device: Device, root: Path) -> None:
    linked = {link.a[0] for link in made.choices.links if link.b[0] == device.hostname}
    wishes = [wish for wish in made.wishes if wish.name in linked]
    marks = marker.of_spine(device)
    done: set[str] = set()
    texts = texts_of(device, root)
    for text in texts:
        additions = []
        for wish in wishes:
            added = Addition(text, wish, marks, made.choices)
            additions.append(added)
            done |= {wish.like} if added.splices or added.behind else set()
        splices = splices_of(text, additions)
        if splices:
            made.spines.append(Spine(device, text, splice(text.text, splices)))
    missing = ", ".join(wish.like for wish in wishes if wish.like not in done)
    if missing:
        message = f"{device.hostname}: none of its lines refers to {missing}"
        raise UsageError(message, location=texts[0].ref.name)


class Marker:
    """Determines the names, ports and addresses that mark lines of spines about leaves."""

    def __init__(self, fabric: Fabric):
        self._fabric = fabric
        self._users: dict[Address, set[str]] = defaultdict(set)
        for device in fabric.devices.values():
            for address in _addresses(device.interfaces.values()):
                self._users[address.ip].add(device.hostname)
        self._asns = Counter(device.asn for device in fabric.devices.values())

    def of_spine(self, spine: Device) -> dict[str, Marks]:
        """The marks of all devices linked to a spine."""
        found: dict[str, Marks] = {}
        for link in self._fabric.links:
            if spine not in (link.a.device, link.b.device) or link.a.device is link.b.device:
                continue
            near, far = link.ends if link.a.device is spine else (link.b, link.a)
            marks = found.get(far.device.hostname)
            if marks is None:
                marks = found[far.device.hostname] = self._of(far.device)
            channel = spine.interfaces.get(near.interface.lag or "")
            ports = [near.interface, *([channel] if channel is not None else [])]
            marks.words += [near.interface.name, *near.interface.aliases]
            marks.words += [port.name for port in ports[1:]]
            for address in _addresses([*ports, far.interface]):
                marks.moved.by[address.network] = 1
        return found

    def _of(self, leaf: Device) -> Marks:
        """The marks of a leaf alone, wherever it is linked."""
        alone = (a.ip for a in _addresses(leaf.interfaces.values()))
        own = {ipaddress.ip_network(ip): 1 for ip in alone if self._users[ip] == {leaf.hostname}}
        named = leaf.asn is not None and self._asns[leaf.asn] == 1
        return Marks([str(leaf.asn)] if named else [], Moved(dict(own)))


def _addresses(ports: Iterable[Interface]) -> Iterator[Interfaced]:
    return (ipaddress.ip_interface(address) for port in ports for address in port.addresses)
