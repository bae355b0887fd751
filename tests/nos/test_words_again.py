"""Words of every printed system: words to lines to words, whatever values they have."""

from __future__ import annotations

from string import ascii_letters, digits
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roce_lint.model.units import Threshold
from roce_lint.nos.aoscx import words as aoscx
from roce_lint.nos.base import Nos
from roce_lint.nos.codecs import Begins, Behind, Codec, KnownTexts, Numbers, OneOf, Text, Whole
from roce_lint.nos.device_reader import by_section, layout, template_of
from roce_lint.nos.eos import words as eos
from roce_lint.nos.eos.lines import Rate, parse_curve
from roce_lint.nos.esonic import words as esonic
from roce_lint.nos.nxos import words as nxos
from roce_lint.nos.reading import Reader, Reading
from roce_lint.nos.registry import all_nos
from roce_lint.nos.words import Below, Many, Switch, Word, Words
from roce_lint.nos.writing import lines_of
from roce_lint.text import sections
from roce_lint.text.source import SourceFile, SourceMap

PRINTED = {name: nos for name, nos in all_nos().items() if nos.choose is not None}

MODULES = {"aoscx": aoscx, "esonic": esonic, "eos": eos, "nxos": nxos}
BELOW = {
    aoscx.QueueOf,
    aoscx.QueueWeight,
    aoscx.Strict,
    aoscx.Step,
    aoscx.Slope,
    esonic.MapEntry,
    esonic.QueueTurn,
    eos.Address,
    eos.BgpFamily,
    eos.BgpVrf,
    eos.NoDrop,
    eos.QueueWords,
    nxos.QosClass,
    nxos.NetworkClass,
    nxos.QueueClass,
    nxos.Family,
    nxos.PeerFamily,
    nxos.Neighbor,
}
STANZAS = [
    (name, kind)
    for name, module in MODULES.items()
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Words) and kind not in {Words, *BELOW}
]
WORD = st.builds(
    "{}{}".format,
    st.sampled_from(ascii_letters),
    st.text(f"{ascii_letters}{digits}_.-", max_size=9),
)
SETS = st.frozensets(st.integers(1, 7), min_size=1)
DEPTHS = st.integers(0, 6000).map(lambda n: Threshold(n * 1000))
CURVES = st.builds(
    "minimum-threshold {} {} maximum-threshold {} {} max-mark-probability {} weight {}".format,
    st.integers(1, 256),
    st.sampled_from(["segments", "kbytes"]),
    st.integers(257, 999),
    st.sampled_from(["segments", "kbytes"]),
    st.integers(1, 100),
    st.integers(0, 15),
).map(parse_curve)
RATES = st.integers(1, 10**6).map(lambda n: Rate(bps=n * 1000)) | st.integers(1, 100).map(
    lambda n: Rate(percent=n)
)
NEIGHBORS = st.just(("10.0.0.1 remote-as 65001", "10.0.0.3 send-community"))
GIVEN = {
    (eos.Address, "address"): st.just("10.0.0.0/31"),
    (eos.AllowNonEct, "words"): st.just("qos random-detect ecn allow non-ect"),
    (eos.Bgp, "max_paths"): st.just("8 ecmp 8"),
    (eos.Bgp, "neighbors"): NEIGHBORS,
    (eos.BgpVrf, "neighbors"): NEIGHBORS,
    (eos.BgpFamily, "active"): st.just(("10.0.0.1 activate", "fd00::1 activate")),
    (eos.BgpFamily, "next_hop"): st.just(("SPINES next-hop address-family ipv6 originate",)),
    (eos.Routes, "on"): st.sampled_from(["ip routing", "ip routing ipv6 interfaces"]),
    (eos.QueueMap, "queue"): st.just("3"),
    (eos.WatchdogTime, "which"): st.sampled_from(["timeout", "recovery-time", "polling-interval"]),
    (eos.PortWords, "name"): st.just("Ethernet1/1"),
    (eos.PortWords, "frame_mtu"): st.just("9214"),
    (eos.PortWords, "native_vlan"): st.sampled_from(["5", "tag"]),
    (eos.PortWords, "encapsulation"): st.just("100"),
    (eos.PortWords, "channel"): st.integers(1, 2000),
    (eos.PortWords, "allowed_vlans"): st.frozensets(st.integers(1, 4094), max_size=9),
    (nxos.Feature, "feature"): st.sampled_from(["bgp", "lldp"]),
    (nxos.QueueClass, "priority"): st.sampled_from(["priority", "priority level 2"]),
    (nxos.QueueClass, "random_detect"): st.just("random-detect threshold burst-optimized ecn"),
    (nxos.PortWords, "name"): st.just("Ethernet1/1"),
    (nxos.PortWords, "fixed"): st.just("no negotiate auto"),
    (nxos.PeerFamily, "communities"): st.just("send-community"),
    (nxos.RouteMap, "action"): st.sampled_from(["permit", "deny"]),
    (aoscx.PortWords, "name"): st.just("1/1/1"),
    (aoscx.PortWords, "pool"): st.just("rxtx pool 1"),
    (aoscx.PortWords, "direction"): st.none(),
    (aoscx.Step, "threshold"): DEPTHS,
    (aoscx.Slope, "low"): DEPTHS,
    (aoscx.Slope, "high"): DEPTHS,
    (esonic.PortWords, "speed_gbps"): st.integers(1, 1600).map(float),
    (esonic.PortWords, "allowed_vlans"): SETS,
    (esonic.PortWords, "cable_m"): st.sampled_from([5.0, 40.0, 300.0]),
    (esonic.PortWords, "marked"): st.lists(st.tuples(SETS, WORD), min_size=1).map(tuple),
    (esonic.WredPolicy, "green"): st.builds(
        esonic.Curve, st.integers(0, 12480), st.integers(0, 12480), st.integers(0, 100)
    ),
    (esonic.Map, "kind"): st.sampled_from(list(esonic.MAPS)),
    (esonic.MapEntry, "source"): st.sampled_from(list(esonic.HIGHEST)),
    (esonic.MapEntry, "into"): st.sampled_from(["traffic-class", "queue", "pg"]),
    (esonic.MapEntry, "value"): st.integers(0, 7),
    (esonic.MapEntry, "numbers"): SETS,
}
"""Fields whose texts a template pattern narrows down, or that have functions of their own."""


