"""A fault that one line of a channel gives to all of its members is reported for the channel."""

from __future__ import annotations

from roce_lint.engine.finding import Finding
from tests.small_fabrics.made import made
from tests.unit.checks.judging import values

CHANNEL = """interface port-channel10
 no shutdown
 no switchport
 ip address 10.1.0.0/31
 mtu 9216
{channel}!
"""
MEMBER = """interface ethernet1/1/{number}
 no shutdown
 channel-group 10 mode active
 no switchport
 mtu 9216
 speed 400000
{member}!
"""
QOS = """ priority-flow-control mode on
 service-policy output type queuing ETS-RDMA
 qos-map traffic-class RDMA-QUEUES
 trust-map dscp RDMA-TRUST
 ets mode on
"""
MEMBERS = ("ethernet1/1/2", "ethernet1/1/3")


def fault(*, channel: str = "", members: tuple[str, str] = ("", "")) -> Finding:
    """Finding on an uplink of two ports without a lossless policy."""
    own = made("os10")
    text = own.texts[own.files["leaf1"]].partition("interface ethernet1/1/2")[0]
    text += CHANNEL.format(channel=channel)
    for number, member in enumerate(members, 2):
        text += MEMBER.format(number=number, member=member)
    own.remake("leaf1", lambda _: text)
    (finding,) = (f for f in own.report().findings if f.rule == "PFC003")
    assert finding.subjects == MEMBERS
    return finding


def test_a_line_of_the_channel_names_the_channel() -> None:
    found = fault(channel=QOS)
    assert values(found.message) == "leaf1 port-channel10"


def test_lines_of_members_name_members() -> None:
    found = fault(members=(QOS, QOS))
    assert values(found.message) == "leaf1 ethernet1/1/2"
