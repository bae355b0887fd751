"""What the author of a check imports.

A check is a generator function. It yields `Problem` where the rule is broken, `Unknown` where it
cannot tell, and nothing where all is well. It knows no rule id and no severity: the engine takes
them from the rule's page. It never sees a vendor word: vendors differ in the model's values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, Generic, TypeVar

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

P = TypeVar("P")
F = TypeVar("F", bound=Callable[..., Iterable[Any]])
H = TypeVar("H", bound=Callable[["Diagnosis", "Fault"], str])


@dataclass(slots=True)
class Problem:
    """The rule is broken here.

    `at`: the deciding place first, then the evidence. `value` is the faulty value as text; with
    the deciding line it tells one cause from another. `traffic` names the traffic class.
    `device` and `subjects` default to what the check was called with. `severity` may only lower
    the page's severity. `several` is True where every place of `at` decides, not only the first;
    `shaped` where `value` tells the causes apart alone, whatever stands in the deciding line.
    `compares` is True where the problem is how the places differ: all of them decide.
    `rests_on` are the places in which a doubt could make the problem none: an unconfirmed default
    there lowers it to a warning, and one anywhere else in `at` does not. Checks take them from what
    the analysis is in doubt about; None: the deciding places.
    `about` is another place that the problem is about: a broader rule that decides there covers it.
    `idle` are lines that were meant for what is missing here and do nothing: what rules that this
    one covers say of them is the same fault. `dscp` is the code point it tells of, with
    which `value` begins: problems that differ in nothing else become one.
    `acts` says which packets of the subjects are hurt, where that is not as the page says,
    `hurts` the ports whose packets are hurt, where the subjects are no ports. `stage` is where on
    the way through the port it stands: what follows from it there is told with it. `beyond` is a
    port of another device (its name and the port's) at which the same class breaks at the same
    stage, where one does: who tells of that has told of this. `lacks` are the sections in which
    a statement is missing, and names that are missing elsewhere: a line that was not understood
    and stands there, or has the name, leaves the problem open.
    """

    message: str
    consequence: str
    at: list[Where]
    device: str = ""
    subjects: tuple[str, ...] = ()
    value: str = ""
    traffic: str = ""
    changes: tuple[Change, ...] = ()  # each names by its path what it is for
    severity: Severity | None = None
    assumed: str = ""  # why the finding rests on an assumption: "link known from addresses only"
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
        """The unconfirmed places that the problem rests on."""
        places = self.at if self.compares else self.deciding
        if self.rests_on is not None:
            places = [*self.rests_on]
        return [place for place in places if not place.confirmed]


@dataclass(slots=True)
class Unknown:
    """The rule cannot be judged here. `missing` names the input that would settle it, in words
    that are the same for every place that lacks it: unknowns are grouped by it. `tells` is what
    alone can tell it, where that is a host or a link.
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
    """What a diagnosis says of a stage, as outcomes; `harm` is what follows from a fault. With a
    `kind`, what is of that kind alone.
    """
    found = [each for each in diagnosis.at(stage) if kind in ("", each.kind)]
    yield from unknowns(diagnosis, found)
    for each in found:
        if isinstance(each, Fault):
            yield problem(diagnosis, each, harm(each) if callable(harm) else harm)


def problem(diagnosis: Diagnosis, broken: Fault, harm: str) -> Problem:
    """A broken stage, with what follows from it."""
    port = diagnosis.port
    return Problem(
        broken.of(port),
        harm,
        list(broken.where),
        port.device.hostname,
        (port.interface.name,),
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
    )


def unknowns(diagnosis: Diagnosis, found: Iterable[Fault | Lack]) -> Iterator[Unknown]:
    """What of a stage is not known, as outcomes."""
    at = diagnosis.port.device.hostname, (diagnosis.port.interface.name,)
    for lack in found:
        if isinstance(lack, Lack):
            yield Unknown(lack.missing, list(lack.where), *at)


@dataclass(slots=True, frozen=True)
class Given(Generic[P]):
    """What every check is given besides its subject."""

    params: P
    fabric: Fabric
    analysis: Analysis
    plan: RocePlan


@dataclass(slots=True, frozen=True)
class BoundObject(Generic[P]):
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


def port_check(name: str, params: type[Any] | None = None) -> Callable[[F], F]:
    """The function is called with judged ports: `(port, given)`.

    What it says of a port has to follow from the configuration of that port and its device, and
    from classes and modes; not from its peer, its neighbours, or how many ports there are. It is
    asked about one port of every kind first, and only where it says something there about those
    configured alike. Outcomes are about the port unless they name another device.
    """
    return _decorator(name, Scope.PORT, params)


def class_port_check(name: str, params: type[Any] | None = None) -> Callable[[F], F]:
    """The function is called with every class of RDMA data on judged ports:
    `(traffic, port, diagnosis, given)`; what holds for `port_check` holds here.
    """
    return _decorator(name, Scope.CLASS_PORT, params)


def stage_check(name: str, stage: Stage, kind: str = "") -> Callable[[H], H]:
    """What the diagnoses of classes on ports say of a stage, or of a kind of fault of it. The
    function is called with each fault, `(diagnosis, broken)`, and gives what follows from it.
    """

    def decorate(function: H) -> H:
        @wraps(function)
        def of_stage(
            traffic: RoceClass,  # noqa: ARG001  (as every check of classes on ports is called)
            port: JudgedPort,  # noqa: ARG001
            diagnosis: Diagnosis,
            given: Given[NoParams],  # noqa: ARG001
        ) -> Iterator[Outcome]:
            return outcomes(diagnosis, stage, partial(function, diagnosis), kind)

        register(Check(name, Scope.CLASS_PORT, of_stage, None, stage=stage))
        return function

    return decorate


def fabric_check(name: str, params: type[Any] | None = None) -> Callable[[F], F]:
    """The function is called once: `(fabric, given)`."""
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
