"""Verification: the fabric with the new leaves is read and checked before it is written."""

from __future__ import annotations

import ipaddress
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from roce_lint.errors import UsageError
from roce_lint.fix.prove import Atom, Proof, State, corrected_tree
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.model.object_diff import Difference
from roce_lint.new_leaf.make import NewLeaves
from roce_lint.new_leaf.substitution import shape_of
from roce_lint.new_leaf.texts import path_of
from roce_lint.nos.registry import all_nos
from roce_lint.pipeline.evaluation import Terms
from roce_lint.text.numbers import whole_of

IDENTITY = frozenset(
    {"hostname", "description", "addresses", "asn", "aliases", "neighbors", "sessions", "policies",
     "routing", "rail", "tagged_vlans", "untagged_vlan", "lag", "members"}
)  # fmt: skip
"""Fields in which a leaf differs from its sister."""

SHOWN = 8


def prove(terms: Terms, root: Path, before: State, made: NewLeaves, plan: str) -> list[Atom]:
    """Check the folder with the new files, and return the new findings.

    `plan` is the cable plan with the new links.

    Raises:
        UsageError: a new leaf differs from its sister, something is used twice, or a written file
            does not read back as intended.
    """
    with (
        tempfile.TemporaryDirectory(prefix="roce-lint-") as beside,
        corrected_tree(
            root, {**dict.fromkeys(_heard(before, root)), **made.files(outputs=True)}
        ) as tree,
    ):
        cables = Path(beside) / "links.yaml"
        cables.write_text(plan, encoding="utf-8")
        request = replace(terms.request, paths=(str(tree),), links=str(cables), cache=False)
        state = Proof(replace(terms, request=request)).as_it_is()
    problems = list(_problems(before, state, made))[: SHOWN + 1]
    if problems:
        ranges = ", ".join(_ranges(made))
        problems += [f"lines with port ranges: {ranges}"] if ranges else []
        raise UsageError(f"nothing was written: {'; '.join(problems)}")
    return sorted(_new(before, state, made))


def _ranges(made: NewLeaves) -> Iterator[str]:
    """Lines of spines with a port range that includes the sister's port and not the new one."""
    for spine in made.spines:
        for link in made.choices.links:
            name = link.far.interface.name
            tokens = shape_of(name)[1]
            if link.b[0] != spine.device.hostname or not tokens:
                continue
            head = re.escape(name[: tokens[-1].begin])
            pattern = re.compile(rf"{head}([0-9]+)(?:-| to )(?:{head})?([0-9]+)")
            for each in spine.text.statements:
                ends = [(whole_of(a), whole_of(b)) for a, b in pattern.findall(each.text)]
                if any(low <= (tokens[-1].value or 0) <= high for low, high in ends):
                    yield f"{spine.text.name}:{each.line}"


def _heard(before: State, root: Path) -> Iterator[str]:
    """Files with neighbours only: they cannot contain cables that do not exist yet."""
    for device in before.devices.values():
        sources = all_nos()[device.nos].by_source if device.nos in all_nos() else {}
        for ref in device.src.files:
            source = sources.get(ref.source)
            path = path_of(ref, root)
            if path is not None and source is not None and source.neighbors is not None:
                yield os.path.relpath(path, root)


def _new(before: State, after: State, made: NewLeaves) -> Iterator[Atom]:
    """Findings of a new leaf that its sister does not have."""
    old = {new: name for name, new in made.choices.renamed.items()}
    known = {(rule, device) for rule, _, device, _, _ in before.atoms}
    for atom in after.atoms - before.atoms:
        rule, _, device, _, _ = atom
        if (rule, old.get(device, device)) not in known:
            yield atom


def _problems(before: State, after: State, made: NewLeaves) -> Iterator[str]:
    devices, found = after.devices, after.report.fabric
    for old, new in made.choices.renamed.items():
        if new not in devices:
            yield f"{new} is not read from its files"
            continue
        for each in _unlike(before.devices[old], replace(devices[new], hostname=old)):
            yield f"{new} differs from {old} in {each.path}"
    yield from (f"{name} can no longer be read" for name in before.devices if name not in devices)
    for link in made.choices.links if found is not None else ():
        known = found.by_port.get(link.a) if found is not None else None
        if known is None or link.b not in {end.key for end in known.ends}:
            yield f"{link.a[0]} {link.a[1]} is not linked to {link.b[0]} {link.b[1]}"
    for link in made.choices.links:
        if link.to_spine:
            yield from _at_spine(before.devices, devices, link.b, link.far.key)
    sisters = {new: name for name, new in made.choices.renamed.items()}
    yield from _twice(before.devices, devices, sisters)


def _unlike(one: Device, other: Device) -> list[Difference]:
    found = differences(one, other)
    return [each for each in found if not IDENTITY & {step.field for step in each.path.steps}]


def _at_spine(
    before: Mapping[str, Device],
    after: Mapping[str, Device],
    port: tuple[str, str],
    like: tuple[str, str],
) -> Iterator[str]:
    """Report differences between a new port of a spine and that of the sister, or elsewhere."""
    old, new = before[port[0]], after.get(port[0])
    if new is None:
        return  # reported as one that can no longer be read
    made, equal = new.interfaces.get(port[1]), new.interfaces.get(like[1])
    if made is None or equal is None:
        yield f"{port[0]} has no port {port[1]}"
        return
    one = replace(new, interfaces={like[1]: equal})
    other = replace(new, interfaces={like[1]: replace(made, name=like[1])})
    for each in _unlike(one, other):
        yield f"{port[0]} {port[1]} differs from {like[1]} in {each.path}"
    yield from (f"{port[0]} loses {name}" for name in old.interfaces.keys() - new.interfaces)


def _twice(
    before: Mapping[str, Device], after: Mapping[str, Device], old: Mapping[str, str]
) -> Iterator[str]:
    """Addresses newly used by two ports, unless their sisters share them."""

    def users(devices: Mapping[str, Device]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for name, device in devices.items():
            for port in device.interfaces.values():
                for address in port.addresses:
                    own = str(ipaddress.ip_interface(address).ip)
                    found.setdefault(own, set()).add(f"{name} {port.parent or port.name}")
        return found

    known = users(before)
    shared = list(known.values())
    for address, ports in users(after).items():
        like = {f"{old.get(each.split()[0], each.split()[0])} {each.split()[1]}" for each in ports}
        if len(ports) > 1 and len(known.get(address, ())) < 2 and like not in shared:
            yield f"{address} is used twice: {', '.join(sorted(ports))}"
