"""Branches of the rules about the separation of classes that the examples of their pages do not reach."""

from __future__ import annotations

import pytest

from roce_lint.model.nic import Certainty, Flow
from tests.unit.checks.judging import judged, missing, severities_and_values, values
from tests.unit.fabric import emission, host, port, switch


def test_traffic_that_a_host_states_is_of_another_kind() -> None:
    leaf, gpu = switch("leaf1", dscps={26: 3, 28: 3}), host("gpu1", "ens1", sends=26)
    port(leaf, "e1")
    links = [((leaf, "e1"), (gpu, "ens1"))]
    gpu.emits.append(emission(gpu, 28, Flow.STORAGE, Certainty.POSSIBLE))
    assert severities_and_values("CLS001", leaf, gpu, links=links) == []
    gpu.emits.append(emission(gpu, 28, Flow.STORAGE))
    (found,) = judged("CLS001", leaf, gpu, links=links).findings
    assert values(found.message).startswith("leaf1 e1 28")
    assert "storage" in found.message
    assert [place.file for place in found.occurrences[0].locations] == ["leaf1.cfg", "gpu1.cfg"]


@pytest.mark.parametrize(
    ("pauses", "marks", "tc", "found"),
    [
        ((3,), (), 6, []),
        ((3,), (), 3, ["leaf1 e1 48 3 26"]),
        ((3, 6), (), 6, ["leaf1 e1 48 6"]),
        ((), (3,), 3, ["leaf1 e1 48 3 26"]),  # a design without PFC
        ((), (), 3, []),
    ],
)
def test_where_cnps_travel(
    pauses: tuple[int, ...], marks: tuple[int, ...], tc: int, found: list[str]
) -> None:
    leaf = switch("leaf1", dscps={26: 3, 48: tc}, marked=marks)
    gpu = host("gpu1", "ens1", sends=26, cnp=48)
    port(leaf, "e1", pauses=pauses)
    links = [((leaf, "e1"), (gpu, "ens1"))]
    assert [
        message for _, message in severities_and_values("CLS002", leaf, gpu, links=links)
    ] == found


def test_without_their_code_point_cnps_are_not_known() -> None:
    leaf = switch("leaf1", marked=(3,))
    port(leaf, "e1")
    assert missing("CLS002", leaf) == {"the DSCP of CNPs (CNP settings of the NIC)"}


def test_unmarked_traffic_may_be_roce_itself() -> None:
    leaf = switch("leaf1", dscps={0: 3, 26: 3})
    port(leaf, "e1")
    assert [level for level, _ in severities_and_values("CLS003", leaf)] == ["warning"]
    gpu = host("gpu1", "ens1", sends=0)
    assert severities_and_values("CLS003", leaf, gpu, links=[((leaf, "e1"), (gpu, "ens1"))]) == []
