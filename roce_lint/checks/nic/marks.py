"""What hosts put on the wire: what is set for applications, and what the settings do not reach."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.diagnosis.sending import BY_ADAPTER, BYTE, ESCAPES, OUTSIDE
from roce_lint.engine.api import (
    Broken,
    Diagnosis,
    Given,
    JudgedPort,
    NoParams,
    Outcome,
    RoceClass,
    Stage,
    class_port_check,
    told,
)
from roce_lint.text.numbers import whole_of


@class_port_check("nic.marks_outside_lossless")
def data_marked_outside_protected_classes(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """An application's data leaves with a code point that most of the fabric does not protect."""
    harm = "its data travels in a lossy, unmarked class through the whole fabric"
    return told(diagnosis, Stage.APPLICATION, harm, OUTSIDE)


@class_port_check("nic.dscp_instead_of_byte")
def dscp_instead_of_traffic_class_byte(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """The traffic class byte of an application has the value of a protected DSCP."""

    def harm(broken: Broken) -> str:
        return (
            f"these packets travel as DSCP {whole_of(broken.value) >> 2}, outside of the RoCE class"
        )

    return told(diagnosis, Stage.APPLICATION, harm, BYTE)


@class_port_check("nic.default_mark_outside_lossless")
def default_mark_outside_protected_classes(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """An adapter marks what asks for nothing with a code point that the fabric does not protect,
    while an application here asks for one that it does.
    """

    def harm(broken: Broken) -> str:
        return (
            f"connections that ask for nothing leave as DSCP {broken.value}, lossy and unmarked "
            "through the whole fabric"
        )

    return told(diagnosis, Stage.UNASKED, harm, BY_ADAPTER)


@class_port_check("nic.marks_differ_in_host")
def marks_differing_inside_host(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """The forced traffic class is protected, and that of queue pairs which escape it is not."""
    harm = "communication that the GPU starts travels outside of the class for RoCE"
    return told(diagnosis, Stage.UNASKED, harm, ESCAPES)
