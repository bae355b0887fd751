"""The ends of VXLAN tunnels: `interface nve1` with its segments.

`vn-segment` of a VLAN and `vni` of a VRF say who is in a segment, `member vni` which of them the
tunnel carries. Which DSCP the outer header is given, no line says.
"""

from __future__ import annotations

from itertools import chain

from roce_lint.model.interface import Interface, Tunnel
from roce_lint.nos.nxos import naming
from roce_lint.nos.nxos.stanzas import configuration_records, number, read_numbers, upto, whole
from roce_lint.nos.port_names import LAST_VLAN
from roce_lint.nos.reading import Reader, Reading
from roce_lint.nos.segments import LAST_VNI, Segments
from roce_lint.text.records import Record, merge


def add_tunnels(reading: Reading, interfaces: dict[str, Interface]) -> None:
    """Give the ends of tunnels what they carry."""
    ends: dict[str, list[Record]] = {}
    for record in configuration_records(reading, "interface"):
        name = naming.canonical(record.values["name"][0][0])
        if naming.is_overlay(name) and name in interfaces:
            ends.setdefault(name, []).append(record)
    if not ends:
        _pass_over(reading)
        return
    segments = _segments(reading)
    for name, records in ends.items():
        reader = Reader(merge(records), reading)
        members: set[int] = set()
        begin = 0
        for line in reader.all("member_vni"):
            begin = begin or line.position
            vnis = line.map(lambda text: text.removesuffix(" associate-vrf").strip())
            members |= read_numbers(reading, vnis, _vni, "a list of VNIs").value or frozenset()
        vlans, vrfs = segments.members(members, begin)
        interfaces[name].tunnel = reading.build(
            Tunnel, interfaces[name].at[""], vlans=vlans, vrfs=vrfs
        )


def _pass_over(reading: Reading) -> None:
    """Segments without a tunnel: understood, and without effect."""
    for record in chain(
        configuration_records(reading, "vlan"), configuration_records(reading, "vrf")
    ):
        for _, position in chain.from_iterable(record.values.values()):
            reading.take(position)


def _vni(text: str) -> int | None:
    found = number(text)
    return found if found and found <= LAST_VNI else None


def _segments(reading: Reading) -> Segments:
    segments = Segments()
    for record in configuration_records(reading, "vlan"):
        reader = Reader(record, reading)
        vlans = read_numbers(
            reading, reader.text("vlans"), upto(LAST_VLAN), "a list of VLANs"
        ).value
        vni = whole(reader, reader.text("vni"), LAST_VNI, "vn-segment", 1).value
        down = reader.switch(on="no_shutdown", off="shutdown").value is False
        if vni is not None:
            segments.vlans[vni] |= (not down and vlans) or frozenset()
    for record in configuration_records(reading, "vrf"):
        reader = Reader(record, reading)
        vni = whole(reader, reader.text("vni").map(_number), LAST_VNI, "vni", 1).value
        name = reader.text("vrf").value
        if vni is not None and name is not None:
            segments.vrfs[vni].add(name)
    return segments


def _number(text: str) -> str:
    """The number of `vni 50001 l3`."""
    return text.split(maxsplit=1)[0]
