from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.errors import ExtractError
from roce_lint.text import sections
from roce_lint.text.sections import Layout, Line, Sections, split
from roce_lint.text.source import LineState, SourceFile

COMMENTS = Layout(comment="!")
BANNER = Layout(
    comment="!",
    skips=(
        (r"banner motd (?P<end>\S)", None),
        (r"banner login$", r"EOF$"),
        (r"action bash$", r"EOF$"),
    ),
)


def take_apart(text: str, layout: Layout = COMMENTS) -> Sections:
    return split(SourceFile.of("x", text).lines(), layout)


def whole(sections: Sections) -> list[tuple[str, int, list[Line]]]:
    return [(stanza.header, stanza.number, stanza.body) for stanza in sections.stanzas]


def shape(sections: Sections) -> list[tuple[str, list[tuple[int, str]]]]:
    """Headers and bodies without line numbers."""
    return [
        (stanza.header, [(depth, text) for depth, text, _ in stanza.body])
        for stanza in sections.stanzas
    ]


def test_comments_behind_a_line_are_cut_off_where_the_layout_knows_them():
    layout = Layout(comment="!", trailing=r"(?!description\b)(?P<kept>\S.*?)\s+!\s.*")
    text = "class R   ! data\n  match dscp 26 ! hosts\n  description a ! b\n  banner !x!\n  ! own\n"
    assert shape(take_apart(text, layout)) == [
        ("class R", [(1, "match dscp 26"), (1, "description a ! b"), (1, "banner !x!")])
    ]
    assert shape(take_apart(text))[0][0] == "class R   ! data"


def test_stanzas_with_depths_and_line_numbers():
    found = take_apart(
        "hostname leaf1\ninterface Ethernet1\n   mtu 9214\n   tx-queue 3\n      no priority\n"
    )
    assert whole(found) == [
        ("hostname leaf1", 1, []),
        (
            "interface Ethernet1",
            2,
            [(1, "mtu 9214", 3), (1, "tx-queue 3", 4), (2, "no priority", 5)],
        ),
    ]
    assert found.ignored == [6]


@pytest.mark.parametrize("indent", [" ", "  ", "   ", "    ", "\t", " \t", "\xa0\xa0", "  \xa0"])
def test_any_indent_reads_alike(indent):
    text = f"a\n{indent}b\n{indent * 2}c\n{indent * 3}d\n{indent}e\n{indent * 2}f\ng\n"
    assert shape(take_apart(text)) == [
        ("a", [(1, "b"), (2, "c"), (3, "d"), (1, "e"), (2, "f")]),
        ("g", []),
    ]


def test_a_tab_and_eight_blanks_are_the_same_depth():
    text = "a\n\tb\n        c\n  \td\n"
    assert shape(take_apart(text)) == [("a", [(1, "b"), (1, "c"), (1, "d")])]


def test_a_child_less_indented_than_its_elder_sibling_is_a_sibling():
    text = "a\n      b\n    c\n        d\n     e\n  f\n"
    assert shape(take_apart(text)) == [("a", [(1, "b"), (1, "c"), (2, "d"), (2, "e"), (1, "f")])]


def test_comments_and_blank_lines_never_close_a_stanza():
    text = "a\n   b\n!\n   !! note\n\n   c\n      !\n      d\n!\ne\n"
    found = take_apart(text)
    assert shape(found) == [("a", [(1, "b"), (1, "c"), (2, "d")]), ("e", [])]
    assert found.ignored == [3, 4, 5, 7, 9, 11]


def test_without_a_comment_mark_nothing_is_a_comment():
    assert shape(take_apart("a\n  ! b\n", Layout())) == [("a", [(1, "! b")])]


def test_a_text_indented_as_a_whole_is_read_as_if_it_were_not():
    text = "    interface Ethernet1\n      mtu 9214\n    interface Ethernet2\n      mtu 1500\n"
    assert shape(take_apart(text)) == [
        ("interface Ethernet1", [(1, "mtu 9214")]),
        ("interface Ethernet2", [(1, "mtu 1500")]),
    ]


def test_an_indented_line_before_the_first_stanza_is_in_none():
    assert shape(take_apart("   mtu 9214\na\n   b\n")) == [("mtu 9214", []), ("a", [(1, "b")])]


def test_a_banner_is_ignored_whatever_its_lines_look_like():
    text = "a\n  b\nbanner motd #\ninterface Ethernet1\n   mtu 1500\n!\n\nend #\nc\n"
    found = take_apart(text, BANNER)
    assert shape(found) == [("a", [(1, "b")]), ("c", [])]
    assert found.ignored == [3, 4, 5, 6, 7, 8, 10]
    assert found.unterminated == []


