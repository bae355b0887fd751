"""What `init` says and writes: settings and cables as they were found, for people to go on with."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from roce_lint.model.fabric import Link, LinkSource
from roce_lint.report.names import compress
from roce_lint.report.wording import one_line
from roce_lint.text.numbers import count

if TYPE_CHECKING:
    from roce_lint.pipeline import Report

_TOLD_BY = {
    LinkSource.PLAN: "the cable plan",
    LinkSource.LLDP: "LLDP",
    LinkSource.NEIGHBOR_TABLE: "neighbour tables",
    LinkSource.ADDRESS: "the addresses of both ends",
    LinkSource.REUSED_ADDRESS: "addresses of a subnet that is used more than once",
    LinkSource.DESCRIPTION: "descriptions alone",
}


def describe_folder(report: Report) -> Iterator[str]:
    """What there is, and what is missing for a verdict."""
    systems = Counter(device.nos for device in report.devices)
    listed = ", ".join(f"{number} {nos}" for nos, number in sorted(systems.items()))
    yield f"{count(len(report.devices), 'device')}: {listed}"
    roles: dict[str, list[str]] = {}
    for device in report.devices:
        roles.setdefault(device.role or "unknown role", []).append(device.name)
    for role, names in sorted(roles.items()):
        yield f"  {role}: {compress(names)}"
    told = Counter(link.known_from for link in _links(report))
    by = ", ".join(f"{number} by {_TOLD_BY[source]}" for source, number in sorted(told.items()))
    yield f"{count(sum(told.values()), 'link')}{f': {by}' if by else ''}"
    for traffic in report.classes:
        yield one_line(f"class {traffic.name}: {traffic.basis}")
    for lack, pairs in report.verdict.missing:
        yield one_line(f"missing: {lack}{f' ({pairs} pairs)' if pairs else ''}")


def links(report: Report) -> str:
    """links.yaml: every link that was found; what is only assumed is a comment."""
    known = _links(report)
    if not known:
        return ""
    lines = [
        "# The cables of this fabric, as they were found. From now on this is the plan: what LLDP",
        "# says otherwise is a finding. Length, speed and rail may be added to each:",
        "#   - {a: leaf1:Eth1/1, b: spine1:Eth3/1, cable_m: 30, speed_gbps: 400, rail: 3}",
    ]
    for source in LinkSource:
        of = sorted(
            (link for link in known if link.known_from is source),
            key=lambda link: (link.a.key, link.b.key),
        )
        if not of:
            continue
        lines += ["", f"# Told by {_TOLD_BY[source]}{_ASSUMED if source.assumed else ''}"]
        lines += [f"{'# ' if source.assumed else ''}- {_entry(link)}" for link in of]
    if all(link.assumed for link in known):
        lines += ["", "[]"]  # a plan of comments alone would be none
    return "\n".join(lines) + "\n"


_ASSUMED = "; take the mark away where it is true:"


def _entry(link: Link) -> str:
    """A link as one line of YAML; JSON's quoting is YAML's too."""
    ends = [f"{end.device.hostname}:{end.interface.name}" for end in link.ends]
    extras = {
        "cable_m": link.cable_m,
        "speed_gbps": link.speed_gbps,
        "rail": link.rail,
    }
    stated = {name: value for name, value in extras.items() if value is not None}
    if not stated:
        return json.dumps(ends)
    return json.dumps({"a": ends[0], "b": ends[1], **stated})


def _links(report: Report) -> list[Link]:
    return report.fabric.links if report.fabric is not None else []


def settings(report: Report) -> str:
    """roce-lint.toml: everything a site is likely to set, commented out where it holds anyway."""
    lines = [
        "# Settings of roce-lint for this folder and all below it. Lines that begin with # show",
        "# what may be set; docs/accepting-findings.md and docs/intent.md say more.",
        "",
        'fail-on = "error"                 # error, warning, info or never',
        '# select = ["MTU", "PFC", "ECN"]  # only these rules, by the beginning of their ids',
        '# ignore = ["SRC001"]             # all but these',
        '# profile = "NAME"                # a published design to judge by: docs/profiles.md',
        "",
        "[roles]",
        "# What a device is, where its configuration and the links do not tell. Found here:",
    ]
    roles: dict[str, list[str]] = {}
    for device in report.devices:
        if device.role and device.role != "host":
            roles.setdefault(device.role, []).append(device.name)
    for role, names in sorted(roles.items()):
        lines.append(f"#   {role}: {one_line(compress(names))}")
    lines += [f'# {json.dumps(name)} = "leaf"' for name in _roleless(report)]
    lines += [
        '# "leaf*" = "leaf"',
        "",
        '# [files."backup/**"]             # files that are no part of the fabric',
        "# ignore = true",
        "",
        "# [rules.CLS003]                  # a rule's severity at this site",
        '# severity = "info"',
        "",
        "# [[waiver]]                      # a finding that is accepted, with reason and last day",
        '# rule = "ECN004"',
        '# device = "leaf7"',
        '# reason = "older line card, replaced in March"',
        "# expires = 2027-03-31",
    ]
    return "\n".join(lines) + "\n"


def _roleless(report: Report) -> list[str]:
    return [device.name for device in report.devices if device.role is None][:20]
