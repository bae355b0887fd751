"""The ends of VXLAN tunnels."""

from __future__ import annotations

from roce_lint.model.device import NoteKind
from roce_lint.model.interface import InterfaceKind
from tests.nos.nxos.reading import N9K, one, read
from tests.nos.reader import line

OVERLAY = """\
vlan 10,20-21
  name gpu
vlan 10
  vn-segment 10010
vlan 20
  vn-segment 10020
vrf context RED
  vni 50001 l3
  rd auto
interface nve1
  no shutdown
  host-reachability protocol bgp
  source-interface loopback1
  member vni 10010
    ingress-replication protocol bgp
  member vni 50001 associate-vrf
"""


def test_the_end_of_vxlan_tunnels_carries_its_segments() -> None:
    device = read(N9K + OVERLAY)
    found = device.interfaces["nve1"]
    assert found.kind is InterfaceKind.TUNNEL
    assert found.tunnel is not None
    assert (found.tunnel.vlans, found.tunnel.vrfs) == (frozenset({10}), frozenset({"RED"}))
    assert line(found.tunnel, "vlans") == len((N9K + OVERLAY).splitlines()) - 2
    assert (found.tunnel.dscp_copied, found.tunnel.dscp) == (None, None)
    assert not [note for note in device.notes if note.kind is NoteKind.UNRECOGNISED]
    assert one("no shutdown").tunnel is None


def test_a_segment_with_unknown_members() -> None:
    found = read(N9K + "interface nve1\n  no shutdown\n  member vni 10010-10011\n")
    tunnel = found.interfaces["nve1"].tunnel
    assert tunnel is not None
    assert (tunnel.vlans, tunnel.vrfs) == (None, None)
