"""Branches of the rules about hosts and links that the examples of their pages do not reach."""

from __future__ import annotations

import pytest

from roce_lint.engine.run import NO_PEER
from tests.unit.checks.judging import judged, missing, severities_and_values, values
from tests.unit.fabric import emission, host, port, switch


def test_a_code_point_that_most_ports_protect_is_right() -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1", sends=26)
    port(leaf, "e1")
    assert severities_and_values("NIC001", leaf, gpu, links=[((leaf, "e1"), (gpu, "ens1"))]) == []


def test_a_code_point_outside_is_found_on_the_nics_it_applies_to() -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1", "ens2")
    links = []
    for interface in ("ens1", "ens2"):
        port(leaf, interface)
        links.append(((leaf, interface), (gpu, interface)))
    gpu.emits.append(emission(gpu, 10, nics=("mlx5_1",)))
    (found,) = judged("NIC001", leaf, gpu, links=links).findings
    assert (found.subjects, values(found.message)) == (
        ("ens2",),
        "gpu1 ens2 10 26",
    )


def test_one_setting_of_a_host_is_told_once_for_all_its_ports() -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1", "ens2", "ens3", sends=10)
    links = []
    for interface in ("ens1", "ens2", "ens3"):
        port(leaf, interface)
        links.append(((leaf, interface), (gpu, interface)))
    (found,) = judged("NIC001", leaf, gpu, links=links).findings
    assert found.subjects == ("ens1", "ens2", "ens3")


def test_where_nothing_is_protected_there_is_no_outside() -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1", sends=10)
    port(leaf, "e1", pauses=())
    assert severities_and_values("NIC001", leaf, gpu, links=[((leaf, "e1"), (gpu, "ens1"))]) == []


def test_what_switches_do_may_be_missing() -> None:
    leaf, gpu = switch("leaf1"), host("gpu1", "ens1", sends=10)
    port(leaf, "e1", pauses=None)
    links = [((leaf, "e1"), (gpu, "ens1"))]
    assert missing("NIC001", leaf, gpu, links=links) == {
        "how the switches treat the DSCP of the host"
    }


@pytest.mark.parametrize("rule", ["MTU002", "MTU003", "PFC002"])
def test_a_link_rule_lacks_the_other_end(rule: str) -> None:
    leaf = switch("leaf1")
    port(leaf, "e1")
    assert NO_PEER in missing(rule, leaf)
