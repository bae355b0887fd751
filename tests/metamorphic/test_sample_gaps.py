"""Gaps and faults in the clean sample, each with its verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from roce_lint.engine.finding import Answer
from tests.bench import Files, check, edit
from tests.metamorphic.snapshot import sample
from tests.sampling import sampled
from tests.unit.report.test_html import page

Change = Callable[[Files], Files]
PAIRS = 462


def without(*beginnings: str, but: tuple[str, ...] = ()) -> Change:
    """The sample without files whose names begin so."""
    return lambda files: {
        name: text
        for name, text in files.items()
        if not name.startswith(beginnings) or name.rsplit("/", 1)[-1] in but
    }


def cut(name: str, before: str) -> Change:
    """The sample with a text that ends before a line."""
    return lambda files: {**files, name: files[name][: files[name].index(f"\n{before}") + 1]}


def more(name: str, text: str) -> Change:
    """The sample with one more file."""
    return lambda files: {**files, name: text}


def replaced(name: str, *pairs: tuple[str, str]) -> Change:
    """The sample with replaced texts in one file."""
    return lambda files: edit(files, name, *pairs)


def exchange_neighbours(files: Files) -> Files:
    """A host that reports its two leaves in the opposite order."""
    name = "hosts/gpu09/lldpcli.json"
    head, body = files[name].split("\n", 1)
    heard = json.loads(body)
    one, other = (
        (key, entry) for each in heard["lldp"]["interface"] for key, entry in each.items()
    )
    heard["lldp"]["interface"] = [{one[0]: other[1]}, {other[0]: one[1]}]
    return without("hosts/gpu09/ip-addr")(
        {**files, name: f"{head}\n{json.dumps(heard, indent=2)}\n"}
    )


@dataclass(frozen=True)
class Case:
    """A change of the sample, and the result: `missing` is named first, `found` is a part."""

    name: str
    change: Change
    answer: Answer
    judged: int = PAIRS
    missing: str = ""
    found: tuple[str, ...] = ()
    kinds: tuple[str, ...] = field(default=(), kw_only=True)  # of incomplete diagnostics

    def __str__(self) -> str:
        return self.name


LEAF5 = "switches/leaf5.conf"
POD = """apiVersion: v1
kind: Pod
metadata: {{name: worker}}
spec:
  containers:
  - name: main
    image: x
    env:
    - {{name: NCCL_IB_TC, value: "{}"}}
"""
CONFIG = """# command: mlxconfig -d mlx5_1 q  host: gpu02
Device #1:
----------

Device type:    ConnectX7
Device:         mlx5_1

Configurations:                                      Next Boot
        LINK_TYPE_P2                                {}
        ROCE_CC_PRIO_MASK_P2                        {}
"""
POLICY = """apiVersion: sriovnetwork.openshift.io/v1
kind: SriovNetworkNodePolicy
metadata:
  name: rail-{0}
spec:
  resourceName: rail-{0}
  nicSelector:
    pfNames: ["{1}#0-7"]
  deviceType: {2}
  isRdma: {3}
---
"""
NETWORK = """apiVersion: v1
kind: List
items:
- apiVersion: k8s.cni.cncf.io/v1
  kind: NetworkAttachmentDefinition
  metadata:
    name: rail-a
  spec:
    config: '{{"type": "sriov", "ipam": {{"type": "{}", "{}": "10.77.0.0/22"}}}}'