def test_a_banner_may_close_on_its_own_line():
    found = take_apart("banner motd #no entry#\na\n", BANNER)
    assert shape(found) == [("a", [])]
    assert found.ignored == [1, 3]


def test_a_banner_closed_by_a_line_of_its_own():
    found = take_apart("banner login\nno EOF here\nhostname x\nEOF\na\n", BANNER)
    assert shape(found) == [("a", [])]
    assert found.ignored == [1, 2, 3, 4, 6]


def test_a_region_inside_a_stanza_does_not_close_it():
    text = "event-handler E\n   action bash\n if true; then\nfi\nEOF\n   delay 1\n"
    assert shape(take_apart(text, BANNER)) == [("event-handler E", [(1, "delay 1")])]


def test_lines_below_a_banner_are_not_credited_to_the_stanza_before_it():
    found = take_apart("interface Ethernet1\nbanner motd #\n#\n   mtu 1500\nb\n", BANNER)
    assert shape(found) == [("interface Ethernet1", []), ("mtu 1500", []), ("b", [])]


def test_a_region_that_never_ends_is_reported():
    found = take_apart("a\nbanner motd ^\nb\n  c", BANNER)
    assert shape(found) == [("a", [])]
    assert found.ignored == [2, 3, 4]
    assert found.unterminated == [2]


def test_a_region_without_an_end_is_a_mistake_of_the_layout():
    with pytest.raises(ExtractError, match="there is no end for the region 'banner'"):
        take_apart("a\n", Layout(skips=(("banner", None),)))


def test_a_separator_ends_a_stanza_however_the_next_line_is_indented():
    text = "#\n sysname leaf1\n#\n lldp global enable\n stp mode rstp\n#\ninterface 1\n mtu 9\n #\n af x\n#\n qos y\n"
    layout = Layout(comment="#", separator="#")
    assert shape(take_apart(text, layout)) == [
        ("sysname leaf1", []),
        ("lldp global enable", []),
        ("stp mode rstp", []),
        ("interface 1", [(1, "mtu 9"), (1, "af x")]),
        ("qos y", []),
    ]
    assert shape(take_apart(text, Layout(comment="#")))[-1][1][-1] == (1, "qos y")


def test_column_zero_lines_are_reattached():
    layout = Layout(reattach="match qos-group ")
    text = "match qos-group 9\nclass-map type network-qos c-nq1\nmatch qos-group 1\n  description x\nmatch qos-group 2\nvlan 2\n"
    assert shape(take_apart(text, layout)) == [
        ("match qos-group 9", []),
        (
            "class-map type network-qos c-nq1",
            [(1, "match qos-group 1"), (1, "description x"), (1, "match qos-group 2")],
        ),
        ("vlan 2", []),
    ]


def test_wrapped_lines_are_joined_and_share_their_state():
    layout = Layout(comment="!", continuation="random-detect ")
    text = (
        "class c\n"
        "  random-detect minimum-threshold 150 kbytes\n"
        "      maximum-threshold 3000 kbytes\n"
        "    ! in packets\n"
        "    drop-probability 7 ecn\n"
        "  bandwidth percent 10\n"
        "    below\n"
        "random-detect on\n"
        " always\n"
    )
    found = take_apart(text, layout)
    joined = (
        "random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes "
        "drop-probability 7 ecn"
    )
    assert whole(found) == [
        ("class c", 1, [(1, joined, 2), (1, "bandwidth percent 10", 6), (2, "below", 7)]),
        ("random-detect on always", 8, []),
    ]
    assert found.joined == {3: 2, 5: 2, 9: 8}
    states = bytearray(10)
    states[1] = LineState.UNDERSTOOD
    states[7] = LineState.SHADOWED
    found.settle(states)
    assert list(states) == [0, 1, 1, 0, 1, 0, 0, 3, 3, 0]


def test_a_line_is_not_continued_for_ever():
    text = "class c\n  random-detect\n" + "    " + "x" * 400 + "\n"
    text += ("    " + "y" * 400 + "\n") * 4
    found = take_apart(text, Layout(continuation="random-detect"))
    assert [(depth, len(line), number) for depth, line, number in found.stanzas[0].body] == [
        (1, 13 + 3 * 401, 2),
        (2, 400, 6),
        (2, 400, 7),
    ]
    assert found.joined == {3: 2, 4: 2, 5: 2}


def test_odd_characters_keep_line_numbers_and_depths():
    text = "a\r\n\x0c\r\n\x0cb\r\n \x00\r\n \u2028 c\r\nd\x1ee\r\n"
    found = take_apart(text)
    assert whole(found) == [
        ("a", 1, []),
        ("b", 3, [(1, "\x00", 4), (2, "c", 5)]),
        ("d\x1ee", 6, []),
    ]
    assert found.ignored == [2, 7]


