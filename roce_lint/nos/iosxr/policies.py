"""class-map, policy-map and the PFC profile of a line card, with the parsers of their words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from string import ascii_letters

from roce_lint.model.buffer import BufferProfile
from roce_lint.model.qos import (
    Classifier,
    Marking,
    Match,
    MatchKind,
    Scheduler,
    SchedulerKind,
    ShareKind,
)
from roce_lint.model.units import Threshold, parse_dscp
from roce_lint.nos.iosxr import defaults
from roce_lint.nos.quantities import UNITS, code_map, number, rate, read_numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG, last_of, last_word, records, stanzas
from roce_lint.text.numbers import real, whole_of

_DEPTH = re.compile(r"(\d{1,12}) (bytes|kbytes|mbytes|packets|us|ms|percent)\b", re.ASCII)


def depths(text: str) -> list[Threshold]:
    """All depths with a unit in a line, in order."""
    return [
        Threshold(whole_of(amount) * UNITS[unit][0], UNITS[unit][1])
        for amount, unit in _DEPTH.findall(text)
    ]


def bytes_after(text: str, word: str) -> int | None:
    """Bytes after a keyword: 1600000 of `headroom 1600000 bytes`."""
    found = re.search(rf"\b{word} (\d{{1,12}}) ([km]?bytes)\b", text, re.ASCII)
    return whole_of(found[1]) * UNITS[found[2]][0] if found else None


CLASS_MAP = "class map"
POLICY = "qos policy"
REST = "class-default"

CLASSES = range(8)
"""Traffic classes."""


@dataclass(slots=True)
class ClassMap:
    """Packets that a class matches."""

    dscps: Value[frozenset[int]] = ABSENT
    cos: Value[frozenset[int]] = ABSENT
    classes: Value[frozenset[int]] = ABSENT  # traffic classes, of egress
    exact: bool = True  # nothing else is matched
    partly: str = ""  # why it may not take all that it lists


@dataclass(slots=True)
class PolicyClass:
    """One class of a policy with its actions."""

    name: str
    begin: int
    sets: Value[int]
    set_dscp: Value[int]
    police: Value[int]  # bits per second
    drops: Value[bool]
    scheduler: Scheduler | None
    marking: Marking | None


@dataclass(slots=True)
class Profile:
    """The PFC profile of one location: its traffic classes with their buffers."""

    begin: int
    location: str
    classes: dict[int, int] = field(default_factory=dict)  # line of each
    buffers: dict[int, BufferProfile] = field(default_factory=dict)
    ecn: dict[int, Value[Threshold]] = field(default_factory=dict)

    def covers(self, port: str) -> bool:
        """Whether a port is on this line card; a fixed system has one profile."""
        location = self.location.split("/")
        if len(location) < 2 or location[1].startswith("RP"):
            return True
        numbers = port.lstrip(ascii_letters + "-")  # `0/0/0/1` of `FourHundredGigE0/0/0/1`
        return numbers.split("/")[:2] == location[:2]


def class_maps(reading: Reading) -> dict[str, ClassMap]:
    """All class maps of type qos by name."""
    found: dict[str, ClassMap] = {}
    named = stanzas(reading, records(reading, CONFIG, "class_map"), last_word("head"))
    for name, reader in named.items():
        head, other = reader.text("head").value or "", reader.all("other")
        made = found[name] = ClassMap(exact=not other)
        made.dscps = _read_numbers(reader, "dscp", parse_dscp, "a list of DSCPs", "DSCP")
        made.cos = _read_numbers(reader, "cos", upto(7), "a list of CoS", "CoS")
        if head.startswith("match-all ") and (other or made.cos.position):
            made.partly = "it matches by more than the DSCP"
        certain = made.dscps.value if not (other or made.cos.position) else None
        reading.names.define(CLASS_MAP, name, reader.begin, dscps=certain or frozenset())
        made.classes = _read_numbers(
            reader, "traffic_class", upto(7), "a list of traffic classes", "traffic-class"
        )
        if not (other or made.cos.position or made.dscps.position or made.classes.position):
            reading.bad(f"class map {name} has no match line", reader.begin)
    return found


def policies(reading: Reading) -> dict[str, list[PolicyClass]]:
    """All policies of type qos by name, their classes in order."""
    found: dict[str, list[PolicyClass]] = {}
    named = stanzas(reading, records(reading, CONFIG, "policy_map"), last_word("head"))
    for name, reader in named.items():
        reader.text("head")
        reading.names.define(POLICY, name, reader.begin)
        classes = stanzas(reading, reader.record.children.get("class", ()), last_word("class"))
        found[name] = [_class(below, label) for label, below in classes.items()]
    return found


def classifier(
    reading: Reading, name: str, classes: list[PolicyClass], maps: dict[str, ClassMap]
) -> Classifier:
    """Classifier of a port's input policy, from code point to traffic class."""
    begin = reading.names.position(POLICY, name)
    table: dict[int, Value[int]] = {}
    rest: Value[int] = reading.default(defaults.CLASS_0)
    made = reading.build(Classifier, begin, name=name)
    for entry in classes:
        sets = entry.sets if entry.sets.position else reading.default(defaults.CLASS_0)
        known = maps.get(entry.name)
        if entry.name == REST:
            rest = sets
            made.matches.append(_match(reading, entry, MatchKind.ANY, ABSENT, sets))
            continue
        if known is not None and known.cos.value:
            made.exact = False
            made.matches.append(_match(reading, entry, MatchKind.PCP, known.cos, sets))
        if known is None or not (known.exact and (known.dscps.value or known.cos.value)):
            made.exact = False
            other = _match(reading, entry, MatchKind.OTHER, ABSENT, sets)
            other.text = f"class map {entry.name}"
            made.matches.append(other)
        if known is not None and known.dscps.value is not None:
            for code in known.dscps.value:
                table.setdefault(code, sets)
            match = _match(reading, entry, MatchKind.DSCP, known.dscps, sets)
            match.partly = known.partly
            made.matches.append(match)
    made.dscp_to_tc = code_map(reading, begin, table, name=name, otherwise=rest)
    return made


