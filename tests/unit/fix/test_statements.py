"""Statements with their headers, by indentation alone."""

from __future__ import annotations

import pytest

from roce_lint.text.outline import outline

INDENTED = """\
! a comment
interface Ethernet1/1
  mtu 9216
  tx-queue 3
     bandwidth percent 50
  no shutdown
!
router bgp 65001
"""

BRACES = """\
interfaces {
    et-0/0/0 {
        mtu 9192;
    }
    et-0/0/1 {
        mtu 1514;
    }
}
"""

JSON = """\
{
    "PORT": {
        "Ethernet0": {
            "mtu": "9100",
            "fec": "rs"
        },
        "Ethernet8": {}
    }
}
"""


def test_indented_lines_stand_below_their_headers() -> None:
    found = {each.text: (each.line, each.above, each.last) for each in outline(INDENTED)}
    port = "interface Ethernet1/1"
    assert found == {
        port: (2, (), 6),
        "mtu 9216": (3, (port,), 3),
        "tx-queue 3": (4, (port,), 5),
        "bandwidth percent 50": (5, (port, "tx-queue 3"), 5),
        "no shutdown": (6, (port,), 6),
        "router bgp 65001": (8, (), 8),
    }


def test_braces_close_what_they_open() -> None:
    found = [(each.line, each.last, len(each.above)) for each in outline(BRACES)]
    assert found == [(1, 8, 0), (2, 4, 1), (3, 3, 2), (5, 7, 1), (6, 6, 2)]


def test_of_json_the_commas_are_left_out() -> None:
    found = {each.text: (each.line, each.last, each.above) for each in outline(JSON)}
    assert found['"mtu": "9100"'] == (4, 4, ("{", '"PORT": {', '"Ethernet0": {'))
    assert found['"Ethernet0": {'][:2] == (3, 6)
    assert found['"fec": "rs"'][:2] == (5, 5)


@pytest.mark.parametrize("text", ["", "\n\n", "!\n!\n", "}\n"])
def test_nothing_is_no_statement(text: str) -> None:
    assert outline(text) == []
