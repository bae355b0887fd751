"""Code points that the kernel of a host writes, by iptables, nftables and tc."""

from __future__ import annotations

import pytest

from roce_lint.model.nic import Certainty, Emission, Flow
from roce_lint.model.qos import MatchKind
from tests.nos.linux.reading import read
from tests.nos.reader import line

TWO = """
link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1
link mlx5_1/1 state ACTIVE physical_state LINK_UP netdev ens2
"""
LINK = ("rdma link", TWO)
OUT = "table inet m {\n\tchain out {\n\t\ttype route hook output priority mangle; policy accept;\n"


def sent(*files: tuple[str, str]) -> list[Emission]:
    """Emissions of a host with two RDMA devices, except their default CNPs."""
    return [each for each in read(LINK, *files).emits if each.flow is not Flow.CNP]


def script(command: str) -> tuple[str, str]:
    return "mark.sh", f"#!/bin/sh\n{command}\n"


def saved(rule: str) -> tuple[str, str]:
    return "iptables-save", f"*mangle\n{rule}\nCOMMIT\n"


def listed(rule: str) -> tuple[str, str]:
    return "nft list ruleset", f"{OUT}\t\t{rule}\n\t}}\n}}\n"


@pytest.mark.parametrize(
    ("file", "dscp", "by", "nics"),
    [
        (saved("-A OUTPUT -p tcp -j DSCP --set-dscp 0x1a"), 26, "iptables: TCP", ()),
        (
            saved("-A POSTROUTING -o ens2 -p tcp -m tcp --dport 2049 -j DSCP --set-dscp 0x1a"),
            26,
            "iptables: TCP to port 2049",
            ("mlx5_1",),
        ),
        (saved("-A OUTPUT -o ens1.100 -p tcp -j TOS --set-tos 0x68/0xff"), 26, None, ("mlx5_0",)),
        (
            script("iptables -t mangle -A FORWARD -j DSCP --set-dscp-class AF31"),
            26,
            "iptables: all that the kernel sends",
            (),
        ),
        (script("sudo ip6tables -t mangle -I OUTPUT -p udp -j DSCP --set-dscp 3"), 3, None, ()),
        (listed("tcp dport 2049 ip dscp set af31"), 26, "nft: TCP to port 2049", ()),
        (listed('oifname "ens1" meta l4proto tcp ip6 dscp set 0x1a'), 26, None, ("mlx5_0",)),
        (script("nft add rule inet mangle output tcp dport 445 ip dscp set cs3"), 24, None, ()),
        (
            script("tc filter add dev ens1 egress flower ip_proto tcp action pedit ex munge ip tos set 0x68"),
            26,
            "tc: TCP",
            ("mlx5_0",),
        ),
    ],
)  # fmt: skip
def test_a_rule_that_marks_other_traffic(
    file: tuple[str, str], dscp: int, by: str | None, nics: tuple[str, ...]
) -> None:
    (emission,) = sent(file)
    assert (emission.dscp, emission.flow, emission.nics) == (dscp, Flow.OTHER, nics)
    assert emission.certainty is Certainty.STATED
    assert by is None or emission.by == by


@pytest.mark.parametrize(
    "file",
    [
        saved("-A OUTPUT -p udp -m udp --dport 4791 -j DSCP --set-dscp 0x1a"),  # RoCE is meant
        saved("-A PREROUTING -p tcp -j DSCP --set-dscp 0x1a"),  # on its way in
        saved("-A MARKING -p tcp -j DSCP --set-dscp 0x1a"),  # nobody says what leads to it
        saved("-A OUTPUT -o eth9 -p tcp -j DSCP --set-dscp 0x1a"),  # leaves by another port
        saved("-A OUTPUT -p tcp -j ACCEPT"),
        saved("-A OUTPUT -p tcp -j DSCP --set-dscp 0x7f"),
        listed("udp dport 4791 ip dscp set af31"),
        ("nft list ruleset", OUT.replace("output", "input") + "\t\tip dscp set af31\n\t}\n}\n"),
        script("tc filter add dev ens1 ingress action pedit ex munge ip dsfield set 0x68"),
        script('iptables -t mangle -A OUTPUT -p tcp -j DSCP --set-dscp "$DSCP"'),
    ],
)
def test_a_rule_that_marks_nothing_of_it(file: tuple[str, str]) -> None:
    assert sent(file) == []


