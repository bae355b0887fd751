"""Templates print the lines they read: captured lines of fixtures, samples and corpus."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from pathlib import Path

import pytest

from roce_lint.errors import RenderError
from roce_lint.nos.base import Form, Nos, Source
from roce_lint.nos.device_reader import by_section, layout, template_of
from roce_lint.nos.registry import all_nos
from roce_lint.text import sections
from roce_lint.text.printing import lines_of

OTHERWISE = {
    ("eos", "command priority-flow-control mode on"): "as below, in a profile of interfaces",
    ("eos", "priority-flow-control mode on"): "the older word for `priority-flow-control on`",
    ("eos", "vrf forwarding RDMA"): "the older word for `vrf`",
    ("nxos", "match ip dscp 26"): "`ip` says nothing: both match IPv4 and IPv6",
    ("nxos", "match ip precedence 5"): "as above",
    ("nxos", "service-policy input IN"): "the type of a policy of kind qos may be left out",
    ("nxos", "set ip dscp 10"): "as with match",
    ("nxos", "switchname leaf4"): "the older word for `hostname`",
    ("nxos", "switchname n5k-old"): "as above",
}
"""Fixture lines equivalent to another line, which is printed instead."""

IN_CORPUS = {("nxos", "switchname")}
"""Additional ones in public files, by their first words."""

TEXTS = {
    (nos.name, source.name): (nos, source)
    for nos in all_nos().values()
    for source in nos.sources
    if source.form is Form.INDENTED
}


def misprinted(nos: Nos, source: Source, text: str) -> Iterator[tuple[str, str]]:
    """Captured lines that are printed differently, with the printed form."""
    lines = text.splitlines()
    split = sections.split(list(lines), layout(source))
    for section, stanzas in by_section(source, split.stanzas)[0].items():
        # A copy: a template's cached stanzas are for readers that know which lines to ignore.
        template = copy(template_of(nos, source, section))
        texts = {s.number: s.header for s in stanzas}
        texts |= {number: line for s in stanzas for _, line, number in s.body}
        states = bytearray(len(lines) + 1)
        for record in template.run(stanzas, 0, states):
            try:
                for _, made, number in lines_of(template, record):
                    if made != texts[number]:
                        yield texts[number], made
            except RenderError as error:
                yield texts[record.position], str(error)


def texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in {".json", ".py"} and path.stat().st_size < 1 << 20:
            yield path.read_text(encoding="utf-8", errors="replace")


def wrong(name: tuple[str, str], folder: Path) -> dict[tuple[str, str], str]:
    nos, source = TEXTS[name]
    return {
        (nos.name, line): made
        for text in texts(folder)
        for line, made in misprinted(nos, source, text)
    }


@pytest.mark.parametrize("name", TEXTS, ids="-".join)
def test_fixtures(root: Path, name: tuple[str, str]) -> None:
    known = {key for key in OTHERWISE if key[0] == name[0]}
    assert wrong(name, root / "tests" / "nos" / name[0]).keys() == known


@pytest.mark.parametrize("name", TEXTS, ids="-".join)
def test_samples(root: Path, name: tuple[str, str]) -> None:
    assert wrong(name, root / "sample_configs") == {}


@pytest.mark.parametrize("name", TEXTS, ids="-".join)
def test_public_files(corpus: Path, name: tuple[str, str]) -> None:
    folder = corpus / FOLDERS.get(name[0], name[0])
    if not folder.is_dir():
        pytest.skip(f"there are no public files of {name[0]}")
    begin = {(nos, line.split()[0]) for nos, line in wrong(name, folder)}
    assert begin <= IN_CORPUS


FOLDERS = {"esonic": "sonic-ent"}
