"""A template prints only what it would read."""

from __future__ import annotations

import pytest

from roce_lint.errors import RenderError
from roce_lint.text import sections
from roce_lint.text.match import Record, Template
from roce_lint.text.printing import print_stanzas

TEMPLATE = Template.parse(
    """\
<group name="port*">
interface {{ name }}
   description {{ description | re("REST") }}
   mtu {{ mtu | re("INT") }}
   frame-size {{ mtu }}
   {{ shutdown | re("shutdown") }}
<group name="queue*">
   tx-queue {{ number | re("INT") }}
      bandwidth {{ kind }} {{ share | re("INT") }}
</group>
</group>
<group name="port*">
range {{ name }} to {{ last }}
   mtu {{ mtu }}
</group>
""",
    "made.ttp",
    {},
)


def record(group: str, position: int, *values: tuple[str, str, int], **children: Record) -> Record:
    made = Record(group, position, {}, {name: [child] for name, child in children.items()})
    for name, value, at in values:
        made.values.setdefault(name, []).append((value, at))
    return made


def port(*values: tuple[str, str, int], **children: Record) -> Record:
    return record("port", 1, ("name", "Ethernet1", 1), *values, **children)


def lines(made: Record) -> list[str]:
    return print_stanzas(TEMPLATE, [made])


def test_lines_stand_in_the_order_of_their_positions() -> None:
    below = record("queue", 3, ("number", "3", 3), ("kind", "percent", 4), ("share", "50", 4))
    text = [
        "interface Ethernet1",
        "   mtu 9214",
        "   tx-queue 3",
        "      bandwidth percent 50",
        "   shutdown",
    ]
    made = port(("shutdown", "shutdown", 5), ("mtu", "9214", 2), queue=below)
    assert lines(made) == text
    split = sections.split(list(text), sections.Layout())
    assert TEMPLATE.run(split.stanzas, 0, bytearray(8))[0].children == made.children


def test_the_first_line_that_can_hold_the_value_is_the_canonical_one() -> None:
    assert lines(port(("mtu", "9214", 2)))[1] == "   mtu 9214"
    assert lines(port(("mtu", "jumbo", 2)))[1] == "   frame-size jumbo"


def test_a_value_that_is_set_twice_is_printed_twice() -> None:
    assert lines(port(("mtu", "1", 2), ("mtu", "2", 3)))[1:] == ["   mtu 1", "   mtu 2"]


def test_the_start_line_decides_which_group_it_is() -> None:
    made = record("port", 1, ("name", "1", 1), ("last", "4", 1), ("mtu", "x", 2))
    assert lines(made) == ["range 1 to 4", "   mtu x"]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (port(("mtu", "9\n   shutdown", 2)), "mtu is not a line of printable text"),
        (port(("description", "a\x1b[2J", 2)), "description is not a line of printable text"),
        (port(("description", " padded ", 2)), "no line of the template can express description"),
        (port(("description", "", 2)), "no line of the template can express description ''"),
        (port(("mtu", "9 214", 2)), "no line of the template can express mtu '9 214'"),
        (port(("colour", "red", 2)), "no line of the template can express colour 'red'"),
        (port(("shutdown", "maybe", 2)), "no line of the template can express shutdown"),
        (port(("mtu", "1", 2), ("shutdown", "shutdown", 2)), "no line of the template can express"),
        (record("port", 1), "no line of the template can express this"),
        (record("vlan", 1, ("name", "1", 1)), "vlan: no line of the template can express name '1'"),
    ],
)
def test_what_would_not_be_read_again_is_refused(made: Record, said: str) -> None:
    with pytest.raises(RenderError) as raised:
        lines(made)
    assert said in str(raised.value)