"""


def objects(ipam: tuple[str, str], *policies: tuple[str, str, str]) -> Change:
    """The sample with policies for virtual functions and a network of pods."""
    rows = (POLICY.format("abc"[n], *row) for n, row in enumerate(policies))
    added = {"k8s/policies.yaml": "".join(rows), "k8s/network.yaml": NETWORK.format(*ipam)}
    return lambda files: files | added


def by_firmware(*beginnings: str) -> Change:
    """The sample with DCBX of ports in firmware."""
    old, new = "DCBX mode: OS", "DCBX mode: Firmware"
    return lambda files: {
        name: text.replace(old, new) if name.startswith(beginnings) else text
        for name, text in files.items()
    }


def addresses(host: str, *pairs: tuple[str, str]) -> Change:
    """The sample with replaced addresses of one host, each with its length."""
    rows = (tuple(ADDRESS.format(*each.split("/")) for each in pair) for pair in pairs)
    return replaced(f"hosts/{host}/ip-addr.json", *rows)


ADDRESS = '"local": "{}",\n                "prefixlen": {},'
CASES = [
    Case("two leaves absent", without("switches/leaf5", "switches/leaf6"), Answer.NOT_PROVED, 240,
         "the configuration of leaf5 and leaf6"),
    Case("a leaf absent", without("switches/leaf4"), Answer.NOT_PROVED, 306, "the configuration of leaf4"),
    Case("a spine absent", without("switches/spine2"), Answer.NOT_PROVED, 60, "the configuration of spine2"),
    Case("a spine absent that is heard as Eth5", without("switches/spine1"), Answer.NOT_PROVED, 60,
         "the configuration of spine1"),
    Case("both spines absent", without("switches/spine"), Answer.NOT_PROVED, 60,
         "the configuration of spine1 and spine2"),
    Case("a host without captures", without("hosts/gpu10/", but=("hostname.txt", "nccl.conf")),
         Answer.NOT_PROVED, 380, "the configuration of gpu10"),
    Case("NX-OS text without its uplinks", cut("switches/leaf4.cfg", "interface Ethernet1/31\n"),
         Answer.NOT_PROVED, 306, "a path from leaf4 to the other leaves",
         ("warning LNK004", "warning LNK004"), kinds=("links",)),
    Case("EOS text without its end", cut("switches/spine2.cfg", "qos map"), Answer.NOT_PROVED, 60,
         "switches/spine2.cfg (unreadable or incomplete)", ("info TOP013",) * 5, kinds=("cut-off",)),
    Case("EOS text without its last lines", cut("switches/leaf1.cfg", "end\n"), Answer.NOT_PROVED, 306,
         "switches/leaf1.cfg (unreadable or incomplete)", kinds=("cut-off",)),
    Case("Junos text without its last braces", lambda files: {**files, LEAF5: files[LEAF5][:-700]},
         Answer.NOT_PROVED, 342, "leaf5 (unreadable or incomplete)",
         ("warning SRC002",), kinds=("cut-off",)),
    Case("both uplinks of a leaf shut",
         replaced(LEAF5, *((f"    et-0/0/{n} {{\n", f"    et-0/0/{n} {{\n        disable;\n") for n in (30, 31))),
         Answer.NOT_PROVED, 348, "a path from leaf5 to the other leaves", ("warning LNK004",)),
    Case("one of two uplinks shut", replaced("switches/leaf1.cfg", ("interface Ethernet31/1\n", "interface Ethernet31/1\n   shutdown\n")),
         Answer.READY, found=("warning LNK004",)),
    Case("neighbours that contradict each other", exchange_neighbours, Answer.NOT_PROVED, 420, "",
         ("warning LNK001",)),
    Case("a job outside the class", more("jobs/start.sh", "#!/bin/bash\nexport NCCL_IB_TC=34\nmpirun ./a.out\n"),
         Answer.READY, found=("warning NIC017",)),
    Case("a job in the class", more("jobs/start.sh", "#!/bin/bash\nexport NCCL_IB_TC=106\nmpirun ./a.out\n"),
         Answer.READY),
    Case("a job that mpirun passes on", more("jobs/start.sh", "#!/bin/bash\nmpirun -x UCX_IB_TRAFFIC_CLASS=34 -x UCX_TLS=rc ./a.out\n"),
         Answer.READY, found=("warning NIC017",)),
    Case("a pod in flow style outside the class", more("jobs/pod.yaml", POD.format(34)), Answer.READY,
         found=("warning NIC017",)),
    Case("a pod in flow style in the class", more("jobs/pod.yaml", POD.format(106)), Answer.READY),
    Case("a host that drops RoCE", more("hosts/gpu08/fw.sh", "#!/bin/sh\nnft add rule inet filter input udp dport 4791 drop\n"),
         Answer.NOT_PROVED, 380, "", ("warning CLS008",)),
    Case("a host that drops another port", more("hosts/gpu08/fw.sh", "#!/bin/sh\nnft add rule inet filter input udp dport 4790 drop\n"),
         Answer.READY),
    Case("another port type and no congestion control from the next boot on",
         more("hosts/gpu02/mlxconfig.txt", CONFIG.format("IB(1)", 0)), Answer.READY, found=("info NIC014", "info NIC014")),
    Case("nothing that changes with the next boot", more("hosts/gpu02/mlxconfig.txt", CONFIG.format("ETH(2)", 255)), Answer.READY),
    Case("RoCE v1", more("hosts/gpu01/mode.sh", "#!/bin/bash\ncma_roce_mode -d mlx5_0 -p 1 -m 1\n"),
         Answer.NOT_READY, found=("error NIC028", "warning NIC016")),
    Case("RoCE v2", more("hosts/gpu01/mode.sh", "#!/bin/bash\ncma_roce_mode -d mlx5_0 -p 1 -m 2\n"), Answer.READY),
    Case("objects of a cluster that do not fit",
         objects(("host-local", "subnet"), ("ens9f0np0", "netdevice", "true"), ("ens1f0np0", "vfio-pci", "true"), ("ens2f0np0", "netdevice", "false")),
         Answer.READY, found=("info NIC018", "info NIC030", "info NIC030", "info NIC031")),
    Case("objects of a cluster that fit", objects(("whereabouts", "range"), ("ens1f0np0", "netdevice", "true"), ("ens2f0np0", "netdevice", "true")),
         Answer.READY),
    Case("DCBX of one port with its firmware", by_firmware("hosts/gpu03/mlnx_qos-ens1"), Answer.READY, found=("info NIC009",)),
    Case("DCBX of one host with the firmware", by_firmware("hosts/gpu03/"), Answer.READY, found=("info NIC016",)),
    Case("DCBX of all hosts with the firmware", by_firmware("hosts/"), Answer.READY),
    Case("addresses of other sizes and kinds",
         addresses("gpu02", ("10.1.1.3/31", "10.1.1.3/26"), ("10.1.2.3/31", "169.254.7.7/16")),
         Answer.READY, found=("info LNK009", "warning LNK009")),
    Case("the address of the switch", addresses("gpu02", ("10.1.1.3/31", "10.1.1.2/31")), Answer.READY, found=("warning LNK009",)),
    Case("the address of another host", addresses("gpu02", ("10.1.1.3/31", "10.1.1.1/31")), Answer.READY, found=("warning LNK009", "warning NIC032")),
    Case("CNPs in the priority of the data on all hosts",
         lambda files: {n: t.replace("cnp_802p_prio:6", "cnp_802p_prio:3") for n, t in files.items()},
         Answer.READY, found=("warning NIC008", "warning NIC008")),
    Case("a job that asks for RoCE v1", more("jobs/train.sh", "#!/bin/bash\nexport NCCL_IB_TC=106 NCCL_IB_ROCE_VERSION_NUM=1\nsrun ./a.out\n"),
         Answer.READY, found=("warning NIC028",)),
    Case("a map in the wrong form", more("hosts/gpu04/qos.sh", "#!/bin/bash\nmlnx_qos -i ens1f0np0 --dscp2prio 22,3\n"),
         Answer.READY, found=("warning NIC003",)),
    Case("a map in the right form", more("hosts/gpu04/qos.sh", "#!/bin/bash\nmlnx_qos -i ens1f0np0 --dscp2prio set,26,3\n"), Answer.READY),
]  # fmt: skip


@pytest.mark.parametrize("case", sampled(CASES, 2), ids=str)
def test_the_sample_with(case: Case) -> None:
    report = check(case.change(sample("clean-fabric")))
    verdict = report.verdict
    assert (verdict.answer, verdict.pairs, verdict.judged) == (case.answer, PAIRS, case.judged)
    found = (f for f in report.findings if f.rule != "PFC020")  # of what a cut text no longer has
    assert sorted(f"{f.severity.label} {f.rule}" for f in found) == list(case.found)
    assert tuple(entry.kind for entry in report.diagnostics if entry.incomplete) == case.kinds
    words = [words for words, _ in verdict.missing]
    assert bool(words) == (case.answer is Answer.NOT_PROVED)
    assert not case.missing or case.missing in words


def test_the_page_does_not_take_unknown_for_broken() -> None:
    """Without one input of one rule nothing is known to be broken, and nothing is called sound."""
    files = {n: t for n, t in sample("clean-fabric").items() if not n.endswith("/show_gids.txt")}
    report = check(files)
    assert (report.verdict.answer, report.verdict.judged) == (Answer.NOT_PROVED, 0)
    text = page(report).read()
    assert f"Checked: 0 % of {PAIRS} NIC pairs ; no fault in what was checked." in text


def test_the_order_of_repair_ends_where_all_pairs_work() -> None:
    verdict = check(sample("broken-fabric")).verdict
    pairs = [step.pairs for step in verdict.order]
    assert pairs == sorted(pairs)
    assert pairs[-1] == verdict.broken
    causes = [step.findings[0].fingerprint for step in verdict.order]
    assert len(causes) == len(set(causes)) == verdict.causes
