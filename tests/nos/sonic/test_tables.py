from __future__ import annotations

import json
from dataclasses import replace

import pytest

from roce_lint.model.device import Device, NoteKind
from roce_lint.nos.sonic.tables import number_range, whole
from tests.nos.sonic.making import chain, device_of, flattened, place, port, remarks


def meant(device: Device) -> Device:
    """A device without the positions of references, which are of one file."""
    bare = [replace(structure, references=()) for structure in device.structures]
    return replace(device, structures=bare)


def test_flat_notation_gives_the_same_device_with_its_own_places() -> None:
    nested, flat = device_of(chain()), device_of(flattened(chain()))
    assert meant(flat) == meant(nested)
    qos = flat.interfaces["Ethernet0"].qos
    assert place(qos, "trust") == "PORT_QOS_MAP|Ethernet0|dscp_to_tc_map"
    position = qos.at["trust"]
    assert flat.src.keys_of(position)[1] == ("PORT_QOS_MAP|Ethernet0", "dscp_to_tc_map")


def test_both_notations_may_stand_in_one_file() -> None:
    config = chain()
    mixed = {k: v for k, v in config.items() if k != "QUEUE"} | flattened(
        {"QUEUE": config["QUEUE"]}
    )
    assert meant(device_of(mixed)) == meant(device_of(config))


def test_every_leaf_of_a_flat_file_has_its_state() -> None:
    config = flattened(chain(PORT={"Ethernet0": port(index="1", unheard_of="x")}))
    device = device_of(config | {"SFLOW|global": {"admin_state": "up"}})
    assert remarks(device, NoteKind.UNRECOGNISED) == ["PORT|EthernetN|unheard_of"]
    states = device.src.files[0].states
    leaves = [f"{row}|{name}" for row, fields in config.items() for name in fields]
    assert states[leaves.index("PORT|Ethernet0|index")] == 2
    assert states[leaves.index("PORT|Ethernet0|unheard_of")] == 4
    assert states[leaves.index("PORT_QOS_MAP|Ethernet0|pfc_enable")] == 1
    assert states[len(leaves)] == 0  # SFLOW is nobody's


def test_references_in_the_old_style_mean_the_same() -> None:
    old = json.loads(
        json.dumps(chain())
        .replace('_tc_map": "M"', '_tc_map": "[DSCP_TO_TC_MAP|M]"')
        .replace('_queue_map": "M"', '_queue_map": "[TC_TO_QUEUE_MAP|M]"')
        .replace('"scheduler": "S"', '"scheduler": "[SCHEDULER|S]"')
    )
    assert old["QUEUE"]["Ethernet0|3"]["scheduler"] == "[SCHEDULER|S]"
    device, new = device_of(old), device_of(chain())
    assert device.interfaces == new.interfaces
    assert device.qos == new.qos
    assert remarks(device, NoteKind.LEXICAL) == []


@pytest.mark.parametrize(
    ("version", "remarked"),
    [
        ("version_1_0_1", False),
        ("version_3_0_2", False),
        ("version_3_0_3", True),
        ("version_4_0_0", True),
        ("version_202405_01", True),
    ],
)
def test_old_references_are_remarked_where_the_release_refuses_them(
    version: str, remarked: bool
) -> None:
    config = chain(VERSIONS={"DATABASE": {"VERSION": version}})
    config["QUEUE"]["Ethernet0|3"]["scheduler"] = "[SCHEDULER|S]"
    config["QUEUE"]["Ethernet0|4"] = {"scheduler": "[SCHEDULER|S]"}
    device = device_of(config)
    message = "QUEUE|Ethernet0|3 scheduler: '[SCHEDULER|S]': this version takes bare names only"
    assert remarks(device, NoteKind.LEXICAL) == ([message] if remarked else [])


def test_keys_with_commas_speak_of_several_ports() -> None:
    config = chain(PORT={name: port() for name in ("Ethernet0", "Ethernet4", "Ethernet8")})
    row = config["PORT_QOS_MAP"].pop("Ethernet0")
    config["PORT_QOS_MAP"]["Ethernet0,Ethernet8"] = row
    config["QUEUE"] = {"Ethernet0,Ethernet8|3-4": {"wred_profile": "W"}}
    device = device_of(config)
    generated = {name: port.qos.pfc.generate for name, port in device.interfaces.items()}
    assert generated == {"Ethernet0": {3}, "Ethernet4": set(), "Ethernet8": {3}}
    assert [number for _, number in device.qos.egress["Ethernet8"].queues] == [3, 4]
    queue = device.qos.egress["Ethernet8"].queue(4)
    assert place(queue, "marking") == "QUEUE|Ethernet0,Ethernet8|3-4|wred_profile"


def test_files_with_other_tables_are_laid_over_each_other() -> None:
    config = chain()
    parts = [{k: v} for k, v in config.items()]
    assert meant(device_of(*parts)) == meant(device_of(config))


def test_a_field_on_which_two_files_disagree_is_unknown() -> None:
    other = {"PORT": {"Ethernet0": {"mtu": "1500", "speed": "100000"}}}
    device = device_of(chain(PORT={"Ethernet0": port(mtu="9100")}), other)
    assert device.interfaces["Ethernet0"].ip_mtu is None
    assert device.interfaces["Ethernet0"].speed_gbps == 100
    conflict = "PORT|Ethernet0 mtu: '1500' here and '9100' in another file"
    assert remarks(device, NoteKind.CONFLICT) == [conflict]
    note = next(n for n in device.notes if n.kind is NoteKind.CONFLICT)
    assert (device.src.file_of(note.at[""]), place(note)) == (1, "PORT|Ethernet0|mtu")


