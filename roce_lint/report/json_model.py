"""The shape of the JSON report, version 1: public, changed only by adding."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from roce_lint._version import __version__
from roce_lint.report.json_fixes import Fix, FixEntry, Part, RemedyEntry, Text

SCHEMA: Literal["roce-lint/report/1"] = "roce-lint/report/1"

SCHEMA_ID = "urn:roce-lint:report:1"
"""Name of the JSON Schema: a name and no address, the file comes with the project."""


class Tool(Part):
    """What wrote the report."""

    name: str = Field(default="roce-lint", description="always roce-lint")
    version: str = Field(default=__version__, description="the release that wrote the report")


class Summary(Part):
    """Counts: findings that are not suppressed by severity, and what was looked at."""

    error: int = Field(description="findings that break RoCE")
    warning: int = Field(description="findings that put it at risk")
    info: int = Field(description="findings worth knowing")
    suppressed: int = Field(description="findings that somebody accepted; they count nowhere else")
    unknown: int = Field(description="entries of `unknowns`")
    devices: int = Field(description="switches and hosts that were read")
    links: int = Field(description="links between them")
    rules: int = Field(description="rules that were judged")
    judged_ports: int = Field(description="ports on which RoCE rules were judged")
    unrecognised: int = Field(description="lines that no reader recognised")
    skipped: int = Field(description="files beside the configurations that were passed over")
    incomplete: bool = Field(description="something could not be read or judged")
    verdict: Literal["ready", "not-ready", "not-proved"] = Field(
        description="ready: all pairs judged, none broken; not-ready: something is an error; "
        "not-proved: no error, and not all is known"
    )
    pairs: int = Field(
        description="ordered pairs of RoCE NICs of one network with a path between them; where no "
        "host is linked to a switch, of edge ports"
    )
    pairs_judged: int = Field(
        description="pairs that are known to be broken, and those on whose paths no rule that "
        "could be an error had to say unknown"
    )
    pairs_broken: int = Field(description="pairs with an error on one of their equal-cost paths")
    pairs_assumed: bool = Field(description="the pairs are of edge ports: senders are assumed")


class Lines(Part):
    """Lines (leaves of JSON and YAML) of a device by what became of them."""

    understood: int = Field(default=0, description="what they say is in the model")
    ignored: int = Field(default=0, description="known, and of no weight for RoCE")
    shadowed: int = Field(default=0, description="overruled by another line")
    unrecognised: int = Field(default=0, description="no reader knows them")
    unclaimed: int = Field(default=0, description="outside of what readers look at")


class DeviceEntry(Part):
    """One device. File names are relative to PATH (several: to their common parent)."""

    name: Text = Field(description="its host name")
    nos: Text = Field(description="operating system: eos, nxos, sonic, linux and so on")
    role: Text | None = Field(
        description="leaf, spine, superspine, border, storage, host or other; null where not known"
    )
    files: list[Text] = Field(description="the files that describe it")
    lines: Lines = Field(description="what became of its lines")
    oversubscription: float | None = Field(
        description="Gb/s that can come in from below for each of uplinks; null where not known"
    )


class FileEntry(Part):
    """A file below PATH that was read, or that was passed over."""

    file: Text = Field(description="relative to `root`")
    state: Literal["read", "skipped"] = Field(description="what was done with it")
    device: Text | None = Field(description="whose configuration it is; null where skipped")
    reason: Text = Field(description="why it was skipped")


class MissingEntry(Part):
    """What would have to be known for all pairs to be judged."""

    what: Text = Field(description="the input that is missing")
    pairs: int = Field(description="pairs that it leaves open; 0: not a matter of single pairs")


class RepairEntry(Part):
    """The causes that repair most pairs, of all sets of so many."""

    fingerprints: list[str] = Field(description="the causes, as `findings` has them")
    pairs_repaired: int = Field(description="broken pairs that work when all of these are mended")
    exact: bool = Field(
        description="false: there are too many sets to compare, and each cause is the best after "
        "those before"
    )


class OrderEntry(Part):
    """One step of the order of repair."""

    fingerprint: str = Field(description="the cause, as `findings` has it")
    pairs_repaired: int = Field(
        description="broken pairs that work when this and all causes before it are fixed"
    )


class Place(Part):
    """One line of one file. `line` is 0 where none is known."""

    file: Text = Field(
        description="relative to `root`; a member of an archive is ARCHIVE!MEMBER, standard input "
        "<stdin>"
    )
    line: int = Field(description="from 1; 0 where none is known")
    column: int | None = Field(description="of the value, from 1; null where not known")
    text: Text = Field(description="what stands there; secrets are masked")
    role: Literal["cause", "evidence"] = Field(
        description="cause: the line that decides; evidence: what contradicts it or shows that it "
        "matters"
    )
    origin: Literal["stated", "default", "absent"] = Field(
        description="stated: the line says it; default: it follows from a default; absent: a "
        "line is missing"
    )
    note: Text = Field(description="whose default it is, or that nothing is stated")
    path: Text = Field(description="keys in a JSON or YAML file: TABLE|key|field")


class ClassEntry(Part):
    """A traffic class that was judged and who says that it exists."""

    name: Text = Field(description="for people")
    flow: Text = Field(description="data or cnp")
    dscps: list[int] = Field(description="code points that belong to it")
    basis: Literal["stated", "plan", "inferred"] = Field(
        description="stated: hosts send it; plan: intent or profile; inferred: from what switches "
        "protect"
    )
    senders: int = Field(description="hosts that state it")
    switches: int = Field(description="of an inferred class: switches in its networks")
    agreeing: int = Field(description="of these, how many protect it")
    locations: list[Place] = Field(description="lines that say it exists")
    modes: list[Text] = Field(description="design mode, one per RoCE network where they differ")


class OccurrenceEntry(Part):
    """One device on which the cause of a finding stands."""

    device: Text = Field(description="its host name; empty for the fabric")
    subjects: list[Text] = Field(description="ports or other objects")
    locations: list[Place] = Field(description="causes first, then evidence")
    fingerprint: Text = Field(
        description="names the cause on this device from run to run, made of that of the finding "
        "and the path of the device"
    )


class HopEntry(Part):
    """A device on a path: the ports a packet takes and the line that decides there."""

    device: Text = Field(description="its host name")
    into: Text | None = Field(description="arriving port; null at the NIC that sends")
    out: Text | None = Field(description="leaving port; null at the NIC that receives")
    dscp: int | None = Field(description="code point the packet arrives with")
    place: Place | None = Field(description="the line that decides; null where none does")
    here: bool = Field(description="the finding stands at this hop")
    missing: Text = Field(
        default="",
        description="what would tell what the device does, where nothing of it was read; place is "
        "then what says that it is there",
    )


class Impact(Part):
    """How far a finding reaches; more kinds may be added."""

    ports: int = Field(description="ports or other subjects, over all devices")
    pairs_broken: int | None = Field(
        description="ordered pairs of NICs with an equal-cost path through them; "
        "null where no path is known"
    )
    pairs_first: int | None = Field(
        description="those of the broken pairs that have a path on which no other error stands "
        "before it; null where no path is known or it is no error"
    )
    pairs_repaired: int | None = Field(
        description="those of the broken pairs that mending this alone repairs; null where no path "
        "is known or it is no error"
    )
    pairs: int | None = Field(description="all ordered pairs of NICs with a path")
    path: list[HopEntry] = Field(description="one real path through it, from NIC to NIC")


class SuppressionEntry(Part):
    """Why a finding does not count."""

    by: Literal["inline", "baseline", "waiver", "settings"] = Field(description="what accepts it")
    reason: Text = Field(description="as its author wrote it")
    expires: str | None = Field(description="last day, YYYY-MM-DD; null: it does not expire")


class FindingEntry(Part):
    """One cause. `device`, `subjects` and `locations` are those of the first occurrence."""

    rule: str = Field(description="id, three capitals and three digits")
    name: str = Field(description="name of the rule")
    severity: Literal["error", "warning", "info"] = Field(
        description="how grave it is here; never graver than the page says"
    )
    confidence: Literal["high", "low"] = Field(
        description="low: it rests on an unconfirmed default or an assumed link"
    )
    message: Text = Field(description="what is wrong, worded for `device`")
    consequence: Text = Field(description="what follows from it; may be empty")
    device: Text = Field(description="first device; empty for the fabric")
    subjects: list[Text] = Field(description="ports or other objects of the first device")
    locations: list[Place] = Field(description="of the first device: causes first, then evidence")
    occurrences: list[OccurrenceEntry] = Field(description="all devices with the same cause")
    devices_affected: int = Field(description="length of `occurrences`")
    impact: Impact = Field(description="how far it reaches")
    fingerprint: str = Field(description="of cause and value; no port and no line is part of it")
    help: str = Field(description="command that prints the page of the rule")
    traffic: Text = Field(description="traffic class that it concerns; empty for all")
    notes: list[Text] = Field(description="why confidence is low, and what else to know")
    also: list[str] = Field(description="ids of narrower rules folded into this finding")
    suppressed: SuppressionEntry | None = Field(description="null where the finding counts")
    fix: Fix | None = Field(
        description="first change that would put it right; null where none is known"
    )
    fixes: list[FixEntry] = Field(description="what would put it right, on all its devices")
    remedy: RemedyEntry | None = Field(
        description="in the words of the system; null where no confirmed line is known"
    )


class UnknownEntry(Part):
    """What a rule could not judge on a device, and the input that would settle it."""

    rule: str = Field(description="id of the rule that could not be judged")
    device: Text = Field(description="empty for the fabric")
    subjects: list[Text] = Field(description="ports or other objects")
    missing: Text = Field(description="the input that is needed")
    locations: list[Place] = Field(description="where the question arises")


class DiagnosticEntry(Part):
    """Something about a file, not about the fabric."""

    file: Text = Field(description="relative to `root`; may be empty")
    line: int | None = Field(description="null where none is known")
    kind: str = Field(description="a stable word")
    message: Text = Field(description="for people")
    incomplete: bool = Field(description="the answer is not whole because of it")


class JsonReport(Part):
    """The answer of one run of roce-lint check."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    schema_: Literal["roce-lint/report/1"] = Field(
        default=SCHEMA, alias="schema", description="this format and its version"
    )
    tool: Tool = Field(default=Tool(), description="what wrote the report")
    root: Text = Field(description="the folder that file names are relative to, as it was given")
    summary: Summary = Field(description="counts and the verdict")
    missing: list[MissingEntry] = Field(description="why the verdict is not proved")
    repairs: list[RepairEntry] = Field(description="for one cause, two, and so on")
    order: list[OrderEntry] = Field(
        description="all causes that break pairs, in the order in which fixing them repairs most"
    )
    files: list[FileEntry] = Field(description="every file that was read or skipped")
    devices: list[DeviceEntry] = Field(description="every device that was read")
    classes: list[ClassEntry] = Field(description="traffic classes that were judged")
    findings: list[FindingEntry] = Field(description="one entry a cause, by device, line and rule")
    unknowns: list[UnknownEntry] = Field(description="what could not be judged")
    diagnostics: list[DiagnosticEntry] = Field(description="what is to be said about files")


def schema() -> dict[str, Any]:
    """The JSON Schema of the report (docs/report.schema.json)."""
    made = JsonReport.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA_ID, **made}