def values(codec: Codec[Any], nos: Nos) -> st.SearchStrategy[Any]:
    if isinstance(codec, Begins | KnownTexts | esonic.BehindVlan):
        return values(codec.codec, nos)
    if isinstance(codec, Whole):
        bounds = nos.limits.get(codec.what)
        low, high = (int(bounds.low), int(bounds.high)) if bounds else (codec.low, codec.high)
        return st.integers(low, high)
    if isinstance(codec, Numbers):
        return st.frozensets(st.integers(1, codec.high), min_size=1, max_size=9)
    if isinstance(codec, OneOf):
        return st.sampled_from(list(codec.words.values()))
    if isinstance(codec, eos.BlankList):
        return st.frozensets(st.integers(0, codec.high), min_size=1, max_size=9)
    if isinstance(codec, eos.Depths | eos.LineRate):
        return CURVES if isinstance(codec, eos.Depths) else RATES
    assert isinstance(codec, Text | Behind)
    return WORD


def field_values(kind: type[Words], name: str, nos: Nos) -> st.SearchStrategy[Any]:
    field = kind.fields[name]
    if (kind, name) in GIVEN:
        return GIVEN[kind, name]
    if isinstance(field, Below):
        return st.lists(objects(field.kind, nos), max_size=3).map(lambda f: tuple(f) or None)
    if isinstance(field, Switch):
        return st.booleans() if field.off else st.just(True)
    assert isinstance(field, Word | Many)
    found = values(field.codec, nos)
    return st.lists(found, min_size=1, max_size=3).map(tuple) if isinstance(field, Many) else found


@st.composite
def objects(draw: st.DrawFn, kind: type[Words], nos: Nos) -> Words:
    optional = kind in (aoscx.PortWords, esonic.PortWords)
    stated = {
        name: draw(field_values(kind, name, nos))
        for name in kind.fields
        if not optional or name == "name" or draw(st.booleans())
    }
    if kind is aoscx.PortWords and stated.get("pfc"):
        stated["direction"] = "rxtx"
    if kind is aoscx.PortWords and not stated.get("schedule_profile"):
        stated.pop("queue_profile", None)
    if kind is aoscx.AppliedQos:  # two lines, each words of its own
        del stated["threshold_profile"]
    return kind(**stated)


def again(words: Words, nos: Nos) -> Words:
    """The words that are read from the lines of others."""
    source = nos.by_source["running-config"]
    lines = lines_of(nos, source, [words])
    split = sections.split(list(lines), layout(source))
    ((section, stanzas),) = by_section(source, split.stanzas).items()
    src = SourceMap()
    ref = src.files[src.add(SourceFile.of("leaf1.cfg", "\n".join(lines)), source.name)]
    (record,) = template_of(nos, source, section).run(stanzas, ref.first, ref.states)
    reading = Reading(nos.name, "leaf1", src, limits=nos.limits)
    found = type(words).read(Reader(record, reading))
    assert reading.notes == []
    return found


@pytest.mark.parametrize(
    ("name", "kind"), STANZAS, ids=[f"{name}-{kind.__name__}" for name, kind in STANZAS]
)
def test_words_are_read_as_they_were_printed(name: str, kind: type[Words]) -> None:
    @settings(max_examples=60, deadline=None)
    @given(objects(kind, PRINTED[name]))
    def check(words: Words) -> None:
        assert again(words, PRINTED[name]) == words

    check()


def test_the_words_of_every_printed_system_are_tried() -> None:
    assert MODULES.keys() == PRINTED.keys()
