"""Values are read by the type of their field, and shown so that they are read back."""

from __future__ import annotations

from typing import Any

import pytest

from roce_lint.model.buffer import Direction
from roce_lint.model.interface import Fec
from roce_lint.model.path import parse
from roce_lint.model.qos import PfcMode, QueueKind, Trust
from roce_lint.model.schema import resolve, type_of
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.model.values import UNSET, WrongValue, key_of, key_text, read, spell_value

PORT = "leaf1:e1 "


def value_of(path: str, text: str) -> Any:
    full = resolve(parse(path))
    return read(text, full.steps[-1].field, type_of(full))


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        (PORT + "speed", "800G", 800.0),
        (PORT + "speed", "1.6T", 1600.0),
        (PORT + "speed", "400", 400.0),
        (PORT + "cable_m", "300m", 300.0),
        (PORT + "cable_m", "0.3 km", 300.0),
        (PORT + "ip_mtu", "9216", 9216),
        (PORT + "ip_mtu", "9,216", 9216),
        (PORT + "enabled", "no", False),
        (PORT + "fec", "RS", Fec.RS),
        (PORT + "trust", "dscp", Trust.DSCP),
        (PORT + "pfc.mode", "off", PfcMode.OFF),
        (PORT + "pfc.generate", "3,4", frozenset({3, 4})),
        (PORT + "pfc.generate", "0-2 7", frozenset({0, 1, 2, 7})),
        (PORT + "pfc.generate", "none", frozenset()),
        (PORT + "pfc.generate", "unset", None),
        (PORT + "tagged_vlans", "100-102", frozenset({100, 101, 102})),
        (PORT + "queues[3].kmin", "150 kB", Threshold(150_000.0)),
        (PORT + "queues[3].kmin", "55 %", Threshold(55.0, ThresholdUnit.PERCENT)),
        (PORT + "queues[3].kmin", "1000 cells", Threshold(1000.0, ThresholdUnit.CELLS)),
        (PORT + "queues[3].pmax", "7%", 7.0),
        (PORT + "groups[3].xoff", "40 kB", 40_000),
        (PORT + "queues[3].scheduler.shape_bps", "10G", 10_000_000_000),
        (PORT + "dscp_to_tc[26]", "3", 3),
        (PORT + "watchdog.polling", "0.2 s", 200.0),
        (PORT + "addresses", "10.0.0.1/31, 10.0.0.3/31", ("10.0.0.1/31", "10.0.0.3/31")),
        (PORT + "description", "to spine 1", "to spine 1"),
        ("gpu01 nics[mlx5_0].cnp_dscp", "cs6", 48),
        ("gpu01 nics[mlx5_0].cnp_dscp", "48", 48),
        ("leaf1 pools[p].direction", "ingress", Direction.INGRESS),
    ],
)
def test_values(path: str, text: str, value: object) -> None:
    assert value_of(path, text) == value
    field = path.rsplit(".", 1)[-1].rsplit(maxsplit=1)[-1]
    full = resolve(parse(path)).steps[-1].field
    assert value_of(path, spell_value(value, full)) == value, field


@pytest.mark.parametrize(
    ("path", "text", "takes"),
    [
        (PORT + "speed", "fast", "a speed such as 400G"),
        (PORT + "speed", "-1", "a speed"),
        (PORT + "speed", "nan", "a speed"),
        (PORT + "cable_m", "300G", "a length such as 300 m"),
        (PORT + "ip_mtu", "9216.5", "a size in bytes"),
        (PORT + "enabled", "maybe", "yes or no"),
        (PORT + "fec", "xx", "none or rs or fc or auto"),
        (PORT + "pfc.generate", "3,8", "a set such as 3,4, or none"),
        (PORT + "pfc.generate", "4-3", "a set"),
        (PORT + "pfc.generate", "", "a set"),
        (PORT + "queues[3].kmin", "much", "a threshold such as 150 kB"),
        (PORT + "qos.pfc", "3", "no value"),
        ("gpu01 nics[mlx5_0].cnp_dscp", "64", "a code point from 0 to 63"),
        ("gpu01 nics[mlx5_0].cnp_dscp", "afx", "a code point"),
    ],
)
def test_a_wrong_value_says_what_the_field_takes(path: str, text: str, takes: str) -> None:
    with pytest.raises(WrongValue) as error:
        value_of(path, text)
    assert takes in str(error.value)


def test_words_for_what_is_not_there() -> None:
    assert (spell_value(None), spell_value(frozenset()), spell_value(())) == (UNSET, "none", "none")
    assert spell_value(True) == "yes"


@pytest.mark.parametrize(
    ("path", "text", "key"),
    [
        ("leaf1 qos.egress[x].queues[3]", "3", (QueueKind.UNICAST, 3)),
        ("leaf1 qos.egress[x].queues[3]", "multicast 3", (QueueKind.MULTICAST, 3)),
        ("leaf1 headroom_table[x]", "400 5", (400.0, 5.0)),
        ("leaf1 pools[x]", "a b", "a b"),
        ("leaf1 qos.ingress_buffers[x].groups[3]", "3", 3),
    ],
)
def test_keys(path: str, text: str, key: object) -> None:
    known = type_of(parse(path))
    assert key_of(text, known) == key
    assert key_text(key) == text


@pytest.mark.parametrize("text", ["x", "3 multicast", "tri 3", ""])
def test_wrong_keys(text: str) -> None:
    assert key_of(text, type_of(parse("leaf1 qos.egress[x].queues[3]"))) is None
