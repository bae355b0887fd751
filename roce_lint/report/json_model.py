"""Schema of the JSON report, version 1: public, extended only."""

from __future__ import annotations

from operator import attrgetter
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from roce_lint._version import __version__
from roce_lint.model.change import Change
from roce_lint.model.values import spell_object
from roce_lint.report.places import known_places
from roce_lint.report.wording import one_line

# Base types and changes of values.


def _characters(value: Any) -> Any:
    """Replace lone surrogates (undecodable bytes), which JSON cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value


Text = Annotated[str, BeforeValidator(_characters)]


class Part(BaseModel):
    """A part of the report."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class Fix(Part):
    """A change that fixes the finding."""

    safety: Literal["safe", "disruptive", "manual"] = Field(
        description="safe, disruptive (traffic stops for a moment) or manual"
    )
    summary: Text = Field(description="the change in the terms of the model")
    proved: bool = Field(description="the corrected text was read and checked again")


class FixEntry(Part):
    """One value of a change that fixes the finding, identified by its path."""

    model_config = ConfigDict(populate_by_name=True)

    path: Text = Field(
        description="device, port and field in the terms of `roce-lint show --format json`"
    )
    device: Text = Field(description="host name")
    old: Text | None = Field(description="null if not configured")
    new: Text | None = Field(description="null: to be removed")
    source: Text = Field(alias="from", description="source of the new value")
    safety: Literal["safe", "disruptive", "manual"] = Field(
        description="safe, disruptive (traffic stops for a moment) or manual"
    )
    proved: bool = Field(description="the corrected text was read and checked again")


class RemedyEntry(Part):
    """Commands that fix a finding on its first device."""

    nos: Text = Field(description="name of the system of the device")
    system: Text = Field(description="its title")
    lines: list[Text] = Field(description="commands in this order, with all names and values")


def fix_of(change: Change | None, *, proved: bool) -> Fix | None:
    """The first change of a finding, in the original format."""
    if change is None:
        return None
    return Fix(safety=change.safety.value, summary=one_line(str(change)), proved=proved)


def fix_entry(change: Change, *, proved: bool) -> FixEntry:
    """One value of a change."""
    name = change.path.steps[-1].field if change.path.steps else ""
    old, new = (None if v is None else spell_object(v, name) for v in (change.old, change.value))
    return FixEntry(
        path=str(change.path),
        device=change.path.device,
        old=old,
        new=new,
        source=change.why,
        safety=change.safety.value,
        proved=proved,
    )


SCHEMA: Literal["roce-lint/report/1"] = "roce-lint/report/1"

SCHEMA_ID = "urn:roce-lint:report:1"
"""Name of the JSON Schema, not an address: the file is part of the project."""


class Tool(Part):
    """Tool and version that wrote the report."""

    name: str = Field(default="roce-lint", description="always roce-lint")
    version: str = Field(default=__version__, description="the release that wrote the report")


class Summary(Part):
    """Counts: findings that are not suppressed, by severity, and the extent of the run."""

    error: int = Field(description="findings that break RoCE")
    warning: int = Field(description="findings that put it at risk")
    info: int = Field(description="findings worth knowing")
    suppressed: int = Field(description="accepted findings, not included in the other counts")
    unknown: int = Field(description="entries of `unknowns`")
    devices: int = Field(description="switches and hosts that were read")
    links: int = Field(description="links between them")
    rules: int = Field(description="selected rules")
    judged_ports: int = Field(description="ports on which RoCE rules were checked")
    unrecognised: int = Field(description="lines that were not recognised")
    skipped: int = Field(description="files that were not read as configuration")
    incomplete: bool = Field(description="something could not be read or checked")
    verdict: Literal["ready", "not-ready", "not-proved"] = Field(
        description="ready: all pairs judged, none broken; not-ready: something is an error; "
        "not-proved: no error, but inputs are missing"
    )
    pairs: int = Field(
        description="ordered pairs of RoCE NICs of one network with a path between them; where no "
        "host is linked to a switch, of edge ports"
    )
    pairs_judged: int = Field(
        description="pairs known to be broken, and pairs without an unknown of a potential error "
        "on any of their paths"
    )
    pairs_broken: int = Field(description="pairs with an error on one of their equal-cost paths")
    pairs_assumed: bool = Field(description="the pairs are of edge ports: senders are assumed")


class Lines(Part):
    """Lines (leaves of JSON and YAML) of a device by state."""

    understood: int = Field(default=0, description="part of the model")
    ignored: int = Field(default=0, description="known, and not relevant to RoCE")
    shadowed: int = Field(default=0, description="overridden by another line")
    unrecognised: int = Field(default=0, description="not recognised by any reader")
    unclaimed: int = Field(default=0, description="outside the sections that readers cover")


