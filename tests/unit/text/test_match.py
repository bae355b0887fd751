from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.errors import ExtractError
from roce_lint.text import grammar
from roce_lint.text.grammar import PATTERNS
from roce_lint.text.match import Record, Template
from roce_lint.text.sections import Layout, split
from roce_lint.text.source import LineState, SourceFile
from tests.templates.variables import variables

EOS = """\
## what a port says
<group name="interface*">
interface {{ name }}
   description {{ description | re("REST") }}
   mtu {{ mtu | re("INT") }}
   {{ no_shutdown | re("no shutdown") }}
   {{ shutdown | re("shutdown") }}
   priority-flow-control {{ pfc | re("ON_OFF") }}
   speed {{ speed }}
<group name="pfc_priority*">
   priority-flow-control priority {{ priority }} {{ action }}
</group>
   <group name="queue*">
   {{ kind | re("QUEUE") }} {{ id | re("INT") }}
      bandwidth percent {{ share }}
      <group name="ecn*">
      random-detect ecn minimum-threshold {{ kmin }} {{ unit }} maximum-threshold {{ kmax }} {{ unit_max }}
      </group>
   </group>
</group>
<group name="vlan*">
vlan {{ id }}
</group>
"""
NAMED = {"QUEUE": r"(?:uc-|mc-)?tx-queue"}
C, U = LineState.CAPTURED, LineState.UNRECOGNISED


def run(text: str, template: str = EOS, first: int = 0) -> tuple[list[Record], list[int]]:
    """Records, and the states of all lines, of a configuration."""
    lines = SourceFile.of("x", text).lines()
    states = bytearray(len(lines))
    stanzas = split(lines, Layout(comment="!")).stanzas
    return Template(template, "t.ttp", NAMED).run(stanzas, first, states), list(states)


def one(line: str, text: str) -> dict[str, str] | None:
    """Captures of a one-line template from a one-line configuration."""
    records, _ = run(text, f'<group name="x*">\n{line}\n</group>')
    return {name: found[0][0] for name, found in records[0].values.items()} if records else None


def test_records_with_positions_children_and_states():
    text = (
        "interface Ethernet1\n"
        "   mtu 9214\n"
        "   !\n"
        "   tx-queue 3\n"
        "      bandwidth percent 30\n"
        "      random-detect ecn minimum-threshold 150 kbytes maximum-threshold 3 mbytes\n"
        "   priority-flow-control priority 3 no-drop\n"
        "   priority-flow-control on\n"
    )
    records, states = run(text, first=100)
    assert records == [
        Record(
            "interface",
            101,
            {"name": [("Ethernet1", 101)], "mtu": [("9214", 102)], "pfc": [("on", 108)]},
            {
                "queue": [
                    Record(
                        "queue",
                        104,
                        {"kind": [("tx-queue", 104)], "id": [("3", 104)], "share": [("30", 105)]},
                        {
                            "ecn": [
                                Record(
                                    "ecn",
                                    106,
                                    {
                                        "kmin": [("150", 106)],
                                        "unit": [("kbytes", 106)],
                                        "kmax": [("3", 106)],
                                        "unit_max": [("mbytes", 106)],
                                    },
                                )
                            ]
                        },
                    )
                ],
                "pfc_priority": [
                    Record(
                        "pfc_priority",
                        107,
                        {"priority": [("3", 107)], "action": [("no-drop", 107)]},
                    )
                ],
            },
        )
    ]
    assert states == [C, C, 0, C, C, C, C, C, 0]


def test_all_matches_of_a_name_are_kept_in_order():
    records, _ = run(
        "interface E1\n   mtu 1500\n   shutdown\n   mtu 9214\n   no shutdown\n   shutdown\n"
    )
    assert records[0].values == {
        "name": [("E1", 1)],
        "mtu": [("1500", 2), ("9214", 4)],
        "shutdown": [("shutdown", 3), ("shutdown", 6)],
        "no_shutdown": [("no shutdown", 5)],
    }


