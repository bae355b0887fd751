"""Packet buffers as far as EOS configures them: queue thresholds and the headroom pool."""

from __future__ import annotations

import re

from roce_lint.model.buffer import BufferPool, BufferProfile, Direction
from roce_lint.model.qos import QueueKind
from roce_lint.nos.eos.context import SOURCE, Context, word
from roce_lint.nos.eos.lines import HIGHEST
from roce_lint.nos.eos.queues import Buffers
from roce_lint.nos.reading import ABSENT, Reader, Value
from roce_lint.text.numbers import whole_of

KIND = "buffer profile"
CASTS = {"unicast": QueueKind.UNICAST, "multicast": QueueKind.MULTICAST}

_RESERVED = re.compile(r"reserved(?:\s+(?P<unit>bytes|cells))?\s+(?P<size>\d{1,12})")
_ALPHA = re.compile(r"threshold\s+(?P<over>\d{1,4})(?:/(?P<under>[1-9]\d{0,3}))?")
_BY_COLOUR = re.compile(r"drop-precedence\s+\d\s+drop-threshold\s+\S+")
"""Threshold of packets that a policer or map coloured, which RoCE packets are not."""


def read_buffers(context: Context) -> Buffers:
    """Buffer of each queue by the profile in force; a profile that is not applied does nothing."""
    reading = context.reading
    profiles: dict[str, Buffers] = {}
    for name, reader in reading.merge(SOURCE, "mmu_profile", "name"):
        reader.take()
        reading.names.define(KIND, name, reader.begin)
        profiles[name] = _profile(context, name, reader)
    for reader in reading.groups(SOURCE, "mmu_apply"):
        reading.names.refer(KIND, word(reader, "name"), reader.begin)
    applied = context.last("mmu_apply")
    return profiles.get(applied.text("name").value or "", {}) if applied else {}


def read_pools(context: Context) -> dict[str, BufferPool]:
    """The pool that no-drop priorities share for packets in flight."""
    reader = context.last("headroom_pool")
    if reader is None:
        return {}
    limit = reader.integer("limit")
    in_cells = reader.text("unit").value == "cells"
    pool = reader.build(
        BufferPool,
        name="headroom",
        direction=Direction.INGRESS,
        headroom_bytes=ABSENT if in_cells else limit,
        headroom_cells=limit if in_cells else ABSENT,
    )
    return {pool.name: pool}


def _profile(context: Context, name: str, reader: Reader) -> Buffers:
    found: Buffers = {}
    for child in reader.children("mmu_queue"):
        child.take()
        number = child.integer("number")
        kind = CASTS[child.text("cast").value or ""]
        if number.value is None or number.value > HIGHEST:
            context.bad(f"queue {number.value} is outside 0-{HIGHEST}", child.begin)
            continue
        key = (kind, number.value)
        if key not in found:
            found[key] = context.reading.build(BufferProfile, child.begin, name=name)
        _set(context, found[key], child.text("setting"))
    return found


def _set(context: Context, profile: BufferProfile, setting: Value[str]) -> None:
    text = setting.value or ""
    reserved, alpha = _RESERVED.fullmatch(text), _ALPHA.fullmatch(text)
    if alpha:
        profile.alpha = whole_of(alpha["over"]) / whole_of(alpha["under"] or "1")
        profile.at["alpha"] = setting.position
    elif reserved:
        # Cells cannot be turned into bytes without knowing the ASIC, except none of them.
        if reserved["unit"] == "bytes" or whole_of(reserved["size"]) == 0:
            profile.reserved_bytes = whole_of(reserved["size"])
            profile.at["reserved_bytes"] = setting.position
    elif not _BY_COLOUR.fullmatch(text):
        context.bad(f"{text!r} is not a setting of a queue", setting.position)
