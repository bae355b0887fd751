"""Buffer tables: pools, profiles, priority groups, and headroom of lossless classes."""

from __future__ import annotations

import re
from dataclasses import replace

from roce_lint.model.buffer import (
    BufferPool,
    BufferProfile,
    Direction,
    HeadroomRules,
    IngressBuffer,
    PoolMode,
)
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.qos import HeadroomModel
from roce_lint.nos.reading import Reading, Value, put
from roce_lint.nos.sonic import defaults
from roce_lint.nos.sonic.maps import HIGHEST_PRIORITY
from roce_lint.nos.sonic.ports import port_of
from roce_lint.nos.sonic.tables import LOOKUP, Namespace, Row, numbers_in, whole
from roce_lint.text.numbers import decimal_of, real, whole_of
from roce_lint.text.source import LineState

POOL = "buffer pool"
PROFILE = "buffer profile"
GROUPS = "BUFFER_PG"
COMPUTED = "NULL"
"""Profile of a priority group with computed headroom."""
LOSSLESS_POOL = "ingress_lossless_pool"
"""The only pool name that the buffer daemons accept."""

ALPHA_RANGE = (-8, 7)

DIRECTIONS = {"ingress": Direction.INGRESS, "egress": Direction.EGRESS, "both": Direction.BOTH}
MODES = {"static": PoolMode.STATIC, "dynamic": PoolMode.DYNAMIC}
DISCARDS = {"drop": False, "trim": True}
HEADROOM_TYPES = {"static": False, "dynamic": True}
MODELS = {"dynamic": HeadroomModel.DYNAMIC, "traditional": HeadroomModel.STATIC}

_MADE_BY_DEVICE = re.compile(r"pg_lossless_(\d{1,7})_(\d{1,7})m_.*profile", re.ASCII)
_DYNAMIC_SIGNS = ("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN")
_WHOLE_CONFIG = ("DEVICE_METADATA", "PORT", "CABLE_LENGTH", "BUFFER_POOL")
_ROW = re.compile(r"(\d{1,19})\s+(\d{1,19})m" + r"\s+(-?\d{1,19})" * 4 + r"(?:\s+\S+)?", re.ASCII)


def read_buffers(space: Namespace, device: Device) -> dict[str, BufferProfile]:
    """Read pools, profiles and the headroom model; returns the profiles by name."""
    for name, row in space.rows("BUFFER_POOL").items():
        space.define(POOL, row, matters=False)
        device.pools[space.label(name)] = _pool(space, row)
    profiles = {}
    for name, row in space.rows("BUFFER_PROFILE").items():
        space.define(PROFILE, row, matters=False)
        profiles[name] = _profile(space, device, row)
    for table in ("BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST"):
        for row in space.rows(table).values():
            listed = row.strings("profile_list")
            for name in listed.value or ():
                space.bare(row, "profile_list", name, PROFILE, listed.position)
    _headroom(space, device)
    return profiles


def read_groups(space: Namespace, device: Device, profiles: dict[str, BufferProfile]) -> None:
    """Set the buffers of every port's priority groups."""
    computed = BufferProfile(
        pool=LOSSLESS_POOL, lossless=True, computed=True, src=space.reading.src
    )
    lossless = False
    for name, rest, row in space.port_rows(GROUPS):
        port = port_of(space, device, name, row)
        if port is None or port.qos is None:
            continue
        groups = numbers_in(row, rest, HIGHEST_PRIORITY, "no priority group or range")
        if not groups:
            continue
        buffers = device.qos.ingress_buffers.get(name)
        if buffers is None:
            buffers = space.reading.build(IngressBuffer, row.position, name=name)
            device.qos.ingress_buffers[name] = buffers
            put(port.qos, ingress_buffer=Value(name, row.position))
        profile, position = _group_profile(space, device, row, profiles, computed)
        for group in groups:
            buffers.groups[group] = profile
            buffers.at[group] = position
        # A generated profile without a row: the device has not created any yet.
        unwritten = profiles and profile.name not in profiles and _made_for(profile.name or "")
        lossless = lossless or bool(profile.lossless and not unwritten)
    _in_file(space, device, lossless=lossless)


