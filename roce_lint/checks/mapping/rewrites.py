"""Rewrite maps that are written and not switched on: often meant to classify."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.engine.api import (
    Device,
    Given,
    NoParams,
    Outcome,
    Problem,
    device_check,
)


@device_check("mapping.rewrite_without_effect")
def rewrite_map_without_effect(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A map from class to code point does nothing; what it says of a class may not even hold."""
    for rewrite in device.qos.rewrites.values():
        table, called = rewrite.tc_to_dscp, device.qos.class_name
        lines = [tc for tc in sorted(table.entries) if table.stated(tc)]
        if rewrite.active is not False or not lines:
            continue
        astray = [
            f"DSCP {table.entries[tc]} is in class {called(found)}, not {called(tc)}"
            for tc in lines
            if (found := _read_as(device, table.entries[tc])) not in (None, tc)
        ]
        ports = given.analysis.ports_of(device)
        yield Problem(
            f"{device.hostname}: the map of traffic classes to DSCP rewrites, and is not switched "
            "on" + "".join(f"; {text}" for text in astray),
            "it does nothing: the map from DSCP to class alone says what class a packet is in",
            [table.where(tc) for tc in lines],
            device.hostname,
            tuple(port.interface.name for port in ports),
            value=", ".join(f"{tc}:{table.entries[tc]}" for tc in lines),
            several=True,
        )


def _read_as(device: Device, dscp: int) -> int | None:
    """The class that the device's policies and maps agree on for an arriving packet."""
    found = {c.dscp_to_tc.get(dscp) if c.exact else None for c in device.qos.classifiers.values()}
    return found.pop() if len(found) == 1 else None