def test_one_name_on_several_lines_is_one_sequence():
    template = '<group name="x*">\nx {{ n }}\n  {{ up | re("shutdown") }}\n  {{ up | re("no shutdown") }}\n</group>'
    records, _ = run("x 1\n no shutdown\n shutdown\n no shutdown\n", template)
    assert records[0].values["up"] == [("no shutdown", 2), ("shutdown", 3), ("no shutdown", 4)]


def test_stanzas_that_come_twice_are_two_records():
    records, _ = run("interface E1\n   mtu 1\ninterface E1\n   mtu 2\n")
    assert [(r.position, r.values["mtu"]) for r in records] == [(1, [("1", 2)]), (3, [("2", 4)])]


def test_the_whole_line_must_match():
    records, states = run(
        "interface E1\n   mtu 9214 force\n   mtu\n   mtu nine\n   xmtu 1\n   MTU 9214\n"
    )
    assert records == [Record("interface", 1, {"name": [("E1", 1)]})]
    assert states == [C, U, U, U, U, U, 0]


def test_lines_below_an_unmatched_line_are_credited_to_nobody():
    text = (
        "interface E1\n"
        "   sflow\n"
        "      mtu 1500\n"
        "      bandwidth percent 1\n"
        "         mtu 1500\n"
        "   mtu 9214\n"
        "      mtu 1500\n"
        "   tx-queue 3\n"
        "   bandwidth percent 30\n"
        "   priority-flow-control priority 3 no-drop\n"
        "      bandwidth percent 40\n"
    )
    records, states = run(text)
    assert records[0].values == {"name": [("E1", 1)], "mtu": [("9214", 6)]}
    assert [
        (c.group, c.position, set(c.values)) for cs in records[0].children.values() for c in cs
    ] == [
        ("queue", 8, {"kind", "id"}),
        ("pfc_priority", 10, {"priority", "action"}),
    ]
    assert states == [C, U, U, U, U, C, U, C, U, C, U, 0]


def test_a_stanza_nobody_knows_is_unrecognised_as_a_whole():
    records, states = run("vlan 7\n   mtu 1500\ninterfaces E1\n   mtu 1500\n")
    assert records == [Record("vlan", 1, {"id": [("7", 1)]})]
    assert states == [C, U, U, U, 0]


def test_a_state_that_was_given_before_is_not_taken_back():
    states = bytearray([0, LineState.CAPTURED, LineState.IGNORED])
    stanzas = split(["interface E1", "  service-profile P", "  lldp"], Layout()).stanzas
    Template(EOS, "t.ttp", NAMED).run(stanzas, 0, states)
    assert list(states) == [C, LineState.CAPTURED, LineState.IGNORED]


def test_the_first_template_line_that_matches_wins():
    general = '<group name="x*">\nx {{ n }}\n  {{ rest | re("REST") }}\n  a {{ a }}\n</group>'
    special = '<group name="x*">\nx {{ n }}\n  a {{ a }}\n  {{ rest | re("REST") }}\n</group>'
    text = "x 1\n a 2\n b 3\n"
    assert run(text, general)[0][0].values["rest"] == [("a 2", 2), ("b 3", 3)]
    assert run(text, special)[0][0].values["a"] == [("2", 2)]
    assert run(text, special)[0][0].values["rest"] == [("b 3", 3)]


def test_groups_of_one_name_add_to_one_list():
    template = (
        '<group name="map*">\npolicy-map type {{ type }} {{ name }}\n</group>\n'
        '<group name="map*">\npolicy-map {{ name }}\n</group>\n'
    )
    records, _ = run("policy-map P\npolicy-map type qos Q\n", template)
    assert records == [
        Record("map", 1, {"name": [("P", 1)]}),
        Record("map", 2, {"type": [("qos", 2)], "name": [("Q", 2)]}),
    ]


