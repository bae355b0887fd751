"""A path names one value; people type the same form that programs print."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.model.device import Device
from roce_lint.model.path import Glob, Path, PathError, Step, matches, of_port, parse, short
from roce_lint.model.schema import CABLE, field_names, resolve, type_of

names = st.text(min_size=1, max_size=12)
fields = st.sampled_from(["interfaces", "qos", "pfc", "queues", "ip_mtu", "dscp_to_tc"])
steps = st.builds(Step, fields, st.none() | names)


@given(names, st.lists(steps, max_size=4))
def test_every_name_survives(device: str, way: list[Step]) -> None:
    path = Path(device, tuple(way))
    assert parse(str(path)) == path
    assert not parse(str(path)).is_pattern


@given(names, names)
def test_a_quoted_port_survives_in_the_short_form(device: str, port: str) -> None:
    text = f"{json.dumps(device)}:{json.dumps(port)} ip_mtu"
    assert parse(text) == of_port(device, port, "ip_mtu")


@given(names, names)
def test_the_short_form_that_is_printed_means_that_port(device: str, port: str) -> None:
    printed = short(device, port)
    assert parse(printed) == Path(device, (Step("interfaces", port),))
    assert parse(f"{printed} ip_mtu") == of_port(device, port, "ip_mtu")
    assert short("leaf1", "Ethernet1/1.100") == "leaf1:Ethernet1/1.100"


@pytest.mark.parametrize(
    ("typed", "full"),
    [
        ("leaf1:Ethernet1/1 ip_mtu", "leaf1 interfaces[Ethernet1/1].ip_mtu"),
        ("leaf1:Ethernet 1/1 mtu", "leaf1 interfaces[Ethernet 1/1].ip_mtu"),
        ("leaf*:Ethernet*/1 pfc.generate", "leaf* interfaces[Ethernet*/1].qos.pfc.generate"),
        ("leaf1:eth0:1 speed", "leaf1 interfaces[eth0:1].speed_gbps"),
        ("leaf1 interfaces[Ethernet1/1].pfc.generate",
         "leaf1 interfaces[Ethernet1/1].qos.pfc.generate"),
        ("leaf1:e1 queues[3].kmin", "leaf1 interfaces[e1].qos.egress.queues[3].marking.kmin"),
        ("leaf1 egress[ROCE-OUT].queues[3].kmin",
         "leaf1 qos.egress[ROCE-OUT].queues[3].marking.kmin"),
        ("leaf1:e1 dscp_to_tc[26]", "leaf1 interfaces[e1].qos.classifier.dscp_to_tc[26]"),
        ("leaf1:e1 cable", "leaf1 interfaces[e1].cable"),
        ("leaf1:e1 rail", "leaf1 interfaces[e1].rail"),
        ("leaf1:e1 parts", "leaf1 interfaces[e1].parts"),  # not parts_gbps
        ("leaf1 links[e1].cable", "leaf1 links[e1].cable_m"),
        ("gpu01:mlx5_0 traffic_class", "gpu01 nics[mlx5_0].traffic_class"),
        ("leaf1 pfc_killed", "leaf1 system.pfc_killed"),
        ("leaf1 kernel[net.ipv4.tcp_ecn]", "leaf1 kernel[net.ipv4.tcp_ecn]"),
        ('leaf1:"odd [port]" description', 'leaf1 interfaces["odd [port]"].description'),
    ],
)  # fmt: skip
def test_short_forms(typed: str, full: str) -> None:
    path = resolve(parse(typed))
    assert str(path) == full
    assert resolve(parse(full)) == path


def test_globs_and_literals() -> None:
    wanted = parse("leaf*:Ethernet*/1 ip_mtu")
    assert wanted.is_pattern
    assert matches("leaf12", wanted.device)
    assert not matches("spine1", wanted.device)
    assert matches("Ethernet31/1", wanted.port or "")
    literal = parse('"leaf*":Ethernet1 ip_mtu')
    assert not literal.is_pattern
    assert not matches("leaf1", literal.device)
    assert matches("a[1]b", Glob("a[1]*"))


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("leaf1:Ethernet1/1 ip_mut", "ip_mtu"),
        ("leaf1:Ethernet1/1 pfc.generates", "qos.pfc.generate"),
        ("leaf1 system.pfc_kiled", "system.pfc_killed"),
        ("gpu01 nics[mlx5_0].trafic_class", "nics[...].traffic_class"),
    ],
)
def test_a_wrong_field_says_which_there_are_nearest_first(text: str, nearest: str) -> None:
    with pytest.raises(PathError) as error:
        resolve(parse(text))
    assert error.value.hint is not None
    assert error.value.hint.removeprefix("the nearest are ").split(", ")[0] == nearest


@pytest.mark.parametrize(
    "text",
    ["", "leaf1:", ":e1 ip_mtu", "leaf1 [e1]", "leaf1 qos[", "leaf1 qos.", "leaf1 qos..x",
     '"leaf1', "leaf1 qos[a]b", "leaf1 1", "leaf1 interfaces[]"],
)  # fmt: skip
def test_what_is_no_path(text: str) -> None:
    with pytest.raises(PathError):
        parse(text)


def test_a_name_that_may_mean_several_fields_says_which() -> None:
    with pytest.raises(PathError) as error:
        resolve(parse("leaf1:e1 policing[x].matches[0].values.dscp"))
    assert "policing" in str(error.value)


def test_every_name_that_is_offered_is_one() -> None:
    """Names in hints can be typed."""
    for name in field_names(Device):
        text = "leaf1 " + name.replace("[...]", "[0]")
        if not name.endswith(f".{CABLE}"):  # short for several
            type_of(resolve(parse(text)))


def test_parts() -> None:
    path = of_port("leaf1", "e1", "qos.pfc.generate")
    assert (path.port, path.field, path.inside) == (
        "e1", "qos.pfc.generate", "interfaces[e1].qos.pfc.generate",
    )  # fmt: skip
    assert (Path("leaf1").port, str(Path("leaf1"))) == (None, "leaf1")
    assert Path("leaf1", (Step("asn"),)).field == "asn"
