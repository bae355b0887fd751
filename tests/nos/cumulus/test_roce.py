"""Implied settings of `qos roce` by mode and release, and statements on top of it."""

from __future__ import annotations

import pytest

from roce_lint.model.qos import PfcMode, SchedulerKind, ShareKind, Trust
from roce_lint.model.units import PRIORITIES, Threshold
from roce_lint.nos.cumulus.roce import LOSSLESS, LOSSY, PLAIN
from roce_lint.text.source import Confidence, LineState
from tests.nos.cumulus.reading import COMMANDS, DOCUMENT, commands, pfc, qos, queue, read, tc
from tests.nos.reader import default_sentence, line, notes, states


@pytest.mark.parametrize(
    "text",
    ["nv set qos roce", "nv set qos roce enable on", "nv set qos roce state enabled"],
)
def test_lossless_is_the_mode_without_one(text: str) -> None:
    device = commands(text)
    assert qos(device).trust is Trust.BOTH
    assert line(qos(device), "classifier") == 2
    assert default_sentence(qos(device), "trust") == LOSSLESS.defaults["trust"].says
    assert pfc(device).generate == {3}
    assert line(pfc(device), "mode") == 2


@pytest.mark.parametrize("mode", ["lossless", "lossless-single-ipool"])
def test_lossless(mode: str) -> None:
    device = commands(f"nv set qos roce mode {mode}")
    assert [tc(device, dscp) for dscp in (0, 23, 24, 26, 31, 48, 63)] == [0, 2, 3, 3, 3, 6, 7]
    maps = device.qos.forwardings[qos(device).forwarding or ""]
    assert [maps.tc_to_queue.get(n) for n in PRIORITIES] == [0, 0, 0, 3, 0, 0, 6, 0]
    assert [maps.tc_to_pfc_priority.get(n) for n in PRIORITIES] == list(PRIORITIES)
    assert [maps.pfc_priority_to_queue.get(n) for n in (3, 4)] == [3, 0]
    marks = [(n, queue(device, n).marking) for n in PRIORITIES]
    assert [n for n, marking in marks if marking is not None and marking.ecn] == [0, 3]
    marking = queue(device, 3).marking
    assert marking is not None
    assert (marking.kmin, marking.kmax) == (Threshold(150_000), Threshold(1_500_000))
    assert (marking.pmax_percent, marking.wred_drop, marking.allow_non_ect) == (100, False, True)
    strict, roce, none = (queue(device, n).scheduler for n in (6, 3, 5))
    assert strict is not None
    assert roce is not None
    assert none is not None
    assert strict.kind is SchedulerKind.STRICT
    assert (roce.share, roce.share_of) == (50, ShareKind.REMAINING)
    assert none.share == 0
    assert (pfc(device).mode, pfc(device).generate) == (PfcMode.ON, {3})
    assert pfc(device).honour == set(PRIORITIES)
    assert pfc(device).cable_m == 100


def test_lossy_has_no_pfc_and_marks() -> None:
    device = commands("nv set qos roce mode lossy")
    assert (pfc(device).mode, pfc(device).generate, pfc(device).honour) == (
        PfcMode.OFF,
        set(),
        set(),
    )
    assert default_sentence(pfc(device), "generate") == LOSSY.defaults["pfc"].says
    marking = queue(device, 3).marking
    assert marking is not None
    assert marking.ecn is True
    assert line(qos(device), "classifier") == 2


DOCUMENT_OF = """
    - header:
        version: Cumulus Linux {release}
    - set:
        interface:
          swp1:
            ip:
              address:
                10.0.0.0/31: {{}}
        qos:
          roce:
            mode: lossy-multi-tc
    """


@pytest.mark.parametrize(
    ("release", "dscp_45"), [("5.14.0", 0), ("5.15.1", None), ("5.16.0", 5), ("6.0.0", 5)]
)
def test_lossy_multi_tc_by_release(release: str, dscp_45: int | None) -> None:
    device = read((DOCUMENT, DOCUMENT_OF.format(release=release)))
    assert device.os_version == release
    assert [tc(device, dscp) for dscp in (0, 1, 3, 5, 26, 40, 51)] == [0, 1, 2, 3, 4, 4, 0]
    assert tc(device, 45) == dscp_45
    marked = [n for n in PRIORITIES if queue(device, n).marking is not None]
    assert marked == [1, 2, 3]
    shares = [queue(device, n).scheduler for n in PRIORITIES]
    assert [s.share for s in shares if s is not None] == [4, 8, 18, 22, 22, 22, 4, 0]
    assert pfc(device).generate == set()


def test_lossy_multi_tc_of_an_unknown_release() -> None:
    device = commands("nv set qos roce mode lossy-multi-tc")
    assert tc(device, 45) is None
    assert tc(device, 26) == 4


@pytest.mark.parametrize("mode", ["dci-1", "dci-custom"])
def test_what_other_modes_imply_is_not_known(mode: str) -> None:
    device = commands(f"nv set qos roce mode {mode}")
    assert (qos(device).trust, qos(device).pfc, qos(device).egress) == (None, None, None)
    assert tc(device, 26) is None
    assert notes(device) == []


