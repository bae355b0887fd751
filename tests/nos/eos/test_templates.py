"""Templates of EOS: every capture is taken, and every template line is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roce_lint.nos.eos import NOS, RUNNING_CONFIG
from roce_lint.text.match import Template
from roce_lint.text.sections import Layout, Stanza, split
from tests.templates.variables import variables

HERE = Path(__file__).resolve().parent
LAYOUT = Layout(
    comment=RUNNING_CONFIG.comment,
    skips=tuple((skip.start, skip.end) for skip in RUNNING_CONFIG.skips),
)
SAME = {"qos_profile": "interface"}
SECTIONS = sorted({section.name for section in RUNNING_CONFIG.sections})
CONFIGS = [
    p for p in sorted(HERE.glob("*/*")) if p.suffix in (".cfg", ".txt") and "lldp" not in p.name
]


def template(root: Path, section: str) -> Template:
    path = root / "templates" / "eos" / "parse" / f"{section}.ttp"
    return Template(path.read_text(), section, NOS.patterns)


def claimed(text: str, section: str) -> list[Stanza]:
    found = []
    for stanza in split(text.split("\n"), LAYOUT).stanzas:
        owner = next(
            (s for s in RUNNING_CONFIG.sections if re.match(s.header, stanza.header)), None
        )
        if owner is not None and owner.name == section:
            found.append(stanza)
    return found


@pytest.mark.parametrize("section", SECTIONS)
def test_every_variable_is_taken(root: Path, section: str) -> None:
    """The reader names every variable; states.txt of each case shows that it takes their lines."""
    readers = [*(root / "roce_lint" / "nos" / "eos").glob("*.py")]
    alike = ("policies.py", "access_lists.py")  # what several systems write alike
    readers.extend(root / "roce_lint" / "nos" / name for name in alike)
    code = "".join(path.read_text() for path in readers)
    captured = {name for names in variables(template(root, section)).values() for name in names}
    assert {name for name in captured if f'"{name}"' not in code} == set()


def test_every_variable_is_met_by_a_case(root: Path) -> None:
    """Every template line is used; a line shared by profiles and ports is covered by either."""
    every, met = set(), set()
    for section in SECTIONS:
        parsed = template(root, section)
        every |= {
            (SAME.get(g, g), name) for g, names in variables(parsed).items() for name in names
        }
        for path in CONFIGS:
            text = path.read_text()
            pending = parsed.run(claimed(text, section), 0, bytearray(text.count("\n") + 1))
            while pending:
                record = pending.pop()
                met |= {(SAME.get(record.group, record.group), name) for name in record.values}
                pending += [child for below in record.children.values() for child in below]
    assert every - met == set()


def test_port_and_profile_know_the_same_lines(root: Path) -> None:
    """Lines allowed in a profile are allowed on a port: they are in both templates."""
    port, profile = (
        variables(template(root, "interface")),
        variables(template(root, "qos-profile")),
    )
    assert profile["qos_profile"] - {"name"} < port["interface"]
    for group in ("queue", "pfc_priority", "no_pfc_priority"):
        assert profile[group] == port[group]