def _match(
    reading: Reading,
    entry: PolicyClass,
    kind: MatchKind,
    values: Value[frozenset[int]],
    sets: Value[int],
) -> Match:
    made = reading.build(
        Match,
        entry.begin,
        kind=kind,
        values=values.value or frozenset(),
        class_name=entry.name,
        tc=sets,
        set_dscp=entry.set_dscp,
        police_bps=entry.police,
        police_drops=entry.drops,
    )
    if values.position:
        made.at["values"] = values.position
    return made


def _read_numbers(
    reader: Reader, variable: str, parse: Callable[[str], int | None], what: str, limit: str
) -> Value[frozenset[int]]:
    """The numbers of all `match` lines of a kind; they add up."""
    found: frozenset[int] = frozenset()
    position = 0
    for value in reader.all(variable):
        text = (value.value or "").removeprefix("match dscp ")
        text = text.removeprefix("ipv4 ").removeprefix("ipv6 ")
        given = read_numbers(reader.reading, Value(text, value.position), parse, what, limit)
        position = position or value.position
        if given.value is None:
            return given
        found |= given.value
    return Value(found, position) if position else ABSENT


def _class(reader: Reader, name: str) -> PolicyClass:
    if name != REST:
        reader.reading.names.refer(CLASS_MAP, name, reader.begin)
    police, drops = _police(reader)
    return PolicyClass(
        name=name,
        begin=reader.begin,
        sets=whole(reader, reader.text("set_class"), 7, "traffic-class"),
        set_dscp=reader.convert(reader.text("set_dscp"), parse_dscp, "a DSCP"),
        police=police,
        drops=drops,
        scheduler=_scheduler(reader),
        marking=_marking(reader),
    )


def _police(reader: Reader) -> tuple[Value[int], Value[bool]]:
    """Rate of `police rate 10 gbps`; excess is dropped unless an action passes it."""
    for each in reader.blocks("police"):
        line, passes = each.text("rate"), each.text("passes")
        bps = rate((line.value or "").split()[1:])
        return Value(bps, line.position), Value(not passes, passes.position or line.position)
    return ABSENT, ABSENT


def _scheduler(reader: Reader) -> Scheduler | None:
    priority = reader.text("priority")
    which, share = last_of(reader, "ratio", "remaining", "percent", reset=())
    if not priority and not share:
        return None
    of = {"ratio": ShareKind.WEIGHT, "remaining": ShareKind.REMAINING, "percent": ShareKind.LINK}
    level = priority.map(lambda text: text.rpartition(" ")[2] if " " in text else "1")
    limit = 1024 if which == "ratio" else 100
    return reader.build(
        Scheduler,
        kind=Value(
            SchedulerKind.STRICT if priority else SchedulerKind.WEIGHTED,
            (priority or share).position,
        ),
        strict_level=whole(reader, level, 8, "priority level", 1),
        share=whole(reader, share, limit, "bandwidth").map(real),
        share_of=share.map(lambda _: of[which]),
    )


def _marking(reader: Reader) -> Marking | None:
    ecn, wred = reader.text("ecn"), reader.text("wred")
    if wred.value is not None and wred.value.startswith("ecn"):
        reader.bad(f"random-detect {wred.value[:64]!r} is not understood", wred.position)
        wred = ABSENT
    if not ecn and not wred:
        return None
    found = depths(wred.value or "")
    at = wred.position
    chance = (wred.value or "").rpartition("probability percentage ")
    percent = number(chance[2].split()[0]) if chance[1] and chance[2].split() else None
    return reader.build(
        Marking,
        ecn=Value(bool(ecn), ecn.position or at),
        wred_drop=Value(not ecn, ecn.position or at),
        kmin=Value(found[0] if len(found) == 2 else None, at),
        kmax=Value(found[1] if len(found) == 2 else None, at),
        pmax_percent=Value(real(percent) if percent is not None else None, at),
    )


def profile_of(reader: Reader) -> Profile:
    """The PFC profile of a location."""
    reader.take()
    made = Profile(reader.begin, reader.text("location").value or "")
    for line in reader.all("class"):
        text, at = line.value or "", line.position
        words = text.split()
        tc = number(words[words.index("traffic-class") + 1])
        if tc is None or tc not in CLASSES:
            continue
        made.classes[tc] = at
        own = {what: bytes_after(text, what) for what in ("pause-threshold", "headroom", "ecn")}
        pause, room, marks = own.values()
        if text.startswith("buffer-internal") and not all(
            reader.reading.accepts_number(what, size, at) for what, size in own.items()
        ):
            continue
        if marks is not None:
            made.ecn[tc] = Value(Threshold(marks), at)
        if room is not None or pause is not None:
            made.buffers[tc] = reader.build(
                BufferProfile,
                lossless=Value(True, at),
                static_limit_bytes=Value(pause, at),
                xoff_bytes=Value(room, at),
                xon_bytes=Value(bytes_after(text, "resume-threshold"), at),
            )
    return made
