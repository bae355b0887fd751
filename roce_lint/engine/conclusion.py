"""Count the NIC pairs of the verdict: broken, judged, and repaired by fixing a cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from roce_lint.analysis.equal_switches import bare_ports
from roce_lint.analysis.expected import Expected, expected_pairs
from roce_lint.analysis.fix_order import Cause, Causes, best_fixes, fix_order, pairs_by_causes
from roce_lint.analysis.impact import Acts, Impact, impact_of
from roce_lint.analysis.missing_switches import lack_of, missing_device
from roce_lint.analysis.paths import Port
from roce_lint.analysis.result import Analysis
from roce_lint.engine.baseline import BY as BASELINE
from roce_lint.engine.baseline import cause_of
from roce_lint.engine.finding import Answer, Finding, Repair, Severity, UnknownGroup, Verdict
from roce_lint.engine.page import RulePage
from roce_lint.engine.reach import ports_reached, senders_of

REPAIR_SIZE = 5
"""Largest size of the sets of causes searched for the best repair."""

SHOWN = 3
"""Names listed in a message."""


def counts(finding: Finding) -> bool:
    """True if a finding breaks its subject.

    Accepted findings do not; findings known only from a baseline do.
    """
    accepted = finding.suppressed is not None and finding.suppressed.by != BASELINE
    return finding.severity is Severity.ERROR and not accepted


def conclude(
    findings: Sequence[Finding],
    unknowns: Iterable[UnknownGroup],
    analysis: Analysis,
    pages: Mapping[str, RulePage],
    severities: Mapping[str, Severity],
    missing: Mapping[str, set[Port]],
) -> tuple[list[Finding], Verdict]:
    """Return the findings with the pairs that fixing each alone repairs, and the verdict.

    `severities` are those set by the site; `missing` are known missing inputs beyond the rules'
    unknowns, with the ports whose pairs they leave open.
    """
    impact = impact_of(analysis)
    errors = _by_cause(findings)
    able = {
        rule for rule, page in pages.items()
        if severities.get(rule, page.severity) is Severity.ERROR
    }  # fmt: skip
    relevant = [unknown for unknown in unknowns if unknown.rule in able]
    of_all = [u.missing for u in relevant if not u.device and not u.subjects]
    expected = expected_pairs(analysis)
    relevant = [unknown for unknown in relevant if unknown.device or unknown.subjects]
    absent = _absent_devices(relevant, expected)
    open_ports = _open_ports(analysis, relevant, absent)
    open_ports |= _doubtful_ports(findings, able, analysis, pages)
    open_ports |= {words: ports for words, ports in missing.items() if ports}
    causes = [_cause(parts, analysis, impact, pages) for parts in errors.values()]
    causes += [Cause(tuple((p, "both") for p in sorted(ports))) for ports in open_ports.values()]
    pairs = pairs_by_causes(impact, causes)
    breaking = (1 << len(errors)) - 1
    breaks: Counter[Causes] = Counter()
    for mask, count in pairs.items():
        breaks[mask & breaking] += count
    verdict = _verdict([parts[0] for parts in errors.values()], breaks, expected.pairs)
    opened = Counter(_open_pairs(list(open_ports), pairs, len(errors)))
    opened.update(_pathless(expected, absent))
    lacks = dict.fromkeys((*missing, *of_all), 0) | opened
    if not lacks and not expected.pairs:
        lacks["a pair of RoCE NICs, or of edge ports, with a path between them"] = 0
    left = sum(count for mask, count in pairs.items() if mask and not mask & breaking)
    judged = impact.pairs - left if analysis.data_classes and not of_all else verdict.broken
    verdict = replace(
        verdict,
        answer=verdict.answer if errors or not lacks else Answer.NOT_PROVED,
        judged=judged,
        missing=tuple(sorted(lacks.items(), key=lambda item: -(item[1] or expected.pairs + 1))),
        bare=sum(len(group.bare) for group in bare_ports(analysis)),
        assumed=impact.is_assumed,
    )
    numbers = {cause: number for number, cause in enumerate(errors)}
    return [_with_repairs(finding, numbers, breaks) for finding in findings], verdict


def _by_cause(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Errors by cause; the parts of a finding split by a waiver or baseline stay together."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        if counts(finding):
            found.setdefault(cause_of(finding), []).append(finding)
    return found


def _cause(
    parts: list[Finding], analysis: Analysis, impact: Impact, pages: Mapping[str, RulePage]
) -> Cause:
    page, name = pages.get(parts[0].rule), parts[0].traffic
    own: Acts = page.head.acts if page is not None else "both"
    traffic = next((c for c in analysis.classes if c.name == name), None)
    ports = (port for part in parts for port in ports_reached(part, part.acts or own, analysis))
    return Cause(tuple(ports), senders_of(traffic, analysis, impact.ends))


def _verdict(errors: list[Finding], breaks: Mapping[Causes, int], pairs: int) -> Verdict:
    broken = sum(count for mask, count in breaks.items() if mask)
    met = 0
    for mask, count in breaks.items():
        met |= mask if count else 0
    return Verdict(
        answer=Answer.NOT_READY if errors else Answer.READY,
        pairs=pairs,
        broken=broken,
        causes=met.bit_count(),
        others=len(errors) - met.bit_count(),
        known=sum(1 for finding in errors if finding.suppressed is not None),
        repairs=tuple(
            Repair(tuple(errors[n] for n in best.causes), best.pairs, best.exact)
            for best in best_fixes(breaks, REPAIR_SIZE)
        ),
        order=tuple(
            Repair((errors[step.causes[-1]],), step.pairs, exact=False)
            for step in fix_order(breaks)
        ),
    )


def _with_repairs(
    finding: Finding, numbers: Mapping[str, int], breaks: Mapping[Causes, int]
) -> Finding:
    if finding.pairs is None:
        return finding
    number = numbers.get(cause_of(finding)) if counts(finding) else None
    alone = None if number is None else breaks.get(1 << number, 0)
    return replace(finding, pairs=replace(finding.pairs, repaired=alone))


def _absent_devices(unknowns: Iterable[UnknownGroup], expected: Expected) -> str:
    """The missing configurations in words; empty if there are none."""
    named = {name for unknown in unknowns if (name := missing_device(unknown.missing)) is not None}
    absent = sorted(expected.absent | named)
    return lack_of(some(absent)) if absent else ""


def _pathless(expected: Expected, absent: str) -> dict[str, int]:
    """Pairs without a known path, by missing input. A named device without a configuration is
    missing even if no pair needs it.
    """
    found = {absent: expected.absent_pairs} if absent else {}
    if expected.unplaced:
        nics = some(sorted(expected.unplaced))
        words = f"the leaf of {nics} (provide LLDP output or links.yaml)"
        found[words] = expected.unplaced_pairs
    if expected.apart:
        found[f"a path from {some(sorted(expected.apart))} to the other leaves"] = (
            expected.apart_pairs
        )
    return found


def _open_ports(
    analysis: Analysis, unknowns: Iterable[UnknownGroup], absent: str
) -> dict[str, set[Port]]:
    """Ports on which a potential error is unknown, by missing input."""
    hosts = any(device.is_host for device in analysis.fabric.devices.values())
    found: dict[str, set[Port]] = {}
    behind = {each for key in analysis.absent for each in _with_equal_ways(analysis, key)}
    for unknown in unknowns:
        if unknown.tells == "host" and not hosts:
            continue
        ports = set(_ports_of(unknown, analysis, hosts=hosts))
        if missing_device(unknown.missing) is None:
            found.setdefault(unknown.missing, set()).update(ports)
        else:
            behind |= ports
    if absent:
        found[absent] = behind
    return found


def _with_equal_ways(analysis: Analysis, key: Port) -> Iterator[Port]:
    """A port to a switch without a configuration and, if that switch is above, all other uplinks of
    the device that are up: their paths may have equal cost.
    """
    yield key
    reached = impact_of(analysis).reached
    crossing = reached.crossings.get(key)
    if crossing is None:
        return
    node = reached.nodes[crossing.out.device.hostname]
    if any(each.out.key == key for each in node.up):
        yield from (each.out.key for each in node.up)


def _doubtful_ports(
    findings: Iterable[Finding], able: set[str], analysis: Analysis, pages: Mapping[str, RulePage]
) -> dict[str, set[Port]]:
    """Ports of findings that would be errors but for an assumed link or an unconfirmed value:
    neither broken nor proved.
    """
    found: dict[str, set[Port]] = {}
    for finding in findings:
        losing = [at for at in finding.stages if at.rule == finding.rule and at.stage.loses]
        if finding.severity is not Severity.WARNING or finding.rule not in able:
            continue
        if not losing and not finding.doubted:
            continue
        if finding.suppressed is None or finding.suppressed.by == BASELINE:
            ports = {key for at in losing if (key := (at.device, at.port)) in analysis.index()}
            page = pages.get(finding.rule)
            acts = finding.acts or (page.head.acts if page is not None else "both")
            ports |= {port for port, _ in ports_reached(finding, acts, analysis)}
            words = f"confirmation of {finding.rule} on {finding.device}, based on an assumption"
            found.setdefault(words, set()).update(ports)
    return found


def some(names: Sequence[str]) -> str:
    """The first names of a list: `a, b, c and 5 more`."""
    shown = [*names[:SHOWN], *([f"{len(names) - SHOWN} more"] if len(names) > SHOWN else [])]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _ports_of(unknown: UnknownGroup, analysis: Analysis, *, hosts: bool) -> Iterator[Port]:
    """Ports in scope concerned by an unknown: those it names, those of its device, or all."""
    index = analysis.index()
    if unknown.device and unknown.subjects:
        keys: Iterable[Port] = ((unknown.device, subject) for subject in unknown.subjects)
    else:
        keys = (key for key in index if unknown.device in ("", key[0]))
    for key in keys:
        port = index.get(key)
        # Without hosts a sender is assumed behind every edge port: its end is not missing.
        edge = not hosts and port is not None and port.faces_host and port.peer is None
        if port is not None and not (edge and unknown.tells == "link"):
            yield key


def _open_pairs(words: list[str], pairs: Mapping[Causes, int], errors: int) -> dict[str, int]:
    """Number of unbroken pairs that each missing input leaves open."""
    breaking = (1 << errors) - 1
    found: Counter[str] = Counter()
    for mask, count in pairs.items():
        if mask and not mask & breaking:
            for number, missing in enumerate(words):
                if mask >> errors + number & 1:
                    found[missing] += count
    return dict(found)