def test_deep_nesting_is_no_recursion():
    text = "\n".join(" " * depth + "x" for depth in range(3000))
    assert take_apart(text).stanzas[0].body[-1] == (2999, "x", 3000)


@given(st.text(alphabet="ab!# \t\r\n\x00\x0c\xa0\u2028", max_size=60))
def test_no_text_makes_it_fail_and_no_line_is_lost(text):
    found = take_apart(text, BANNER)
    seen = [*found.ignored]
    for stanza in found.stanzas:
        seen += [stanza.number, *(number for _, _, number in stanza.body)]
        depths = [0, *(depth for depth, _, _ in stanza.body)]
        assert all(1 <= b <= a + 1 for a, b in pairwise(depths))
    assert sorted(seen) == list(range(1, text.count("\n") + 2))


TREES = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from(["a", "b x", "c"])), min_size=1, max_size=20
)


@given(tree=TREES, data=st.data())
def test_indent_line_ends_blanks_and_comments_do_not_matter(tree, data):
    depths, depth = [], -1
    for wanted, _ in tree:
        depth = min(wanted, depth + 1)
        depths.append(depth)
    plain = "\n".join(" " * d + text for d, (_, text) in zip(depths, tree, strict=True))

    unit = data.draw(st.sampled_from([" ", "   ", "    ", "\t"]))
    lines = []
    for d, (_, text) in zip(depths, tree, strict=True):
        lines += data.draw(st.lists(st.sampled_from(["", "!", "   ! x", " \t"]), max_size=2))
        lines.append(unit * d + text + data.draw(st.sampled_from(["", "  ", "\t"])))
    varied = data.draw(st.sampled_from(["\n", "\r\n"])).join(lines)

    assert shape(take_apart(varied)) == shape(take_apart(plain))


def test_a_line_that_opens_no_block_has_siblings_below_it():
    layout = Layout(comment="!", childless=r"(?:no )?shutdown$|mtu ")
    text = (
        "interface 1\n  no shutdown\n    \n    mtu 9000\n      speed 100\n      vrrp 1\n"
        "        priority 5\n  description a\ninterface 2\n  vrrp 2\n    mtu 9\n"
    )
    assert shape(take_apart(text, layout)) == [
        (
            "interface 1",
            [
                (1, "no shutdown"),
                (1, "mtu 9000"),
                (1, "speed 100"),
                (1, "vrrp 1"),
                (2, "priority 5"),
                (1, "description a"),
            ],
        ),
        ("interface 2", [(1, "vrrp 2"), (2, "mtu 9")]),
    ]


EVERYTHING = Layout(
    comment="!",
    trailing=r"(?P<kept>\S.*?)\s+!.*",
    skips=((r"banner (?P<end>\S)", None), ("bash$", "EOF$")),
    reattach="match ",
    continuation="detect ",
    separator="#|!$",
    childless="mtu ",
)
LINES = [
    "x",
    "mtu 9",
    "detect 3",
    "match 3",
    "!",
    "! x",
    "#",
    "",
    "y ! z",
    "banner x",
    "bash",
    "EOF",
]


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "", " ", "  ", "  ", "    ", "\t", " " * 130]),
                  st.sampled_from(LINES)),
        max_size=25,
    )
)  # fmt: skip
def test_stanzas_taken_at_once_are_those_taken_line_by_line(made):
    lines = [indent + text for indent, text in made]
    found = split(lines, EVERYTHING)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sections, "_WHOLE", re.compile(rb"(?!)"))
        slow = split(lines, EVERYTHING)
    assert whole(found) == whole(slow)
    assert sorted(found.ignored) == sorted(slow.ignored)
    assert (found.joined, found.unterminated) == (slow.joined, slow.unterminated)
    for stanza in found.stanzas:
        if stanza.flat:
            assert {1} >= set(stanza.depths)
            assert [*stanza.numbers] == [stanza.number + n + 1 for n in range(len(stanza.texts))]


def test_what_a_layout_remembers_of_shapes_is_bounded(monkeypatch):
    monkeypatch.setattr(sections, "SHAPES", 3)
    monkeypatch.setattr(sections, "SHAPE_LINES", 5)
    layout = Layout()
    text = "".join(f"x{number}\n" + " a\n" * number for number in range(9))
    assert [len(stanza.body) for stanza in take_apart(text, layout).stanzas] == [*range(9)]
    assert sorted(map(len, layout.shapes)) == [0, 1, 2]
