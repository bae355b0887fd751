"""One-line demands of a site on its ports, NICs and devices.

    ip_mtu >= 9000
    queue(dscp=26).kmin == 500 kB
    class(dscp=26).lossless == yes
    nic.firmware >= 28.39.1002
    device.environment[NCCL_IB_TC] == 106

The fields are those of the model, named as for `whatif` (`model/schema.py`), the values are read by
the type of the field (`model/values.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from roce_lint.analysis.ingress_egress import Treatment
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.errors import UsageError
from roce_lint.model.apply import place_of, value_at
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Nic
from roce_lint.model.path import PORTS, Path, PathError, Step, nearest, parse
from roce_lint.model.qos import QosObjects
from roce_lint.model.schema import (
    CABLE,
    REFERENCES,
    FieldType,
    field_names,
    fields_of,
    resolve,
    type_of,
)
from roce_lint.model.units import DSCPS, Threshold
from roce_lint.model.values import read, spell_value
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import Where

PORT, NIC, DEVICE = "port", "nic", "device"
"""Subjects of a demand."""

_OPERATOR = re.compile(r" (==|!=|<=|>=|<|>|includes|excludes) ")
_TERM = re.compile(
    r"(?:(?P<of>queue|group|class)\(\s*dscp\s*=\s*(?P<dscp>\d{1,2})\s*\)|(?P<whole>nic|device))"
    r"\.(?P<field>.+)"
)
_VERSION = re.compile(r"\d+(?:\.\d+)+")


@dataclass(slots=True, frozen=True)
class Answer:
    """Result of a demand: `holds` is None if unknown, and `missing` is the missing input."""

    holds: bool | None
    found: str
    where: Where
    missing: str = ""


@dataclass(slots=True, frozen=True)
class Demand:
    """One parsed line. `path` is that of a port or NIC without a name, or of a device."""

    text: str
    about: str
    term: str
    op: str
    required: Any
    path: Path
    of: str = ""  # queue, group or class, of `dscp`
    dscp: int = 0

    @property
    def stated(self) -> str:
        """The demanded value, with its operator."""
        value = spell_value(self.required, self._field)
        return value if self.op == "==" else f"{_OPERATOR_WORDS[self.op]} {value}"

    @property
    def _field(self) -> str:
        return self.path.steps[-1].field

    def of_port(self, analysis: Analysis, port: JudgedPort) -> Answer:
        """Evaluate the demand for a port."""
        if not self.of:
            return self._at(port.device, self._resolve(port.interface.name))
        treated = analysis.treat(port, self.dscp)
        if self.of == "class":
            return self._of_class(treated, port)
        known = treated.egress.served_by if self.of == "queue" else treated.ingress.group
        where = port.interface.where()
        if known.value is None:
            lack = known.missing or treated.ingress.missing or f"the {self.of} of DSCP {self.dscp}"
            return Answer(None, "", where, lack)
        marks = treated.egress.marks
        if self.path.steps[-2].field == "marking" and marks is False:
            return Answer(False, "missing: the queue does not mark ECN", known.place or where)
        path = self._resolve(port.interface.name)
        steps = tuple(
            Step(step.field, str(known.value)) if step.field == _COLLECTIONS[self.of] else step
            for step in path.steps
        )
        return self._at(port.device, Path(path.device, steps))

    def of_nic(self, device: Device, name: str) -> Answer:
        """Evaluate the demand for an RDMA device."""
        return self._at(device, self._resolve(name))

    def of_device(self, device: Device) -> Answer:
        """Evaluate the demand for a device."""
        return self._at(device, self.path)

    def _resolve(self, name: str) -> Path:
        first, *rest = self.path.steps
        return Path("", (Step(first.field, name), *rest))

    def _at(self, device: Device, path: Path) -> Answer:
        value, where = value_at(device, path), place_of(device, path)
        if value is None and self.required is not None:
            return Answer(None, "", where, f"a line that sets {self.term}")
        return self._judge(value, where)

    def _of_class(self, treated: Treatment, port: JudgedPort) -> Answer:
        known = _CLASS[self._field][1](treated)
        where = known.place or port.interface.where()
        if known.value is None:
            lack = known.missing or treated.ingress.missing
            return Answer(None, "", where, lack or f"the treatment of DSCP {self.dscp}")
        return self._judge(known.value, where)

    def _judge(self, value: Any, where: Where) -> Answer:
        holds = _compare(self.op, value, self.required)
        form = "as a version number"
        if isinstance(self.required, Threshold):
            form = f"in {self.required.unit.value}"
        missing = f"{self.term} {form}" if holds is None else ""
        return Answer(holds, spell_value(value, self._field), where, missing)


_COLLECTIONS = {"queue": "queues", "group": "groups"}
_FLAG = FieldType(bool, optional=False, many=False)
_NUMBER = FieldType(int, optional=True, many=False)

_CLASS: dict[str, tuple[FieldType, Callable[[Treatment], Any]]] = {
    "lossless": (_FLAG, lambda t: t.ingress.protected),
    "priority": (_NUMBER, lambda t: t.ingress.pause_priority),
    "traffic_class": (_NUMBER, lambda t: t.ingress.traffic_class),
    "group": (_NUMBER, lambda t: t.ingress.group),
    "queue": (_NUMBER, lambda t: t.egress.served_by),
}
"""Properties of the class of a DSCP, by name."""

_OPERATOR_WORDS = {"!=": "not", "<=": "at most", ">=": "at least", "<": "below", ">": "above",
         "includes": "with", "excludes": "without"}  # fmt: skip


def demand(text: str) -> Demand:
    """Parse a demand.

    Raises:
        UsageError: not a demand; the hint lists the nearest names.
    """
    parts = _OPERATOR.split(" ".join(text.split()), maxsplit=1)
    if len(parts) != 3:
        raise UsageError(f"not a condition: {text!r}", hint="FIELD == VALUE, e.g. ip_mtu >= 9000")
    term, op, value = parts
    found = _TERM.fullmatch(term)
    of = (found["of"] or "") if found else ""
    dscp = whole_of(found["dscp"]) if found and of else 0
    if dscp not in DSCPS:
        raise UsageError(f"{text!r}: {dscp} is not a DSCP (0 to 63)")
    if of == "class" and found is not None:
        known, path = _of_class(found["field"], text)
        about = PORT
    else:
        about, path = _path(term, found)
        known = type_of(path)
    required = read(value, path.steps[-1].field, known)
    if op in _ORDERED and not _is_ordered(required):
        raise UsageError(f"{text!r}: {term} has no order, use == or !=")
    if op in ("includes", "excludes") and not isinstance(required, frozenset):
        raise UsageError(f"{text!r}: {term} is not a set, use == or !=")
    return Demand(text, about, term, op, required, path, of, dscp)


def _of_class(field: str, text: str) -> tuple[FieldType, Path]:
    known = _CLASS.get(field)
    if known is None:
        near = ", ".join(nearest(field, _CLASS))
        raise UsageError(f"{text!r}: a class has no {field}", hint=f"known: {near}")
    return known[0], Path("", (Step(field),))


def _path(term: str, found: re.Match[str] | None) -> tuple[str, Path]:
    field = found["field"] if found else term
    whole = found["whole"] if found else None
    if whole == DEVICE:
        return DEVICE, resolve(parse(f"x {field}"))
    if whole == NIC:
        return NIC, _below("nics", field)
    of = found["of"] if found else None
    return PORT, _below(PORTS, f"{_COLLECTIONS[of]}[0].{field}" if of else field)


def _below(collection: str, field: str) -> Path:
    """The complete path of a field of any port, or any NIC.

    Raises:
        UsageError: there is no such field.
    """
    of_port = collection == PORTS
    try:
        path = resolve(parse(f"x:y {field}" if of_port else f"x {collection}[y].{field}"))
        if path.steps[0].field == collection and path.steps[-1].field != CABLE:
            return path
    except PathError as error:
        if "may mean" in error.message:
            raise
    last = field.rpartition(".")[2]
    near = ", ".join(nearest(last, _names(Interface if of_port else Nic), 4))
    what = "a port" if of_port else "an RDMA device"
    raise UsageError(f"{last!r} is not a field of {what}", hint=f"the nearest are {near}")


def _names(kind: type[Any]) -> dict[str, None]:
    """Last words of all fields below a class, including the objects that ports refer to."""
    kinds = [kind]
    if kind is Interface:
        held = (fields_of(QosObjects)[name].kind for name in set(REFERENCES.values()))
        kinds += [each for each in held if each is not None]
    names = (name for each in kinds for name in field_names(each, 4))
    return {name.rpartition(".")[2].partition("[")[0]: None for name in sorted(names)}


_ORDERED: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
}


def _is_ordered(value: Any) -> bool:
    if isinstance(value, str):
        return _VERSION.fullmatch(value) is not None
    return isinstance(value, (int, float, Threshold)) and not isinstance(value, bool)


def _compare(op: str, found: Any, required: Any) -> bool | None:
    """Compare a value with the demanded one; None if they are not comparable."""
    if isinstance(found, Threshold) and isinstance(required, Threshold):
        if found.unit is not required.unit:
            return None
        found, required = found.value, required.value
    if op in ("==", "!="):
        return bool(found == required) is (op == "==")
    if found is None:
        return False
    if op in ("includes", "excludes"):
        return bool(required <= found) if op == "includes" else not required & found
    if isinstance(required, str):
        return _versions(op, str(found), required)
    return _ORDERED[op](found, required)


def _versions(op: str, found: str, required: str) -> bool | None:
    if _VERSION.fullmatch(found) is None:
        return None
    one, other = ([whole_of(part) for part in text.split(".")] for text in (found, required))
    return _ORDERED[op](one, other)
