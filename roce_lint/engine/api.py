"""What the author of a check imports.

A check is a generator function. It yields `Problem` where the rule is broken, `Unknown` where it
cannot tell, and nothing where all is well. It knows no rule id and no severity: the engine takes
them from the rule's page. It never sees a vendor word: vendors differ in the model's values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from roce_lint.analysis.result import Analysis
from roce_lint.engine.finding import Acts, Severity
from roce_lint.engine.registry import Check, Scope, register
from roce_lint.model.change import Change, Safety
from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric, Link
from roce_lint.model.plan import RocePlan
from roce_lint.model.sourced import Sourced
from roce_lint.text.source import Where

P = TypeVar("P")
F = TypeVar("F", bound=Callable[..., Iterable[Any]])


@dataclass(slots=True)
class Problem:
    """The rule is broken here.

    `at`: the deciding place first, then the evidence. `value` is the faulty value as text; with
    the deciding line it tells one cause from another. `traffic` names the traffic class.
    `device` and `subjects` default to what the check was called with. `severity` may only lower
    the page's severity. `several` is True where every place of `at` decides, not only the first;
    `shaped` where `value` tells the causes apart alone, whatever stands in the deciding line.
    `about` is another place that the problem is about: a broader rule that decides there covers it.
    `acts` says which packets of the subjects are hurt, where that is not as the page says,
    `hurts` the ports whose packets are hurt, where the subjects are no ports.
    """

    message: str
    consequence: str
    at: list[Where]
    device: str = ""
    subjects: tuple[str, ...] = ()
    value: str = ""
    traffic: str = ""
    change: Change | None = None
    severity: Severity | None = None
    assumed: str = ""  # why the finding rests on an assumption: "link known from addresses only"
    several: bool = False
    shaped: bool = False
    about: Where | None = None
    acts: Acts | None = None
    hurts: tuple[str, ...] = ()


@dataclass(slots=True)
class Unknown:
    """The rule cannot be judged here. `missing` names the input that would settle it, in words
    that are the same for every place that lacks it: unknowns are grouped by it.
    """

    missing: str
    at: list[Where]
    device: str = ""
    subjects: tuple[str, ...] = ()


Outcome = Problem | Unknown


@dataclass(slots=True, frozen=True)
class Given(Generic[P]):
    """What every check is given besides its subject."""

    params: P
    fabric: Fabric
    analysis: Analysis
    plan: RocePlan


@dataclass(slots=True, frozen=True)
class Bound(Generic[P]):
    """A named object of a device, with every port bound to it: subject of an object check."""

    device: Device
    name: str
    object: P
    ports: tuple[str, ...]


class NoParams:
    """Parameters of a check that has none."""


def device_check(name: str, params: type[Any] | None = None) -> Callable[[F], F]:
    """The function is called with every device: `(device, given)`."""
    return _decorator(name, Scope.DEVICE, params)


def object_check(name: str, *, over: str, params: type[Any] | None = None) -> Callable[[F], F]:
    """The function is called with every object of a collection of `QosObjects`."""
    return _decorator(name, Scope.OBJECT, params, over)


def link_check(name: str, params: type[Any] | None = None) -> Callable[[F], F]:
    """The function is called with every link: `(link, given)`."""
    return _decorator(name, Scope.LINK, params)


def fabric_check(
    name: str, params: type[Any] | None = None, *, by_port: bool = False, alone: bool = False
) -> Callable[[F], F]:
    """The function is called once: `(fabric, given)`.

    With `by_port` it promises that what it says of a judged port follows from the configuration
    of that port and its device (and from classes and modes), not from how many ports there are or
    from the peer: the engine then asks about one port of every kind first. With `alone` too it
    compares no ports: what it says of a port is the same however few others it is shown.
    """
    return _decorator(name, Scope.FABRIC, params, by_port=by_port, alone=alone)


def _decorator(
    name: str,
    scope: Scope,
    params: type[Any] | None,
    over: str = "",
    *,
    by_port: bool = False,
    alone: bool = False,
) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        register(Check(name, scope, function, params, over, by_port, alone))
        return function

    return decorate


__all__ = [
    "Bound",
    "Change",
    "Device",
    "Endpoint",
    "Fabric",
    "Given",
    "Link",
    "NoParams",
    "Outcome",
    "Problem",
    "Safety",
    "Severity",
    "Sourced",
    "Unknown",
    "Where",
    "device_check",
    "fabric_check",
    "link_check",
    "object_check",
]
