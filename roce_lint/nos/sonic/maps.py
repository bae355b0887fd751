"""QoS maps: code point to traffic class, and queue, group and PFC priority of a class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from roce_lint.model.device import Device
from roce_lint.model.qos import Classifier, CodeMap, Forwarding, Rewrite
from roce_lint.model.units import PRIORITIES
from roce_lint.nos.declare import Default
from roce_lint.nos.quantities import code_map, same
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.sonic import defaults
from roce_lint.nos.sonic.tables import Namespace, Row, within

HIGHEST_DSCP = 63
HIGHEST_TC = 15
HIGHEST_QUEUE = 15
HIGHEST_PRIORITY = 7


@dataclass(frozen=True)
class MapTable:
    """A map table: kind of its structures, and the numbers on both sides."""

    table: str
    kind: str
    source: int  # highest number mapped from
    target: int  # highest number mapped to
    otherwise: Default | None = None  # value of unlisted numbers


DSCP_TC = MapTable("DSCP_TO_TC_MAP", "dscp map", HIGHEST_DSCP, HIGHEST_TC, defaults.NOT_IN_MAP)
PCP_TC = MapTable("DOT1P_TO_TC_MAP", "pcp map", HIGHEST_PRIORITY, HIGHEST_TC, defaults.NOT_IN_MAP)
TC_QUEUE = MapTable(
    "TC_TO_QUEUE_MAP", "queue map", HIGHEST_TC, HIGHEST_QUEUE, defaults.CLASS_NOT_IN_MAP
)
TC_GROUP = MapTable("TC_TO_PRIORITY_GROUP_MAP", "priority group map", HIGHEST_TC, HIGHEST_PRIORITY)
TC_DSCP = MapTable("TC_TO_DSCP_MAP", "dscp rewrite map", HIGHEST_TC, HIGHEST_DSCP)
PAUSE_QUEUE = MapTable(
    "MAP_PFC_PRIORITY_TO_QUEUE", "pause queue map", HIGHEST_PRIORITY, HIGHEST_QUEUE
)
PAUSE_GROUP = MapTable(
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "pause group map", HIGHEST_PRIORITY, HIGHEST_PRIORITY
)
MAP_TABLES = (DSCP_TC, PCP_TC, TC_QUEUE, TC_GROUP, TC_DSCP, PAUSE_QUEUE, PAUSE_GROUP)

CLASS_MAPS = {
    "tc_to_queue_map": TC_QUEUE,
    "tc_to_pg_map": TC_GROUP,
    "pfc_to_queue_map": PAUSE_QUEUE,
    "pfc_to_pg_map": PAUSE_GROUP,
}
"""Tables of the four maps of `ClassMaps`, by the fields of a port that name them."""


class ClassMaps(NamedTuple):
    """Names of a port's maps of traffic classes; None without a map."""

    queue: str | None
    group: str | None
    pause_queue: str | None
    pause_group: str | None

    @property
    def label(self) -> str:
        """Name of this combination: usually all four have one name."""
        if self.queue == self.group == self.pause_queue:
            inside = self.queue or "no maps"
        else:
            inside = f"{self.queue or '-'}/{self.group or '-'}/{self.pause_queue or '-'}"
        return inside if self.pause_group is None else f"{inside} + {self.pause_group}"


