"""The words of Enterprise SONiC: its statements, and the forms of their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from roce_lint.model.interface import Fec
from roce_lint.model.qos import SchedulerKind, WatchdogAction
from roce_lint.nos.codecs import (
    TEXT,
    Begins,
    Behind,
    Codec,
    KnownTexts,
    Numbers,
    OneOf,
    ParsedBy,
    Whole,
)
from roce_lint.nos.port_names import LAST_VLAN
from roce_lint.nos.quantities import number, numbers, read_numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Value
from roce_lint.nos.stanzas import LAST_AS
from roce_lint.nos.words import Below, Many, Switch, Word, Words
from roce_lint.text.numbers import decimal_of

T = TypeVar("T")

CONFIG = "running-config"
"""Name of the source."""

HIGHEST = {"dscp": 63, "dot1p": 7, "traffic-class": 15, "pfc-priority": 7}
HIGHEST_VALUE = 63
LONGEST_MS = 60_000

ACTIONS = {
    "drop": WatchdogAction.DROP,
    "forward": WatchdogAction.FORWARD,
    "alert": WatchdogAction.ALERT,
}

MAPS = {
    "dscp-tc": ("dscp", "traffic-class"),
    "dot1p-tc": ("dot1p", "traffic-class"),
    "tc-queue": ("traffic-class", "queue"),
    "tc-pg": ("traffic-class", "priority-group"),
    "pfc-priority-queue": ("pfc-priority", "queue"),
    "pfc-priority-pg": ("pfc-priority", "pg"),
}
"""The two words of an entry, by the kind of its map."""


@dataclass(frozen=True, slots=True)
class Curve:
    """`minimum-threshold 1000 maximum-threshold 3000 drop-probability 10`."""

    low: int | None
    high: int | None
    percent: int | None


def _curve(reader: Reader, text: Value[str]) -> Value[Curve]:  # noqa: ARG001
    words = (text.value or "").split()
    said = dict(zip(words[::2], map(number, words[1::2]), strict=False))
    names = ("minimum-threshold", "maximum-threshold", "drop-probability")
    return text.map(lambda _: Curve(*(said.get(name) for name in names)))


@dataclass(frozen=True)
class Sources(Numbers):
    """The numbers of a map's entry, of the kind that its first word names."""

    def parse(self, reader: Reader, text: Value[str]) -> Value[frozenset[int]]:
        """The numbers, up to the highest of their kind."""
        word = reader.text("from").value or ""
        what = f"a list of {word} values"
        return read_numbers(reader.reading, text, upto(HIGHEST[word]), what, word)


@dataclass(frozen=True)
class Target(Whole):
    """What the entry of a map makes of them."""

    def parse(self, reader: Reader, text: Value[str]) -> Value[int]:
        """The number, up to the highest of its kind."""
        into = reader.text("into").value or ""
        return whole(reader, text, HIGHEST.get(into, HIGHEST_VALUE), into)


@dataclass(frozen=True)
class BehindVlan(Codec[T]):
    """What stands behind the word `Vlan`."""

    codec: Codec[T]

    def parse(self, reader: Reader, text: Value[str]) -> Value[T]:
        """The VLAN."""
        return self.codec.parse(reader, text.map(_behind_word))


def _behind_word(text: str) -> str:
    return text.split(None, 1)[1].removeprefix("add ").strip()


def _vlans(reader: Reader, text: Value[str]) -> Value[frozenset[int]]:
    def vlans(given: str) -> frozenset[int]:
        found = numbers(_behind_word(given), upto(LAST_VLAN))
        if found is None:
            raise ValueError(given)
        return found

    return reader.convert(text, vlans, "a list of VLANs")


def _read_marking(reader: Reader, text: Value[str]) -> Value[tuple[frozenset[int], str]]:
    """Queues and the name of `queue 3 wred-policy NAME`."""
    words = (text.value or "").split()
    queues = read_numbers(
        reader.reading, Value(words[1], text.position), upto(15), "a list of queues"
    )
    return Value((queues.value or frozenset(), words[-1]), text.position)


def _gbps(reader: Reader, text: Value[str]) -> Value[float]:
    """Gb/s from `speed 25000`; `auto` states none."""
    if text.value in (None, "auto"):
        return ABSENT
    return whole(reader, text, 10**7, "speed", 1).map(lambda mbps: mbps / 1000)


def _metres(reader: Reader, text: Value[str]) -> Value[float]:  # noqa: ARG001
    return text.map(lambda length: decimal_of(length.removesuffix("m")))


class Hostname(Words, group="hostname"):
    """`hostname leaf1`."""

    hostname: Word[str] = Word("hostname", TEXT)