def test_a_mode_that_does_not_exist() -> None:
    device = commands("nv set qos roce mode losless")
    assert qos(device).pfc is None
    modes = "lossless, lossless-single-ipool, lossy, lossy-multi-tc, dci-1, dci-custom"
    assert notes(device) == [(2, f"roce mode 'losless', takes {modes}")]


def test_the_last_mode_counts() -> None:
    device = commands("nv set qos roce mode lossless\nnv set qos roce mode lossy\n")
    assert pfc(device).generate == set()
    assert states(device, LineState.SHADOWED) == [2]


def test_roce_switched_off() -> None:
    device = commands("nv set qos roce mode lossless\nnv set qos roce enable off\n")
    assert qos(device).trust is Trust.PCP
    assert pfc(device).mode is PfcMode.OFF


def test_without_roce() -> None:
    device = commands("nv set interface swp1 link mtu 9000")
    assert (qos(device).trust, qos(device).default_pcp) == (Trust.PCP, 0)
    assert default_sentence(qos(device), "trust") == PLAIN.defaults["trust"].says
    assert pfc(device).mode is PfcMode.OFF
    assert default_sentence(pfc(device), "mode") == PLAIN.defaults["pfc"].says
    marked = [n for n in PRIORITIES if queue(device, n).marking is not None]
    assert marked == [0]
    shares = [queue(device, n).scheduler for n in PRIORITIES]
    assert [s.share for s in shares if s is not None] == [12, 13] * 4
    assert device.qos.classifiers["default-global"].builtin is True


def test_roce_moved_to_another_priority() -> None:
    device = commands(
        """
        nv set qos roce
        nv set qos pfc default-global switch-priority 2
        nv set qos egress-queue-mapping default-global switch-priority 2 traffic-class 3
        nv set qos egress-queue-mapping default-global switch-priority 3 traffic-class 0
        nv set qos mapping default-global trust both
        nv set qos mapping default-global dscp 26 switch-priority 2
        """
    )
    assert (pfc(device).generate, line(pfc(device), "generate")) == ({2}, 3)
    assert pfc(device).cable_m == 100
    maps = device.qos.forwardings["default-global"]
    assert [maps.tc_to_queue.get(n) for n in PRIORITIES] == [0, 0, 3, 0, 0, 0, 6, 0]
    assert line(maps.tc_to_queue, 2) == 4
    assert maps.pfc_priority_to_queue.get(2) == 3
    assert (tc(device, 26), tc(device, 27)) == (2, 3)
    entries = device.qos.classifiers["default-global"].dscp_to_tc
    assert (line(entries, 26), line(entries, 27)) == (7, 0)


def test_thresholds_over_those_of_roce() -> None:
    device = commands(
        """
        nv set qos roce
        nv set qos congestion-control default-global traffic-class 3 min-threshold 200000
        """
    )
    marking = queue(device, 3).marking
    assert marking is not None
    assert (marking.kmin, line(marking, "kmin")) == (Threshold(200_000), 3)
    assert marking.kmax == Threshold(1_500_000)
    assert default_sentence(marking, "kmax") == LOSSLESS.defaults["marking"].says
    assert queue(device, 0).marking is not None


def test_the_cable_length_of_the_first_releases() -> None:
    device = commands("nv set qos roce\nnv set qos roce cable-length 40\n")
    assert (pfc(device).cable_m, line(pfc(device), "cable_m")) == (40, 3)


def test_storage_optimized_of_nclu_is_not_certain() -> None:
    device = read(
        (
            "nclu-commands",
            """
            net add interface swp1-2 storage-optimized pfc
            net add interface swp3 storage-optimized
            net add interface swp1-3 mtu 9216
            """,
        )
    )
    assert [pfc(device, name).generate for name in ("swp1", "swp3")] == [{3}, set()]
    assert [tc(device, dscp) for dscp in (0, 26, 27, 48)] == [0, 3, 0, 2]
    scheduler = queue(device, 3).scheduler
    assert scheduler is not None
    assert (scheduler.share, scheduler.share_of) == (16, ShareKind.WEIGHT)
    where = qos(device).where("trust")
    assert where.citation is not None
    assert where.citation.confidence is Confidence.UNCONFIRMED


def test_nclu_roce() -> None:
    device = read(("nclu-commands", "net add interface swp1 mtu 9216\nnet add roce lossless\n"))
    assert pfc(device).generate == {3}
    assert line(pfc(device), "mode") == 2


def test_without_a_file_about_qos_nothing_is_known_of_it() -> None:
    device = read(("interfaces", "auto swp1\niface swp1\n    mtu 9000\n"))
    assert device.interfaces["swp1"].qos is None
    assert device.system.has_qos is False


def test_nothing_but_qos() -> None:
    device = read((COMMANDS, "nv set qos roce mode lossless\n"))
    assert device.partial is True
    assert device.interfaces == {}
    assert list(device.qos.classifiers) == ["default-global"]
    assert list(device.qos.egress) == ["default-global"]
