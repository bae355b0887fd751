from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.errors import ExtractError
from roce_lint.text import extract as module
from roce_lint.text.extract import compile_template, extract
from roce_lint.text.match import Record
from roce_lint.text.source import LineState, SourceFile

C, IGN, U = LineState.CAPTURED, LineState.IGNORED, LineState.UNRECOGNISED

INTERFACE = """\
<group name="interface*">
interface {{ name }}
  mtu {{ mtu }}
<group name="queue*">
  queue {{ id }}
    weight {{ weight }}
</group>
</group>
"""


def run(template: str, text: str, first: int = 0) -> tuple[list[Record], list[int]]:
    """Records, and the states of all lines, of an output."""
    lines = SourceFile.of("x", text).lines()
    states = bytearray(len(lines))
    patterns = {"SPEED": r"\d+G"}
    return extract(template, "t.ttp", lines, first, states, patterns), list(states)


def group(*lines: str, name: str = "x*") -> str:
    return "\n".join([f'<group name="{name}">', *lines, "</group>"])


def values(template: str, text: str) -> list[dict[str, list[str]]]:
    """The captured texts of every top-level record."""
    return [
        {name: [value for value, _ in found] for name, found in record.values.items()}
        for record in run(template, text)[0]
    ]


QOS = """\
<group name="qos*">
DCBX mode: {{ dcbx | re("REST") }}
Cable len: {{ cable | DIGIT }}
<group name="tc*">
tc: {{ id }} ratelimit: {{ limit | re("[^,]+") }}, tsa: {{ tsa }}, bw: {{ bandwidth }}
tc: {{ id | _start_ }} ratelimit: {{ limit | re("[^,]+") }}, tsa: {{ tsa | re("[^,]+") }}
\t priority:  {{ priority }}
</group>
</group>
"""


def test_nested_records_with_positions_and_states():
    text = (
        "DCBX mode: OS controlled\n"
        "Cable len: 5\n"
        "tc: 3 ratelimit: 100.0 Gbps, tsa: ets, bw: 50%\n"
        "\t priority:  3\n"
        "\t priority:  4\n"
        "\n"
        "tc: 6 ratelimit: unlimited, tsa: strict\n"
        "\t priority:  6\n"
        "no such thing\n"
    )
    records, states = run(QOS, text, first=100)
    assert records == [
        Record(
            "qos",
            101,
            {"dcbx": [("OS controlled", 101)], "cable": [("5", 102)]},
            {
                "tc": [
                    Record(
                        "tc",
                        103,
                        {
                            "id": [("3", 103)],
                            "limit": [("100.0 Gbps", 103)],
                            "tsa": [("ets", 103)],
                            "bandwidth": [("50%", 103)],
                            "priority": [("3", 104), ("4", 105)],
                        },
                    ),
                    Record(
                        "tc",
                        107,
                        {
                            "id": [("6", 107)],
                            "limit": [("unlimited", 107)],
                            "tsa": [("strict", 107)],
                            "priority": [("6", 108)],
                        },
                    ),
                ]
            },
        )
    ]
    assert states == [C, C, C, C, C, IGN, C, C, U, IGN]


def test_of_two_equal_lines_both_are_kept_in_order():
    records, _ = run(INTERFACE, "interface E1\n  mtu 1500\n  mtu 9216\n")
    assert records[0].values["mtu"] == [("1500", 2), ("9216", 3)]


def test_a_line_under_an_unknown_heading_is_nobodys():
    records, states = run(INTERFACE, "interface E1\n  mtu 9216\nvlan 10\n  mtu 1500\n")
    assert records == [Record("interface", 1, {"name": [("E1", 1)], "mtu": [("9216", 2)]})]
    assert states == [C, C, U, U, IGN]


def test_a_group_below_an_unknown_heading_is_nobodys():
    text = "interface E1\n  queue 3\n    weight 5\n  shaper\n    weight 7\nroute-map Z\n  queue 4\n    weight 9\n"
    records, states = run(INTERFACE, text)
    assert records[0].children == {
        "queue": [Record("queue", 2, {"id": [("3", 2)], "weight": [("5", 3)]})]
    }
    assert states == [C, C, C, U, U, U, U, U, IGN]


