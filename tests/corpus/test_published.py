"""Known faults of published configurations: each is found on its line, or the law explains why
it is not reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.corpus.test_corpus import CORPUS, judged

pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="no corpus of real configs beside the project (../shared/corpus)"
)


@dataclass(frozen=True)
class Fault:
    """Fault of a published file: rule, severity, place, and reason."""

    file: str
    rule: str
    severity: str
    lines: tuple[int, ...]
    reason: str


PUBLISHED = [
    Fault(
        "eos/rocm-doc-7388-dcqcn.cfg",
        "MAP009",
        "info",
        (2, 3),
        "the map that rewrites, where the one that classifies was meant; DSCP 48 stays in class 6",
    ),
    Fault(
        "eos/avd-connected-endpoints.cfg",
        "MAP003",
        "info",
        (78, 153, 173, 193),
        "a QoS profile that nothing defines, on a switch without RoCE",
    ),
    Fault("eos/avd-core-2-ospf-ldp.cfg", "MAP003", "info", (89, 141), "an undefined QoS profile"),
    Fault("eos/avd-l3-edge-bgp.cfg", "MAP003", "info", (47,), "an undefined policy map"),
    Fault("eos/avd-l3-edge-bgp.cfg", "MAP003", "info", (48,), "an undefined QoS profile"),
    Fault("nxos/bf-system-qos.cfg", "MAP003", "info", (11,), "`jumbo` is defined nowhere"),
    *(
        Fault("os10/azlocal-tor-1a.cfg", "MAP005", "info", (line,), "defined and bound nowhere")
        for line in (103, 123, 129, 135)
    ),
    *(
        Fault(
            f"cumulus/{name}",
            "PFC020",
            "info",
            (line,),
            "channels without a watchdog beside ports of GPUs with one: nothing tells whose they are",
        )
        for name, line in (
            ("era-2-8-9-400-core-01.yaml", 379),
            ("era-2-8-9-400-core-01.nv.sh", 99),
            ("era-2-4-3-200-core-02.yaml", 443),
        )
    ),
    Fault(
        "junos/5stage-compute-leaf1-qfx5120.conf",
        "MAP005",
        "info",
        (1854,),
        "a congestion notification profile with an output alone, and bound nowhere",
    ),
    Fault(
        "junos/5stage-storage-leaf1-qfx5130.conf",
        "PFC003",
        "info",
        (1931,),
        "the same profile on one port: it obeys pause and sends none, in a design without PFC",
    ),
]
"""Info findings of published files; errors and warnings are in reviewed.py."""

SILENT = {
    # Law 17, and unknown where a part is missing: the policy may stand in the rest.
    ("nxos/azlocal-doc-disaggregated-tor1.cfg", "MAP003"): "the rest of the configuration",
    ("nxos/azlocal-switched-interface.cfg", "MAP003"): "the rest of the configuration",
    ("nxos/azlocal-fc-qos.cfg", "MAP003"): "the rest of the configuration",
    (
        "sonic/vlab-t2-01-newrefs.json",
        "BUF001",
    ): "the lossless buffer rows that the device writes "
    "when it loads the file (from pg_profile_lookup.ini of its model)",
    ("eos/rocm-doc-7388-dcqcn.cfg", "PFC020"): "the rest of the configuration",
    # The watchdog is on for the ports; whether the line for the whole switch is left out of the
    # guide or out of the switch, the guide does not say.
    ("nxos/rocm-doc-n9364e-sg2-dcqcn.cfg", "PFC022"): "the rest of the configuration",
    # Legal, although it looks odd: RoCE known by its 802.1p priority on trunks.
    (
        "nxos/azlocal-fc-tor1a.config",
        "MAP001",
    ): "the treatment of RoCE identified by 802.1p priority only",
    (
        "nxos/azlocal-doc-qos-policy.cfg",
        "MAP001",
    ): "the treatment of RoCE identified by 802.1p priority only",
}
"""Known faults that a file alone does not show, by the missing input."""

LEGAL = {
    # PFC is off for the whole switch and the watchdog polls slower than it may, and no port that
    # the file shows has a profile with PFC: test_with_pfc is applied nowhere.
    "eos/avd-qos.cfg": {"PFC004", "PFC022"},
    # An overlay that keeps marks to itself, on a switch of which no port is shown.
    "eos/avd-deprecated-host2.cfg": {"ECN009"},
    # Both thresholds alike with probability 100, a bandwidth percent beside remaining ones: Azure.
    "nxos/azlocal-fc-tor1a.config": {"ECN003", "ECN005", "CLS007", "CLS006"},
    "nxos/azlocal-doc-qos-policy.cfg": {"ECN003", "ECN005", "CLS007", "CLS006"},
    # The reference of the NIC's vendor on another switch is line for line what the switch's asks.
    "nxos/rocm-doc-n9364e-sg2-dcqcn.cfg": {"MAP001", "ECN001", "CLS006", "PFC007", "MTU004"},
    # Lossless from NIC to NIC; the egress buffer adds up to 76 percent, as EVO allows, no mru is
    # stated, and the scheduler map leaves best-effort to the system.
    **{
        f"junos/aiml-mtb-{name}-qfx5240.conf": {"BUF021", "MTU004", "CLS006", "PFC002", "ECN001"}
        for name in ("leaf1", "leaf2", "spine1", "spine2")
    },
    # ECN without PFC: no finding for pause that is missing, nor for the rewrite of 26 to 8.
    **{
        f"junos/5stage-{name}.conf": {"PFC001", "PFC009", "PFC020", "MAP001", "MAP007", "BUF020"}
        for name in (
            "compute-leaf1-qfx5120",
            "storage-leaf1-qfx5130",
            "compute-spine1-qfx5210",
            "storage-spine1-qfx5220",
            "superspine1-qfx5230",
            "services-leaf1-qfx5130",
        )
    },
    # `qos roce` implies what no line states.
    **{
        f"cumulus/{name}": {"PFC001", "MAP001", "MAP002", "ECN001", "CLS006", "CLS003", "PFC002"}
        for name in (
            "era-2-8-9-400-core-01.yaml",
            "era-2-8-9-400-core-01.nv.sh",
            "era-2-4-3-200-core-02.yaml",
            "era-2-4-5-800-gl-plane1-01.nv.sh",
        )
    },
    # A management switch and top-of-rack switches without RoCE.
    "cumulus/era-2-4-3-200-oob-01.yaml": {"PFC001", "MAP002", "PFC020", "CLS020"},
    "os10/m365-tor1.config": {"MAP002", "MAP003", "PFC003", "PFC009"},
    # Cisco's default policies and built-in names need no definition.
    "nxos/bf-policy-map.cfg": {"MAP003"},
    # Tunnel remapping: 2, 3, 4 and 6 are paused towards one tier, 3 and 4 are watched.
    "sonic/arista7260-t1-qos.json": {"PFC005", "PFC022", "MAP001", "MAP006"},
    "sonic/mlnx4600c-c64-qos.json": {"PFC005", "PFC022", "MAP001", "MAP006"},
    # Priority 0 and 1 swap places in the defaults of EOS, and every default is printed.
    "eos/bf-show-run-all.cfg": {"MAP006", "PFC003", "PFC007", "MTU006"},
    "eos/bf-show-run-all-2.cfg": {"MAP006", "PFC003", "PFC007", "MTU006"},
}
"""Rules that might seem to apply, but must not report."""


@pytest.mark.parametrize("fault", PUBLISHED, ids=lambda f: f"{Path(f.file).stem}-{f.rule}")
def test_a_published_fault_is_found(fault: Fault) -> None:
    found = [
        (finding.rule, finding.severity.label, sorted(causes))
        for finding in judged(CORPUS / fault.file).findings
        if (
            causes := {
                p.line for o in finding.occurrences for p in o.locations if p.role == "cause"
            }
        )
    ]
    assert (fault.rule, fault.severity, sorted(fault.lines)) in found, fault.reason


@pytest.mark.parametrize(("file", "rule"), SILENT)
def test_a_fault_that_the_file_does_not_show_is_unknown(file: str, rule: str) -> None:
    report = judged(CORPUS / file)
    assert [f.location for f in report.findings if f.rule == rule] == []
    asked = [unknown.missing for unknown in report.unknowns if unknown.rule == rule]
    assert any(missing.startswith(SILENT[file, rule]) for missing in asked), asked


@pytest.mark.parametrize("file", LEGAL)
def test_valid_settings_are_not_reported(file: str) -> None:
    assert {f.rule for f in judged(CORPUS / file).findings} & LEGAL[file] == set()
