"""The flat QoS files: qos_features.conf, qos_infra.conf, traffic.conf, datapath.conf, switchd.conf.

Their `key = value` lines enter the tree as NVUE statements with the same effect.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from roce_lint.model.device import NoteKind
from roce_lint.nos.cumulus.commands import Unread
from roce_lint.nos.cumulus.statements import SHOWN, Statements
from roce_lint.nos.reading import Input
from roce_lint.text.source import LineState

EVERY_PORT = "allports"
GLOBAL = "default-global"

POOLS = {"0": "default-lossy", "1": "default-lossless", "2": "mc-lossy"}
"""Traffic pools by the number of their ingress service pool."""

_LINE = re.compile(r"\s*(?P<key>[A-Za-z0-9_.\-]+)\s*=\s*(?P<value>[^#]*)")

_TRUST = {
    frozenset({"802.1p"}): "l2",
    frozenset({"dscp"}): "l3",
    frozenset({"802.1p", "dscp"}): "both",
    frozenset({"port"}): "port",
    frozenset(): "port",
}
_REWRITE = {
    frozenset({"802.1p"}): "l2",
    frozenset({"dscp"}): "l3",
    frozenset({"802.1p", "dscp"}): "both",
}

_FEATURES = {
    "source": ("mapping", "qos policy"),
    "remark": ("remark", "dscp rewrite map"),
    "pfc": ("pfc", "no-drop policy"),
    "link_pause": ("link-pause", "link pause profile"),
    "ecn_red": ("congestion-control", "queuing policy"),
    "egress_sched": ("egress-scheduler", "scheduler"),
    "shaping": ("egress-shaper", "shaper"),
    "pfc_watchdog": ("pfc-watchdog", ""),
}
"""NVUE name of a file section, and the kind of named structure of its groups."""

Words = list[str]


@dataclass(slots=True)
class _Group:
    """A port group: its settings as words below the feature, and its ports."""

    settings: list[tuple[Words, int]] = field(default_factory=list)
    queues: tuple[str, int] | None = None
    ports: tuple[str, int] | None = None
    first: int = 0


def read_datapath(statements: Statements, entry: Input) -> list[Unread]:
    """Add the settings of one file to the tree; returns the lines that need a reader."""
    return _FlatFile(statements, entry).read()


class _FlatFile:
    def __init__(self, statements: Statements, entry: Input) -> None:
        self.statements = statements
        self.reading = statements.reading
        self.entry = entry
        self.ref = self.reading.src.files[entry.file]
        self.groups: dict[tuple[str, str], _Group] = {}
        self.listed: dict[str, tuple[list[str], int]] = {}

    def read(self) -> list[Unread]:
        """Read every line, then bind the groups that are listed."""
        lines: list[Unread] = []
        for number, line in enumerate(self.entry.lines):
            text = line.strip()
            if not text or text.startswith("#"):
                self.ref.states[number] = LineState.IGNORED
                continue
            found = _LINE.fullmatch(text.split("#", 1)[0])
            if found is None:
                lines.append(Unread(number, text.split()))
                continue
            lines.append(Unread(number, found["key"].split(".")))
            value = found["value"].strip()
            if value.startswith("[") != value.endswith("]"):
                message = f"{value[:SHOWN]!r}: a bracket without the other"
                self.reading.note(NoteKind.BAD_VALUE, message, self.ref.first + number + 1)
            self._line(found["key"].split("."), found["value"].strip(), self.ref.first + number + 1)
        for (section, name), group in self.groups.items():
            self._bind(section, name, group)
        for section, (names, position) in self.listed.items():
            for name in names:
                self._missing(section, name, position)
        return lines

    def _line(self, key: Words, value: str, position: int) -> None:
        section = key[0]
        if section == "traffic":
            self._mapping(key[1:], value, position)
        elif section in _FEATURES and len(key) > 1:
            if key[1:] == ["port_group_list"]:
                self.listed[section] = (_items(value), position)
                self.reading.take(position)
            elif len(key) > 2:
                self._group(section, key[1], key[2:], value, position)
        elif section == "default_ecn_red_conf":
            self._group("ecn_red", GLOBAL, key[1:], value, position)
        elif section == "default_egress_sched":
            self._group("egress_sched", GLOBAL, key[1:], value, position)
        elif len(key) == 2 and key[1] in _MARKING:
            self._group("ecn_red", section, key[1:], value, position)  # without its prefix
        else:
            self._infra(key, value, position)

    def _put(self, words: Words, position: int) -> None:
        self.statements.put(words, position)

    def _mapping(self, key: Words, value: str, position: int) -> None:
        words = _mapping_words(key, value)
        if words is not None and "" in words:
            self.reading.take(position)  # a list of nothing
        elif words is not None:
            self._put(["qos", words[0], GLOBAL, *words[1:]], position)

    def _infra(self, key: Words, value: str, position: int) -> None:
        match key:
            case ["cos_egr_queue", cos, "uc"] if cos.startswith("cos_"):
                words = ["egress-queue-mapping", GLOBAL, "switch-priority", cos[4:]]
                self._put(["qos", *words, "traffic-class", value], position)
            case ["ingress_service_pool", number, "percent"] if number in POOLS:
                percent = value.removesuffix(".0")
                self._put(
                    ["qos", "traffic-pool", POOLS[number], "memory-percent", percent], position
                )
            case ["pfc_wd", "poll_interval"]:
                self._put(["qos", "pfc-watchdog", "polling-interval", value], position)
            case ["pfc_wd", "robustness"]:
                self._put(["qos", "pfc-watchdog", "robustness", value], position)
            case ["priority_group", name, "cos_list"]:
                group = self.groups.setdefault(("priority_group", name), _Group(first=position))
                group.queues = (value, position)
            case ["priority_group", name, "weight"]:
                group = self.groups.setdefault(("priority_group", name), _Group(first=position))
                group.settings.append(([value], position))
            case _:
                pass

    def _group(self, section: str, name: str, key: Words, value: str, position: int) -> None:
        group = self.groups.setdefault((section, name), _Group(first=position))
        if key == ["port_set"]:
            group.ports = (value, position)
            return
        if key in (["egress_queue_list"], ["cos_list"]) and section == "ecn_red":
            group.queues = (value, position)
            return
        words = _SETTINGS[section](key, value)
        if words is not None and "" in words:
            self.reading.take(position)
        elif words is not None:
            group.settings.append((words, position))

    def _bind(self, section: str, name: str, group: _Group) -> None:
        if section == "priority_group":
            self._priority_group(group)
            return
        feature, kind = _FEATURES[section]
        profile = ["qos", feature, name]
        is_global = name == GLOBAL
        if section == "ecn_red":
            self._marking(profile, group)
        elif section != "pfc_watchdog":
            for words, position in group.settings:
                self._put([*profile, *words], position)
        if not is_global and kind:
            self.reading.names.define(kind, name, group.first)
        if group.ports is None:
            return
        ports, position = group.ports
        self.reading.take(position)
        if not is_global and name not in self.listed.get(section, ([], 0))[0]:
            return
        for port in _ports(ports):
            if port == EVERY_PORT and is_global:
                continue
            bound = ["interface", port, "qos", feature]
            ending = ["state", "enable"] if section == "pfc_watchdog" else ["profile", name]
            self._put([*bound, *ending], position)

    def _marking(self, profile: Words, group: _Group) -> None:
        """Apply the group's one set of values to all its queues."""
        queues = _list(group.queues[0]) if group.queues else ("0" if profile[2] == GLOBAL else "")
        if not queues:
            return
        if group.queues:
            self._put([*profile, "traffic-class", queues], group.queues[1])
            self.reading.take(group.queues[1])
        for words, position in group.settings:
            self._put([*profile, "traffic-class", queues, *words], position)

    def _priority_group(self, group: _Group) -> None:
        """Apply a weight of the older file to the queues of its group; 0 is strict."""
        if group.queues is None or not group.settings:
            return
        queues = _list(group.queues[0])
        self.reading.take(group.queues[1])
        for (weight,), position in group.settings:
            words = ["mode", "strict"] if weight == "0" else ["weight", weight]
            self._put(
                ["qos", "egress-scheduler", GLOBAL, "traffic-class", queues, *words], position
            )

    def _missing(self, section: str, name: str, position: int) -> None:
        """Define a listed group without keys: it has no settings."""
        kind = _FEATURES[section][1]
        if name == GLOBAL:
            return
        if kind:
            self.reading.names.refer(kind, name, position)
        elif (section, name) not in self.groups:
            message = f"{section}.port_group_list names {name[:64]}, of which no line says anything"
            self.reading.note(NoteKind.BAD_VALUE, message, position)