def test_rows_of_sister_cards_are_passed_over() -> None:
    config = chain(
        DEVICE_METADATA={"localhost": {"hostname": "lc1", "asic_name": "Asic0"}},
        QUEUE={
            "lc1|Asic0|Ethernet0|3": {"wred_profile": "W"},
            "lc2|Asic0|Ethernet0|4": {"wred_profile": "W"},
            "lc1|Asic1|Ethernet0|5": {"wred_profile": "W"},
        },
    )
    device = device_of(config)
    assert [number for _, number in device.qos.egress["Ethernet0"].queues] == [3]
    assert remarks(device, NoteKind.UNRECOGNISED) == []


def rendered(*cards: str) -> Device:
    """A rendered qos.json of a line card: rows by card, without metadata that names the own card."""
    config = chain(QUEUE={f"{card}|Ethernet0|3": {"wred_profile": "W"} for card in cards})
    del config["DEVICE_METADATA"]
    return device_of(config)


def test_the_only_card_with_rows_is_the_own_one() -> None:
    device = rendered("lc1|asic0")
    assert [number for _, number in device.qos.egress["Ethernet0"].queues] == [3]


def test_without_a_known_card_the_queues_are_unknown() -> None:
    device = rendered("lc1|asic0", "lc2|asic0")
    assert device.interfaces["Ethernet0"].qos.egress is None
    assert remarks(device, NoteKind.UNRECOGNISED) == []


def test_each_asic_has_maps_of_its_own() -> None:
    first, second = chain(), chain(PORT={"Ethernet8": port()})
    second["PORT_QOS_MAP"] = {"Ethernet8": second["PORT_QOS_MAP"]["Ethernet0"]}
    second["DSCP_TO_TC_MAP"] = {"M": {"26": "4"}}
    second["QUEUE"] = {}
    device = device_of({"localhost": {"DEVICE_METADATA": {}}, "asic0": first, "asic1": second})
    classes = {
        name: device.qos.classifiers[port.qos.classifier].dscp_to_tc.get(26)
        for name, port in device.interfaces.items()
    }
    assert classes == {"Ethernet0": 3, "Ethernet8": 4}
    assert device.qos.egress["Ethernet0"].queue(3).marking.ecn is True
    assert device.qos.egress["Ethernet8"].queues == {}
    assert [s.name for s in device.structures if s.kind == "dscp map"] == ["asic0/M", "asic1/M"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3", (3,)),
        ("3-4", (3, 4)),
        ("0,3-4", (0, 3, 4)),
        ("7-7", (7,)),
        (" 3 - 4", (3, 4)),
        ("0-7", tuple(range(8))),
    ],
)
def test_number_range(text: str, found: tuple[int, ...]) -> None:
    assert number_range(text, 7) == found


@pytest.mark.parametrize("text", ["", "8", "4-3", "-1", "3-", "0-99999999999", "a", "3 4", "٣"])
def test_no_number_range(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a (whole number|range of numbers)"):
        number_range(text, 7)


@pytest.mark.parametrize("text", ["", "1 0", "1_0", "+1", "1.0", "٣", "9" * 20, "0x10"])
def test_what_int_takes_and_sonic_does_not(text: str) -> None:
    with pytest.raises(ValueError, match="not a whole number"):
        whole(text)
    assert whole("-8") == -8


@pytest.mark.parametrize("text", [" 8", "8 ", "\t8\n"])
def test_blanks_around_a_number_do_not_count(text: str) -> None:
    assert whole(text) == 8


@pytest.mark.parametrize(
    ("stated", "mode", "router_id"),
    [
        (None, None, "10.255.0.1"),
        ("10.9.9.9", None, "10.9.9.9"),
        (None, "split", None),
    ],
)
def test_the_router_id_of_the_template(
    stated: str | None, mode: str | None, router_id: str | None
) -> None:
    metadata = {"hostname": "sw1", "bgp_asn": "65001", "bgp_router_id": stated}
    metadata["docker_routing_config_mode"] = mode
    device = device_of(
        chain(
            DEVICE_METADATA={"localhost": {k: v for k, v in metadata.items() if v is not None}},
            LOOPBACK_INTERFACE={"Loopback0|fd00::1/128": {}, "Loopback0|10.255.0.1/32": {}},
            BGP_NEIGHBOR={"10.0.0.0": {"asn": "65100"}},
        )
    )
    assert device.routing is not None
    assert device.routing.router_id == router_id


@pytest.mark.parametrize(
    ("mode", "parts"),
    [("4x100G[50G,25G]", (4, 100)), ("1x400G", (None, None)), ("2x100G(4)+4x50G(4)", (None, None))],
)
def test_a_port_in_parts(mode: str, parts: tuple[int | None, int | None]) -> None:
    device = device_of(chain(BREAKOUT_CFG={"Ethernet0": {"brkout_mode": mode}}))
    port = device.interfaces["Ethernet0"]
    assert (port.parts, port.parts_gbps) == parts


def test_lldp_is_a_feature() -> None:
    assert device_of(chain()).lldp is True
    assert device_of(chain(FEATURE={"lldp": {"state": "disabled"}})).lldp is False
