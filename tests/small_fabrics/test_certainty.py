"""Certainty belongs to a claim: partial knowledge decides as far as it goes, and a doubt lowers a
severity only if it could make the finding false.
"""

from __future__ import annotations

import pytest

from roce_lint.engine.finding import Severity
from tests.small_fabrics.made import ENV, NIC, made

NP = "/sys/class/net/ens1np0/ecn/roce_np/enable/"
RP = "/sys/class/net/ens1np0/ecn/roce_rp/enable/"
ECN = "ecn-ens1np0.txt"
PAUSE = (
    "priority-flow-control on",
    "priority-flow-control priority 3 no-drop",
    "priority-flow-control pause watchdog port action drop",
)
PROFILE = "            drop-profile-map loss-priority any protocol any drop-profile ROCE-ECN;\n"


def test_a_match_of_the_tag_beside_one_of_dscp_leaves_dscp_certain() -> None:
    """NX-OS: `match cos 3` and `match dscp 26` in one class, on routed ports."""
    own = made("nxos").everywhere(("  match dscp 26", "  match cos 3\n  match dscp 26"))
    assert own.outcomes() == []
    own.change("leaf2", ("  match dscp 26", "  match dscp 27"))
    (outcome,) = own.outcomes()
    assert outcome[:3] == ("error", "MAP001", "leaf2")


def test_a_match_of_the_tag_alone_takes_nothing_of_a_routed_port() -> None:
    own = made("nxos").change("leaf2", ("match dscp 26", "match cos 3"))
    (outcome,) = own.outcomes()
    assert outcome[:3] == ("error", "MAP001", "leaf2")


@pytest.mark.parametrize(
    ("system", "file", "old", "new"),
    [
        ("sonic", "TC_TO_PRIORITY", '"3": "3"', '"3": "0"'),
        ("junos", "class-of-service", "low code-points 011010", "low code-points 011011"),
        ("junos", "class-of-service", PROFILE, ""),
    ],
)
def test_what_no_doubt_can_change_is_an_error(system: str, file: str, old: str, new: str) -> None:
    """SONiC: a group that is lossy by its buffer, regardless of PFC. Junos: a DSCP outside the
    stated list of its class; ECN without a drop profile.
    """
    own = made(system)

    def broken(text: str) -> str:
        head, tail = text[: text.index(file)], text[text.index(file) :]
        assert old in tail
        return head + tail.replace(old, new, 1)

    own.remake("leaf2", broken)
    assert [outcome[:1] + outcome[2:3] for outcome in own.outcomes()] == [("error", "leaf2")]


def test_a_host_port_without_a_classifier_is_an_error_on_junos() -> None:
    own = made("junos")
    bare = "            unit * {\n                classifiers {\n                    dscp ROCE;\n                }\n            }\n"
    uplink = bare.replace("                ", "            ").replace("unit *", "unit 0")
    assert bare in own.texts[own.files["leaf2"]]
    own.change(
        "leaf2",
        (bare, ""),
        ("        et-* {\n            congestion", f"        et-0/0/1 {{\n{uplink}        }}\n        et-* {{\n            congestion"),
    )  # fmt: skip
    (outcome,) = own.outcomes()
    assert outcome[:3] == ("error", "MAP004", "leaf2")


def test_wrong_marks_are_an_error_whatever_class_is_the_default_one() -> None:
    """EOS: whether DSCP 0 is in class 0 or 1 by default, neither is lossless."""
    own = made("eos", hosts=True)
    for name in own.hosts:
        own.of_host(name, "traffic_class-mlx5_0.txt", ("tclass=106", "tclass=0"))
    assert {outcome[:2] for outcome in own.outcomes()} == {("error", "NIC001")}
    (finding,) = own.report().findings
    assert "DSCP 26" in finding.message


def test_a_link_known_by_descriptions_only_warns() -> None:
    """Two hosts with PFC, on a leaf that neither sends nor honours it."""
    own = made("eos", hosts=True)
    own.remove("links.yaml")
    for name in ("leaf2", "leaf3", "spine1"):
        own.remove(own.files[name])
    own.remove("hosts/gpu3/")
    for number in (1, 2):
        port = f"interface Ethernet{number}/1\n"
        own.change("leaf1", (port, f"{port}   description gpu{number} ens1np0\n"))
    own.change("leaf1", *((f"   {line}\n", "") for line in PAUSE))
    assert ("warning", "PFC002") in {outcome[:2] for outcome in own.outcomes()}
    assert "error" not in {outcome[0] for outcome in own.outcomes()}


def test_the_other_end_shows_that_packets_are_untagged() -> None:
    """A NIC that trusts the tag, without `ip addr`, on a routed port of its leaf."""
    own = made("nxos", hosts=True)
    own.of_host("gpu2", NIC, ("trust state: dscp", "trust state: pcp"))
    assert own.outcomes() == [("error", "MAP002", "gpu2", "Priority trust state: pcp")]


def test_one_enable_file_decides_its_priority() -> None:
    own = made("nxos", hosts=True)
    own.remove(f"hosts/gpu2/{ECN}")
    assert own.outcomes() == []
    own.add("gpu2", ECN, f"{NP}3:0\n{RP}3:1\n", f"grep -r . {NP}3 {RP}3")
    (outcome,) = own.outcomes()
    assert outcome == ("warning", "NIC007", "gpu2", f"{NP}3:0")
    unsure = [u for u in own.report().unknowns if u.device == "gpu2" and u.rule == "NIC007"]
    assert unsure == []


def test_one_enable_file_of_another_priority_decides_nothing() -> None:
    own = made("nxos", hosts=True)
    own.remove(f"hosts/gpu2/{ECN}")
    own.add("gpu2", ECN, f"{NP}5:0\n{RP}5:0\n", f"grep -r . {NP}5 {RP}5")
    assert own.outcomes() == []


