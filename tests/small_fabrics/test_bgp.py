"""BGP of a small fabric: a session with contradicting ends, and hosts that are not announced.

Each leaf has AS 65001 and up, the spine 65100; host ports and links have separate addresses.
"""

from __future__ import annotations

import pytest

from roce_lint.engine.finding import Answer
from roce_lint.pipeline import Report
from tests.bench import Files, check, edit
from tests.fabrics.stable import build, switches
from tests.sampling import sampled

SYSTEMS = ("eos", "nxos", "junos", "cumulus")

NEIGHBORS = {
    "eos": "   neighbor {peer} remote-as {remote}\n",
    "nxos": "  neighbor {peer}\n    remote-as {remote}\n    address-family ipv4 unicast\n",
    "junos": "            neighbor {peer} {{\n                peer-as {remote};\n            }}\n",
    "cumulus": "nv set vrf default router bgp neighbor {peer} remote-as {remote}\n",
}
STANZAS = {
    "eos": "ip routing\nrouter bgp {asn}\n{more}{neighbors}!\n",
    "nxos": "router bgp {asn}\n  address-family ipv4 unicast\n    maximum-paths 8\n{more}{neighbors}\n",
    "junos": "routing-options {{\n    autonomous-system {asn};\n}}\n{more}protocols {{\n    bgp {{\n        group UP {{\n            type external;\n"
    "            export HOSTS;\n{neighbors}        }}\n    }}\n}}\n",
    "cumulus": "nv set router bgp autonomous-system {asn}\n{more}{neighbors}",
}
ANNOUNCED = {
    "eos": "   redistribute connected\n",
    "nxos": "    redistribute direct route-map ALL\n",
    "junos": "policy-options {\n    policy-statement HOSTS {\n        from protocol direct;\n        then accept;\n    }\n}\n",
    "cumulus": "nv set vrf default router bgp address-family ipv4-unicast redistribute connected enable on\n",
}
STATIC = {
    "eos": "ip route 10.0.1.0/31 10.1.1.0\n!\n",
    "nxos": "ip route 10.0.1.0/31 10.1.1.0\n",
    "junos": "routing-options {\n    static {\n        route 10.0.1.0/31 next-hop 10.1.1.0;\n    }\n}\n",
    "cumulus": "nv set vrf default router static 10.0.1.0/31 via 10.1.1.0\n",
}


def stanza(nos: str, asn: int, peers: dict[str, int], more: str) -> str:
    lines = (NEIGHBORS[nos].format(peer=peer, remote=remote) for peer, remote in peers.items())
    return STANZAS[nos].format(asn=asn, more=more, neighbors="".join(lines))


def fabric(
    nos: str,
    *,
    asn: int = 65002,
    expected: int | None = None,
    peer: str = "10.1.1.0",
    silent: bool = False,
    beside: str = "",
) -> Files:
    """Three leaves under a spine: the `asn` of leaf2, the one that the spine expects, its address
    there, whether it announces no hosts, and what the spine has `beside` its BGP.
    """
    files = build([nos] * 4)
    numbers = {"10.1.0.0": 65001, peer: expected or asn, "10.1.2.0": 65003}
    for device, name in switches(files).items():
        more = "" if silent and device == "leaf2" else ANNOUNCED[nos]
        if device == "spine1":
            text = beside + stanza(nos, 65100, numbers, more)
        else:
            n = int(device[-1])
            own = asn if n == 2 else 65000 + n
            text = stanza(nos, own, {f"10.1.{n - 1}.1": 65100}, more)
            text = text if more else text.replace("            export HOSTS;\n", "")
        files[name] = files[name].removesuffix("end\n") + text
        files[name] += "end\n" if nos == "eos" else ""
    return files


def observed(report: Report) -> list[tuple[str, str, str]]:
    return [
        (f"{f.severity.label} {f.rule}", f.device, f.location.text.strip() if f.location else "")
        for f in report.findings
    ]