def test_a_record_goes_on_after_its_inner_group():
    records, _ = run(INTERFACE, "interface E1\n  queue 3\n    weight 5\n  mtu 9216\n    weight 7\n")
    assert records[0].values["mtu"] == [("9216", 4)]
    assert records[0].children["queue"][0].values["weight"] == [("5", 3)]


def test_a_flat_group_goes_on_until_its_next_start():
    template = group("Chassis id: {{ chassis }}", "Port id: {{ port }}", name="neighbor*")
    text = "Chassis id: a\nTime left: 9\nPort id: 1\nChassis id: b\nPort id: 2\nPort id: 3\n"
    assert values(template, text) == [
        {"chassis": ["a"], "port": ["1"]},
        {"chassis": ["b"], "port": ["2", "3"]},
    ]


def test_a_flat_group_stays_inside_the_block_of_the_group_around_it():
    template = (
        '<group name="port*">\nport {{ name }}\n'
        '<group name="peer*">\n  peer {{ peer }}\n  age {{ age }}\n</group>\n</group>\n'
    )
    text = "port 1\n  peer a\n  other\n  age 1\nsummary\n  age 2\n"
    records, states = run(template, text)
    assert records[0].children["peer"][0].values == {"peer": [("a", 2)], "age": [("1", 4)]}
    assert states == [C, C, U, C, U, U, IGN]


def test_groups_at_the_top_do_not_end_each_other():
    template = group("port {{ name }}", "  speed {{ speed }}", name="port*")
    template += group("  link {{ state }}", name="link*")
    records, _ = run(template, "port 1\n  link up\n  speed 5\n")
    assert records == [
        Record("port", 1, {"name": [("1", 1)], "speed": [("5", 3)]}),
        Record("link", 2, {"state": [("up", 2)]}),
    ]


def test_an_end_line_ends_a_flat_group():
    template = group("Port {{ name }}", "Rate {{ rate }}", "-- {{ _end_ }}")
    records, states = run(template, "Port 1\nRate 2\n--\nRate 3\nPort 4\n")
    assert [record.values for record in records] == [
        {"name": [("1", 1)], "rate": [("2", 2)]},
        {"name": [("4", 5)]},
    ]
    assert states == [C, C, IGN, U, C, IGN]


def test_an_end_line_of_a_block_is_known():
    template = group("interface {{ name }}", "  mtu {{ mtu }}", "! {{ _end_ }}")
    assert run(template, "interface E1\n  mtu 1\n!\n  mtu 2\n")[1] == [C, C, IGN, U, IGN]


def test_a_start_line_that_is_filtered_out_takes_its_lines_with_it():
    template = group('port {{ name | exclude("mgmt") }}', "  mtu {{ mtu }}")
    records, states = run(template, "port 1\n  mtu 5\nport mgmt0\n  mtu 6\nport 2\n  mtu 7\n")
    assert [record.values["mtu"] for record in records] == [[("5", 2)], [("7", 6)]]
    assert states == [C, C, U, U, C, C, IGN]


