"""QoS of one port from the recorded statements: trust, maps, PFC, classes, buffers."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeVar

from roce_lint.model.buffer import BufferProfile, IngressBuffer
from roce_lint.model.qos import (
    Classifier,
    CodeMap,
    EgressPolicy,
    Forwarding,
    PfcConfig,
    PfcMode,
    Policing,
    PortQos,
    QosObjects,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    ShareKind,
    Trust,
)
from roce_lint.model.sourced import Concern, Sourced
from roce_lint.nos.access_lists import ROCE_PORT, Takes, entry_of
from roce_lint.nos.declare import Default
from roce_lint.nos.linux import defaults
from roce_lint.nos.linux.claims import Claims, SettledTable
from roce_lint.nos.linux.dcb import DSCPS, PRIORITIES
from roce_lint.nos.linux.host import PORT, Host
from roce_lint.nos.linux.lldptool import SETTINGS
from roce_lint.nos.linux.nic import amd
from roce_lint.nos.linux.packet_marks import roce_dropped
from roce_lint.nos.reading import ABSENT, Reading, Value

S = TypeVar("S", bound=Sourced)

TRUSTS = {"dscp": Trust.DSCP, "pcp": Trust.PCP, "both": Trust.BOTH, "none": Trust.NONE}

QOS_FIELDS = (
    "trust", "DSCP to priority", "PFC", "PFC willing", "priority to class", "class scheduling",
    "priority to buffer", "buffer size", "dcbx control", "RX pause", "TX pause",
    "firmware LLDP agent", "pause kind",
)  # fmt: skip
"""Fields of which at least one must be known for a port to have a PortQos."""


class QosBuilder:
    """Builds the QoS of the ports of one host; shared parts are built once."""

    def __init__(self, host: Host, objects: QosObjects):
        self.host, self.objects = host, objects
        self.reading: Reading = host.reading
        self.claims: Claims = host.claims

    def build(self, port: str, begin: int) -> PortQos | None:
        """QoS of a port; None if nothing is known of it."""
        dropped = roce_dropped(self.host, port)
        if not self.claims.has(PORT, port, *QOS_FIELDS) and not dropped:
            return None
        table = self._table(port, "DSCP to priority")
        trust = self._trust(port, table)
        if trust and trust.position <= 0:  # decided by a DSCP table without entries
            maps = self.claims.tables(PORT, port, "DSCP to priority")
            empty = (table.place(0) for who, table in maps if who.live and not table.entries)
            begin = next(empty, 0) or begin
        pfc = self._pfc(port, begin)
        pcp = self._get(port, "default priority")
        untagged = pcp or self.reading.default(defaults.UNTAGGED_PRIORITY)
        objects, classifier = self.objects, self._classifier(port, begin, trust, table)
        return self.reading.build(
            PortQos,
            begin,
            trust=trust,
            classifier=_keep(objects.classifiers, port, classifier),
            forwarding=_keep(objects.forwardings, port, self._forwarding(port, begin)),
            pfc=pfc,
            egress=_keep(objects.egress, port, self._egress(port)),
            ingress_buffer=_keep(objects.ingress_buffers, port, self._buffers(port, pfc)),
            default_pcp=untagged if trust else pcp,
            **{field: self._filter(*place) for field, place in dropped.items()},
        )

    def _filter(self, tool: str, position: int, takes: Takes) -> Value[str]:
        """Key of a kernel rule that drops RoCE."""
        key = f"{tool} {position}"
        if key not in self.objects.policing:
            what = f"UDP to port {ROCE_PORT}" if takes.codes is None else "packets of a code point"
            entry = entry_of(self.reading, position, f"{what} by {tool}", takes, drop=True)
            made = self.reading.build(Policing, position, name=key, matches=[entry])
            self.objects.policing[key] = made
        return self.reading.default(defaults.KERNEL_FILTER).map(lambda _: key)

    def _get(self, port: str, what: str) -> Value[Any]:
        return self.claims.get(PORT, port, what)

    def _table(self, port: str, what: str) -> SettledTable:
        return self.claims.table(PORT, port, what)

    def _cite(self, default: Default, begin: int) -> CodeMap:
        """A default map; `begin` shows its absence."""
        entries: Any = default.value
        at: dict[Hashable, int] = dict.fromkeys(entries, self.reading.src.cite(default.citation))
        return CodeMap(entries=entries, src=self.reading.src, at={"": begin, **at})

    def _map(self, table: SettledTable, begin: int) -> CodeMap:
        at = {"": table.begin or begin, **table.at}
        return CodeMap(entries=table.entries, src=self.reading.src, at=at)

    def _trust(self, port: str, table: SettledTable) -> Value[Trust]:
        """Stated trust, else derived from the DSCP entries: the first one switches the port."""
        stated: Value[Trust] = self._get(port, "trust").map(TRUSTS.get)
        if stated or self.claims.has(PORT, port, "trust") or not table or self._has_own_map(port):
            return stated
        if table.entries or table.unknown:
            return Value(Trust.DSCP, table.begin)
        mlx5 = self.host.is_mlx5(port)
        default = defaults.TRUST_PCP_MLX5 if mlx5 else defaults.TRUST_PCP
        return self.reading.default(default).map(TRUSTS.get)

    def _classifier(
        self, port: str, begin: int, trust: Value[Trust], table: SettledTable
    ) -> Classifier | None:
        if not trust and not table:
            return None
        place = table.begin or max(trust.position, 0) or begin
        codes = self._map(table, place)
        seen = table.whole and bool(table.entries or table.unknown)
        if trust.value in (Trust.DSCP, Trust.BOTH) and seen:
            self._fill_unlisted(port, codes, table)
        elif trust and not self._has_own_map(port):
            declared = not any(who.live for who, _ in self.claims.values(PORT, port, "trust"))
            written = declared and self.claims.has(PORT, port, "trust")
            usual = trust.value is Trust.PCP or written
            default = defaults.DSCP_MAP if usual else defaults.DSCP_MAP_UNSEEN
            self._fill(codes, default.value, self.reading.src.cite(default.citation), table)
        return self.reading.build(
            Classifier,
            place,
            name=port,
            dscp_to_tc=codes,
            pcp_to_tc=self._cite(defaults.PRIORITY_IS_PCP, place),
        )

    def _has_own_map(self, port: str) -> bool:
        """Whether nicctl has the map of the port; it is apart from the trust, without a default."""
        return port in amd.ports_of(self.host)

    def _fill_unlisted(self, port: str, codes: CodeMap, table: SettledTable) -> None:
        """Give code points without an entry the default priority of the APP table."""
        if len(codes.entries) + len(table.unknown) >= DSCPS:
            return
        other = self._get(port, "default priority")
        other = other or self.reading.default(defaults.UNLISTED_DSCP)
        if table.unknown:
            # `otherwise` would include the uncertain numbers, so the others are listed.
            rest = dict.fromkeys(range(DSCPS), other.value)
            self._fill(codes, rest, other.position, table)
        else:
            codes.otherwise = other.value
            codes.at["otherwise"] = other.position

    def _fill(self, codes: CodeMap, values: Any, position: int, table: SettledTable) -> None:
        for dscp, priority in values.items():
            if dscp not in codes.entries and dscp not in table.unknown:
                codes.entries[dscp] = priority
                codes.at[dscp] = position

    def _forwarding(self, port: str, begin: int) -> Forwarding | None:
        queues = self._table(port, "priority to class")
        buffers = self._table(port, "priority to buffer")
        if not (queues or buffers or self.claims.has(PORT, port, "PFC")):
            return None
        place = queues.begin or buffers.begin or self._table(port, "PFC").begin or begin
        to_queue, to_buffer = self._map(queues, place), self._map(buffers, place)
        return self.reading.build(
            Forwarding,
            place,
            name=port,
            tc_to_queue=to_queue,
            tc_to_pg=to_buffer,
            tc_to_pfc_priority=self._cite(defaults.PAUSE_IS_PRIORITY, place),
            pfc_priority_to_queue=to_queue,
            pfc_priority_to_pg=to_buffer,
        )

    def _pfc(self, port: str, begin: int) -> PfcConfig | None:
        table = self._table(port, "PFC")
        enabled = table.set_bits(PRIORITIES)
        named, kind = ABSENT, self._get(port, "pause kind")
        if kind and kind.value != "PFC":
            # The port uses link pause, so its PFC priorities have no effect.
            named, enabled = enabled, Value(frozenset[int](), kind.position)
        # Stated for a direction in which PFC is off.
        sends = self._get(port, "TX PFC").map(lambda _: frozenset[int]()) or enabled
        obeys = self._get(port, "RX PFC").map(lambda _: frozenset[int]()) or enabled
        mode = ABSENT  # in one direction alone it is neither on nor off
        if sends.value == obeys.value:
            mode = sends.map(lambda bits: PfcMode.ON if bits else PfcMode.OFF)
        fields = {
            "dcbx": self._get(port, "dcbx"),
            "willing": self._get(port, "PFC willing"),
            "link_pause_rx": self._get(port, "RX pause"),
            "link_pause_tx": self._get(port, "TX pause"),
            "cable_m": self._get(port, "cable length"),
            "agents": self._agents(port),
            "overwriter": self._overwriter(port),
        }
        if not table and not kind and not any(fields.values()):
            return None
        pfc = self.reading.build(
            PfcConfig,
            table.begin or begin,
            mode=mode,
            generate=sends,
            honour=obeys,
            named=named,
            **fields,
        )
        pfc.at.update({number: table.at[number] for number in named.value or ()})
        if pfc.overwriter is not None and (place := self._set_by_file(port)):
            pfc.at[Concern.SETTER] = place
        return pfc

    def _agents(self, port: str) -> Value[frozenset[str]]:
        """DCBX agents that may change the settings, with the line of the first."""
        control = self._get(port, "dcbx control").map(lambda word: word == "firmware")
        flag = self._get(port, "firmware LLDP agent")
        firmware = flag if flag.value or not control else control
        agents = {"firmware": firmware, "lldpad": self._get(port, "lldpad")}
        active = {name: value for name, value in agents.items() if value.value}
        known = [*active.values(), *filter(None, agents.values())]
        return Value(frozenset(active), known[0].position) if known else ABSENT

    def _overwriter(self, port: str) -> Value[str]:
        """Agent besides the operator: lldpad if mlnx_qos warns of it and nothing shows its
        settings; the firmware if a file of the host sets a field that the firmware controls.
        """
        control, daemon = self._get(port, "dcbx control"), self._get(port, "lldpad")
        if control.value == "firmware":
            by_file = bool(self._set_by_file(port))
            return Value("firmware", control.position) if by_file and not daemon.value else ABSENT
        if daemon.value and not self.claims.has(SETTINGS, port, "known"):
            return Value("lldpad", daemon.position)
        return ABSENT

    def _set_by_file(self, port: str) -> int:
        """Line of a script or unit that sets the PFC of a port; 0 without one."""
        tables = self.claims.tables(PORT, port, "PFC")
        set_by = (table for who, table in tables if not who.live and table.entries)
        return next((table.place(next(iter(table.entries))) for table in set_by), 0)

    def _egress(self, port: str) -> EgressPolicy | None:
        kinds = self._table(port, "class scheduling")
        if not kinds:
            return None
        shares = self._table(port, "class bandwidth")
        rates = self._table(port, "class rate limit")
        strict = [tc for tc in sorted(kinds.entries, reverse=True) if kinds.entries[tc] == "strict"]
        policy = self.reading.build(EgressPolicy, kinds.begin, name=port)
        for tc in sorted(kinds.entries):
            kind, key = kinds.value(tc), (QueueKind.UNICAST, tc)
            share = shares.value(tc) if kind.value == "ets" else ABSENT
            scheduler = self.reading.build(
                Scheduler,
                kind.position,
                kind=kind.map(SCHEDULERS.get),
                strict_level=Value(strict.index(tc) + 1, kind.position) if tc in strict else ABSENT,
                share=share,
                share_of=share.map(lambda _: ShareKind.REMAINING),
                shape_bps=rates.value(tc).map(lambda bps: bps or None),
            )
            queue = self.reading.build(Queue, kind.position, number=tc, scheduler=scheduler)
            policy.queues[key], policy.at[key] = queue, kind.position
        return policy

    def _buffers(self, port: str, pfc: PfcConfig | None) -> IngressBuffer | None:
        sizes = self._table(port, "buffer size")
        if not sizes.entries:
            return None
        users = self._table(port, "priority to buffer").entries
        paused = pfc.generate if pfc else None
        in_flight = self._in_flight(port)
        result = self.reading.build(IngressBuffer, sizes.begin, name=port)
        for number in sorted(sizes.entries):
            size, lossless = sizes.value(number), None
            if paused is not None and len(users) == PRIORITIES:
                lossless = any(users[priority] == number for priority in paused)
            result.groups[number] = self.reading.build(
                BufferProfile,
                size.position,
                name=f"buffer {number}",
                lossless=lossless,
                reserved_bytes=size,
                in_flight_bytes=in_flight if lossless else ABSENT,
            )
            result.at[number] = size.position
        return result

    def _in_flight(self, port: str) -> Value[int]:
        """Bytes that mlx5 reserves in a lossless receive buffer (docs/nos/linux.md, headroom)."""
        length = self._get(port, "cable length")
        metres, gbps = length.value, self._get(port, "speed").value
        mtu = self._get(port, "MTU").value
        if metres is None or gbps is None or mtu is None or not self.host.is_mlx5(port):
            return ABSENT
        return Value(round((301 + 2.16 * metres) * gbps + 2.72 * mtu), length.position)


SCHEDULERS = {"strict": SchedulerKind.STRICT, "ets": SchedulerKind.WEIGHTED}
"""`vendor` and `cbs` leave the kind unknown."""


def _keep(objects: dict[str, S], port: str, made: S | None) -> Value[str]:
    """Keep an object named after its port; returns its key, at its place."""
    if made is None:
        return ABSENT
    objects[port] = made
    return Value(port, made.at.get("", 0))
