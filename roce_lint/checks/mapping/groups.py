"""Groups of lines that are in force only where they are applied, and are applied nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.engine.api import (
    Device,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Where,
    device_check,
)
from roce_lint.model.device import GROUP, QOS_GROUP


@device_check("mapping.group_not_applied")
def configuration_group_not_applied(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A group holds settings of QoS or of interfaces, and no line applies it."""
    ports = given.analysis.ports_of(device)
    for structure in device.structures:
        about_qos = structure.kind == QOS_GROUP
        if not (about_qos or structure.kind == GROUP) or structure.references:
            continue
        if structure.at.get("", 0) <= 0 or device.partial or not ports:
            continue
        alone = about_qos and device.system.has_qos is False and bool(given.analysis.data_classes)
        what = "QoS" if about_qos else "interfaces"
        yield Problem(
            f"{device.hostname}: group {structure.name} holds settings of {what} and is applied "
            "nowhere" + (", and nothing else sets up QoS" if alone else ""),
            "none of its lines is in force"
            + (": RoCE is lossy and unmarked on the device" if alone else ""),
            [
                Where(structure.src, structure.at[""]),
                # What the group would have set is missing at the ports: told here, once.
                *(port.interface.where() for port in ports if alone),
            ],
            device.hostname,
            (f"group {structure.name}",),
            value=structure.name,
            several=alone,
            severity=None if alone else Severity.WARNING,
            hurts=tuple(port.interface.name for port in ports) if alone else (),
        )