class Bgp(Words, group="bgp"):
    """`router bgp 65001`."""

    asn: Word[int] = Word("asn", Begins(Whole("AS number", LAST_AS, 1)))


class MapEntry(Words, group="entry"):
    """`dscp 26 traffic-class 3`."""

    source: Word[str] = Word("from", TEXT)
    numbers: Word[frozenset[int]] = Word("numbers", Sources("numbers of a map", 63))
    into: Word[str] = Word("into", TEXT)
    value: Word[int] = Word("value", Target("value of a map", HIGHEST_VALUE))


class Map(Words, group="map"):
    """`qos map dscp-tc NAME`."""

    kind: Word[str] = Word("kind", TEXT)
    name: Word[str] = Word("name", TEXT)
    entries: Below[MapEntry] = Below(MapEntry)


class WredPolicy(Words, group="wred"):
    """`qos wred-policy NAME`."""

    name: Word[str] = Word("name", TEXT)
    green: Word[Curve] = Word("green", ParsedBy(_curve))
    ecn: Word[str] = Word("ecn", TEXT)


class QueueTurn(Words, group="queue"):
    """`queue 3` of a scheduler policy."""

    queue: Word[int] = Word("queue", Whole("queue", 255))
    type: Word[SchedulerKind] = Word(
        "type",
        OneOf(
            {
                "dwrr": SchedulerKind.WEIGHTED,
                "wrr": SchedulerKind.WEIGHTED,
                "strict": SchedulerKind.STRICT,
            },
            "a scheduler type",
            any_case=True,
        ),
    )
    weight: Word[int] = Word("weight", Whole("weight", 100, 1))


class SchedulerPolicy(Words, group="scheduler"):
    """`qos scheduler-policy NAME`."""

    name: Word[str] = Word("name", TEXT)
    queues: Below[QueueTurn] = Below(QueueTurn)


FEC = {"rs": Fec.RS, "fc": Fec.FC, "none": Fec.NONE, "auto": Fec.AUTO, "off": Fec.NONE}

PRIORITIES = Numbers("a list of priorities", 7, "pfc-priority")


class PortWords(Words, group="interface"):
    """`interface Eth1/1` and what may stand below it; one of VXLAN has other words."""

    name: Word[str] = Word("name", TEXT)
    description: Word[str] = Word("description", TEXT)
    up: Switch = Switch(on="no_shutdown", off="shutdown")
    mtu: Word[int] = Word("mtu", Whole("mtu", 9216, 68))
    speed_gbps: Word[float] = Word("speed", ParsedBy(_gbps))
    fec: Word[Fec] = Word("fec", OneOf(FEC, "a FEC mode", any_case=True))
    channel: Word[int] = Word("channel_group", Begins(Whole("channel-group", 4096)))
    ipv4: Many[str] = Many("ip_address", TEXT)
    ipv6: Many[str] = Many("ipv6_address", Behind("ipv6 address"))
    vrf: Word[str] = Word("vrf", TEXT)
    access_vlan: Word[int] = Word("access_vlan", BehindVlan(Whole("VLAN", LAST_VLAN, 1)))
    allowed_vlans: Word[frozenset[int]] = Word("allowed_vlans", ParsedBy(_vlans))
    cable_m: Word[float] = Word("cable", KnownTexts("cable-length", ParsedBy(_metres)))
    dscp_tc: Word[str] = Word("dscp_tc", TEXT)
    dot_tc: Word[str] = Word("dot_tc", Behind("qos-map dot1p-tc"))
    tc_queue: Word[str] = Word("tc_queue", TEXT)
    tc_pg: Word[str] = Word("tc_pg", TEXT)
    pfc_queue: Word[str] = Word("pfc_queue", TEXT)
    pfc_pg: Word[str] = Word("pfc_pg", TEXT)
    tc_dscp: Word[str] = Word("tc_dscp", TEXT)
    scheduler: Word[str] = Word("scheduler", TEXT)
    marked: Many[tuple[frozenset[int], str]] = Many("queue", ParsedBy(_read_marking))
    pfc: Many[frozenset[int]] = Many("pfc_priority", PRIORITIES)
    no_pfc: Many[frozenset[int]] = Many("no_pfc_priority", PRIORITIES)
    asymmetric: Switch = Switch(on="asymmetric")
    detect_ms: Word[int] = Word("watchdog_detect", Whole("detect-time", LONGEST_MS, 100))
    restore_ms: Word[int] = Word("watchdog_restore", Whole("restore-time", LONGEST_MS, 100))
    action: Word[WatchdogAction] = Word(
        "watchdog_action", KnownTexts("watchdog action", OneOf(ACTIONS, "drop, forward or alert"))
    )
