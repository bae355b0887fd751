"""Classes of a classification policy that take nothing."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.engine.api import BoundObject, Given, NoParams, Outcome, Problem, object_check
from roce_lint.model.qos import Classifier, MatchKind


@object_check("mapping.class_without_match", over="classifiers")
def class_without_match(
    bound: BoundObject[Classifier], given: Given[NoParams]
) -> Iterator[Outcome]:
    """A class of a policy on a judged port says of no packet that it belongs to it."""
    device = bound.device.hostname
    ports = tuple(name for name in bound.ports if given.analysis.port(device, name) is not None)
    for match in bound.object.matches if ports else ():
        if match.kind is MatchKind.NOTHING:
            yield Problem(
                f"{device}: class {match.class_name} of policy {bound.name} has no match line",
                "what was meant for this class is treated like everything else",
                [match.where("values"), match.where("tc")],
                device,
                ports,
                value=match.class_name or "",
            )
