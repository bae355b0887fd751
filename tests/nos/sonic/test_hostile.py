from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.errors import ReadError
from roce_lint.model.device import NoteKind
from roce_lint.nos.sonic.tables import TABLES
from tests.nos.sonic.making import chain, device_of, flattened, remarks

WORDS = st.sampled_from(
    [
        "Ethernet0",
        "Ethernet4",
        "localhost",
        "AZURE",
        "M",
        "global",
        "GLOBAL",
        "3",
        "3-4",
        "0-99999999",
        "",
        "NULL",
        "-1",
        "[DSCP_TO_TC_MAP|M]",
        "40m",
        "up",
        "ecn_all",
        "9" * 30,
        "٣",
        "Vlan10",
        "\ud800",
    ]
)
FIELDS = st.sampled_from(
    [
        "pfc_enable",
        "profile",
        "mtu",
        "ecn",
        "pool",
        "xoff",
        "26",
        "scheduler",
        "hostname",
        "vlan",
        "members",
        "profile_list",
        "type",
        "Ethernet0",
        "NULL",
        "buffer_model",
        "green_min_threshold",
    ]
)
SCALARS = (
    WORDS
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=4,
)
KEYS = st.lists(WORDS, min_size=1, max_size=4).map("|".join)
ROWS = st.dictionaries(KEYS, st.dictionaries(FIELDS, VALUES, max_size=4) | VALUES, max_size=4)
CONFIGS = st.dictionaries(st.sampled_from(TABLES), ROWS | VALUES, max_size=8)


@given(CONFIGS)
def test_no_configuration_makes_the_reader_fail(config: dict[str, Any]) -> None:
    device = device_of(json.dumps(config))
    assert device.nos == "sonic"
    states = device.src.files[0].states
    assert 5 not in states


@given(CONFIGS, CONFIGS)
def test_nor_do_two(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert device_of(json.dumps(first), json.dumps(chain() | second)).nos == "sonic"


@given(st.permutations(list(chain())))
def test_the_order_of_tables_does_not_matter(order: list[str]) -> None:
    config = chain()
    assert device_of({table: config[table] for table in order}) == device_of(config)


def test_a_list_is_not_a_configuration() -> None:
    device = device_of("[1, 2]")
    assert (device.interfaces, device.partial) == ({}, True)


@pytest.mark.parametrize("text", ["", "not json", '{"PORT": {', '{"PORT": {"Ethernet0": {}}'])
def test_invalid_json_is_reported(text: str) -> None:
    with pytest.raises(ReadError):
        device_of(text)


def test_a_key_with_many_ports_is_bounded() -> None:
    key = ",".join(f"Ethernet{n}" for n in range(5000))
    device = device_of({"PORT_QOS_MAP": {key: {"pfc_enable": "3"}}})
    assert len(device.interfaces) == 4096
    assert len(remarks(device, NoteKind.BAD_VALUE)) == 1


def test_no_text_of_the_file_outlives_its_type() -> None:
    device = device_of(flattened(chain()))
    seen: list[object] = [device]
    kinds = set()
    while seen:
        item = seen.pop()
        kinds.add(type(item))
        if isinstance(item, dict):
            seen += [*item, *item.values()]
        elif isinstance(item, list | tuple | set | frozenset):
            seen += item
        elif hasattr(item, "__slots__") and hasattr(item, "at"):
            seen += [getattr(item, name) for name in item.__dataclass_fields__ if name != "src"]
    assert {kind for kind in kinds if issubclass(kind, str)} == {str}