def _group_profile(
    space: Namespace,
    device: Device,
    row: Row,
    profiles: dict[str, BufferProfile],
    computed: BufferProfile,
) -> tuple[BufferProfile, int]:
    """Profile of a BUFFER_PG row; an undefined one has only its name."""
    text = row.text("profile")
    if text.value == COMPUTED:
        return computed, text.position
    name = space.refer(row, "profile", PROFILE)
    position = name.position or row.position
    found = profiles.get(name.value or "")
    if found is None:
        key = _made_for(name.value or "")
        made = key is not None
        dynamic = made and device.system.headroom is HeadroomModel.DYNAMIC
        empty = name.value is None and device.system.headroom is HeadroomModel.STATIC
        names, label = space.reading.names, space.label(name.value or "")
        if dynamic:
            names.builtin(PROFILE, label)
        elif key is not None and not any(map(_made_for, profiles)):  # never loaded: to be made
            size = device.headroom_table.get(key)
            if size is not None and size.name == name.value:
                found = replace(size, pool=LOSSLESS_POOL, made_for_gbps=key[0], made_for_m=key[1])
            names.expect(PROFILE, label, defined=found is not None)
    if found is None:
        found = space.reading.build(
            BufferProfile,
            position,
            name=name.value,
            # A row without a profile gives the group none.
            lossless=True if made else False if empty else None,
            computed=dynamic,
        )
    fits(space, device, row, found, Direction.INGRESS)
    return found, position


def _made_for(name: str) -> tuple[float, float] | None:
    """Gb/s and metres of cable of a profile that the device generated."""
    made = _MADE_BY_DEVICE.fullmatch(name)
    return (whole_of(made[1]) / 1000, decimal_of(made[2])) if made else None


def fits(
    space: Namespace, device: Device, row: Row, profile: BufferProfile, side: Direction
) -> None:
    """Note once a profile of one direction with a pool of the other."""
    pool = device.pools.get(profile.pool or "")
    other = Direction.EGRESS if side is Direction.INGRESS else Direction.INGRESS
    if pool is not None and pool.direction is other and space.first(row.table, profile.name or ""):
        message = f"{row.table}|{row.key} uses profile {profile.name} of {pool.name}, "
        message += f"which is an {other.value} pool"
        places = (row.text("profile").position, profile.at.get("pool", 0), pool.at["direction"])
        space.reading.note(NoteKind.CONFLICT, message, *places)


def _note_lack(row: Row, *names: str) -> None:
    """Note the first missing field that every release requires in the row."""
    absent = next((name for name in names if name not in row), None)
    if absent is not None:
        row.complain(absent, "the row is refused without it", row.position)


def _pool(space: Namespace, row: Row) -> BufferPool:
    _note_lack(row, "type", "mode")
    return space.reading.build(
        BufferPool,
        row.position,
        name=row.key,
        direction=row.one_of("type", DIRECTIONS),
        mode=row.one_of("mode", MODES),
        size_bytes=row.bytes("size"),
        headroom_bytes=row.bytes("xoff"),
    )


def _profile(space: Namespace, device: Device, row: Row) -> BufferProfile:
    """A profile with `xoff`, or with dynamic headroom, is lossless; other ingress profiles are
    lossy. Whether an egress profile drops depends on its limit and the pool: unknown.
    """
    pool = space.refer(row, "pool", POOL)
    xoff = row.bytes("xoff")
    dynamic = row.one_of("headroom_type", HEADROOM_TYPES)
    _note_lack(row, "pool", *(() if dynamic.value else ("size",)))
    if "dynamic_th" not in row and "static_th" not in row and not dynamic.value:
        row.complain("dynamic_th", "neither a dynamic nor a static threshold", row.position)
    lossless: Value[bool] = Value(None)
    shared = device.pools.get(space.label(pool.value or ""))
    if xoff.value:
        lossless = Value(True, xoff.position)
    elif dynamic.value:
        lossless = Value(True, dynamic.position)
    elif xoff.value is not None or not xoff.position:
        ingress = shared is not None and shared.direction is Direction.INGRESS
        lossless = Value(False, xoff.position) if ingress else lossless
    made = _made_for(row.key)
    return space.reading.build(
        BufferProfile,
        row.position,
        name=row.key,
        made_for_gbps=Value(made[0] if made else None, row.position),
        made_for_m=Value(made[1] if made else None, row.position),
        pool=pool,
        lossless=lossless,
        reserved_bytes=row.bytes("size"),
        alpha=row.integer("dynamic_th", *ALPHA_RANGE).map(_alpha),
        static_limit_bytes=row.bytes("static_th"),
        xoff_bytes=xoff,
        xon_bytes=row.bytes("xon"),
        trims=row.one_of("packet_discard_action", DISCARDS),
        computed=bool(dynamic.value and xoff.value is None),
    )


