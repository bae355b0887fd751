"""Templates of NX-OS: TTP reads them the same way, and every capture is taken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roce_lint.nos.nxos import NOS, RUNNING_CONFIG
from roce_lint.text.match import Template
from roce_lint.text.sections import Layout, split
from roce_lint.text.source import LineState
from tests.nos.nxos.reading import read
from tests.nos.reader import states
from tests.templates.agreement import agree
from tests.templates.variables import variables

HERE = Path(__file__).resolve().parent
LAYOUT = Layout(
    comment=RUNNING_CONFIG.comment,
    skips=tuple((skip.start, skip.end) for skip in RUNNING_CONFIG.skips),
    reattach=RUNNING_CONFIG.reattach,
    continuation=RUNNING_CONFIG.continuation,
)
SECTIONS = sorted({section.name for section in RUNNING_CONFIG.sections})
CONFIGS = [p for p in sorted(HERE.glob("*/*")) if p.suffix in (".cfg", ".conf")]


def template(root: Path, section: str) -> str:
    return (root / "templates" / "nxos" / "parse" / f"{section}.ttp").read_text()


def stanzas(text: str, section: str) -> str:
    """The stanzas of a configuration that a section claims, put in order again."""
    claimed = []
    for stanza in split(text.split("\n"), LAYOUT).stanzas:
        header = next(
            (s for s in RUNNING_CONFIG.sections if re.match(s.header, stanza.header)), None
        )
        if header is not None and header.name == section:
            claimed.append(stanza.header)
            claimed += ["  " * depth + line for depth, line, _ in stanza.body]
    return "\n".join(claimed) + "\n"


@pytest.mark.parametrize("section", SECTIONS)
def test_ttp_reads_the_template_the_same_way(root: Path, section: str) -> None:
    texts = [stanzas(path.read_text(), section) for path in CONFIGS]
    assert any(text.strip() for text in texts)
    for text in texts:
        agree(template(root, section), text, NOS.patterns)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_variable_is_taken(root: Path, section: str) -> None:
    """The reader names every variable; states.txt of each case shows that it takes their lines."""
    parsed = Template(template(root, section), section, NOS.patterns)
    readers = [*(root / "roce_lint" / "nos" / "nxos").glob("*.py")]
    alike = (
        "policies.py",
        "access_lists.py",
        "switch_ports.py",
    )  # what several systems write alike
    readers.extend(root / "roce_lint" / "nos" / name for name in alike)
    code = "".join(path.read_text() for path in readers)
    captured = {name for names in variables(parsed).values() for name in names}
    # `no_` forms are composed by `attachment` from the name that they negate.
    spelled = {name for name in captured if f'"{name}"' in code or f'"{name[3:]}"' in code}
    assert captured - spelled == set()


def test_the_cases_use_every_kind_of_line(root: Path) -> None:
    """Every template line matches some line of some case."""
    met: set[tuple[str, str]] = set()
    for path in CONFIGS:
        text = path.read_text()
        for section in SECTIONS:
            parsed = Template(template(root, section), section, NOS.patterns)
            found = split(stanzas(text, section).split("\n"), Layout()).stanzas
            pending = parsed.run(found, 0, bytearray(text.count("\n") * 2 + 2))
            while pending:
                record = pending.pop()
                met |= {(section, name) for name in record.values}
                pending += [child for below in record.children.values() for child in below]
    every = {
        (section, name)
        for section in SECTIONS
        for names in variables(Template(template(root, section), section, NOS.patterns)).values()
        for name in names
    }
    assert every - met == set()


def test_what_a_template_takes_is_not_ignored() -> None:
    device = read("interface Ethernet1/1\n  no lldp transmit\n  no cdp enable\n  no switchport\n")
    assert states(device, LineState.UNDERSTOOD) == [1, 2, 4]
    assert states(device, LineState.IGNORED) == [3, 5]
