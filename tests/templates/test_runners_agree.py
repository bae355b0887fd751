"""TTP and our matcher read config templates alike, so the templates stay honest TTP."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.nos.declare import Form
from roce_lint.nos.registry import all_nos
from roce_lint.resources import resource_dir
from roce_lint.text.sections import Layout
from tests.templates.agreement import agree, both

EOS = """\
## how a port of EOS looks
<group name="interface*">
interface {{ name }}
   description {{ description | re("REST") }}
   mtu {{ mtu | re("INT") }}
   {{ no_shutdown | re("no shutdown") }}
   {{ shutdown | re("shutdown") }}
   qos trust {{ trust }}
   {{ no_trust | re("no qos trust") }}
   service-profile {{ profile }}
   priority-flow-control {{ pfc | re("ON_OFF") }}
<group name="pfc_priority*">
   priority-flow-control priority {{ priority | re("INT") }} {{ action }}
</group>
<group name="queue*">
   {{ kind | re("QUEUE") }} {{ id | re("INT") }}
      {{ no_priority | re("no priority") }}
      {{ strict | re("priority strict") }}
      bandwidth percent {{ share | re("INT") }}
      random-detect ecn minimum-threshold {{ kmin }} {{ kmin_unit }} maximum-threshold {{ kmax }} {{ kmax_unit }} max-mark-probability {{ pmax }}
</group>
</group>
<group name="dscp_map*">
qos map dscp {{ dscp | re("RANGES") }} to traffic-class {{ tc | re("INT") }}
</group>
<group name="rewrite*">
{{ rewrite | re("qos rewrite dscp") }}
</group>
"""

NXOS = """\
<group name="class_map*">
class-map type {{ type }} {{ how | re("HOW") }} {{ name }}
  match dscp {{ dscp | re("RANGES") }}
  match cos {{ cos | re("RANGES") }}
  match qos-group {{ group | re("INT") }}
</group>
<group name="policy_map*">
policy-map type {{ type }} {{ name }}
<group name="class*">
  class {{ name }}
    set qos-group {{ group | re("INT") }}
</group>
<group name="typed_class*">
  class type {{ type }} {{ name }}
    mtu {{ mtu | re("INT") }}
    pause pfc-cos {{ cos | re("INT") }}
    bandwidth remaining percent {{ remaining | re("INT") }}
    priority level {{ level | re("INT") }}
    random-detect minimum-threshold {{ kmin }} {{ kmin_unit }} maximum-threshold {{ kmax }} {{ kmax_unit }} drop-probability {{ pmax }} weight {{ weight }} {{ ecn | re("ecn") }}
</group>
</group>
<group name="system_qos*">
{{ system | re("system qos") }}
<group name="service_policy*">
  service-policy type {{ type }} {{ policy }}
</group>
<group name="service_policy*">
  service-policy type {{ type }} {{ direction | re("DIRECTION") }} {{ policy }}
</group>
</group>
"""

PATTERNS = {
    "QUEUE": "(?:uc-|mc-)?tx-queue",
    "HOW": "match-(?:all|any)",
    "DIRECTION": "input|output",
}

EOS_CONFIG = """\
! device: leaf1 (DCS-7060X6, EOS-4.33.1F)
!
qos rewrite dscp
!
interface Ethernet1/1
   description to gpu-001  mlx5_0
   mtu 1500
   mtu 9214
   no shutdown
   qos trust dscp
   sflow enable
      mtu 1501
   !
   tx-queue 3
      !! marked
      no priority
      bandwidth percent 30
      random-detect ecn minimum-threshold 150 kbytes maximum-threshold 3000 kbytes max-mark-probability 10
      shape rate 40 percent
         bandwidth percent 31
   uc-tx-queue 6
      priority strict
   priority-flow-control on
   priority-flow-control priority 3 no-drop
!
vlan 10
   mtu 1502
!
interface Ethernet1/1
   shutdown
!
qos map dscp 24 25 26 to traffic-class 3
qos map cos 3 to traffic-class 3
"""

NXOS_CONFIG = """\
banner motd #
interface Ethernet1/1
  mtu 1503
#
class-map type qos match-any ROCE
 match dscp 24-26,30
class-map type network-qos match-any c-nq1
match qos-group 1
policy-map type qos IN
    class ROCE
        set qos-group 3
    class class-default
policy-map type queuing OUT
  class type queuing c-out-8q-q3
    bandwidth remaining percent 60
    random-detect minimum-threshold 150 kbytes
      maximum-threshold 3000 kbytes
      drop-probability 7 weight 0 ecn
  class type queuing c-out-8q-q7
    priority level 1
route-map OUT
  class type queuing c-out-8q-q1
    priority level 2
policy-map type network-qos NQ
  class type network-qos c-8q-nq3
    pause pfc-cos 3
    mtu 9216
    mtu 1500
