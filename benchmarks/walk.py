"""Measures paths and pair counts on made Clos fabrics: the model alone, no text.

    python benchmarks/walk.py                # 1,024, 8,192 and 98,304 NICs
    python benchmarks/walk.py --nics 8192

The budget: 100,000 NICs on three tiers in under 15 s and 3 GiB, growing like the number of ports.
"""

from __future__ import annotations

import argparse
import gc
import resource
import sys
import time
from dataclasses import dataclass

from roce_lint import checks
from roce_lint.analysis.analyse import analyse
from roce_lint.analysis.impact import impact_of
from roce_lint.analysis.paths import all_paths_of
from roce_lint.analysis.walk import walk
from roce_lint.engine import registry
from roce_lint.engine.page import load_pages
from roce_lint.engine.reach import with_pairs
from roce_lint.engine.run import Rules, judge
from roce_lint.model.device import Device, Role
from roce_lint.model.fabric import Endpoint, Fabric, Link, LinkSource
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Certainty, Emission, Flow, Nic
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import (
    Classifier,
    CodeMap,
    EgressPolicy,
    Forwarding,
    Marking,
    PfcConfig,
    PfcMode,
    PortQos,
    Queue,
    QueueKind,
    SystemQos,
    Trust,
)
from roce_lint.resources import resource_dir
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import SourceFile, SourceMap

BUDGET_SECONDS = 15.0
BUDGET_BYTES = 3 << 30
RADIX = 64
ON_THE_WALK = {
    *("MAP001", "MAP002", "MAP004", "MAP006", "MAP007", "PFC001", "PFC002", "MTU001", "MTU002"),
    *("CLS001", "CLS002", "CLS003", "CLS004", "CLS022", "ECN001", "ECN002", "NIC001", "NIC007"),
}
RAILS = 8


