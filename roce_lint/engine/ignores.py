"""Inline ignores: configuration comments that accept a finding and give a reason."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from roce_lint.engine.api import Problem
from roce_lint.engine.baseline import CRASHES
from roce_lint.engine.finding import (
    Certainty,
    Diagnostic,
    Finding,
    Occurrence,
    Severity,
    Suppression,
    fingerprint,
)
from roce_lint.engine.fold import Raw, help_of
from roce_lint.engine.page import RulePage
from roce_lint.model.fabric import Fabric
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import TREE, Location, SourceMap, Where

BY = "inline"


class Ignores:
    """The ignores of all devices, with the rules each matched."""

    def __init__(self, excerpts: Excerpts):
        self._excerpts = excerpts
        self._used: dict[int, set[str]] = {}  # matched rules by identity of the Ignore

    def mark(self, raw: Raw) -> None:
        """Suppress a problem whose rule is ignored at or above its deciding line."""
        where = raw.cause
        if where is None or not where.src.ignores or where.position <= 0:
            return
        if raw.page.id in CRASHES:
            return
        file = where.src.file_of(where.position)
        line = self._line(where)
        ref = where.src.files[file]
        for ignore in where.src.ignores:
            if ignore.fault or ignore.file != file:
                continue
            if not ref.line(ignore.first) <= line <= ref.line(ignore.last):
                continue
            for rule in ignore.rules:
                if raw.page.id.startswith(rule):
                    self._used.setdefault(id(ignore), set()).add(rule)
                    raw.suppressed = raw.suppressed or Suppression(BY, ignore.reason, takes=True)

    def find_unused(
        self, fabric: Fabric, judged: Collection[str], known: Collection[str]
    ) -> Iterator[Problem]:
        """Ignores of checked rules that match no finding, and those of unknown rules."""
        for src, device in _sources(fabric):
            for ignore in src.ignores:
                if ignore.fault:
                    continue
                for rule in dict.fromkeys(ignore.rules):
                    if rule not in self._used.get(id(ignore), ()):
                        reason = _reason(rule, judged, known)
                        if reason:
                            yield _problem(Where(src, ignore.position), device, rule, reason)

    def _line(self, where: Where) -> int:
        if where.position < TREE:
            return where.src.files[where.src.file_of(where.position)].line(
                where.src.line_of(where.position)
            )
        return self._excerpts.locate(where).line


def finding_of_unused(remark: Diagnostic, page: RulePage, severity: Severity) -> Finding:
    """Finding without a device for a remark on a waiver or baseline."""
    place = Location(remark.file, remark.line or 0, "")
    return Finding(
        rule=page.id,
        name=page.head.name,
        severity=severity,
        confidence=Certainty.HIGH,
        message=remark.message,
        consequence=remark.consequence,
        occurrences=(Occurrence("", (), (place,)),),
        fingerprint=fingerprint(page.id, remark.message),
        help=help_of(page),
    )


def _reason(rule: str, judged: Collection[str], known: Collection[str]) -> str:
    if known and not any(page.startswith(rule) for page in known):
        return f"no rule id starts with {rule}"
    if any(page.startswith(rule) for page in judged):
        return f"{rule} is not reported here"
    return ""


def _problem(place: Where, device: str, rule: str, reason: str) -> Problem:
    owner = f"{device}: " if device else ""
    return Problem(
        f"{owner}ignore comment for {rule} has no effect ({reason})",
        "it would hide the next fault of that rule here",
        [place],
        device,
        value=rule,
    )


def _sources(fabric: Fabric) -> Iterator[tuple[SourceMap, str]]:
    """Sources of every device, and sources without a device (a cable plan)."""
    seen = set()
    for device in fabric.devices.values():
        seen.add(id(device.src))
        yield device.src, device.hostname
    for link in fabric.links:
        for where in link.where:
            if id(where.src) not in seen:
                seen.add(id(where.src))
                yield where.src, ""
