"""Real configurations, read whole: properties that an engineer would expect."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.analysis.treatment import treatment
from roce_lint.model.device import Device, NoteKind, Role
from roce_lint.model.qos import HeadroomModel, Trust
from roce_lint.model.units import Threshold
from tests.nos.sonic.making import device_of, place, remarks

FILES = [
    "arista7060x6-qos.json",
    "arista7260-t1-buffers.json",
    "arista7260-t1-qos.json",
    "broadcom-ent-ra01.json",
    "dell6100-buffers.json",
    "dell6100-qos.json",
    "doc-example-t1.json",
    "lt2-p32o64-buffers.json",
    "metalstack-as4630.json",
    "metalstack-as7726-leaf.json",
    "mlnx4600c-c64-qos.json",
    "mlnx4600c-t1-dynamic-buffers.json",
    "mock-config-db-flat.json",
    "msn2700-t0-buffers-v1-oldrefs-flat.json",
    "msn2700-t0-buffers-v3-dynamic-flat.json",
    "msn4700-t1-buffers-v3-dynamic-flat.json",
    "qos-tables-v3.0.1-oldrefs.json",
    "qos-tables-v3.0.3-newrefs.json",
    "sn2700-single-pool-t1-flat.json",
    "vlab-t2-01-newrefs.json",
    "vlab-t2-01-oldrefs.json",
]


def real(corpus: Path, *names: str) -> Device:
    return device_of(*((corpus / "sonic" / name).read_text(encoding="utf-8") for name in names))


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_unrecognised_or_odd(corpus: Path, name: str) -> None:
    """Mocks list ports of several breakout modes together, with common lanes."""
    notes = [(note.kind, note.message) for note in real(corpus, name).notes]
    assert [entry for entry in notes if "has lanes of" not in entry[1]] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("qos-tables-v3.0.1-oldrefs.json", "qos-tables-v3.0.3-newrefs.json"),
        ("vlab-t2-01-oldrefs.json", "vlab-t2-01-newrefs.json"),
    ],
)
def test_both_reference_styles_give_one_device(corpus: Path, old: str, new: str) -> None:
    first, second = real(corpus, old), real(corpus, new)
    assert first.interfaces == second.interfaces
    assert first.qos == second.qos
    assert first.pools == second.pools


def test_the_stock_chain(corpus: Path) -> None:
    device = real(corpus, "qos-tables-v3.0.3-newrefs.json")
    port = device.interfaces["Ethernet252"]
    three, roce = treatment(device, port, 3), treatment(device, port, 26)
    assert (three.ingress.tc, three.ingress.lossless, three.egress.marks) == (3, True, True)
    assert (roce.ingress.tc, roce.ingress.pg, roce.ingress.lossless, roce.egress.marks) == (
        1,
        0,
        False,
        False,
    )
    marking = device.qos.egress["Ethernet252"].queue(4).marking
    assert (marking.kmin, marking.kmax, marking.pmax_percent) == (
        Threshold(1048576),
        Threshold(2097152),
        5,
    )
    buffers = device.qos.ingress_buffers["Ethernet252"]
    assert (buffers.groups[3].xoff_bytes, buffers.groups[3].alpha) == (177632, 0.125)
    assert (device.system.headroom, device.system.headroom_in_file) == (HeadroomModel.STATIC, True)


def test_tunnel_remapping_is_followed(corpus: Path) -> None:
    device = real(corpus, "arista7260-t1-qos.json", "arista7260-t1-buffers.json")
    assert device.partial is True
    pauses = {name: port.qos.pfc.generate for name, port in device.interfaces.items()}
    assert pauses["Ethernet0"] == {3, 4}
    more = next(name for name, found in pauses.items() if found == {2, 3, 4, 6})
    bounced = treatment(device, device.interfaces[more], 2).ingress
    assert (bounced.tc, bounced.priority, bounced.lossless) == (2, 2, True)
    assert place(device.interfaces[more].qos, "classifier").endswith(f"{more}|dscp_to_tc_map")
    assert device.system.headroom is None


def test_a_rendered_dynamic_configuration(corpus: Path) -> None:
    device = real(corpus, "mlnx4600c-c64-qos.json", "mlnx4600c-t1-dynamic-buffers.json")
    assert (device.system.headroom, device.system.headroom_in_file) == (HeadroomModel.DYNAMIC, None)
    assert device.qos.ingress_buffers["Ethernet0"].groups[3].computed is True
    assert device.system.headroom_rules.alpha == 1
    assert device.interfaces["Ethernet0"].cable_m == 300


def test_the_port_mode_of_a_configuration_without_qos(corpus: Path) -> None:
    device = real(corpus, "metalstack-as7726-leaf.json")
    assert (device.system.has_qos, device.role) == (False, None)
    assert all(port.qos is None for port in device.interfaces.values())


def test_a_dump_of_a_database(corpus: Path) -> None:
    device = real(corpus, "mock-config-db-flat.json")
    assert (device.role, device.model) == (Role.LEAF, "Mellanox-SN3800-D112C8")
    qos = device.interfaces["Ethernet0"].qos
    assert (qos.trust, qos.pfc.generate, qos.watchdog.detection_ms) == (Trust.NONE, {3, 4}, 600)
    assert qos.watchdog.enabled is False
    assert remarks(device, NoteKind.UNRECOGNISED) == []
    assert [s.name for s in device.structures if not s.defined] == ["port_scheduler"]