@dataclass(frozen=True)
class Shape:
    """A three-tier Clos: a pod has 32 leaves of 32 NICs and 32 spines."""

    pods: int

    @property
    def nics(self) -> int:
        """RoCE NICs in the fabric."""
        return self.pods * (RADIX // 2) ** 2


def main() -> int:
    """Measure every size; the exit status says whether the budget of the largest was met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nics", type=int, action="append")
    options = parser.parse_args()
    met = True
    for nics in options.nics or (1024, 8192, 98304):
        met = _measure(Shape(max(1, nics // (RADIX // 2) ** 2)))
    print("budget met" if met else "the budget was missed")
    return 0 if met else 1


def _measure(shape: Shape) -> bool:
    fabric = build(shape)
    ports = sum(len(device.interfaces) for device in fabric.devices.values())
    gc.disable()  # as the pipeline does
    begin = time.process_time()
    analysis = analyse(fabric, RocePlan())
    analysed = time.process_time()
    paths, impact = all_paths_of(analysis), impact_of(analysis)  # once per run, as in `check`
    counted = time.process_time()
    one_port = impact.through([(("leaf0-0", "up0"), "both")])
    spine = [(("spine0-0", name), "both") for name in fabric.devices["spine0-0"].interfaces]
    whole = impact.through((port, "arriving") for port, _ in spine)
    hit = time.process_time()
    ways = walk(analysis, paths, paths.ends[0], paths.ends[-1], 26, lambda hop: hop.dscp_out)
    walked = time.process_time()
    judged = judge(fabric, analysis, RocePlan(), _rules(), Excerpts())
    findings = with_pairs(judged.findings, analysis, _rules().pages, Excerpts())
    end = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        f"{shape.nics:>7} NICs {ports:>7} ports  analysis {analysed - begin:6.2f} s"
        f"  paths {counted - analysed:6.2f} s  faults {hit - counted:5.2f} s"
        f"  one walk {walked - hit:5.2f} s  rules {end - walked:5.2f} s"
        f"  {(end - begin) / ports * 1e6:5.1f} us a port"
        f"  {peak / 1e9:4.2f} GB   {impact.pairs} pairs, {one_port} by one uplink,"
        f" {whole} by one spine, {sum(way.paths for way in ways)} paths of one pair"
    )
    for finding in findings:
        known = finding.pairs
        pairs = f"{known.hit} pairs, the first of {known.first}" if known else "no pairs"
        print(f"{'':14}{finding.rule} on {finding.ports} ports, {pairs}, {len(finding.path)} hops")
    return end - begin < BUDGET_SECONDS and peak < BUDGET_BYTES


def _rules() -> Rules:
    """The rules that follow the class through the fabric."""
    registry.import_checks(checks)
    pages = load_pages([resource_dir("rules")])
    return Rules([page for page in pages if page.id in ON_THE_WALK])


def build(shape: Shape) -> Fabric:
    """The fabric: leaf L of a pod holds rail L mod 8 of its hosts."""
    half = RADIX // 2
    fabric = Fabric()
    supers = [_switch(f"super{n}", Role.SUPERSPINE) for n in range(half * half)]
    for pod in range(shape.pods):
        leaves = [_switch(f"leaf{pod}-{n}", Role.LEAF) for n in range(half)]
        spines = [_switch(f"spine{pod}-{n}", Role.SPINE) for n in range(half)]
        for n, leaf in enumerate(leaves):
            for m, spine in enumerate(spines):
                _link(fabric, leaf, f"up{m}", spine, f"down{n}")
        if shape.pods > 1:
            for m, spine in enumerate(spines):
                for k in range(half):
                    _link(fabric, spine, f"up{k}", supers[m * half + k], f"down{pod}")
        for number in range(half * half // RAILS):
            machine = _host(f"gpu{pod}-{number}")
            for rail in range(RAILS):
                leaf = leaves[number // half * RAILS + rail]
                _link(fabric, machine, f"eth{rail}", leaf, f"host{number % half}")
            fabric.devices[machine.hostname] = machine
        fabric.devices.update({device.hostname: device for device in (*leaves, *spines)})
    if shape.pods > 1:
        fabric.devices.update({device.hostname: device for device in supers})
    _plant(fabric)
    return fabric


def _plant(fabric: Fabric) -> None:
    """Faults of every reach: a leaf's map, an uplink without PFC, a spine that does not mark."""
    leaf = fabric.devices["leaf0-1"]
    leaf.qos.classifiers["map"].dscp_to_tc.entries[26] = 1
    uplink = fabric.devices["leaf0-2"].interfaces["up0"]
    if uplink.qos is not None:
        off: frozenset[int] = frozenset()
        uplink.qos.pfc = PfcConfig(
            mode=PfcMode.OFF, generate=off, honour=off, src=_SOURCE,
            at={"": 1, "generate": 1, "honour": 1, "mode": 1},
        )  # fmt: skip
    spine = fabric.devices["spine0-3"]
    marked = spine.qos.egress["out"].queues[QueueKind.UNICAST, 3].marking
    if marked is not None:
        marked.ecn = False


def _link(fabric: Fabric, a: Device, a_port: str, b: Device, b_port: str) -> None:
    ends = [Endpoint(device, _port(device, name)) for device, name in ((a, a_port), (b, b_port))]
    link = Link(ends[0], ends[1], LinkSource.PLAN)
    fabric.links.append(link)
    for end in ends:
        fabric.by_port[end.key] = link


def _port(device: Device, name: str) -> Interface:
    qos = PortQos(
        trust=Trust.DSCP,
        classifier="map",
        forwarding="maps",
        egress="out",
        pfc=_PFC,
        src=device.src,
        at={"": 1},
    )
    made = Interface(
        name=name, enabled=True, ip_mtu=9214, tagged=False, qos=qos, src=device.src, at={"": 1}
    )
    device.interfaces[name] = made
    return made


def _map(src: SourceMap, entries: dict[int, int]) -> CodeMap:
    return CodeMap(entries=entries, src=src, at={"": 1, **dict.fromkeys(entries, 1)})


_SOURCE = SourceMap()
_SOURCE.add(SourceFile.of("made", "\n" * 9), "made")
_PFC = PfcConfig(
    mode=PfcMode.ON,
    generate=frozenset((3,)),
    honour=frozenset((3,)),
    src=_SOURCE,
    at={"": 1, "generate": 1, "honour": 1, "mode": 1},
)
_SAME = {n: n for n in range(8)}


def _switch(name: str, role: Role) -> Device:
    src = _SOURCE
    device = Device(hostname=name, nos="made", role=role, src=src, at={"": 1})
    device.system = SystemQos(src=src)
    device.qos.classifiers["map"] = Classifier(
        name="map", dscp_to_tc=_map(src, {dscp: dscp >> 3 for dscp in range(64)}), src=src
    )
    device.qos.forwardings["maps"] = Forwarding(
        name="maps",
        tc_to_queue=_map(src, _SAME),
        tc_to_pg=_map(src, _SAME),
        tc_to_pfc_priority=_map(src, _SAME),
        pfc_priority_to_queue=_map(src, _SAME),
        src=src,
    )
    policy = EgressPolicy(name="out", src=src, at={"": 1})
    for number in range(8):
        marking = Marking(ecn=number == 3, src=src, at={"": 1, "ecn": 1})
        policy.queues[QueueKind.UNICAST, number] = Queue(
            number=number, marking=marking, src=src, at={"": 1}
        )
    device.qos.egress["out"] = policy
    return device


def _host(name: str) -> Device:
    device = _switch(name, Role.HOST)
    for rail in range(RAILS):
        device.nics[f"mlx5_{rail}"] = Nic(
            name=f"mlx5_{rail}",
            port=f"eth{rail}",
            active=True,
            ethernet=True,
            rdma_mtu=4096,
            src=_SOURCE,
            at={"": 1, "rdma_mtu": 1},
        )
    device.emits.append(
        Emission(
            dscp=26,
            flow=Flow.DATA,
            certainty=Certainty.STATED,
            by="made",
            src=_SOURCE,
            at={"": 1, "dscp": 1},
        )
    )
    return device


if __name__ == "__main__":
    sys.exit(main())
