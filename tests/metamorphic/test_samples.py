"""The same fabric in another notation gets the same result: only names and lines may change."""

from __future__ import annotations

import json
import re

import pytest

from roce_lint.pipeline import Report
from tests.bench import check
from tests.metamorphic.snapshot import (
    Files,
    as_commands,
    as_sets,
    as_yaml,
    backwards,
    before,
    document,
    each,
    indented,
    renamed,
    renaming,
    rewritten,
    sample,
    statements,
    summary,
    with_crlf,
    words,
)

FABRICS = (pytest.param("clean-fabric", marks=pytest.mark.deep), "broken-fabric")

pytestmark = pytest.mark.parametrize("fabric", FABRICS)


def changed(fabric: str, files: Files) -> Files:
    """The files, which must really differ."""
    assert files != sample(fabric)
    return files


def test_the_samples_say_something(fabric: str) -> None:
    """Otherwise the tests below prove nothing."""
    report = before(fabric)
    assert bool(report.findings) is (fabric == "broken-fabric")
    assert (len(report.devices), report.links) == (19, 34)


def test_crlf(fabric: str) -> None:
    after = check(changed(fabric, with_crlf(sample(fabric))))
    assert summary(after) == summary(before(fabric))
    assert words(after) == words(before(fabric))


@pytest.mark.parametrize(
    "by",
    [" ", "  ", "    ", "\t", pytest.param("", marks=pytest.mark.deep)],
    ids=["1", "2", "4", "tab", "none"],
)
def test_other_indentation(fabric: str, by: str) -> None:
    after = check(changed(fabric, indented(sample(fabric), by)))
    assert summary(after) == summary(before(fabric))
    assert words(after) == words(before(fabric))


def test_trailing_blanks(fabric: str) -> None:
    files = sample(fabric)
    for ending in (".cfg", "leaf5.conf", ".yaml"):
        files = each(files, ending, lambda text: text.replace("\n", "  \n"))
    after = check(changed(fabric, files))
    assert summary(after) == summary(before(fabric))
    assert words(after) == words(before(fabric))


@pytest.mark.parametrize(
    "form",
    [{"indent": 1}, {"indent": "\t"}, {"indent": None, "separators": (",", ":")}],
    ids=["1", "tab", "minified"],
)
def test_other_forms_of_json(fabric: str, form: dict[str, object]) -> None:
    files = each(sample(fabric), ".json", lambda text: rewritten(text, **form))
    after = check(changed(fabric, files))
    assert summary(after) == summary(before(fabric))
    # Where a document is one line, the text that is shown differs; what is said does not.
    by_port = [(rule, message, consequence) for rule, message, consequence, *_ in words(after)]
    assert sorted(by_port) == sorted(tuple(entry[:3]) for entry in words(before(fabric)))


FORMS = {
    "set": ("leaf5.conf", lambda text: as_sets(statements(text))),
    "yaml": (".yaml", lambda text: as_yaml(document(text))),
    "commands": (".yaml", lambda text: as_commands(document(text)[1]["set"])),
    "json": (".yaml", lambda text: json.dumps(document(text), indent=2)),
}
"""Other formats of the configuration of the same device."""


@pytest.mark.parametrize("form", FORMS)
def test_other_forms_of_a_configuration(fabric: str, form: str) -> None:
    ending, change = FORMS[form]
    after = check(changed(fabric, each(sample(fabric), ending, change)))
    assert by_port(after) == by_port(before(fabric))


def by_port(report: Report) -> list[tuple[object, ...]]:
    """Findings by ports, without places: these are other lines."""
    return sorted(
        (f.rule, f.severity.label, f.also, [(o.device, sorted(o.subjects)) for o in f.occurrences])
        for f in report.findings
    ) + [(u.rule, u.missing, u.device, sorted(u.subjects)) for u in report.unknowns]


def test_the_opposite_order(fabric: str) -> None:
    after = check(changed(fabric, backwards(sample(fabric))))
    assert summary(after) == summary(before(fabric))


DEVICES = [
    *((f"gpu{n:02}", f"vm-{chr(96 + n)}") for n in range(1, 12)),
    *((f"leaf{n}", f"edge{9 - n}x") for n in range(1, 7)),
    *((f"spine{n}", f"alpha{n}z") for n in range(1, 3)),
]


def test_other_names_of_devices(fabric: str) -> None:
    after = check(changed(fabric, renamed(sample(fabric), DEVICES)))
    back = renaming((new, old) for old, new in DEVICES)
    assert summary(after, back) == summary(before(fabric))


PORTS = [
    ("Ethernet1/1", "Ethernet1/2"),
    ("Ethernet31/1", "Ethernet32/1"),
    ("Ethernet1/31", "Ethernet1/32"),
    ("Ethernet8", "Ethernet16"),
    ("Ethernet240", "Ethernet248"),
    ("et-0/0/0", "et-0/0/2"),
    ("et-0/0/30", "et-0/0/31"),
    ("ens1f0np0", "ens2f0np0"),
]


def test_ports_that_change_names(fabric: str) -> None:
    names = [*PORTS, *((new, old) for old, new in PORTS)]
    after = check(changed(fabric, renamed(sample(fabric), names)))
    assert summary(after, renaming(names)) == summary(before(fabric))


def test_other_names_of_maps_and_policies(fabric: str) -> None:
    names = sorted(own_names(sample(fabric)))
    other = [(name, f"x{number}-{name[::-1]}") for number, name in enumerate(names)]
    # What hosts print has words of its own, which may be like names that the site chose.
    switches = {n: text for n, text in sample(fabric).items() if n.startswith("switches/")}
    after = check(changed(fabric, sample(fabric) | renamed(switches, other)))
    back = renaming((new, old) for old, new in other)
    assert summary(after, back) == summary(before(fabric))


TABLES = (
    "DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE",
    "SCHEDULER", "WRED_PROFILE",
)  # fmt: skip
KINDS = ("policy-map type qos", "policy-map type queuing", "policy-map type network-qos",
         "class-map type qos match-all", "class-map type qos match-any", "qos profile")  # fmt: skip


NAMED = r"(?: dscp| scheduler| drop-profile|scheduler-map| class|profile) ([A-Z][A-Z-]+)\b"
"""References to site-defined names in a configuration in braces."""


def own_names(files: Files) -> set[str]:
    """Site-defined names of maps, policies and profiles, and mistyped ones."""
    found = {"ROCE-CLASIFY"}
    for name, text in files.items():
        if name.endswith(".cfg"):
            for line in text.split("\n"):
                kind, _, last = line.strip().rpartition(" ")
                if kind in KINDS:
                    found.add(last)
        elif name.endswith("leaf5.conf"):
            found |= set(re.findall(NAMED, text))
        elif name.endswith(".yaml"):
            found |= set(re.findall(r"\n {8}(storage):\n", text))
        elif name.startswith("switches/") and name.endswith(".json"):
            tables = json.loads(text)
            found |= {key for table in TABLES for key in tables.get(table, ())}
    assert {"ROCE-CLASSIFY", "ROCE-HOST", "AZURE"} <= found
    return {name for name in found if not name.isdigit()}
