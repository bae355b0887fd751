from __future__ import annotations

from typing import Any

import pytest

from roce_lint.analysis.treatment import group_buffer
from roce_lint.model.buffer import BufferProfile, Direction, PoolMode
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.qos import HeadroomModel
from roce_lint.nos.sonic import defaults
from roce_lint.text.source import LineState
from tests.nos.sonic.making import chain, device_of, flattened, place, port, remarks

LOSSY = {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"}
LOSSLESS = {
    "pool": "ingress_lossless_pool",
    "size": "1248",
    "xon": "2288",
    "xoff": "177632",
    "dynamic_th": "-3",
}
POOLS = {
    "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "100", "xoff": "40"}
}


def buffered(model: str | None = "traditional", groups: Any = None, **tables: Any) -> Device:
    metadata = {"hostname": "sw1"} | ({"buffer_model": model} if model else {})
    config = chain(
        DEVICE_METADATA={"localhost": metadata},
        CABLE_LENGTH={"AZURE": {"Ethernet0": "40m"}},
        BUFFER_POOL=POOLS,
        BUFFER_PROFILE={"lossy": LOSSY, "pg_lossless_100000_40m_profile": LOSSLESS},
        BUFFER_PG=groups or {"Ethernet0|0": {"profile": "lossy"}},
    )
    return device_of(config | tables)


def group(device: Device, number: int = 3) -> BufferProfile | None:
    return group_buffer(device, device.interfaces["Ethernet0"].qos, number)[0]


def test_pools_and_profiles() -> None:
    groups = {"Ethernet0|3-4": {"profile": "pg_lossless_100000_40m_profile"}}
    device = buffered(groups=groups)
    pool = device.pools["ingress_lossless_pool"]
    assert (pool.direction, pool.mode, pool.size_bytes, pool.headroom_bytes) == (
        Direction.INGRESS,
        PoolMode.DYNAMIC,
        100,
        40,
    )
    found = group(device)
    assert (
        found.lossless,
        found.reserved_bytes,
        found.xon_bytes,
        found.xoff_bytes,
        found.alpha,
    ) == (
        True,
        1248,
        2288,
        177632,
        0.125,
    )
    assert place(found, "xoff_bytes") == "BUFFER_PROFILE|pg_lossless_100000_40m_profile|xoff"
    buffers = device.qos.ingress_buffers["Ethernet0"]
    assert buffers.groups[3] is buffers.groups[4]
    assert place(buffers, 4) == "BUFFER_PG|Ethernet0|3-4|profile"


def test_without_xoff_an_ingress_profile_is_lossy_and_an_egress_one_unknown() -> None:
    tables = {
        "BUFFER_POOL": POOLS | {"egress_pool": {"type": "egress", "mode": "static"}},
        "BUFFER_PROFILE": {"lossy": LOSSY, "out": {"pool": "egress_pool", "static_th": "100"}},
        "BUFFER_QUEUE": {"Ethernet0|3": {"profile": "out"}},
    }
    device = buffered(**tables)
    assert group(device, 0).lossless is False
    out = device.qos.egress["Ethernet0"].queue(3).buffer
    assert (out.lossless, out.static_limit_bytes) == (None, 100)


def test_dynamic_headroom_of_a_profile() -> None:
    profile = {"pool": "ingress_lossless_pool", "headroom_type": "dynamic", "dynamic_th": "0"}
    groups = {"Ethernet0|3": {"profile": "alpha"}}
    device = buffered("dynamic", groups, BUFFER_PROFILE={"alpha": profile})
    assert (group(device).lossless, group(device).computed) == (True, True)
    assert place(group(device), "lossless") == "BUFFER_PROFILE|alpha|headroom_type"


@pytest.mark.parametrize(
    ("model", "headroom", "says"),
    [
        ("dynamic", HeadroomModel.DYNAMIC, "DEVICE_METADATA|localhost|buffer_model"),
        ("traditional", HeadroomModel.STATIC, "DEVICE_METADATA|localhost|buffer_model"),
        (None, HeadroomModel.STATIC, defaults.STATIC_MODEL.says),
        ("dynamik", None, ""),
    ],
)
def test_the_buffer_model(model: str | None, headroom: HeadroomModel | None, says: str) -> None:
    device = buffered(model)
    assert (device.system.headroom, place(device.system, "headroom")) == (headroom, says)


def test_a_saved_configuration_of_the_static_model_holds_its_rows() -> None:
    device = buffered()
    assert device.system.headroom_in_file is True
    assert group(device) is None


def test_files_rendered_before_loading_need_not_hold_them() -> None:
    config = chain(CABLE_LENGTH={"AZURE": {"Ethernet0": "40m"}}, DEVICE_METADATA={"localhost": {}})
    buffers = {
        "BUFFER_POOL": POOLS,
        "BUFFER_PROFILE": {"lossy": LOSSY},
        "BUFFER_PG": {"Ethernet0|0": {"profile": "lossy"}},
    }
    assert device_of(config, buffers).system.headroom_in_file is False
    lossless = {"Ethernet0|3": {"profile": "pg_lossless_100000_40m_profile"}}
    profiles = {"pg_lossless_100000_40m_profile": LOSSLESS}
    loaded = buffers | {"BUFFER_PG": lossless, "BUFFER_PROFILE": profiles}
    assert device_of(config, loaded).system.headroom_in_file is True


def test_the_dynamic_model_never_has_to_hold_them() -> None:
    device = buffered("dynamic", {"Ethernet0|3-4": {"profile": "NULL"}})
    assert device.system.headroom_in_file is None
    found = group(device)
    assert (found.computed, found.lossless, found.name) == (True, True, None)
    assert device_of(
        flattened({"BUFFER_PG": {"Ethernet0|3": {"profile": "NULL"}}})
    ).system.headroom is (HeadroomModel.DYNAMIC)


def test_profiles_that_the_dynamic_model_makes_need_no_row() -> None:
    groups = {"Ethernet0|3": {"profile": "pg_lossless_100000_40m_profile"}}
    dynamic = buffered("dynamic", groups, BUFFER_PROFILE={})
    assert (group(dynamic).lossless, group(dynamic).computed) == (True, True)
    assert [s.defined for s in dynamic.structures if s.kind == "buffer profile"] == [True]
    static = buffered("traditional", groups, BUFFER_PROFILE={})
    assert (group(static).lossless, group(static).computed) == (True, False)
    assert [s.defined for s in static.structures if s.kind == "buffer profile"] == [False]
    other = buffered("traditional", {"Ethernet0|3": {"profile": "GONE"}}, BUFFER_PROFILE={})
    assert (group(other).name, group(other).lossless) == ("GONE", None)


def test_what_the_dynamic_model_computes_with() -> None:
    device = buffered(
        "dynamic",
        DEFAULT_LOSSLESS_BUFFER_PARAMETER={
            "AZURE": {"default_dynamic_th": "-1", "over_subscribe_ratio": "2"}
        },
    )
    rules = device.system.headroom_rules
    assert (rules.alpha, rules.oversubscription) == (0.5, 2)


def test_profile_lists_refer_to_profiles() -> None:
    listed = {"Ethernet0": {"profile_list": "[BUFFER_PROFILE|lossy],[BUFFER_PROFILE|GONE]"}}
    device = buffered(BUFFER_PORT_INGRESS_PROFILE_LIST=listed)
    undefined = {s.name for s in device.structures if not s.defined}
    assert undefined == {"GONE"}


def test_values_out_of_range() -> None:
    profile = {"pool": "ingress_lossless_pool", "dynamic_th": "8", "xoff": "-1", "size": "1e9"}
    groups = {"Ethernet0|3": {"profile": "bad"}, "Ethernet0|8": {"profile": "bad"}}
    device = buffered(groups=groups, BUFFER_PROFILE={"bad": profile})
    found = group(device)
    assert (found.alpha, found.xoff_bytes, found.reserved_bytes, found.lossless) == (None,) * 4
    assert sorted(message.split(": ")[0] for message in remarks(device, NoteKind.BAD_VALUE)) == [
        "BUFFER_PG|Ethernet0|8",
        "BUFFER_PROFILE dynamic_th '8', takes -8 to 7",
        "BUFFER_PROFILE|bad size",
        "BUFFER_PROFILE|bad xoff",
    ]


def test_the_lookup_table() -> None:
    text = """\
# PG lossless profiles.
# speed cable size    xon  xoff    threshold xon_offset
 100000  5m   1248    2288 165568  0         2288
 100000  40m  58368   19456 38912  -3

 400000  300m 18796   0    300990  123456
 lorem ipsum
 100000 40 1 2 3 4
"""
    device = device_of(text, source="pg-profile-lookup")
    assert sorted(device.headroom_table) == [(100.0, 5.0), (100.0, 40.0), (400.0, 300.0)]
    short, long = device.headroom_table[(100.0, 5.0)], device.headroom_table[(400.0, 300.0)]
    assert (short.name, short.xoff_bytes, short.alpha) == (
        "pg_lossless_100000_5m_profile",
        165568,
        1,
    )
    assert place(short, "xoff_bytes") == "line 3"
    assert (long.alpha, long.static_limit_bytes) == (None, 123456)
    states = [LineState(state).name for state in device.src.files[0].states]
    assert states[:4] == ["IGNORED", "IGNORED", "UNDERSTOOD", "UNDERSTOOD"]
    assert states[6:8] == ["UNRECOGNISED", "UNRECOGNISED"]
    assert [
        note.message.split(" is not")[0] for note in device.notes if note.kind is NoteKind.BAD_VALUE
    ] == [
        "'lorem ipsum'",
        "'100000 40 1 2 3 4'",
    ]


def test_a_port_without_rows_beside_ports_with_rows() -> None:
    groups = {"Ethernet4|3": {"profile": "pg_lossless_100000_40m_profile"}}
    device = buffered(groups=groups, PORT={"Ethernet0": port(), "Ethernet4": port()})
    assert device.interfaces["Ethernet0"].qos.ingress_buffer is None
    profile, where, missing = group_buffer(device, device.interfaces["Ethernet0"].qos, 3)
    assert (profile, missing) == (None, "")
    assert where.src.keys_of(where.position)[1] == ("PORT_QOS_MAP", "Ethernet0")


def test_a_row_without_a_profile_gives_its_group_none_in_the_static_model() -> None:
    static = buffered(groups={"Ethernet0|3-4": {}})
    profile = group(static)
    assert profile is not None
    assert (profile.name, profile.lossless) == (None, False)
    computed = group(buffered("dynamic", groups={"Ethernet0|3-4": {}}))
    assert computed is not None
    assert computed.lossless is None  # what the device then computes is not documented


@pytest.mark.parametrize(
    ("table", "row", "noted"),
    [
        (
            "BUFFER_POOL",
            {"mode": "dynamic", "size": "1"},
            "BUFFER_POOL|x type: the row is refused without it",
        ),
        (
            "BUFFER_POOL",
            {"type": "egress", "size": "1"},
            "BUFFER_POOL|x mode: the row is refused without it",
        ),
        (
            "BUFFER_PROFILE",
            {"size": "0", "dynamic_th": "3"},
            "BUFFER_PROFILE|x pool: the row is refused without it",
        ),
        (
            "BUFFER_PROFILE",
            {"pool": "ingress_lossless_pool", "dynamic_th": "3"},
            "BUFFER_PROFILE|x size: the row is refused without it",
        ),
        (
            "BUFFER_PROFILE",
            {"pool": "ingress_lossless_pool", "size": "0"},
            "BUFFER_PROFILE|x dynamic_th: neither a dynamic nor a static threshold",
        ),
    ],
)
def test_fields_that_no_release_does_without(table: str, row: dict[str, str], noted: str) -> None:
    pools = POOLS | ({"x": row} if table == "BUFFER_POOL" else {})
    profiles = {"lossy": LOSSY} | ({"x": row} if table == "BUFFER_PROFILE" else {})
    device = buffered(BUFFER_POOL=pools, BUFFER_PROFILE=profiles)
    assert remarks(device, NoteKind.BAD_VALUE) == [noted]


def test_a_profile_with_dynamic_headroom_needs_no_size() -> None:
    row = {"pool": "ingress_lossless_pool", "headroom_type": "dynamic", "dynamic_th": "0"}
    device = buffered(BUFFER_PROFILE={"lossy": LOSSY, "x": row})
    assert remarks(device, NoteKind.BAD_VALUE) == []


def test_a_profile_on_the_wrong_side_of_the_switch() -> None:
    pools = POOLS | {"out": {"type": "egress", "mode": "static", "size": "1"}}
    profiles = {
        "lossy": LOSSY | {"pool": "out"},
        "limit": {"pool": "ingress_lossless_pool", "size": "0", "static_th": "1"},
    }
    device = buffered(
        BUFFER_POOL=pools,
        BUFFER_PROFILE=profiles,
        BUFFER_QUEUE={"Ethernet0|3": {"profile": "limit"}, "Ethernet0|4": {"profile": "limit"}},
    )
    group, queue = sorted(remarks(device, NoteKind.CONFLICT))
    assert group == "BUFFER_PG|Ethernet0|0 uses profile lossy of out, which is an egress pool"
    assert queue == (
        "BUFFER_QUEUE|Ethernet0|3 uses profile limit of ingress_lossless_pool, "
        "which is an ingress pool"
    )


@pytest.mark.parametrize("egress", [False, True])
def test_a_queue_profile_of_the_image(egress: bool) -> None:
    """Without egress pools the file is laid over an image, which has the profile."""
    pool = {"egress_pool": {"type": "egress", "mode": "dynamic", "size": "100"}} if egress else {}
    device = buffered(
        BUFFER_POOL=POOLS | pool,
        BUFFER_QUEUE={"Ethernet0|3": {"profile": "egress_lossless_profile"}},
    )
    queue = device.qos.egress["Ethernet0"].queue(3)
    assert queue is not None
    assert (queue.buffer is None) == egress
    named = {each.name for each in device.structures if not each.defined}
    assert ("egress_lossless_profile" in named) == egress
    assert queue.buffer is None or queue.buffer.name == "egress_lossless_profile"