@pytest.mark.parametrize(
    ("lines", "text", "found"),
    [
        (["RoCE v2 {{ x }}"], "RoCE v3 a", []),
        (["RoCE v2 {{ x }}"], "RoCE v2 a", [{"x": ["a"]}]),
        (["wred 3 {{ x | _exact_ }}"], "wred 5 a", []),
        (["speed {{ x | re('SPEED') }}"], "speed 400G", [{"x": ["400G"]}]),
        (["speed {{ x | PHRASE }}"], "speed 400 Gb/s", [{"x": ["400 Gb/s"]}]),
        (["a {{ x | re('[^,]+') }}"], "a b\nc", [{"x": ["b"]}]),
        (["a {{ x | re('[^,]+') }}, {{ y }}"], "a b\nc, d", []),
        (["a {{ x | re('[^,]+') }}"], "a 1\na 2", [{"x": ["1"]}, {"x": ["2"]}]),
        (["{{ x | re('.*') }}"], "a\n\nb", [{"x": ["a"]}, {"x": [""]}, {"x": ["b"]}]),
        (["on {{ x | set('yes') }}"], "on\noff", [{"x": ["yes"]}]),
        (["a {{ x | upper | replace('B', 'C') }}"], "a bb", [{"x": ["CC"]}]),
        (["a {{ x | resub('x+', '-') }}"], "a 1xx2", [{"x": ["1-2"]}]),
        (["a {{ x | isdigit }}"], "a b\na 1", [{"x": ["1"]}]),
        (["a {{ x | contains('b', 'c') }}"], "a d\na xb", [{"x": ["xb"]}]),
        (["a {{ x | startswith_re('[0-9]') }}"], "a b\na 1b", [{"x": ["1b"]}]),
        (["a {{ x | equal('b') }}"], "a b\na c", [{"x": ["b"]}]),
        (["a {{ ignore }} {{ x }}"], "a ? 1", [{"x": ["1"]}]),
        (["a {{ ignore('DIGIT') }} {{ x }}"], "a ? 1\na 9 2", [{"x": ["2"]}]),
        (["a {{ a }}", "b {{ a-b }}"], "a 1\nb 2", [{"a": ["1"], "a-b": ["2"]}]),
        (["a {{ x | joinmatches(',') }}", "b {{ x | joinmatches(',') }}"], "a 1\nb 2", [{"x": ["1", "2"]}]),
        (["a {{ x }}", "{{ _line_ }}"], "a 1\nb c\nd", [{"x": ["1"], "_line_": ["b c", "d"]}]),
        (["a {{ _start_ }}", "b {{ x }}"], "b 0\na\nb 1\na\nb 2", [{"x": ["1"]}, {"x": ["2"]}]),
        (["## a comment", "", "a {{ x }}"], "a 1", [{"x": ["1"]}]),
    ],
)  # fmt: skip
def test_the_ttp_language(lines, text, found):
    assert values(group(*lines), text) == found


def test_a_table_by_its_headers():
    template = group("Port      Name    Status  {{ _headers_ }}", name="port*")
    text = "Port      Name    Status\nEth1/1    to gpu  connected\nEth1/2            notconnect\n"
    assert values(template, text) == [
        {"Port": ["Eth1/1"], "Name": ["to gpu"], "Status": ["connected"]},
        {"Port": ["Eth1/2"], "Name": [""], "Status": ["notconnect"]},
    ]


def test_a_table_whose_every_line_starts_a_record():
    template = '<group name="x*" method="table">\na {{ x }}\nb {{ y }}\n</group>'
    assert values(template, "a 1\nb 2\n") == [{"x": ["1"]}, {"y": ["2"]}]


def test_a_start_is_preferred_to_a_value_and_a_value_to_any_line():
    template = (
        '<group name="x*">\na {{ a }}\nb {{ rest | re("REST") }}\n{{ _line_ }}\n'
        '<group name="y*">\nb {{ b }}\n</group>\n</group>\n'
    )
    records, _ = run(template, "a 1\nb 2\nb 3 4\nc\n")
    assert records[0].values == {"a": [("1", 1)], "rest": [("3 4", 3)], "_line_": [("c", 4)]}
    assert records[0].children["y"][0].values == {"b": [("2", 2)]}


