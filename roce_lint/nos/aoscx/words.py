"""The words of AOS-CX: its statements, and the forms of their values."""

from __future__ import annotations

from roce_lint.model.device import NoteKind
from roce_lint.model.qos import Trust
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.codecs import TEXT, Begins, Behind, Codec, Numbers, OneOf, ParsedBy, Whole
from roce_lint.nos.port_names import LAST_VLAN
from roce_lint.nos.quantities import number
from roce_lint.nos.reading import ABSENT, Reader, Value
from roce_lint.nos.stanzas import LAST_AS
from roce_lint.nos.words import Below, Many, No, Switch, Word, Words

CONFIG = "running-config"
"""Name of the source."""

KILOBYTE = 1000
"""Bytes of a kbyte; the documents do not say whether it is 1024 (docs/nos/aoscx.md)."""

QUEUE = Whole("queue", 7)
PRIORITY = Begins(Whole("local-priority", 7))
VLAN = Whole("VLAN", LAST_VLAN, 1)
TRUST: Codec[Trust] = OneOf(
    {"dscp": Trust.DSCP, "cos": Trust.PCP, "none": Trust.NONE}, "dscp, cos or none"
)


class AllowedVlans(Numbers):
    """A list of VLANs, or `all`, which is none."""

    def parse(self, reader: Reader, text: Value[str]) -> Value[frozenset[int]]:
        """The VLANs of a list."""
        return ABSENT if text.value == "all" else super().parse(reader, text)


UNITS = {
    "kbytes": (KILOBYTE, ThresholdUnit.BYTES),
    "percent": (1, ThresholdUnit.PERCENT),
}


def _depth(reader: Reader, text: Value[str]) -> Value[Threshold]:
    words = (text.value or "").split()
    amount = number(words[0]) if len(words) == 2 and words[1] in UNITS else None
    if amount is None:
        message = f"{text.value!r} is not a threshold in kbytes or percent"
        reader.reading.note(NoteKind.BAD_VALUE, message, text.position)
        return Value(None, text.position)
    factor, unit = UNITS[words[1]]
    return Value(Threshold(amount * factor, unit), text.position)


DEPTH = ParsedBy(_depth)


class Hostname(Words, group="hostname"):
    """`hostname leaf1`."""

    hostname: Word[str] = Word("hostname", TEXT)


class Bgp(Words, group="bgp"):
    """`router bgp 65001`."""

    asn: Word[int] = Word("asn", Begins(Whole("AS number", LAST_AS, 1)))


class SwitchTrust(Words, group="trust"):
    """`qos trust dscp`, of the whole switch."""

    trust: Word[Trust] = Word("trust", TRUST)


class DscpMap(Words, group="dscp"):
    """`qos dscp-map 26 local-priority 3`."""

    codes: Word[frozenset[int]] = Word("codes", Numbers("a list of code points", 63, "DSCP"))
    priority: Word[int] = Word("priority", PRIORITY)


class CosMap(Words, group="cos"):
    """`qos cos-map 3 local-priority 3`."""

    codes: Word[frozenset[int]] = Word("codes", Numbers("a list of code points", 7, "CoS"))
    priority: Word[int] = Word("priority", PRIORITY)


class QueueOf(Words, group="entry"):
    """`map queue 3 local-priority 3,4`."""

    queue: Word[int] = Word("queue", QUEUE)
    priorities: Word[frozenset[int]] = Word(
        "priorities", Numbers("a list of local priorities", 7, "local-priority")
    )


class QueueProfile(Words, group="queue_profile"):
    """`qos queue-profile NAME`."""

    name: Word[str] = Word("name", TEXT)
    queues: Below[QueueOf] = Below(QueueOf)


class QueueWeight(Words, group="weighted"):
    """`dwrr queue 3 weight 60`."""

    queue: Word[int] = Word("queue", QUEUE)
    weight: Word[int] = Word("weight", Begins(Whole("weight", 1023, 1)))


class Strict(Words, group="strict"):
    """`strict queue 6`."""

    queue: Word[int] = Word("queue", Begins(QUEUE))


class ScheduleProfile(Words, group="schedule_profile"):
    """`qos schedule-profile NAME`."""

    name: Word[str] = Word("name", TEXT)
    weighted: Below[QueueWeight] = Below(QueueWeight)
    strict: Below[Strict] = Below(Strict)


class Step(Words, group="entry"):
    """`queue 3 action ecn all threshold 400 kbytes`: below it nothing is marked, above it all."""

    queue: Word[int] = Word("queue", QUEUE)
    action: Word[str] = Word("action", TEXT)
    threshold: Word[Threshold] = Word("threshold", DEPTH)


class Slope(Words, group="slope"):
    """`queue 3 action ecn all min-threshold 500 kbytes max-threshold 1500 kbytes`."""

    queue: Word[int] = Word("queue", QUEUE)
    action: Word[str] = Word("action", TEXT)
    low: Word[Threshold] = Word("low", DEPTH)
    high: Word[Threshold] = Word("high", DEPTH)


class ThresholdProfile(Words, group="threshold_profile"):
    """`qos threshold-profile NAME`."""

    name: Word[str] = Word("name", TEXT)
    queues: Below[Step] = Below(Step)
    slopes: Below[Slope] = Below(Slope)


class PortWords(Words, group="interface"):
    """`interface 1/1/1` and what may stand below it; one of VXLAN has other words."""

    name: Word[str] = Word("name", TEXT)
    description: Word[str] = Word("description", TEXT)
    up: Switch = Switch(on="no_shutdown", off="shutdown")
    mtu: Word[int] = Word("mtu", Whole("mtu", 65535, 46))
    ip_mtu: Word[int] = Word("ip_mtu", Whole("ip mtu", 65535, 46))
    ipv4: Many[str] = Many("ip_address", TEXT)
    ipv6: Many[str] = Many("ipv6_address", Behind("ipv6 address"))
    vrf: Word[str] = Word("vrf", TEXT)
    lag: Word[int] = Word("lag", Whole("lag", 65535, 1))
    routing: Switch = Switch(on="routing", off="no_routing")
    access_vlan: Word[int] = Word("access_vlan", VLAN)
    native_vlan: Word[int] = Word("native_vlan", VLAN)
    native_tagged: Word[int] = Word("native_tagged", VLAN)
    allowed_vlans: Word[frozenset[int]] = Word(
        "allowed_vlans", AllowedVlans("a list of VLANs", LAST_VLAN)
    )
    trust: Word[Trust] = Word("trust", TRUST)
    queue_profile: Word[str] = Word("queue_profile", TEXT)
    schedule_profile: Word[str] = Word("schedule_profile", TEXT)
    threshold_profile: Word[str] = Word("threshold_profile", TEXT)
    direction: Word[str] = Word("direction", TEXT)
    pfc: Word[frozenset[int]] = Word(
        "pfc",
        Numbers("a list of priorities", 7, "priority"),
        No("no_pfc", frozenset()),
    )
    link_pause: Word[str] = Word("link_pause", OneOf({"rx": "rx", "rxtx": "rxtx"}, "rx or rxtx"))
    pool: Word[str] = Word("pool", TEXT)
