"""Nexus series and extent of a configuration, as far as known: both determine defaults."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace

from roce_lint.nos.declare import Default, Form
from roce_lint.nos.nxos import defaults
from roce_lint.nos.reading import ABSENT, Input, Reading, Value
from roce_lint.nos.stanzas import CONFIG, records
from roce_lint.text.source import Confidence

HEAD = 1 << 16
"""Characters at the start of a file in which generators and collectors name the model."""


class Family(enum.Enum):
    """Series of switches that share defaults, by the first digit of their models."""

    N3000 = "3"  # with its own images, before it shared those of the 9000
    N5000 = "5"
    N6000 = "6"
    N7000 = "7"
    N9000 = "9"


MODEL = re.compile(
    r"\n!.{0,100}?(?:\bModel\s*:\s*(?:cisco\s+)?(?:Nexus\s*\d*\s+)?|(?=\bN[35679]K-))"
    r"(?P<model>[\w-]{0,20}\d{4}[\w-]{0,20})",
    re.IGNORECASE,
)
"""Model in a comment; fixed first characters make the search fast."""

SERIES = re.compile(r"(?:N(?P<series>[35679])K-?C?|^C?)(?P<number>[35679])?\d*", re.IGNORECASE)
IMAGE = re.compile(r"\bn(?P<series>[35679])(?:000|500|700)-", re.IGNORECASE)
TRAINS = (
    (re.compile(r"\d+\.\d+\(\d+[a-z]?\)N\d"), Family.N5000),
    (re.compile(r"\d+\.\d+\(\d+[a-z]?\)[UA]\d"), Family.N3000),
    (re.compile(r"\d+\.\d+\(\d+[a-z]?\)D\d|6\.2\(|8\.\d+\("), Family.N7000),
    (re.compile(r"6\.1\(2\)I"), Family.N9000),
)
"""Releases of one series only. 7.0(3)I, 9.x and 10.x run on both Nexus 3000 and 9000."""
NAME = re.compile(
    r"(?<![a-z0-9])(?:n|nexus)-?(?P<series>[35679])(?:k|\d{3})(?![0-9])", re.IGNORECASE
)


@dataclass(slots=True, frozen=True)
class Platform:
    """Platform of the switch from its files; families are absent if unknown."""

    family: Value[Family]
    model: Value[str]
    os_version: Value[str]

    @property
    def is_9000(self) -> bool:
        """True if the files state it; a host name alone does not."""
        return self.family.value is Family.N9000 and self.family.position > 0

    @property
    def shuts_routed_ports(self) -> bool:
        """Whether routed ports are shut by default: on 9000 always, on 3000 from 9.x."""
        major = (self.os_version.value or "").partition(".")[0]
        family = self.family.value
        newer = major in ("9", "10") and family in (None, Family.N3000, Family.N9000)
        return self.is_9000 or newer

    @property
    def class_mtu_limits(self) -> Value[bool]:
        """Whether the MTU of a network-qos class limits packets on switched ports."""
        limited = (Family.N3000, Family.N5000, Family.N6000)
        return self.family.map(lambda family: family in limited)


def platform_of(reading: Reading, images: list[Value[str]], version: Value[str]) -> Platform:
    """Model and series from a comment, a boot image, the release, or the host name."""
    model = _model(reading)
    family: Value[Family] = model.map(_family_of_model)
    for image in images:
        if not family and (found := IMAGE.search(image.value or "")):
            family = Value(Family(found["series"]), image.position)
    for train, of_train in TRAINS:
        if not family and train.match(version.value or ""):
            family = Value(of_train, version.position)
    if not family and (named := NAME.search(reading.hostname)):
        family = Value(Family(named["series"]), reading.default(defaults.SERIES_BY_NAME).position)
    return Platform(family, model, version)


def _model(reading: Reading) -> Value[str]:
    for entry in reading.inputs:
        if entry.source.form is not Form.INDENTED:
            continue
        head = "\n" + entry.text.text[:HEAD]
        found = MODEL.search(head)
        if found:
            line = head.count("\n", 0, found.start() + 1)
            return Value(found["model"], reading.src.files[entry.file].first + line)
    return ABSENT


def _family_of_model(model: str) -> Family | None:
    found = SERIES.search(model)
    digit = found and (found["series"] or found["number"])
    return Family(digit) if digit else None


# Extent of the files: lines missing from a part are unknown, not absent.

CAPTURE_HEAD = 1 << 14
"""Characters at the start of a file that hold the heading."""

HEADING = re.compile(r"^!Command: show running-config(?P<rest>[^|\n]*)", re.MULTILINE)

WHOLE = frozenset({"all", "expand-port-profile"})
"""Words after `show running-config` that do not select a part."""


@dataclass(slots=True, frozen=True)
class Extent:
    """Completeness of the files."""

    system: bool  # policies and `system qos`: missing ones are not configured
    ports: bool  # interface stanzas, with all their lines
    device: bool  # everything


def extent_of(reading: Reading, *, named: bool) -> Extent:
    """Determine the extent from headings and content. `named`: host name or release are stated.

    A file without either is a fragment, handmade or cut out: its stanzas count as complete.
    """
    parts = [part_of(entry) for entry in reading[CONFIG]]
    whole = not all(parts) if parts else False
    device = whole and named
    return Extent(
        system=device or "ipqos" in parts or bool(records(reading, CONFIG, "system_qos")),
        ports=whole or any(part.startswith("interface") for part in parts),
        device=device,
    )


def part_of(entry: Input) -> str:
    """Part that the capture's command selected; empty for the whole configuration."""
    found = HEADING.search(entry.text.text[:CAPTURE_HEAD])
    words = f"{entry.args.get('part', '')} {found['rest'] if found else ''}"
    return " ".join(word for word in words.split() if word not in WHOLE)


def as_unconfirmed(default: Default) -> Default:
    """The same default, unconfirmed because the platform is uncertain."""
    return replace(default, confidence=Confidence.UNCONFIRMED)
