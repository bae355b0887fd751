"""The flat QoS files: qos_features.conf, qos_infra.conf, traffic.conf, datapath.conf, switchd.conf.

Their `key = value` lines enter the tree as NVUE statements with the same effect.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from roce_lint.nos.cumulus.commands import Unread
from roce_lint.nos.cumulus.statements import EVERY_PORT, GLOBAL, SHOWN, Statements
from roce_lint.nos.reading import Input
from roce_lint.text.source import LineState

POOLS = {"0": "default-lossy", "1": "default-lossless", "2": "mc-lossy"}
"""Traffic pools by the number of their ingress service pool."""

_LINE = re.compile(r"\s*(?P<key>[A-Za-z0-9_.\-]+)\s*=\s*(?P<value>[^#]*)")

_REWRITE = {
    frozenset({"802.1p"}): "l2",
    frozenset({"dscp"}): "l3",
    frozenset({"802.1p", "dscp"}): "both",
}
_TRUST = {**_REWRITE, frozenset({"port"}): "port", frozenset(): "port"}

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

_DEFAULT_GROUPS = {"default_ecn_red_conf": "ecn_red", "default_egress_sched": "egress_sched"}

_MARKING = {
    "ecn_enable": "ecn {value}", "red_enable": "red {value}", "probability": "probability {value}",
    "min_threshold_bytes": "min-threshold {value}", "max_threshold_bytes": "max-threshold {value}",
}  # fmt: skip
_PAUSE = {
    "cos_list": "switch-priority {items}", "port_buffer_bytes": "port-buffer {value}",
    "xoff_size": "xoff-threshold {value}", "xon_delta": "xon-threshold {value}",
    "tx_enable": "tx {value}", "rx_enable": "rx {value}", "cable_length": "cable-length {value}",
}  # fmt: skip
_SETTINGS = {
    "source": {
        "packet_priority_source_set": "trust {trust}",
        "port_default_priority": "port-default-sp {value}",
        r"cos_([^.]*)\.priority_source\.dscp": "dscp {items} switch-priority {n}",
        r"cos_([^.]*)\.priority_source\.8021p": "pcp {items} switch-priority {n}",
    },
    "remark": {
        "packet_priority_remark_set": "rewrite {rewrite}",
        r"cos_([^.]*)\.priority_remark\.dscp": "switch-priority {n} dscp {items}",
        r"cos_([^.]*)\.priority_remark\.8021p": "switch-priority {n} pcp {items}",
    },
    "pfc": _PAUSE,
    "link_pause": _PAUSE,
    "ecn_red": _MARKING,
    "egress_sched": {r"egr_queue_([^.]*)\.bw_percent": "traffic-class {n} {measure} {share}"},
    "shaping": {
        "mode": "mode {unit}",
        r"port\.shaper": "port-max-rate {value}",
        r"egr_queue_([^.]*)\.shaper": "traffic-class {n} max-rate {highest}",
    },
    "pfc_watchdog": {},
}
"""Regex of a key of a section, and the words below its feature; `n` is the number in the key."""

Words = list[str]


@dataclass(slots=True)
class _Group:
    """A port group: its settings as words below the feature, and its ports."""

    first: int
    settings: list[tuple[Words, int]] = field(default_factory=list)
    queues: tuple[str, int] | None = None
    ports: tuple[str, int] | None = None


class _FlatFile:
    def __init__(self, statements: Statements, entry: Input) -> None:
        self.put = statements.put
        self.reading = statements.reading
        self.entry = entry
        self.groups: dict[tuple[str, str], _Group] = {}
        self.listed: dict[str, tuple[list[str], int]] = {}

    def read(self) -> list[Unread]:
        """Read every line, then bind the groups that are listed."""
        lines: list[Unread] = []
        ref = self.reading.src.files[self.entry.file]
        for number, line in enumerate(self.entry.lines):
            text = line.strip()
            position = ref.first + number + 1
            if not text or text.startswith("#"):
                ref.states[number] = LineState.IGNORED
                continue
            found = _LINE.fullmatch(text.split("#", 1)[0])
            key = found["key"].split(".") if found else text.split()
            lines.append(Unread(number, key))
            if found is None:
                continue
            value = found["value"].strip()
            if value.startswith("[") != value.endswith("]"):
                self.reading.bad(f"{value[:SHOWN]!r}: a bracket without the other", position)
            self._line(key, value, position)
        for (section, name), group in self.groups.items():
            self._bind(section, name, group)
        for section, (names, position) in self.listed.items():
            for name in names:
                self._missing(section, name, position)
        return lines

    def _line(self, key: Words, value: str, position: int) -> None:
        section, *rest = key
        if section == "traffic":
            for feature in ("source", "remark"):
                if words := self._words(feature, rest, value, position):
                    self.put(["qos", _FEATURES[feature][0], GLOBAL, *words], position)
        elif section in _FEATURES and rest:
            if rest == ["port_group_list"]:
                self.listed[section] = (_items(value), position)
                self.reading.take(position)
            elif len(rest) > 1:
                self._group(section, rest[0], rest[1:], value, position)
        elif section in _DEFAULT_GROUPS:
            self._group(_DEFAULT_GROUPS[section], GLOBAL, rest, value, position)
        elif len(rest) == 1 and rest[0] in (*_MARKING, "egress_queue_list", "port_set"):
            self._group("ecn_red", section, rest, value, position)  # without its prefix
        else:
            self._infra(key, value, position)

    def _infra(self, key: Words, value: str, position: int) -> None:
        match key:
            case ["cos_egr_queue", cos, "uc"] if cos.startswith("cos_"):
                words = ["egress-queue-mapping", GLOBAL, "switch-priority", cos[4:]]
                self.put(["qos", *words, "traffic-class", value], position)
            case ["ingress_service_pool", number, "percent"] if number in POOLS:
                percent = value.removesuffix(".0")
                words = ["qos", "traffic-pool", POOLS[number], "memory-percent", percent]
                self.put(words, position)
            case ["pfc_wd", ("poll_interval" | "robustness") as word]:
                setting = word.replace("poll_", "polling-")
                self.put(["qos", "pfc-watchdog", setting, value], position)
            case ["priority_group", name, ("cos_list" | "weight") as word]:
                group = self.groups.setdefault(("priority_group", name), _Group(position))
                if word == "cos_list":
                    group.queues = (value, position)
                else:
                    group.settings.append(([value], position))

    def _group(self, section: str, name: str, key: Words, value: str, position: int) -> None:
        group = self.groups.setdefault((section, name), _Group(position))
        if key == ["port_set"]:
            group.ports = (value, position)
        elif section == "ecn_red" and key in (["egress_queue_list"], ["cos_list"]):
            group.queues = (value, position)
        elif words := self._words(section, key, value, position):
            group.settings.append((words, position))

    def _words(self, section: str, key: Words, value: str, position: int) -> Words:
        """Words of a setting below its feature; none if it is unknown or a list of nothing."""
        items = _items(value)
        for pattern, words in _SETTINGS[section].items():
            found = re.fullmatch(pattern, ".".join(key))
            if found is None or ("{highest}" in words and len(items) != 2):
                continue
            given = {
                "value": value,
                "measure": "mode" if value == "0" else "bw-percent",
                "share": "strict" if value == "0" else value,
                "items": ",".join(items),
                "n": found[1] if found.lastindex else "",
                "trust": _TRUST.get(frozenset(items), value),
                "rewrite": _REWRITE.get(frozenset(items), "none"),
                "unit": {"0": "kbps", "1": "pps"}.get(value, value),
                "highest": items[-1] if items else "",
            }
            made = [word.format(**given) for word in words.split()]
            if "" not in made:
                return made
            self.reading.take(position)
        return []

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
                self.put([*profile, *words], position)
        if not is_global and kind:
            self.reading.names.define(kind, name, group.first)
        if group.ports is None:
            return
        ports, position = _list(group.ports[0]), group.ports[1]
        self.reading.take(position)
        if not is_global and name not in self.listed.get(section, ([], 0))[0]:
            return
        if ports and not (ports == EVERY_PORT and is_global):
            ending = ["state", "enable"] if section == "pfc_watchdog" else ["profile", name]
            self.put(["interface", ports, "qos", feature, *ending], position)

    def _marking(self, profile: Words, group: _Group) -> None:
        """Apply the group's one set of values to all its queues."""
        queues = _list(group.queues[0]) if group.queues else ("0" if profile[2] == GLOBAL else "")
        if not queues:
            return
        if group.queues:
            self.put([*profile, "traffic-class", queues], group.queues[1])
            self.reading.take(group.queues[1])
        for words, position in group.settings:
            self.put([*profile, "traffic-class", queues, *words], position)

    def _priority_group(self, group: _Group) -> None:
        """Apply a weight of the older file to the queues of its group; 0 is strict."""
        if group.queues is None or not group.settings:
            return
        queues = _list(group.queues[0])
        self.reading.take(group.queues[1])
        for (weight,), position in group.settings:
            words = ["mode", "strict"] if weight == "0" else ["weight", weight]
            scheduler = ["qos", "egress-scheduler", GLOBAL]
            self.put([*scheduler, "traffic-class", queues, *words], position)

    def _missing(self, section: str, name: str, position: int) -> None:
        """Refer to a listed group, or note one without keys: it has no settings."""
        kind = _FEATURES[section][1]
        if name == GLOBAL:
            return
        if kind:
            self.reading.names.refer(kind, name, position)
        elif (section, name) not in self.groups:
            message = f"{section}.port_group_list names {name[:64]}, of which no line says anything"
            self.reading.bad(message, position)


def _items(value: str) -> list[str]:
    return [item for part in value.strip("[] ").split(",") if (item := part.strip())]


def _list(value: str) -> str:
    return ",".join(_items(value))


def read_datapath(statements: Statements, entry: Input) -> list[Unread]:
    """Add the settings of one file to the tree; returns the lines that need a reader."""
    return _FlatFile(statements, entry).read()
