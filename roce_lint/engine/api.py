"""Public names for authors of checks.

A check is a generator function. It yields `Problem` where the rule is broken, `Unknown` where it
cannot decide, and nothing otherwise. It contains no rule id and no severity: the engine takes them
from the rule's page. It contains no vendor word: vendors differ in the model's values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Generic

from roce_lint.analysis.diagnosis import Diagnosis, Fault, Lack
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.stages import Stage
from roce_lint.engine.finding import Acts, Severity, Teller
from roce_lint.engine.registry import Check, Scope, register
from roce_lint.model.change import Change, Safety
from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric, Link
from roce_lint.model.plan import RocePlan
from roce_lint.model.sourced import Sourced
from roce_lint.text.source import Where

if TYPE_CHECKING:  # defaults of type variables come with Python 3.13
    from typing_extensions import TypeVar

    P = TypeVar("P", default="NoParams")
else:
    from typing import TypeVar

    P = TypeVar("P")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Iterable[Any]])
H = TypeVar("H", bound=Callable[["Diagnosis", "Fault"], str])


@dataclass(slots=True)
class Problem:
    """A violation of the rule.

    `at`: the deciding place first, then the evidence. `value` is the faulty value as text; with
    the deciding line it identifies the cause. `traffic` names the traffic class.
    `device` and `subjects` default to the subject of the check. `severity` may only lower the
    page's severity. `several` is True if all places of `at` decide, not only the first; `shaped`
    if `value` alone identifies the cause, whatever the deciding line; `compares` if the problem is
    a difference between the places: all of them decide.
    `rests_on` are the places where a doubt could invalidate the problem: an unconfirmed default
    there lowers it to a warning, one elsewhere in `at` does not. Checks take them from the doubts
    of the analysis; None: the deciding places.
    `about` is another place that the problem concerns: a broader rule that decides there covers it.
    `idle` are lines without effect that were meant for what is missing here: findings of covered
    rules on them are the same fault. `dscp` is the DSCP concerned, with which `value` begins:
    problems that differ in nothing else are merged.
    `acts` selects the affected packets of the subjects where that differs from the page, `hurts`
    the affected ports where the subjects are not ports. `stage` is the stage of the port's
    pipeline; problems of later stages that follow from it are folded into it. `beyond` is a port
    of another device (device and port name) at which the same class breaks at the same stage; its
    finding includes this one. `lacks` are the sections in which a statement is missing, and names
    that are missing elsewhere: an unrecognised line there, or with such a name, leaves the problem
    undecided.
    """

    message: str
    consequence: str
    at: list[Where]
    device: str = ""
    subjects: tuple[str, ...] = ()
    value: str = ""
    traffic: str = ""
    changes: tuple[Change, ...] = ()  # each names its target by path
    severity: Severity | None = None
    assumed: str = ""  # reason for an assumption: "link known from addresses only"
    several: bool = False
    shaped: bool = False
    compares: bool = False
    rests_on: tuple[Where, ...] | None = None
    about: Where | None = None
    idle: tuple[Where, ...] = ()
    dscp: int | None = None
    acts: Acts | None = None
    hurts: tuple[str, ...] = ()
    stage: Stage | None = None
    beyond: tuple[str, str] | None = None
    lacks: tuple[Where | str, ...] = ()

    @property
    def deciding(self) -> list[Where]:
        """The deciding places: the first of `at`, or all of them."""
        return self.at if self.several else self.at[:1]

    @property
    def doubts(self) -> list[Where]:
        """Unconfirmed places that the problem rests on."""
        places = self.at if self.compares else self.deciding
        if self.rests_on is not None:
            places = [*self.rests_on]
        return [place for place in places if not place.confirmed]


@dataclass(slots=True)
class Unknown:
    """A place where the rule cannot be checked. `missing` names the required input in words that
    are the same for every place that lacks it: unknowns are grouped by it. `tells` is the only
    possible source, where that is a host or a link.
    """

    missing: str
    at: list[Where]
    device: str = ""
    subjects: tuple[str, ...] = ()
    tells: Teller = ""


Outcome = Problem | Unknown


def outcomes(
    diagnosis: Diagnosis, stage: Stage, harm: str | Callable[[Fault], str], kind: str = ""
) -> Iterator[Outcome]:
    """Outcomes of one stage of a diagnosis; `harm` is the consequence of a fault. With a `kind`,
    only those of that kind.
    """
    found = [each for each in diagnosis.at(stage) if kind in ("", each.kind)]
    yield from unknowns(diagnosis, found)
    for each in found:
        if isinstance(each, Fault):
            yield problem(diagnosis, each, harm(each) if callable(harm) else harm)


def problem(diagnosis: Diagnosis, broken: Fault, harm: str) -> Problem:
    """Problem for a broken stage, with its consequence."""
    port = diagnosis.port
    return Problem(
        broken.of(port),
        harm,
        list(broken.where),
        *at_port(port),
        value=broken.value,
        traffic=diagnosis.traffic.name,
        severity=Severity.INFO if broken.slight else None if broken.demanded else Severity.WARNING,
        several=broken.either,
        compares=broken.compares,
        rests_on=broken.rests_on,
        about=broken.about,
        idle=broken.idle,
        dscp=broken.dscp if broken.stage in (Stage.CODE_POINT, Stage.REWRITE) else None,
        acts=broken.acts,
        assumed=broken.assumed,
        stage=broken.stage,
        beyond=broken.beyond,
        lacks=broken.lacks,
        changes=broken.changes,
    )


def unknowns(diagnosis: Diagnosis, found: Iterable[Fault | Lack]) -> Iterator[Unknown]:
    """Unknowns of one stage of a diagnosis."""
    for lack in found:
        if isinstance(lack, Lack):
            yield Unknown(lack.missing, list(lack.where), *at_port(diagnosis.port))


def at_port(port: JudgedPort | Endpoint) -> tuple[str, tuple[str, ...]]:
    """Device and subjects of an outcome about one port."""
    return port.device.hostname, (port.interface.name,)


@dataclass(slots=True, frozen=True)
class Given(Generic[P]):
    """Arguments of every check besides its subject."""

    params: P
    fabric: Fabric
    analysis: Analysis
    plan: RocePlan


@dataclass(slots=True, frozen=True)
class BoundObject(Generic[T]):
    """A named object of a device, with every port bound to it: subject of an object check."""

    device: Device
    name: str
    object: T
    ports: tuple[str, ...]


class NoParams:
    """Parameters of a check without parameters."""


def device_check(name: str, params: type[Any] | None = None) -> Callable[[F], F]:
    """Register a check called with every device: `(device, given)`."""
    return _decorator(name, Scope.DEVICE, params)


def object_check(name: str, *, over: str, params: type[Any] | None = None) -> Callable[[F], F]:
    """Register a check called with every object of a collection of `QosObjects`."""
    return _decorator(name, Scope.OBJECT, params, over)


def link_check(name: str, params: type[Any] | None = None) -> Callable[[F], F]:
    """Register a check called with every link: `(link, given)`."""
    return _decorator(name, Scope.LINK, params)


def port_check(name: str, params: type[Any] | None = None) -> Callable[[F], F]:
    """Register a check called with ports in scope: `(port, given)`.

    Its result may depend on the configuration of that port and its device, and on classes and
    modes; not on the peer, the neighbours, or the number of ports. It is called for one port of
    every kind first, and for identically configured ports only if it yields something there.
    Outcomes concern the port unless they name another device.
    """
    return _decorator(name, Scope.PORT, params)


def class_port_check(name: str, params: type[Any] | None = None) -> Callable[[F], F]:
    """Register a check called with every class of RDMA data on ports in scope: `(traffic, port,
    diagnosis, given)`; the conditions of `port_check` apply.
    """
    return _decorator(name, Scope.CLASS_PORT, params)


def stage_check(name: str, stage: Stage, kind: str = "") -> Callable[[H], H]:
    """Register a check that reports a stage of the diagnoses, or one kind of fault of it. The
    function is called with each fault, `(diagnosis, broken)`, and returns the consequence.
    """

    def decorate(function: H) -> H:
        @wraps(function)
        def of_stage(
            traffic: RoceClass,  # noqa: ARG001  (as every check of classes on ports is called)
            port: JudgedPort,  # noqa: ARG001
            diagnosis: Diagnosis,
            given: Given,  # noqa: ARG001
        ) -> Iterator[Outcome]:
            return outcomes(diagnosis, stage, partial(function, diagnosis), kind)

        register(Check(name, Scope.CLASS_PORT, of_stage, None, stage=stage))
        return function

    return decorate


def fabric_check(name: str, params: type[Any] | None = None) -> Callable[[F], F]:
    """Register a check called once: `(fabric, given)`."""
    return _decorator(name, Scope.FABRIC, params)


def _decorator(
    name: str, scope: Scope, params: type[Any] | None, over: str = ""
) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        register(Check(name, scope, function, params, over))
        return function

    return decorate


__all__ = [
    "BoundObject",
    "Change",
    "Device",
    "Diagnosis",
    "Endpoint",
    "Fabric",
    "Fault",
    "Given",
    "JudgedPort",
    "Lack",
    "Link",
    "NoParams",
    "Outcome",
    "Problem",
    "RoceClass",
    "Safety",
    "Severity",
    "Sourced",
    "Stage",
    "Unknown",
    "Where",
    "at_port",
    "class_port_check",
    "device_check",
    "fabric_check",
    "link_check",
    "object_check",
    "outcomes",
    "port_check",
    "problem",
    "unknowns",
]