def _items(value: str) -> list[str]:
    return [item for part in value.strip("[] ").split(",") if (item := part.strip())]


def _list(value: str) -> str:
    return ",".join(_items(value))


def _ports(value: str) -> list[str]:
    listed = _list(value)
    return [listed] if listed else []


def _mapping_words(key: Words, value: str) -> Words | None:
    """Words of `traffic.` and `source.<group>.` keys: feature first."""
    match key:
        case ["packet_priority_source_set"]:
            return ["mapping", "trust", _TRUST.get(frozenset(_items(value)), value or "none")]
        case ["port_default_priority"]:
            return ["mapping", "port-default-sp", value]
        case ["packet_priority_remark_set"]:
            word = _REWRITE.get(frozenset(_items(value)))
            return ["remark", "rewrite", word or "none"]
        case [cos, "priority_source", "dscp"] if cos.startswith("cos_"):
            return ["mapping", "dscp", _list(value), "switch-priority", cos[4:]]
        case [cos, "priority_source", "8021p"] if cos.startswith("cos_"):
            return ["mapping", "pcp", _list(value), "switch-priority", cos[4:]]
        case [cos, "priority_remark", "dscp"] if cos.startswith("cos_"):
            return ["remark", "switch-priority", cos[4:], "dscp", _list(value)]
        case [cos, "priority_remark", "8021p"] if cos.startswith("cos_"):
            return ["remark", "switch-priority", cos[4:], "pcp", _list(value)]
    return None