class DeviceEntry(Part):
    """One device. File names are relative to PATH (several: to their common parent)."""

    name: Text = Field(description="its host name")
    nos: Text = Field(description="operating system: eos, nxos, sonic, linux and so on")
    role: Text | None = Field(
        description="leaf, spine, superspine, border, storage, host or other; null where unknown"
    )
    files: list[Text] = Field(description="the files that describe it")
    lines: Lines = Field(description="its lines by state")
    oversubscription: float | None = Field(
        description="downlink Gb/s per uplink Gb/s; null where unknown"
    )


class FileEntry(Part):
    """A file below PATH, read or skipped."""

    file: Text = Field(description="relative to `root`")
    state: Literal["read", "skipped"] = Field(description="read or skipped")
    device: Text | None = Field(description="device it configures; null if skipped")
    reason: Text = Field(description="reason for skipping it")


class MissingEntry(Part):
    """An input required for all pairs to be judged."""

    what: Text = Field(description="the input that is missing")
    pairs: int = Field(description="pairs that it leaves open; 0: not specific to pairs")


class RepairEntry(Part):
    """The best set of causes of one size to fix."""

    fingerprints: list[str] = Field(description="the causes, by fingerprint")
    pairs_repaired: int = Field(description="broken pairs that work when all of these are fixed")
    exact: bool = Field(
        description="false: too many sets to compare; each cause is the best one after the "
        "previous ones"
    )


class OrderEntry(Part):
    """One step of the order of repair."""

    fingerprint: str = Field(description="the cause, by fingerprint")
    pairs_repaired: int = Field(
        description="broken pairs that work when this and all previous causes are fixed"
    )


class Place(Part):
    """One line of one file. `line` is 0 where none is known."""

    file: Text = Field(
        description="relative to `root`; a member of an archive is ARCHIVE!MEMBER, standard input "
        "<stdin>"
    )
    line: int = Field(description="from 1; 0 where none is known")
    column: int | None = Field(description="of the value, from 1; null where unknown")
    text: Text = Field(description="text of the line; secrets are masked")
    role: Literal["cause", "evidence"] = Field(
        description="cause: the deciding line; evidence: a line that contradicts it or shows its "
        "effect"
    )
    origin: Annotated[
        Literal["stated", "default", "absent"], BeforeValidator(attrgetter("value"))
    ] = Field(description="stated: configured; default: from a default; absent: a line is missing")
    note: Text = Field(description="origin of a default, or absence of a statement")
    path: Text = Field(description="keys in a JSON or YAML file: TABLE|key|field")


Locations = Annotated[list[Place], BeforeValidator(known_places)]
"""Places in a file."""


class ClassEntry(Part):
    """A traffic class and its evidence."""

    name: Text = Field(description="display name")
    flow: Text = Field(description="data or cnp")
    dscps: list[int] = Field(description="its DSCPs")
    basis: Literal["stated", "plan", "inferred"] = Field(
        description="stated: by hosts; plan: by intent or profile; inferred: from lossless classes"
    )
    senders: int = Field(description="hosts that configure it")
    switches: int = Field(description="of an inferred class: switches in its networks")
    agreeing: int = Field(description="number of these that protect it")
    locations: Locations = Field(description="lines that define it")
    modes: list[Text] = Field(description="design mode, one per RoCE network where they differ")


class OccurrenceEntry(Part):
    """One device with the cause of a finding."""

    device: Text = Field(description="its host name; empty for the fabric")
    subjects: list[Text] = Field(description="ports or other objects")
    locations: Locations = Field(description="causes first, then evidence")
    fingerprint: Text = Field(
        description="stable identifier of the cause on this device, made of the fingerprint of "
        "the finding and the path of the device"
    )


class HopEntry(Part):
    """A device on a path: the ports of the packet and the deciding line."""

    device: Text = Field(description="its host name")
    into: Text | None = Field(description="arriving port; null at the NIC that sends")
    out: Text | None = Field(description="leaving port; null at the NIC that receives")
    dscp: int | None = Field(description="DSCP of the arriving packet")
    place: Place | None = Field(description="the deciding line; null if there is none")
    here: bool = Field(description="the finding is at this hop")
    missing: Text = Field(
        default="",
        description="missing configuration of a device that was not read; place is then the line "
        "that names it",
    )