@pytest.mark.parametrize(
    ("line", "text", "found"),
    [
        ("wred 3 {{ x }}", "wred 3 a", {"x": "a"}),
        ("wred 3 {{ x }}", "wred 5 a", None),
        ("a.b {{ x }}", "axb 1", None),
        ("a (b) {{ x }}", "a (b) 1", {"x": "1"}),
        ("{{ a }}/{{ b }}", "1/2", {"a": "1", "b": "2"}),
        ('port "{{ x }}",', 'port "Ethernet1",', {"x": "Ethernet1"}),
        ("{{ x }}", "one", {"x": "one"}),
        ("{{ x }}", "one two", None),
        ('{{ x | re("REST") }}', "one  two", {"x": "one  two"}),
        ("say {{ x | re('REST') }}", "say a", {"x": "a"}),
        ('n {{ x | re("INT") }}', "n -1", None),
        ('n {{ x | re("NUMBER") }}', "n 0.05", {"x": "0.05"}),
        (
            'n {{ x | re("RANGES") }} to {{ y }}',
            "n 24-31,48 50 to 3",
            {"x": "24-31,48 50", "y": "3"},
        ),
        ('n {{ x | re("RANGES") }}', "n 1, 2 - 4", {"x": "1, 2 - 4"}),
        ('n {{ x | re("RANGES") }}', "n 24-", None),
        ('n {{ x | re("ON_OFF") }}', "n off", {"x": "off"}),
        ('n {{ x | re("ON_OFF") }}', "n onoff", None),
        ('n {{ x | re("QUEUE") }}', "n uc-tx-queue", {"x": "uc-tx-queue"}),
        ('{{ x | re("no shutdown") }}', "no \t shutdown", {"x": "no \t shutdown"}),
        ('{{ x | re("no") }} mtu {{ y }}', "no mtu 5", {"x": "no", "y": "5"}),
        ("a {{ x }} b", "a\xa01 \t b", {"x": "1"}),
    ],
)
def test_what_a_line_matches(line, text, found):
    assert one(line, text) == found


@pytest.mark.parametrize(
    ("template", "line", "message"),
    [
        ("interface {{ name }}", 1, "this line is in no group"),
        ('<group name="x">', 1, 'only <group name="x*">'),
        ('<group name="a.b*">', 1, 'only <group name="x*">'),
        ('<group name="x*" method="table">', 1, 'only <group name="x*">'),
        ("<macro>\nimport os\n</macro>", 1, 'only <group name="x*">'),
        ("</group>", 1, 'only <group name="x*">'),
        ('<group name="x*">\n</group>', 2, "group x has no line"),
        ('<group name="x*">\na {{ b }}', 2, "group x is not closed"),
        ('<group name="x*">\n<group name="y*">', 2, "not a group"),
        ('<group name="x*">\na &amp; {{ b }}', 2, 'only <group name="x*">'),
        ('<group name="x*">\n\nno variable', 3, "no variable in the line: no variable"),
        ('<group name="x*">\na {{ b }} {{ b }}', 2, "variable b comes twice"),
        ('<group name="x*">\na {{ b }', 2, "no variable in the line"),
        ('<group name="x*">\na {{ b }} {{ c', 2, "not closed"),
        ('<group name="x*">\na {{ b | ORPHRASE }}', 2, 're("...") is the only filter'),
        ('<group name="x*">\na {{ b | to_int }}', 2, 're("...") is the only filter'),
        ('<group name="x*">\na {{ b | re("on|off") }}', 2, 'without "|" inside'),
        ('<group name="x*">\na {{ b | re("x") | re("y") }}', 2, 'without "|" inside'),
        ('<group name="x*">\na {{ b | re("INTEGER") }}', 2, "unknown pattern INTEGER"),
        ('<group name="x*">\na {{ b | re(".*") }}', 2, "neither a pattern name nor plain words"),
        ('<group name="x*">\na {{ b | re("") }}', 2, "neither a pattern name nor plain words"),
        ('<group name="x*">\na {{ ignore }}', 2, "'ignore' cannot name a variable"),
        ('<group name="x*">\na {{ set }}', 2, "'set' cannot name a variable"),
        ('<group name="x*">\na {{ _start_ }}', 2, "'_start_' cannot name a variable"),
        ('<group name="x*">\na {{ B }}', 2, "'B' cannot name a variable"),
        ('<group name="x*">\n a {{ b }}', 2, "indented by 1"),
        ('<group name="x*">\na {{ b }}\nc {{ d }}', 3, "indented by 0"),
        ('<group name="x*">\na {{ b }}\n\tc {{ d }}', 3, "indented by 0"),
        ('<group name="x*">\na {{ b }}\n  c {{ d }}\n    e {{ f }}', 4, "indented by 4"),
        ('<group name="x*">\na {{ b }}\n  c {{ d }}\n   e {{ f }}', 4, "indented by 3"),
        ('<group name="x*">\na {{ b | re("BAD") }}', 2, "pattern BAD is not a regex"),
        ('<group name="x*">\na {{ b | re("GREEDY") }}', 2, "pattern GREEDY must not capture"),
    ],
)
def test_what_is_outside_the_subset_is_refused_with_its_line(template, line, message):
    with pytest.raises(ExtractError) as caught:
        Template(template, "eos/parse/x.ttp", {"BAD": "(", "GREEDY": "(a)"})
    assert caught.value.location == f"eos/parse/x.ttp:{line}"
    assert message in caught.value.message


