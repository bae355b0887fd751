"""Templates of every NOS of stanzas: TTP reads them the same way, and every capture is read.

A NOS with a separate test (`tests/nos/<nos>/test_templates.py`) is excluded.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roce_lint.nos.base import Nos
from roce_lint.nos.declare import Form, Source
from roce_lint.nos.registry import all_nos
from roce_lint.text.match import Template
from roce_lint.text.sections import Layout, split
from tests.templates.agreement import agree
from tests.templates.variables import variables

HERE = Path(__file__).resolve().parent


def sources() -> list[tuple[Nos, Source, str]]:
    return [
        (nos, source, section)
        for nos in all_nos().values()
        if not (HERE / nos.name / "test_templates.py").exists() and nos.templates is None
        for source in nos.sources
        if source.form is Form.INDENTED
        for section in sorted({section.name for section in source.sections})
    ]


SECTIONS = sources()
IDS = [f"{nos.name}/{section}" for nos, _, section in SECTIONS]
every_section = pytest.mark.parametrize(("nos", "source", "section"), SECTIONS, ids=IDS)


def template(root: Path, nos: Nos, section: str) -> str:
    return (root / "templates" / nos.name / "parse" / f"{section}.ttp").read_text()


def layout(source: Source) -> Layout:
    return Layout(
        comment=source.comment,
        skips=tuple((skip.start, skip.end) for skip in source.skips),
        reattach=source.reattach,
        separator=source.separator,
        continuation=source.continuation,
    )


def stanzas(text: str, source: Source, section: str, step: int) -> str:
    """The stanzas of a configuration that a section claims, put in order again."""
    claimed = []
    for stanza in split(text.split("\n"), layout(source)).stanzas:
        header = next((s for s in source.sections if re.match(s.header, stanza.header)), None)
        if header is not None and header.name == section:
            claimed.append(stanza.header)
            claimed += [" " * (step * depth) + line for depth, line, _ in stanza.body]
    return "\n".join(claimed) + "\n"


def texts(nos: Nos, source: Source, section: str, step: int) -> list[str]:
    """Stanzas that the section claims in each configuration among the NOS's cases."""
    files = [p for p in sorted((HERE / nos.name).glob("*/*")) if p.suffix in (".cfg", ".conf")]
    return [stanzas(path.read_text(), source, section, step) for path in files]


@every_section
def test_ttp_reads_the_template_the_same_way(
    root: Path, nos: Nos, source: Source, section: str
) -> None:
    text = template(root, nos, section)
    found = texts(nos, source, section, Template(text, section, nos.patterns).step)
    assert any(each.strip() for each in found)
    for each in found:
        agree(text, each, nos.patterns)


@every_section
def test_every_variable_is_read(root: Path, nos: Nos, source: Source, section: str) -> None:
    """The reader names every variable; states.txt of each case shows that it takes their lines."""
    parsed = Template(template(root, nos, section), section, nos.patterns)
    home = root / "roce_lint" / "nos"
    code = "".join(path.read_text() for path in (home / nos.name).rglob("*.py"))
    for shared in home.glob("*.py"):
        if f"from roce_lint.nos.{shared.stem} import" in code:
            code += shared.read_text()
    captured = {name for names in variables(parsed).values() for name in names}
    assert {name for name in captured if f'"{name}"' not in code} == set()


@every_section
def test_the_cases_use_every_line(root: Path, nos: Nos, source: Source, section: str) -> None:
    """Every variable is used by some line of some case."""
    parsed = Template(template(root, nos, section), section, nos.patterns)
    met: set[str] = set()
    for text in texts(nos, source, section, parsed.step):
        found = split(text.split("\n"), Layout()).stanzas
        pending = parsed.run(found, 0, bytearray(text.count("\n") + 2))
        while pending:
            record = pending.pop()
            met |= set(record.values)
            pending += [child for below in record.children.values() for child in below]
    every = {name for names in variables(parsed).values() for name in names}
    assert every - met == set()