class Impact(Part):
    """Impact of a finding; more fields may be added."""

    ports: int = Field(description="ports or other subjects, over all devices")
    pairs_broken: int | None = Field(
        description="ordered pairs of NICs with an equal-cost path through them; "
        "null where no path is known"
    )
    pairs_first: int | None = Field(
        description="broken pairs with a path on which this is the first error; null if no path "
        "is known or it is not an error"
    )
    pairs_repaired: int | None = Field(
        description="broken pairs that fixing only this repairs; null if no path is known or it "
        "is not an error"
    )
    pairs: int | None = Field(description="all ordered pairs of NICs with a path")
    path: list[HopEntry] = Field(description="one real path through it, from NIC to NIC")


class SuppressionEntry(Part):
    """Reason for which a finding does not count."""

    by: Literal["inline", "baseline", "waiver", "settings"] = Field(description="accepted by")
    reason: Text = Field(description="as written by its author")
    expires: str | None = Field(description="last day, YYYY-MM-DD; null: it does not expire")


class FindingEntry(Part):
    """One cause. `device`, `subjects` and `locations` are those of the first occurrence."""

    rule: str = Field(description="id, three capitals and three digits")
    name: str = Field(description="name of the rule")
    severity: Literal["error", "warning", "info"] = Field(
        description="severity here; never higher than on the page of the rule"
    )
    confidence: Literal["high", "low"] = Field(
        description="low: it rests on an unconfirmed default or an assumed link"
    )
    message: Text = Field(description="what is wrong, worded for `device`")
    consequence: Text = Field(description="its effect; may be empty")
    device: Text = Field(description="first device; empty for the fabric")
    subjects: list[Text] = Field(description="ports or other objects of the first device")
    locations: Locations = Field(description="of the first device: causes first, then evidence")
    occurrences: list[OccurrenceEntry] = Field(description="all devices with the same cause")
    devices_affected: int = Field(description="length of `occurrences`")
    impact: Impact = Field(description="affected ports and pairs")
    fingerprint: str = Field(description="of cause and value, independent of ports and lines")
    help: str = Field(description="command that prints the page of the rule")
    traffic: Text = Field(description="traffic class that it concerns; empty for all")
    notes: list[Text] = Field(description="reasons for low confidence, and other remarks")
    also: list[str] = Field(description="ids of narrower rules folded into this finding")
    suppressed: SuppressionEntry | None = Field(description="null where the finding counts")
    fix: Fix | None = Field(description="first change that fixes it; null if none is known")
    fixes: list[FixEntry] = Field(description="changes that fix it, on all its devices")
    remedy: list[RemedyEntry] = Field(
        description="commands on the first device; empty if a value or its wording is unknown"
    )


class UnknownEntry(Part):
    """A check that is undecided on a device, and the required input."""

    rule: str = Field(description="id of the undecided rule")
    device: Text = Field(description="empty for the fabric")
    subjects: list[Text] = Field(description="ports or other objects")
    missing: Text = Field(description="the input that is needed")
    locations: Locations = Field(description="where the question arises")


class DiagnosticEntry(Part):
    """Something about a file, not about the fabric."""

    file: Text = Field(description="relative to `root`; may be empty")
    line: int | None = Field(description="null where none is known")
    kind: str = Field(description="a stable word")
    message: Text = Field(description="for people")
    incomplete: bool = Field(description="it makes the answer incomplete")


class JsonReport(Part):
    """The answer of one run of roce-lint check."""

    model_config = ConfigDict(populate_by_name=True)

    schema_: Literal["roce-lint/report/1"] = Field(
        default=SCHEMA, alias="schema", description="this format and its version"
    )
    tool: Tool = Field(default=Tool(), description="tool that wrote the report")
    root: Text = Field(description="the folder that file names are relative to, as it was given")
    summary: Summary = Field(description="counts and the verdict")
    missing: list[MissingEntry] = Field(description="inputs missing for a proof")
    repairs: list[RepairEntry] = Field(description="for one cause, two, and so on")
    order: list[OrderEntry] = Field(
        description="all causes that break pairs, in the order in which fixing them repairs most"
    )
    files: list[FileEntry] = Field(description="every file that was read or skipped")
    devices: list[DeviceEntry] = Field(description="every device that was read")
    classes: list[ClassEntry] = Field(description="traffic classes that were checked")
    findings: list[FindingEntry] = Field(description="one entry a cause, by device, line and rule")
    unknowns: list[UnknownEntry] = Field(description="checks without an answer")
    diagnostics: list[DiagnosticEntry] = Field(description="remarks on files")


def schema() -> dict[str, Any]:
    """The JSON Schema of the report (docs/report.schema.json)."""
    made = JsonReport.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA_ID, **made}