@pytest.mark.parametrize(
    ("template", "line", "message"),
    [
        ("a {{ x }}", 1, "this line is in no group"),
        ("<macro>\ndef f(data):\n    return data\n</macro>", 1, "tag macro is refused"),
        ('<lookup name="l" load="csv">\na,b\n</lookup>', 1, "tag lookup is refused"),
        ('<input load="text">\na\n</input>', 1, "tag input is refused"),
        ('<output returner="file"/>', 1, "tag output is refused"),
        ('<vars load="python">\nx = 1\n</vars>', 1, "tag vars is refused"),
        ('<extend template="/etc/passwd"/>', 1, "tag extend is refused"),
        ("<template/>", 1, "tag template is refused"),
        ('<group name="x*">\na {{ x }}\n', 3, "the tags are not well-formed"),
        ('<!DOCTYPE x [<!ENTITY e "e">]>\n<group name="x*">\na {{ x }}\n</group>', 1, "not well-formed"),
        ("<group>\na {{ x }}\n</group>", 1, "'' cannot name a group"),
        ('<group name="a.b*">\na {{ x }}\n</group>', 1, "'a.b*' cannot name a group"),
        ('<group name="/a">\na {{ x }}\n</group>', 1, "'/a' cannot name a group"),
        ('<group name="{{ x }}">\na {{ x }}\n</group>', 1, "cannot name a group"),
        ('<group name="x*" void="">\na {{ x }}\n</group>', 1, "group x*: void is refused"),
        ('<group name="x*" default="0">\na {{ x }}\n</group>', 1, "group x*: default is refused"),
        (group("a {{ x }}", "", "plain"), 4, "no variable in the line: plain"),
        (group("a {{ x }}", "b {{"), 3, "no variable in the line: b {{"),
        (group('a {{ x | re("on|off") }}'), 2, '"|" cannot be in an argument'),
        (group('a {{ x | re("SPEEDS") }}'), 2, "there is no pattern named SPEEDS"),
        (group('a {{ ignore("SPEEDS") }}'), 2, "there is no pattern named SPEEDS"),
        (group("a {{ x | SPEED }}"), 2, "'SPEED' is not a known filter"),
        (group("a {{ x | to_int }}"), 2, "'to_int' is not a known filter"),
        (group('a {{ x | macro("f") }}'), 2, "is not a known filter"),
        (group("a {{ x | dns }}"), 2, "is not a known filter"),
        (group('a {{ x | let("y", "1") }}'), 2, "is not a known filter"),
        (group('a {{ x | default("0") }}'), 2, "is not a known filter"),
        (group('a {{ x | contains(__import__("os").getcwd()) }}'), 2, "must be quoted text"),
        (group('a {{ x | contains("a"), print("b") }}'), 2, "cannot be read"),
        (group('a {{ x | contains("a") + f("b") }}'), 2, "cannot be read"),
        (group("a {{ x }} &#123;{ y | dns }}"), None, "'dns' is not a known filter"),
        (group('a {{ x | contains&#40;id("a")) }}'), None, "must be quoted text"),
        (group('a {{ x | contains("a"), f("b")) }}'), 2, "cannot be read"),
        (group("a {{ x | contains(*'ab') }}"), 2, "must be quoted text"),
        (group("a {{ x | contains(**{}) }}"), 2, "must be quoted text"),
        (group('a {{ x | contains(f"{x}") }}'), 2, "must be quoted text"),
        (group("a {{ default }}"), 2, "'default' cannot name a variable"),
        (group("a {{ x y }}"), 2, "'x y' cannot name a variable"),
        (group("a {{ x }}", '{{ y | set("1") }}'), None, "no line would state the value of y"),
        (group('a {{ x }} {{ y | set("1") }}'), None, "the line captures ['x'], but names ['x', 'y']"),
        (group("a {{ x }} {{ _start_ }}"), None, "_start_ is a filter where the line has variables"),
        (group("a {{ x | re('(?P&lt;b>c)') }}"), None, "the line captures ['b', 'x']"),
        (group("a {{ x }} {{ x }}"), None, "redefinition of group name 'x'"),
        (group("a {{ x | re('[') }}"), None, "unterminated subpattern"),
        ('<group name="x*">\n<group name="y*">\na {{ x }}\n</group>\n</group>', None, "group x has no start line"),
    ],
)  # fmt: skip
def test_what_is_refused(template, line, message):
    with pytest.raises(ExtractError) as caught:
        run(template, "a 1\n")
    assert message in caught.value.message
    assert caught.value.location == (f"t.ttp:{line}" if line else "t.ttp")