def test_queue_pairs_of_the_gpu_escape_the_forced_class() -> None:
    own = made("nxos", hosts=True)
    own.add("gpu1", "nccl.conf", f"{ENV}NCCL_GIN_ENABLE=1\nNCCL_GIN_TYPE=3\n", "cat /etc/nccl.conf")
    assert own.outcomes() == [("warning", "NIC001", "gpu1", "NCCL_GIN_TYPE=3")]


def test_a_job_without_a_mark_sends_the_default() -> None:
    own = made("nxos", hosts=True)
    for name in own.hosts:
        own.add(name, "nccl.conf", ENV, "cat /etc/nccl.conf")
    assert own.outcomes() == []  # the forced class is what is sent
    for name in ("gpu2", "gpu3"):
        own.remove(f"hosts/{name}/traffic_class-mlx5_0.txt")
    assert [outcome[:2] for outcome in own.outcomes()] == [("warning", "NIC001")]
    assert own.devices("NIC001") == {"gpu2", "gpu3"}
    own.remove("hosts/gpu1/traffic_class-mlx5_0.txt")
    assert own.devices("NIC001") == {"gpu1", "gpu2", "gpu3"}


def test_cnp_in_the_queue_of_all_the_rest() -> None:
    """SONiC: DSCP 0 in a separate class, 61 others and the CNP in another."""
    own = made("sonic", hosts=True)
    others = [n for n in range(1, 64) if n not in (26, 48)]
    own.everywhere(*((f'"{n}": "0"', f'"{n}": "1"') for n in others if n > 7))
    own.everywhere(('"48": "6"', '"48": "1"'))
    assert {outcome[:2] for outcome in own.outcomes()} == {("warning", "CLS004")}


def test_a_broadcom_nic_whose_own_code_point_is_another() -> None:
    """Connections without a requested class use the adapter's own DSCP, which no switch lists."""
    own = made("nxos", hosts=True)
    root = "/sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc"
    for name, dscp in (("gpu1", "0x1a"), ("gpu2", "0xc")):
        for file in (NIC, ECN, "traffic_class-mlx5_0.txt", "ibv_devinfo.txt"):
            own.remove(f"hosts/{name}/{file}")
        own.of_host(name, "rdma-link.txt", ("mlx5_0", "bnxt_re0"))
        settings = {"ecn_enable": "0x1", "cc_mode": "0x1", "roce_dscp": dscp, "roce_prio": "0x3", "cnp_dscp": "0x30", "cnp_prio": "0x6"}  # fmt: skip
        lines = "".join(f"{root}/{key}:{value}\n" for key, value in settings.items())
        own.add(name, "cc.txt", lines, f"grep -r . {root}/")
        own.add(name, "nccl.conf", "NCCL_IB_HCA=bnxt_re0\nNCCL_IB_TC=106\n", "cat /etc/nccl.conf")
    assert own.outcomes() == []
    outcomes = [each for each in own.outcomes(Severity.INFO) if each[2] == "gpu2"]
    assert outcomes == [("info", "NIC019", "gpu2", f"{root}/roce_dscp:0xc")]


PFC_ROWS = """\
PFC configuration:
	priority    0   1   2   3   4   5   6   7
	enabled     0   0   0   {3}   {4}   0   0   0   
	buffer      0   0   0   1   0   0   0   0   
"""


@pytest.mark.parametrize(("on", "outcomes"), [(3, []), (4, [("error", "PFC002")])])
def test_the_rows_of_pfc_alone_tell_what_a_nic_obeys(
    on: int, outcomes: list[tuple[str, str]]
) -> None:
    """Whatever priority its map gives RoCE: PFC of its leaf is for 3."""
    own = made("nxos", hosts=True)
    own.remove(f"hosts/gpu2/{NIC}")
    bits = [int(number == on) for number in range(8)]
    own.add("gpu2", "pfc.txt", PFC_ROWS.format(*bits), "mlnx_qos -i ens1np0 | grep -A3 PFC")
    assert [each[:2] for each in own.outcomes()] == outcomes


def test_the_line_of_trust_alone_decides_on_an_untagged_port() -> None:
    own = made("nxos", hosts=True)
    own.remove(f"hosts/gpu2/{NIC}")
    line = "Priority trust state: pcp\n"
    own.add("gpu2", "trust.txt", line, "mlnx_qos -i ens1np0 | grep trust")
    assert own.outcomes() == [("error", "MAP002", "gpu2", line.strip())]


LISTS = {
    "junos": ("low code-points 011010;", "low code-points [ 011000 011010 ];", "low code-points 011000;"),
    "os10": ("dscp 26\n", "dscp 24,26\n", "dscp 24\n"),
    "iosxr": ("match dscp 26\n", "match dscp 24 26\n", "match dscp 24\n"),
    "esonic": (" dscp 26 ", " dscp 24,26 ", " dscp 24 "),
    "nxos": ("match dscp 26\n", "match dscp 24,26\n", "match dscp 24\n"),
}  # fmt: skip


@pytest.mark.parametrize("system", LISTS)
def test_an_unlisted_code_point_is_in_no_class_that_a_line_fills(system: str) -> None:
    """Its actual class need not be known: one ruling for all systems."""
    one, both, less = LISTS[system]
    own = made(system).everywhere((one, both))
    if system == "junos":
        more = "code-point 011000 {\n                        pfc;\n                    }\n"
        own.everywhere(("code-point 011010 {", more + "                    code-point 011010 {"))
    assert own.outcomes() == []
    own.change("leaf2", (both, less))
    assert {outcome[0] for outcome in own.outcomes()} == {"error"}
    assert "MAP001" in {outcome[1] for outcome in own.outcomes()}