@dataclass(slots=True)
class Maps:
    """All maps of one namespace, and the objects built from them so far."""

    space: Namespace
    device: Device
    by_table: dict[tuple[str, str], CodeMap] = field(default_factory=dict)

    def get(self, table: MapTable, name: str | None) -> CodeMap | None:
        """A map by its name; None if undefined."""
        return self.by_table.get((table.table, name)) if name else None

    def classifier(self, dscp: str | None, pcp: str | None) -> str | None:
        """Key of the classifier of a DSCP and an 802.1p map; dangling if one is undefined."""
        parts = ([dscp] if dscp else []) + ([f"{pcp} (802.1p)"] if pcp else [])
        if not parts:
            return None
        key = self.space.label(" + ".join(parts))
        by_dscp, by_pcp = self.get(DSCP_TC, dscp), self.get(PCP_TC, pcp)
        missing = (dscp and by_dscp is None) or (pcp and by_pcp is None)
        if key not in self.device.qos.classifiers and not missing:
            empty = CodeMap(src=self.space.reading.src)
            first = by_dscp or by_pcp or empty
            self.device.qos.classifiers[key] = self.space.reading.build(
                Classifier,
                first.at.get("", 0),
                name=dscp or pcp,
                dscp_to_tc=by_dscp or empty,
                pcp_to_tc=by_pcp or empty,
            )
        return key

    def forwarding(self, names: ClassMaps, begin: int) -> str:
        """Key of the forwarding of four maps; dangling if one is undefined. `begin`: the port's."""
        key = self.space.label(names.label)
        if key in self.device.qos.forwardings:
            return key
        found = [
            self.get(table, name) for table, name in zip(CLASS_MAPS.values(), names, strict=True)
        ]
        if any(name and found[place] is None for place, name in enumerate(names)):
            return key
        reading = self.space.reading
        queue, group, pause_queue, pause_group = found
        queue = queue or code_map(reading, begin, {}, otherwise=reading.default(defaults.QUEUE_0))
        group = group or code_map(reading, begin, {}, otherwise=reading.default(defaults.GROUP_0))
        pause_group = pause_group or same(reading, begin, defaults.SAME_GROUP, PRIORITIES)
        self.device.qos.forwardings[key] = reading.build(
            Forwarding,
            next((m.at[""] for m in found if m is not None), begin),
            name=names.label,
            tc_to_queue=queue,
            tc_to_pg=group,
            tc_to_pfc_priority=_pause_priority(group, pause_group),
            pfc_priority_to_queue=pause_queue or reading.build(CodeMap, begin),
            pfc_priority_to_pg=pause_group,
        )
        return key


def read_maps(space: Namespace, device: Device) -> Maps:
    """Read every map table; rewrite maps go directly into the device."""
    maps = Maps(space, device)
    for table in MAP_TABLES:
        for row in space.rows(table.table).values():
            space.define(table.kind, row)
            maps.by_table[(table.table, row.key)] = _code_map(space, row, table)
    for row in space.rows(TC_DSCP.table).values():
        device.qos.rewrites[space.label(row.key)] = space.reading.build(
            Rewrite,
            row.position,
            name=row.key,
            tc_to_dscp=maps.by_table[(TC_DSCP.table, row.key)],
            active=True,
            on_trusted=True,
        )
    return maps


def _pause_priority(group: CodeMap, pause_group: CodeMap) -> CodeMap:
    """PFC priority of each class: that of its priority group.

    Among several priorities of one group, the group's own number wins, else the lowest. The
    position is the entry that maps the class to the group.
    """
    priority_of: dict[int, int] = {}
    for priority, target in sorted(pause_group.entries.items(), reverse=True):
        if priority_of.get(target) != target:
            priority_of[target] = priority
    made = CodeMap(src=group.src, at={"": group.at.get("", 0)})
    for tc, target in group.entries.items():
        if target in priority_of:
            made.entries[tc] = priority_of[target]
            made.at[tc] = group.at[tc]
    if group.otherwise is not None:
        made.otherwise = priority_of.get(group.otherwise)
        made.at["otherwise"] = group.at["otherwise"]
    return made


def _code_map(space: Namespace, row: Row, table: MapTable) -> CodeMap:
    to_source, to_target = within(0, table.source), within(0, table.target)
    expected, limit = f"a number from 0 to {table.target}", f"{row.table} class"
    entries: dict[int, Value[int]] = {}
    sound = True
    for name in row.fields():
        target = row.convert(name, to_target, expected, limit)
        try:
            source = to_source(name)
        except ValueError:
            sound = False
            bounds = space.reading.limits.get(f"{row.table} code point")
            if bounds is not None and name.isdigit():
                space.reading.refuse(bounds, name[:8], target.position)
            else:
                row.complain(name[:8], f"the map is of 0 to {table.source}", target.position)
            continue
        sound = sound and bool(target)
        if target:
            entries[source] = target
    rest: Value[int] = ABSENT
    if table.otherwise is not None and sound:
        rest = space.reading.default(table.otherwise)
    return code_map(space.reading, row.position, entries, name=row.key, otherwise=rest)