def test_variables_of_every_group():
    template = Template(EOS, "t.ttp", NAMED)
    assert variables(template) == {
        "interface": {"name", "description", "mtu", "no_shutdown", "shutdown", "pfc", "speed"},
        "pfc_priority": {"priority", "action"},
        "queue": {"kind", "id", "share"},
        "ecn": {"kmin", "unit", "kmax", "unit_max"},
        "vlan": {"id"},
    }


def test_the_step_is_the_indent_of_the_template():
    assert Template(EOS, "t.ttp", NAMED).step == 3
    assert Template('<group name="x*">\nx {{ y }}\n</group>', "t.ttp", {}).step == 1


def test_a_template_can_be_sent_to_a_worker():
    template = Template(EOS, "t.ttp", NAMED)
    sent = pickle.loads(pickle.dumps(template))  # noqa: S301 - our own
    stanzas = split(["interface E1", " tx-queue 3"], Layout()).stanzas
    assert sent.run(stanzas, 0, bytearray(2)) == template.run(stanzas, 0, bytearray(2)) != []


def test_records_of_equal_lines_are_not_shared():
    records, _ = run("interface E1\n   tx-queue 3\ninterface E1\n   tx-queue 3\n")
    records[0].values["name"].append(("x", 9))
    records[0].children["queue"][0].values["id"].append(("x", 9))
    assert records[1].values["name"] == [("E1", 3)]
    assert records[1].children["queue"][0].values["id"] == [("3", 4)]


def test_what_a_group_remembers_is_bounded(monkeypatch):
    monkeypatch.setattr(grammar, "MEMO_LINES", 4)
    monkeypatch.setattr(grammar, "MEMO_WIDTH", 10)
    lines = ["interface E1"]
    lines += [f"  mtu {number % 7}" for number in range(50)]
    lines += ["  description " + "x" * 40, "  sflow"] * 2
    template = Template(EOS, "t.ttp", NAMED)
    record = template.run(split(lines, Layout()).stanzas, 0, bytearray(len(lines)))[0]
    assert record.values["mtu"] == [(str(n % 7), n + 2) for n in range(50)]
    assert record.values["description"] == [("x" * 40, 52), ("x" * 40, 54)]
    memos = [rule.starts.hits for rule in template.root.rules if rule.starts]
    assert [len(memo) <= 4 for memo in memos] == [True, True]
    assert all(len(text) <= 10 for memo in memos for text in memo)