def _below(feature: str) -> Callable[[Words, str], Words | None]:
    def words(key: Words, value: str) -> Words | None:
        found = _mapping_words(key, value)
        return found[1:] if found is not None and found[0] == feature else None

    return words


_PAUSE = {
    "port_buffer_bytes": "port-buffer",
    "xoff_size": "xoff-threshold",
    "xon_delta": "xon-threshold",
    "tx_enable": "tx",
    "rx_enable": "rx",
    "cable_length": "cable-length",
}
_MARKING = {
    "ecn_enable": "ecn",
    "red_enable": "red",
    "min_threshold_bytes": "min-threshold",
    "max_threshold_bytes": "max-threshold",
    "probability": "probability",
    "egress_queue_list": "",
    "port_set": "",
}


def _pause(key: Words, value: str) -> Words | None:
    if key == ["cos_list"]:
        return ["switch-priority", _list(value)]
    word = _PAUSE.get(key[0]) if len(key) == 1 else None
    return [word, value] if word else None


def _marking(key: Words, value: str) -> Words | None:
    word = _MARKING.get(key[0]) if len(key) == 1 else None
    return [word, value] if word else None


def _scheduler(key: Words, value: str) -> Words | None:
    match key:
        case [queue, "bw_percent"] if queue.startswith("egr_queue_"):
            words = ["mode", "strict"] if value == "0" else ["bw-percent", value]
            return ["traffic-class", queue[len("egr_queue_") :], *words]
    return None


def _shaper(key: Words, value: str) -> Words | None:
    match key:
        case ["mode"]:
            return ["mode", {"0": "kbps", "1": "pps"}.get(value, value)]
        case ["port", "shaper"]:
            return ["port-max-rate", value]
        case [queue, "shaper"] if queue.startswith("egr_queue_"):
            rates = _items(value)
            if len(rates) == 2:
                return ["traffic-class", queue[len("egr_queue_") :], "max-rate", rates[1]]
    return None


_SETTINGS: dict[str, Callable[[Words, str], Words | None]] = {
    "source": _below("mapping"),
    "remark": _below("remark"),
    "pfc": _pause,
    "link_pause": _pause,
    "ecn_red": _marking,
    "egress_sched": _scheduler,
    "shaping": _shaper,
    "pfc_watchdog": lambda _key, _value: None,
}