def _alpha(exponent: int) -> float:
    """Alpha by SAI: a dynamic threshold n means 2 to the power of n times the free pool."""
    return 2.0**exponent


def _headroom(space: Namespace, device: Device) -> None:
    """Set the buffer model and its rules; without metadata, from marks of the dynamic model."""
    row = space.metadata
    if row.parts:
        stated = row.text("buffer_model")
        model = space.default(stated, defaults.STATIC_MODEL).map(MODELS.get)
        if stated.value is not None and model.value is None:
            message = f"{stated.value[:32]!r} is not {' or '.join(MODELS)}"
            row.complain("buffer_model", message, stated.position)
        put(device.system, headroom=model)
    elif device.system.headroom is None:
        signs = [row for table in _DYNAMIC_SIGNS for row in space.rows(table).values()]
        signs += [r for r in space.rows(GROUPS).values() if r.text("profile").value == COMPUTED]
        if signs:
            put(device.system, headroom=Value(HeadroomModel.DYNAMIC, signs[0].position))
    for row in space.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER").values():
        rules = device.system.headroom_rules or space.reading.build(HeadroomRules, row.position)
        device.system.headroom_rules = rules
        alpha = row.integer("default_dynamic_th", *ALPHA_RANGE).map(_alpha)
        put(rules, alpha=alpha, oversubscription=row.bytes("over_subscribe_ratio").map(real))


def _in_file(space: Namespace, device: Device, *, lossless: bool) -> None:
    """Set whether an absent lossless BUFFER_PG row means that there is no headroom.

    The static model's daemon writes these rows into the database, so a saved configuration has
    them; files rendered from templates, never loaded, do not. A generated profile, or a lossless
    row of any port, shows that the daemon has run.
    """
    if device.system.headroom is not HeadroomModel.STATIC:
        return
    saved = any(
        all(
            any(part.entry is entry for row in space.rows(table).values() for part in row.parts)
            for table in _WHOLE_CONFIG
        )
        for entry in space.reading.inputs
    )
    value = lossless or saved or bool(device.system.headroom_in_file)
    position = next((row.position for row in space.rows(GROUPS).values()), 0)
    made = any(map(_made_for, space.rows("BUFFER_PROFILE")))
    ran = Value(lossless or made or bool(device.system.headroom_written), position)
    put(device.system, headroom_in_file=Value(value, position), headroom_written=ran)


def read_lookup(reading: Reading, device: Device) -> None:
    """Read `pg_profile_lookup.ini`: headroom of the static model by speed and cable."""
    for entry in reading[LOOKUP]:
        first = reading.src.files[entry.file].first
        for number, line in enumerate(entry.lines, start=1):
            text = line.strip()
            if not text or text.startswith("#"):
                reading.mark(first + number, LineState.IGNORED if text else LineState.UNCLAIMED)
            elif not _lookup_row(reading, device, text, first + number):
                reading.mark(first + number, LineState.UNRECOGNISED)
                message = f"{text[:64]!r} is not speed, cable, size, xon, xoff, threshold"
                reading.bad(message, first + number)


def _lookup_row(reading: Reading, device: Device, text: str, position: int) -> bool:
    found = _ROW.fullmatch(text)
    if found is None:
        return False
    speed, length, size, xon, xoff, threshold = map(whole, found.groups())
    dynamic = ALPHA_RANGE[0] <= threshold <= ALPHA_RANGE[1]
    device.headroom_table[(speed / 1000, real(length))] = reading.build(
        BufferProfile,
        position,
        name=f"pg_lossless_{speed}_{length}m_profile",
        lossless=True,
        reserved_bytes=Value(size, position),
        xon_bytes=Value(xon, position),
        xoff_bytes=Value(xoff, position),
        alpha=Value(_alpha(threshold) if dynamic else None, position),
        static_limit_bytes=Value(None if dynamic else threshold, position),
    )
    reading.take(position)
    return True