def test_what_a_group_remembers_of_stanzas_is_bounded(monkeypatch):
    monkeypatch.setattr(grammar, "PLANS", 3)
    monkeypatch.setattr(grammar, "PLAN_LINES", 5)
    monkeypatch.setattr(grammar, "MEMO_WIDTH", 10)
    template = Template(EOS, "t.ttp", NAMED)
    for count in range(9):
        lines = ["interface E1", *["  no mtu"] * count, "  mtu 9"]
        states = bytearray(len(lines))
        (record,) = template.run(split(lines, Layout()).stanzas, 0, states)
        assert record.values["mtu"] == [("9", count + 2)]
        assert list(states) == [C, *[U] * count, C]
    plans = template.root.rules[0].starts.plans
    assert sorted(map(len, plans)) == [4, 5]
    long = ["interface E1", "  no " + "x" * 10]
    template.run(split(long, Layout()).stanzas, 0, bytearray(2))
    assert len(plans) == 2


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                ["mtu 9214", "mtu 1500", "description a", "description b", "tx-queue 3", "sflow",
                 "tx-queue 4", "no shutdown", "priority-flow-control priority 3 drop", "lldp"]
            ),
            max_size=4,
        ),
        max_size=8,
    ),
    st.integers(0, 40),
)  # fmt: skip
def test_a_stanza_reads_the_same_whatever_was_read_before(stanzas, given_before):
    """Texts already matched by the same rules are not matched again, with the same result."""

    def ignore(missed, states):
        for lines in missed:
            for _, text, number in lines:
                if text == "lldp" and states[number - 1] == U:
                    states[number - 1] = LineState.IGNORED

    lines = []
    for body in stanzas:
        lines += ["interface E1", *(f"  {line}" for line in body)]
    taken = split(lines, Layout()).stanzas
    outcomes = []
    for fresh in (False, True):
        states = bytearray(len(lines))
        states[given_before : given_before + 1] = b"\x02" * len(lines[given_before:][:1])
        template = Template(EOS, "t.ttp", NAMED)
        records = []
        for stanza in taken:
            template = Template(EOS, "t.ttp", NAMED) if fresh else template
            records += template.run([stanza], 0, states, ignore)
        outcomes.append((records, states))
    assert outcomes[0] == outcomes[1]


CONFIG = """\
interface Ethernet1
   description to  spine1
   mtu 9214
   no shutdown
   bfd echo
   tx-queue 3
      bandwidth percent 30
      random-detect ecn minimum-threshold 150 kbytes maximum-threshold 3 mbytes
   priority-flow-control priority 3 no-drop
router bgp 65000
   neighbor x
      mtu 1500
interface Ethernet2
   shutdown
"""


def bare(records: list[Record]) -> list[object]:
    """Records without positions."""
    return [
        (
            record.group,
            {name: [text for text, _ in found] for name, found in record.values.items()},
            {name: bare(found) for name, found in record.children.items()},
        )
        for record in records
    ]


@given(st.data())
def test_indent_line_ends_blank_lines_and_comments_change_no_record(data):
    unit = data.draw(st.sampled_from([" ", "  ", "    ", "\t"]))
    lines = []
    for line in CONFIG.splitlines():
        lines += data.draw(st.lists(st.sampled_from(["", "   ", "!", "  ! x"]), max_size=1))
        depth = (len(line) - len(line.lstrip())) // 3
        lines.append(unit * depth + line.lstrip() + data.draw(st.sampled_from(["", " ", "\t"])))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    records, states = run(end.join(lines))
    assert bare(records) == bare(run(CONFIG)[0])
    assert [lines[n].split()[0] for n, state in enumerate(states) if state == U] == [
        "bfd",
        "router",
        "neighbor",
        "mtu",
    ]


@given(st.text(alphabet="ab 0\x00\t\xa0{|(", max_size=20))
def test_no_line_makes_it_fail(text):
    records, _ = run(f"interface {text}\n   mtu {text}\n   {text}\n")
    assert len(records) <= 2


def test_the_patterns_are_those_that_are_documented():
    assert sorted(PATTERNS) == ["INT", "NUMBER", "ON_OFF", "RANGES", "REST", "WORD"]