def hooked(hook: str, rule: str) -> tuple[str, str]:
    return "nft list ruleset", OUT.replace("output", hook) + f"\t\t{rule}\n\t}}\n}}\n"


@pytest.mark.parametrize(
    ("file", "field", "place"),
    [
        (saved("-A INPUT -p udp -m udp --dport 4791 -j DROP"), "policing", 2),
        (saved("-A INPUT -i ens1 -p udp -m multiport --dports 53,4790:4800 -j REJECT"), "policing", 2),
        (saved("-A OUTPUT -o ens1 -p udp -m udp --dport 4791 -j DROP"), "policing_out", 2),
        (hooked("input", "udp dport { 53, 4791 } counter drop"), "policing", 5),
        (hooked("postrouting", 'oifname "ens1" udp dport 4000-5000 drop'), "policing_out", 5),
        (script("nft add rule inet filter input udp dport 4791 drop"), "policing", 2),
        (script("iptables -I INPUT -p udp --dport 4791 -j DROP"), "policing", 2),
        (script("iptables -A INPUT -p udp --dport 4000:5000 -j DROP"), "policing", 2),
        (saved("-A INPUT -p udp --dport 4791 -j DROP\n-A INPUT -p udp --dport 4791 -j ACCEPT"), "policing", 2),
        (saved("-A INPUT -m dscp --dscp 0x1a -j DROP"), "policing", 2),
        (hooked("input", "ip dscp af31 drop"), "policing", 5),
        (hooked("ingress", "udp dport 4791 drop"), "policing", 5),
        (script("ebtables -A INPUT -p IPv4 --ip-proto udp --ip-dport 4791 -j DROP"), "policing", 2),
        (script("tc filter add dev ens1 ingress protocol ip flower ip_proto udp dst_port 4791 action drop"), "policing", 2),
        (script("tc filter add dev ens1 egress protocol ip flower ip_proto udp dst_port 4791 action drop"), "policing_out", 2),
        (script("ethtool -N ens1 flow-type udp4 dst-port 4791 action -1"), "policing", 2),
    ],
)  # fmt: skip
def test_a_rule_that_drops_roce(file: tuple[str, str], field: str, place: int) -> None:
    device = read(LINK, file)
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    (entry,) = device.qos.policing[getattr(qos, field)].matches
    assert (entry.police_bps, line(entry, "police_bps")) == (0, place)
    assert not qos.where(field).confirmed  # an adapter's own packets do not pass the kernel


@pytest.mark.parametrize(
    "file",
    [
        saved("-A INPUT -p tcp -m tcp --dport 4791 -j DROP"),
        saved("-A INPUT -p udp -m udp --dport 4792 -j DROP"),
        saved("-A FORWARD -p udp -m udp --dport 4791 -j DROP"),
        saved("-A INPUT -i eth9 -p udp -m udp --dport 4791 -j DROP"),
        saved("-A INPUT -p udp -m udp --dport 4791 -j ACCEPT\n-A INPUT -p udp --dport 1024:65535 -j DROP"),
        saved(":INPUT DROP [0:0]"),
        hooked("input", "drop"),
        hooked("input", "meta l4proto udp drop"),
        hooked("input", "udp dport 4791 accept\n\t\tudp dport 1024-65535 drop"),
        script("ufw allow 4791/udp"),
        script("tc filter add dev ens1 ingress protocol ip flower ip_proto tcp dst_port 4791 action drop"),
        script("tc qdisc del dev ens1 root netem loss 1%\ncma_roce_tos -d mlx5_0 -t 106"),
        script("ethtool -N ens1 flow-type udp4 dst-port 4791 action 3"),
        script("ethtool -N eth9 flow-type udp4 dst-port 4791 action -1"),
    ],
)  # fmt: skip
def test_a_rule_that_drops_none_of_it(file: tuple[str, str]) -> None:
    device = read(LINK, file)
    assert (device.qos.policing, device.interfaces["ens1"].qos) == ({}, None)


