"""JUnit XML, for CI: one suite per device, one test case per finding."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from roce_lint.engine.finding import DRIFT, Finding, Occurrence, Severity, UnknownGroup
from roce_lint.pipeline import Report
from roce_lint.report.blocks import at, remark_on
from roce_lint.report.places import Places, known_places
from roce_lint.report.selection import Options
from roce_lint.report.wording import excerpt, fix_block, one_line, spell_occurrence, subjects_of
from roce_lint.text.names import compress, natural
from roce_lint.text.numbers import whole_of

TOTALS = {"tests": ".", "failures": "failure", "errors": "error", "skipped": "skipped"}
"""Totals of a suite, and the element of the cases that each counts."""


def render(report: Report, options: Options) -> str:
    """The report as test suites.

    A finding that fails the run (`fail_on`) is a failure; any other is a passed case with output;
    suppressed findings and unknowns are skipped cases, because neither passed.
    """
    places = Places(report.base, options.cwd)
    cases: dict[str, list[ET.Element]] = {device.name: [] for device in report.devices}
    for finding in report.findings:
        for occurrence in finding.occurrences:
            case = _finding(finding, occurrence, places, options.fail_on)
            cases.setdefault(occurrence.device, []).append(case)
    for unknown in report.unknowns:
        cases.setdefault(unknown.device, []).append(_unknown(unknown))
    root = ET.Element("testsuites", name="roce-lint")
    for device in sorted(cases, key=lambda name: (natural(name), name)):
        found = cases[device] or [_case("roce-lint", f"{device}: no findings")]
        root.append(_suite(device or "fabric", found))
    broken = list(_diagnostics(report, places))
    if broken:
        root.append(_suite("roce-lint: files", broken))
    for total in TOTALS:
        root.set(total, str(sum(whole_of(suite.get(total, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(name: str, cases: list[ET.Element]) -> ET.Element:
    suite = ET.Element("testsuite", name=one_line(name))
    suite.extend(cases)
    for total, element in TOTALS.items():
        suite.set(total, str(sum(case.find(element) is not None for case in cases)))
    return suite


def _case(group: str, name: str) -> ET.Element:
    return ET.Element("testcase", classname=one_line(group), name=one_line(name))


def _finding(finding: Finding, occurrence: Occurrence, places: Places, fail_on: str) -> ET.Element:
    # A CI that meets one name twice keeps one of the results: the fingerprint makes it unique.
    mark = finding.fingerprint[:12] + finding.fingerprint[32:]
    case = _case(finding.rule, f"{finding.rule} {finding.name}: {subjects_of(occurrence)} ({mark})")
    place = next(iter(known_places(occurrence.locations)), None)
    if place is not None:
        case.set("file", one_line(places.name(place.file)))
        if place.line > 0:
            case.set("line", str(place.line))
    detail = "\n".join(_detail(finding, occurrence, places))
    if finding.suppressed is not None:
        reason = f"suppressed by {finding.suppressed.by}: {one_line(finding.suppressed.reason)}"
        ET.SubElement(case, "skipped", message=reason)
    elif fail_on != "never" and finding.severity >= Severity[fail_on.upper()]:
        kind = finding.severity.label
        failure = ET.SubElement(
            case, "failure", type=kind, message=spell_occurrence(finding, occurrence)
        )
        failure.text = detail
    else:
        ET.SubElement(case, "system-out").text = detail
    return case


def _detail(finding: Finding, occurrence: Occurrence, places: Places) -> Iterator[str]:
    yield f"{finding.severity.label}: {spell_occurrence(finding, occurrence)}"
    for place in known_places(occurrence.locations):
        remark = remark_on(place)
        text = f"{at(place, places)}    {excerpt(place)}"
        yield f"{text}  ({remark})" if remark else text
    for note in finding.notes:
        yield f"note: {one_line(note)}"
    if remedy := fix_block(finding, occurrence.device):
        yield f"fix: {remedy}"
    yield finding.help


def _unknown(unknown: UnknownGroup) -> ET.Element:
    what = f"{unknown.device or 'fabric'}: {unknown.missing}"
    case = _case(unknown.rule, f"{unknown.rule} could not be checked on {what}")
    who = one_line(f"{unknown.device} {compress(unknown.subjects)}")
    ET.SubElement(case, "skipped", message=one_line(f"unknown: {unknown.missing} [{who}]"))
    return case


def _diagnostics(report: Report, places: Places) -> Iterator[ET.Element]:
    seen: dict[str, int] = {}
    for item in report.diagnostics:
        where = f"{places.name(item.file)}{f':{item.line}' if item.line else ''}"
        name = f"{where} {item.kind}"
        seen[name] = seen.get(name, 0) + 1
        case = _case("files", name if seen[name] == 1 else f"{name} #{seen[name]}")
        message = one_line(item.message)
        if item.kind == DRIFT and not item.incomplete:
            ET.SubElement(case, "failure", type=item.kind, message=message)
        elif item.incomplete:
            ET.SubElement(case, "error", type=item.kind, message=message)
        else:
            ET.SubElement(case, "system-out").text = message
        yield case
