"""The stages of a class on a host: what its application sends, and what its NIC does about marks."""

from __future__ import annotations

from roce_lint.analysis.diagnosis import Lack, diagnose
from roce_lint.analysis.diagnosis.reacting import OPEN
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.stages import Stage
from roce_lint.model.device import Device
from roce_lint.model.nic import Flow
from tests.unit.fabric import analysed, emission, host, port, switch


def network(*hosts: Device) -> Analysis:
    leaf = switch("leaf1", marked=(3,))
    links = []
    for number, gpu in enumerate(hosts):
        port(leaf, f"e{number}")
        links.append(((leaf, f"e{number}"), (gpu, "ens1")))
    return analysed(leaf, *hosts, links=links)


def broken(analysis: Analysis, gpu: Device) -> list[tuple[str, Stage]]:
    """Class and stage of all that is broken at the port of a host."""
    mine = analysis.port(gpu.hostname, "ens1")
    assert mine is not None
    return [
        (traffic.name, each.stage)
        for traffic in analysis.classes
        for each in diagnose(analysis, traffic, mine).faults()
    ]


def sound(name: str, sends: int = 26) -> Device:
    gpu = host(name, "ens1", sends=sends, pauses=(3,))
    nic = gpu.nics["mlx5_0"]
    nic.rp_priorities = nic.np_priorities = frozenset({3})
    return gpu


def test_a_host_in_order_breaks_nothing() -> None:
    gpus = sound("gpu1"), sound("gpu2")
    analysis = network(*gpus)
    assert [broken(analysis, gpu) for gpu in gpus] == [[], []]


def test_what_an_application_sends_stands_before_all_else() -> None:
    gpus = sound("gpu1"), sound("gpu2", sends=10)
    found = broken(network(*gpus), gpus[1])
    assert found[0] == ("RoCE DSCP 10", Stage.APPLICATION)
    assert ("RoCE DSCP 26", Stage.APPLICATION) not in found


def test_a_code_point_without_a_class_is_told_in_the_class_it_lies_outside_of() -> None:
    gpu = sound("gpu1")
    gpu.nics["mlx5_0"].own_dscp = 10
    gpu.nics["mlx5_0"].at["own_dscp"] = gpu.emits[0].at["dscp"]
    assert broken(network(gpu), gpu) == [("RoCE DSCP 26", Stage.UNASKED)]


def test_marks_that_a_nic_does_not_obey_stand_last() -> None:
    gpu = sound("gpu1")
    gpu.nics["mlx5_0"].rp_priorities = frozenset()
    assert broken(network(gpu), gpu) == [("RoCE DSCP 26", Stage.REACTION)]
    gpu.nics["mlx5_0"].rp_priorities = None
    analysis = network(gpu)
    mine = analysis.port("gpu1", "ens1")
    assert mine is not None
    (lack,) = diagnose(analysis, analysis.data_classes[0], mine).at(Stage.REACTION)
    assert isinstance(lack, Lack)
    assert lack.missing == OPEN


def test_notifications_that_a_nic_sends_with_the_data_name_the_port_beyond() -> None:
    gpu = sound("gpu1")
    gpu.nics["mlx5_0"].cnp_dscp = 27  # its own map gives it the priority of DSCP 26
    gpu.emits.append(emission(gpu, 27, flow=Flow.CNP))
    analysis = network(gpu)
    assert ("CNP DSCP 27", Stage.CODE_POINT) in broken(analysis, gpu)
    mine = analysis.port("gpu1", "ens1")
    assert mine is not None
    (found,) = diagnose(analysis, analysis.cnp_classes[0], mine).faults()
    assert found.beyond == ("leaf1", "e0")