def test_documentation_is_allowed():
    template = "<doc>\nWhat mlnx_qos prints.\n</doc>\n" + group("a {{ x }}")
    assert values(template, "a 1\n") == [{"x": ["1"]}]


def test_a_template_is_compiled_once():
    template = group("once {{ x }}")
    assert compile_template(template, "t.ttp") is compile_template(template, "t.ttp")


def test_ttp_reads_and_keeps_no_cache(monkeypatch, tmp_path, capfd):
    monkeypatch.setenv("TTPCACHEFOLDER", str(tmp_path))
    foreign = {"python_major_version": 3, "__version__": "0.9.5", "match": {"planted": None}}
    planted = tmp_path / "ttp_dict_cache.pickle"
    planted.write_bytes(pickle.dumps(foreign))
    ttp, glue = module._ttp.__wrapped__()
    assert ttp.lazy_import_functions()["match"] == {"planted": None}  # the trap works
    assert "planted" not in glue["match"]
    assert "equal" in glue["match"]
    assert os.environ["TTPCACHEFOLDER"] == str(tmp_path)
    assert capfd.readouterr() == ("", "")
    assert planted.read_bytes() == pickle.dumps(foreign)


def test_a_text_that_names_a_file_is_not_opened(tmp_path):
    file = tmp_path / "data.txt"
    file.write_text("a 1\n")
    assert run(group("a {{ x }}"), str(file)) == ([], [U])


def test_states_given_before_stay():
    states = bytearray([LineState.IGNORED, 0, LineState.IGNORED])
    extract(group("a {{ x }}"), "t.ttp", ["# command: x", "a 1", "b"], 0, states)
    assert list(states) == [IGN, C, IGN]


def test_an_output_without_lines():
    assert extract(group("{{ x | re('.*') }}"), "t.ttp", [], 0, bytearray()) == []


def test_real_output(corpus: Path):
    text = (corpus / "host" / "lab-mlnx_qos-good-dscp3.txt").read_text()
    records, states = run(QOS, text)
    tcs = records[0].children["tc"]
    assert [(tc.position, tc.values["tsa"][0][0], tc.values["priority"]) for tc in tcs] == [
        (18, "ets", [("0", 19)]),
        (20, "ets", [("1", 21)]),
        (22, "ets", [("2", 23)]),
        (24, "ets", [("3", 25)]),
        (26, "ets", [("4", 27)]),
        (28, "ets", [("5", 29)]),
        (30, "strict", [("6", 31)]),
        (32, "strict", [("7", 33)]),
    ]
    assert [number for number, state in enumerate(states, 1) if state == U] == [
        2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17,
    ]  # fmt: skip


OUTPUT = ["interface E1", "  mtu 9216", "  queue 3", "    weight 5", "vlan 10", "  mtu 1500"]


@given(st.data())
def test_line_ends_and_blank_lines_change_no_record(data):
    lines = []
    places = []
    for line in OUTPUT:
        lines += data.draw(st.lists(st.sampled_from(["", "   ", "\t"]), max_size=2))
        lines.append(line + data.draw(st.sampled_from(["", " ", "\t"])))
        places.append(len(lines))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    records, states = run(INTERFACE, end.join(lines))
    assert records == [
        Record(
            "interface",
            places[0],
            {"name": [("E1", places[0])], "mtu": [("9216", places[1])]},
            {
                "queue": [
                    Record(
                        "queue", places[2], {"id": [("3", places[2])], "weight": [("5", places[3])]}
                    )
                ]
            },
        )
    ]
    assert [number for number, state in enumerate(states, 1) if state == U] == places[4:]


@given(st.text(alphabet="am1 \t\r\n\x00\x0c\xa0\u2028,", max_size=40))
def test_no_text_makes_it_fail(text):
    _, states = run(group("a {{ x | re('[^,]+') }}", " m {{ y | re('.*') }}"), text)
    assert set(states) <= {C, IGN, U}