"""

NXOS_LAYOUT = Layout(
    comment="!",
    skips=((r"banner motd (?P<end>\S)", None),),
    reattach="match qos-group",
    continuation="random-detect",
)


@pytest.mark.parametrize(
    ("template", "config", "layout", "groups"),
    [
        (EOS, EOS_CONFIG, Layout(comment="!"), ["rewrite", "interface", "interface", "dscp_map"]),
        (NXOS, NXOS_CONFIG, NXOS_LAYOUT, ["class_map"] * 2 + ["policy_map"] * 3),
    ],
    ids=["eos", "nxos"],
)
def test_both_runners_give_the_same_records(template, config, layout, groups):
    agree(template, config, PATTERNS, layout)
    ours, _ = both(template, config, PATTERNS, layout)
    assert [record.group for record in ours] == groups


def test_both_find_every_value_of_a_nested_stanza():
    ours, theirs = both(NXOS, NXOS_CONFIG, PATTERNS, NXOS_LAYOUT)
    for records in (ours, theirs):
        queuing = records[3]
        first, second = queuing.children["typed_class"]
        assert first.values == {
            "type": [("queuing", 14)],
            "name": [("c-out-8q-q3", 14)],
            "remaining": [("60", 15)],
            "kmin": [("150", 16)],
            "kmin_unit": [("kbytes", 16)],
            "kmax": [("3000", 16)],
            "kmax_unit": [("kbytes", 16)],
            "pmax": [("7", 16)],
            "weight": [("0", 16)],
            "ecn": [("ecn", 16)],
        }
        assert second.values["level"] == [("1", 20)]


def test_a_disagreement_is_noticed():
    ambiguous = (
        '<group name="x*">\nx {{ n }}\n  {{ rest | re("REST") }}\n'
        '<group name="y*">\n  y {{ n }}\n</group>\n</group>\n'
    )
    agree(ambiguous, "x 1\n  z 2\n")
    with pytest.raises(AssertionError):
        agree(ambiguous, "x 1\n  y 2\n")


def pieces(config: str) -> st.SearchStrategy[str]:
    """A configuration cut up, its pieces put together in any order, each at any indent."""
    lines = config.splitlines()
    cuts = st.tuples(
        st.integers(0, len(lines) - 1),
        st.integers(1, 5),
        st.sampled_from([0, 0, 0, 2, 3, -2, -3]),
    )

    def joined(chosen: list[tuple[int, int, int]]) -> str:
        found = []
        for start, count, shift in chosen:
            for line in lines[start : start + count]:
                text = line.lstrip()
                found.append(" " * (len(line) - len(text) + shift) + text)
        return "\n".join(found)

    return st.lists(cuts, min_size=1, max_size=8).map(joined)


@given(pieces(EOS_CONFIG))
def test_both_runners_agree_on_eos_put_together_wrongly(config):
    """Whatever leaked to a foreign parent would show."""
    agree(EOS, config, PATTERNS)


@given(pieces(NXOS_CONFIG))
def test_both_runners_agree_on_nxos_put_together_wrongly(config):
    agree(NXOS, config, PATTERNS, NXOS_LAYOUT)


@pytest.mark.parametrize(
    ("folder", "template", "layout"),
    [("eos", EOS, Layout(comment="!")), ("nxos", NXOS, NXOS_LAYOUT)],
    ids=["eos", "nxos"],
)
def test_both_runners_agree_on_real_configs(corpus, folder, template, layout):
    groups = set()
    for path in sorted((corpus / folder).iterdir()):
        config = path.read_text(encoding="utf-8", errors="surrogateescape")
        agree(template, config, PATTERNS, layout)
        groups |= {record.group for record in both(template, config, PATTERNS, layout)[0]}
    assert (
        groups
        == {
            "eos": {"interface", "dscp_map", "rewrite"},
            "nxos": {"class_map", "policy_map", "system_qos"},
        }[folder]
    )


@pytest.mark.parametrize("name", sorted(path.name for path in resource_dir("templates").iterdir()))
def test_both_runners_agree_on_our_own_templates(name, root, corpus):
    """Every config template of a NOS, over every text we have of it, be it config or not."""
    nos = all_nos().get(name)
    sources = [source for source in nos.sources if source.form is Form.INDENTED] if nos else []
    if not sources:
        pytest.skip(f"{name} declares no config templates")
    texts = [
        path.read_text(encoding="utf-8", errors="surrogateescape")
        for folder in (corpus / name, root / "tests" / "nos" / name)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
    assert texts != []
    for source in sources:
        layout = Layout(
            comment=source.comment,
            skips=tuple((skip.start, skip.end) for skip in source.skips),
            reattach=source.reattach,
            continuation=source.continuation,
        )
        for section in {section.name for section in source.sections}:
            template = resource_dir("templates") / name / "parse" / f"{section}.ttp"
            for text in texts:
                agree(template.read_text(encoding="utf-8"), text, nos.patterns, layout)
