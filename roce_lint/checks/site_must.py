"""A check for a site's own rules that are no code: what must hold, in one line a demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from roce_lint.analysis.demand import DEVICE, NIC, PORT, Answer, Demand, demand
from roce_lint.analysis.result import JudgedPort
from roce_lint.checks.site import Facing
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Unknown, fabric_check
from roce_lint.errors import RoceLintError
from roce_lint.model.device import Device


class MustParams(BaseModel):
    """Parameters of `site.must`: demands, and of which ports, NICs or devices they are made."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    must: tuple[str, ...] = Field(min_length=1)
    when: tuple[str, ...] = ()
    """Only where all of these hold."""
    facing: Facing = "any"
    """Ports towards hosts, towards other switches, or all."""

    @field_validator("must", "when", mode="before")
    @classmethod
    def _one_or_several(cls, given: Any) -> Any:
        return (given,) if isinstance(given, str) else given

    @model_validator(mode="after")
    def _understood(self) -> MustParams:
        wrong: list[str] = []
        kinds = set()
        for text in (*self.must, *self.when):
            try:
                kinds.add(demand(text).about)
            except RoceLintError as error:
                wrong.append(str(error))
        if wrong:
            raise ValueError("; ".join(wrong))
        if len(kinds - {DEVICE}) > 1 or (DEVICE in kinds and kinds != {DEVICE} and self._mixed()):
            raise ValueError("one rule is about ports, about NICs, or about devices")
        return self

    def _mixed(self) -> bool:
        """Whether a demand is of a device and another is not; a condition may be of the device."""
        return len({demand(text).about for text in self.must}) > 1


@fabric_check("site.must", params=MustParams)
def must(fabric: Fabric, given: Given[MustParams]) -> Iterator[Outcome]:
    """What the site demands does not hold."""
    wanted = [demand(text) for text in given.params.must]
    when = [demand(text) for text in given.params.when]
    about = wanted[0].about
    if about == PORT:
        for port in given.analysis.switch_ports():
            if _faces(port, given.params.facing):
                yield from _of_port(port, wanted, when, given)
    elif about == NIC:
        for device, nic in given.analysis.roce_nics:
            name = nic.name
            if _all(_one(each, device, name) for each in when):
                for each in wanted:
                    yield from _told(each, each.of_nic(device, name), device, (name,))
    else:
        for device in fabric.devices.values():
            if _all(each.of_device(device) for each in when):
                for each in wanted:
                    yield from _told(each, each.of_device(device), device, ())


def _of_port(
    port: JudgedPort, wanted: list[Demand], when: list[Demand], given: Given[MustParams]
) -> Iterator[Outcome]:
    conditions = (
        each.of_device(port.device) if each.about == DEVICE else each.of_port(given.analysis, port)
        for each in when
    )
    if _all(conditions):
        for each in wanted:
            answer = each.of_port(given.analysis, port)
            yield from _told(each, answer, port.device, (port.interface.name,))


def _faces(port: JudgedPort, facing: str) -> bool:
    return facing == "any" or port.faces_host is (facing == "host")


def _one(each: Demand, device: Device, nic: str) -> Answer:
    return each.of_device(device) if each.about == DEVICE else each.of_nic(device, nic)


def _all(answers: Iterable[Answer]) -> bool:
    """Whether all conditions hold; one of which it is not known is none that does."""
    return all(answer.holds for answer in answers)


def _told(
    each: Demand, answer: Answer, device: Device, subjects: tuple[str, ...]
) -> Iterator[Outcome]:
    name = device.hostname
    if answer.holds is None:
        yield Unknown(answer.missing, [answer.where], name, subjects)
    elif not answer.holds:
        yield Problem(
            f"{' '.join((name, *subjects))}: {each.term} is {answer.found}, "
            f"site standard is {each.says}",
            "it departs from the site standard",
            [answer.where],
            name,
            subjects,
            value=f"{each.term} {answer.found}",
        )
