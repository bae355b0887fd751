"""Output and files of `init`: settings and cables as detected, as a starting point."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from roce_lint.model.fabric import Link, LinkSource
from roce_lint.pipeline import Report
from roce_lint.report.wording import one_line
from roce_lint.resources import resource_dir
from roce_lint.text.names import compress
from roce_lint.text.numbers import count

_SOURCES = {
    LinkSource.PLAN: "the cable plan",
    LinkSource.LLDP: "LLDP",
    LinkSource.NEIGHBOR_TABLE: "neighbour tables",
    LinkSource.ADDRESS: "the addresses of both ends",
    LinkSource.REUSED_ADDRESS: "addresses of a subnet that is used more than once",
    LinkSource.DESCRIPTION: "descriptions only",
}


def describe_folder(report: Report) -> Iterator[str]:
    """Summary of the folder, with the inputs missing for a verdict."""
    systems = Counter(device.nos for device in report.devices)
    listed = ", ".join(f"{number} {nos}" for nos, number in sorted(systems.items()))
    yield f"{count(len(report.devices), 'device')}: {listed}"
    roles: dict[str, list[str]] = {}
    for device in report.devices:
        roles.setdefault(device.role or "unknown role", []).append(device.name)
    for role, names in sorted(roles.items()):
        yield f"  {role}: {compress(names)}"
    sources = Counter(link.known_from for link in _links(report))
    by = ", ".join(
        f"{number} from {_SOURCES[source]}" for source, number in sorted(sources.items())
    )
    yield f"{count(sum(sources.values()), 'link')}{f': {by}' if by else ''}"
    for traffic in report.classes:
        yield one_line(f"class {traffic.name}: {traffic.basis}")
    for lack, pairs in report.verdict.missing:
        yield one_line(f"missing: {lack}{f' ({pairs} pairs)' if pairs else ''}")


def links(report: Report) -> str:
    """links.yaml: all detected links; assumed ones are comments."""
    known = _links(report)
    if not known:
        return ""
    lines = [
        "# The cables of this fabric as detected. This is now the cable plan: LLDP output that",
        "# contradicts it is a finding. Length, speed and rail may be added to each:",
        "#   - {a: leaf1:Eth1/1, b: spine1:Eth3/1, cable_m: 30, speed_gbps: 400, rail: 3}",
    ]
    for source in LinkSource:
        of = sorted(
            (link for link in known if link.known_from is source),
            key=lambda link: (link.a.key, link.b.key),
        )
        if not of:
            continue
        lines += ["", f"# From {_SOURCES[source]}{_ASSUMED if source.assumed else ''}"]
        lines += [f"{'# ' if source.assumed else ''}- {_entry(link)}" for link in of]
    if all(link.assumed for link in known):
        lines += ["", "[]"]  # comments only are not a valid plan
    return "\n".join(lines) + "\n"


_ASSUMED = "; uncomment the correct lines:"


def _entry(link: Link) -> str:
    """A link as one line of YAML, quoted like JSON."""
    ends = [f"{end.device.hostname}:{end.interface.name}" for end in link.ends]
    extras = {"cable_m": link.cable_m, "speed_gbps": link.speed_gbps, "rail": link.rail}
    stated = {name: value for name, value in extras.items() if value is not None}
    if not stated:
        return json.dumps(ends)
    return json.dumps({"a": ends[0], "b": ends[1], **stated})


def _links(report: Report) -> list[Link]:
    return report.fabric.links if report.fabric is not None else []


def settings(report: Report) -> str:
    """roce-lint.toml: common settings, commented out where they are the default."""
    roles: dict[str, list[str]] = {}
    for device in report.devices:
        if device.role and device.role != "host":
            roles.setdefault(device.role, []).append(device.name)
    lines = [f"#   {role}: {one_line(compress(names))}" for role, names in sorted(roles.items())]
    roleless = [device.name for device in report.devices if device.role is None]
    lines += [f'# {json.dumps(name)} = "leaf"' for name in roleless[:20]]
    text = (resource_dir("templates") / "init" / "roce-lint.toml").read_text(encoding="utf-8")
    return text.replace("{detected}\n", "".join(f"{line}\n" for line in lines))