@pytest.mark.parametrize("nos", sampled(SYSTEMS, 4))
@pytest.mark.parametrize("silent", [False, True], ids=["sound", "static"])
def test_what_is_right_is_silent(nos: str, *, silent: bool) -> None:
    report = check(fabric(nos, silent=silent, beside=STATIC[nos] if silent else ""))
    assert observed(report) == []
    assert report.verdict.answer is Answer.READY


@pytest.mark.parametrize("nos", sampled(SYSTEMS, 4))
def test_another_as_than_the_neighbour_has(nos: str) -> None:
    report = check(fabric(nos, expected=65012))
    [(rule, device, line)] = observed(report)
    assert (rule, device) == ("info TOP013", "spine1")
    assert "65012" in line
    assert report.verdict.answer is Answer.NOT_PROVED
    assert (report.verdict.pairs, report.verdict.judged) == (6, 2)


@pytest.mark.parametrize("nos", sampled(SYSTEMS, 4))
def test_a_session_that_the_neighbour_does_not_have(nos: str) -> None:
    report = check(fabric(nos, peer="10.1.1.4"))
    assert [entry[:2] for entry in observed(report)] == [("info TOP013", "leaf2")]
    assert report.verdict.judged == 2


SHUT = {
    "eos": ("   neighbor 10.1.1.1", "   neighbor 10.1.1.1 shutdown\n   neighbor 10.1.1.1"),
    "nxos": ("    remote-as 65100\n", "    remote-as 65100\n    shutdown\n"),
    "cumulus": (STANZAS["cumulus"][:23], "nv set vrf default router bgp neighbor 10.1.1.1 shutdown on\n" + STANZAS["cumulus"][:23]),
}  # fmt: skip


@pytest.mark.parametrize("nos", sampled([*SHUT], 3))
def test_a_session_that_is_shut_down_on_one_side(nos: str) -> None:
    files = fabric(nos)
    report = check(edit(files, switches(files)["leaf2"], SHUT[nos]))
    assert [entry[:2] for entry in observed(report)] == [("info TOP013", "spine1")]
    assert report.verdict.judged == 2


@pytest.mark.parametrize("nos", sampled(SYSTEMS, 4))
def test_a_leaf_without_any_line_about_bgp(nos: str) -> None:
    files, name = fabric(nos), switches(build([nos] * 4))["leaf2"]
    files[name] = build([nos] * 4)[name]
    report = check(files)
    assert [entry[:2] for entry in observed(report)] == [("info TOP013", "spine1")]
    assert report.verdict.judged == 2


@pytest.mark.parametrize("nos", sampled(SYSTEMS, 4))
def test_hosts_that_nobody_announces(nos: str) -> None:
    report = check(fabric(nos, silent=True))
    assert [entry[:2] for entry in observed(report)] == [("info TOP014", "leaf2")]
    assert report.verdict.answer is Answer.NOT_PROVED
    assert (report.verdict.pairs, report.verdict.judged) == (6, 2)


@pytest.mark.parametrize("nos", sampled(SYSTEMS, 4))
def test_two_leaves_of_one_number(nos: str) -> None:
    report = check(fabric(nos, asn=65001))
    assert [entry[:2] for entry in observed(report)] == [("info TOP014", "leaf2")]
    assert report.verdict.judged == 2


@pytest.mark.parametrize(
    "line",
    ["bgp listen range 10.1.0.0/16 peer-group S", "neighbor 10.1.1.1 local-as 64999 no-prepend replace-as"],
)  # fmt: skip
def test_what_is_not_known_is_no_contradiction(line: str) -> None:
    files = fabric("eos", expected=65012)
    name = switches(files)["leaf2"]
    files[name] = files[name].replace("   neighbor 10.1.1.1 remote-as 65100\n", f"   {line}\n")
    assert observed(check(files)) == []
