"""What hosts put on the wire: what is set for applications, and what the settings do not reach."""

from __future__ import annotations

from roce_lint.analysis.diagnosis.sending import BY_ADAPTER, BYTE, ESCAPES, OUTSIDE
from roce_lint.engine.api import (
    Diagnosis,
    Fault,
    Stage,
    stage_check,
)
from roce_lint.text.numbers import whole_of


@stage_check("nic.marks_outside_lossless", Stage.APPLICATION, OUTSIDE)
def data_marked_outside_protected_classes(diagnosis: Diagnosis, broken: Fault) -> str:
    """An application's data leaves with a code point that most of the fabric does not protect."""
    return "its data travels in a lossy, unmarked class through the whole fabric"


@stage_check("nic.dscp_instead_of_byte", Stage.APPLICATION, BYTE)
def dscp_instead_of_traffic_class_byte(diagnosis: Diagnosis, broken: Fault) -> str:
    """The traffic class byte of an application has the value of a protected DSCP."""
    return f"these packets travel as DSCP {whole_of(broken.value) >> 2}, outside of the RoCE class"


@stage_check("nic.default_mark_outside_lossless", Stage.UNASKED, BY_ADAPTER)
def default_mark_outside_protected_classes(diagnosis: Diagnosis, broken: Fault) -> str:
    """An adapter marks what asks for nothing with a code point that the fabric does not protect,
    while an application here asks for one that it does.
    """
    return (
        f"connections that ask for nothing leave as DSCP {broken.value}, lossy and unmarked "
        "through the whole fabric"
    )


@stage_check("nic.marks_differ_in_host", Stage.UNASKED, ESCAPES)
def marks_differing_inside_host(diagnosis: Diagnosis, broken: Fault) -> str:
    """The forced traffic class is protected, and that of queue pairs which escape it is not."""
    return "communication that the GPU starts travels outside of the class for RoCE"