GIDS = "DEV PORT INDEX GID IPv4 VER DEV\n--- --- --- --- --- --- ---\nmlx5_0 1 {} ens1\n"


@pytest.mark.parametrize(
    ("gid", "count"),
    [
        ("3 0000:0000:0000:0000:0000:ffff:0a00:0001 10.0.0.1 v2", 0),
        ("1 fe80:0000:0000:0000:966d:aeff:fe00:0001 v2", 0),
        ("3 2001:0db8:0000:0000:0000:0000:0000:0005 v2", 1),
    ],
)
def test_a_table_for_ipv6_meets_addresses_of_ipv6_alone(gid: str, count: int) -> None:
    drop = script("ip6tables -A INPUT -p udp --dport 4791 -j DROP")
    assert len(read(LINK, ("show_gids", GIDS.format(gid)), drop).qos.policing) == count


SET = "table inet f {\n\tset blocked {\n\t\ttype inet_service\n\t\telements = { 53, 4791 }\n\t}\n\tchain c {\n\t\t%s\n\t}\n}\n"


@pytest.mark.parametrize(
    "file",
    [
        saved("-A INPUT -s 10.9.0.0/16 -p udp -m udp --dport 4791 -j DROP"),
        saved("-A DEEP -p udp -m udp --dport 4791 -j DROP"),
        hooked("input", "ip saddr 10.9.0.0/16 udp dport 4791 drop"),
        ("nft list ruleset", SET % "udp dport @blocked drop"),
        script("ufw deny 4791/udp"),
        script("""firewall-cmd --add-rich-rule='rule family="ipv4" port port="4791" protocol="udp" drop'"""),
        script("tc filter add dev ens1 ingress protocol ip flower ip_proto udp action police rate 1gbit\ncma_roce_tos -d mlx5_0 -t 106"),
        script("tc qdisc add dev ens1 root netem loss 1%\ncma_roce_tos -d mlx5_0 -t 106"),
        script("ethtool -N ens1 flow-type udp4 src-ip 10.0.0.1 dst-port 4791 action -1"),
        script("ethtool -U ens1 flow-type ip4 action -1\ncma_roce_tos -d mlx5_0 -t 106"),
    ],
)  # fmt: skip
def test_a_rule_that_may_drop_roce(file: tuple[str, str]) -> None:
    """By more than its port, in a chain that others jump to, or for a share of the packets."""
    (made,) = read(LINK, file).qos.policing.values()
    (entry,) = made.matches
    assert (entry.kind, entry.police_bps) == (MatchKind.ACL, 0)


def test_a_rule_that_may_not_be_run_is_possible_only() -> None:
    text = 'if [ -n "$1" ]; then\n  iptables -t mangle -A OUTPUT -j DSCP --set-dscp 26\nfi'
    (emission,) = sent(script(text))
    assert emission.certainty is Certainty.POSSIBLE
    assert line(emission, "dscp") == 3


def test_a_host_without_rdma_marks_nothing_that_matters() -> None:
    assert read(saved("-A OUTPUT -p tcp -j DSCP --set-dscp 0x1a")).emits == []


@pytest.mark.parametrize(
    ("file", "storage"),
    [
        (("nccl.conf", "NCCL_IB_TC=106\n"), False),
        (("storage.env", "NVME_TRANSPORT_TOS=104\n"), True),
        (script("nvme connect -t rdma -a 10.0.0.1 --tos=104"), True),
        (("cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class", "Global tclass=106\n"), None),
    ],
)
def test_whose_rdma_it_is(file: tuple[str, str], storage: bool | None) -> None:
    assert {each.storage for each in sent(file)} == {storage}
