"""Small fabrics, each with one fault or one correct design, and all expected findings."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass, field

from roce_lint.pipeline import Report
from tests.bench import Files, edit
from tests.fabrics import mixed
from tests.fabrics.stable import build, switches

Edit = tuple[str, str]

NO_PAUSE_SONIC = (
    ('   "tc_to_pg_map": "ROCE",\n   "pfc_to_queue_map": "ROCE",\n   "pfc_enable": "3",\n   "pfcwd_sw_enable": "3"\n', '   "tc_to_pg_map": "ROCE"\n'),
    ('"3": "3",\n   "4": "0"', '"3": "0",\n   "4": "0"'),
    ('|3": {\n   "profile": "pg_lossless_400000_40m_profile"', '|4": {\n   "profile": "ingress_lossy_profile"'),
)  # fmt: skip
NO_WATCHDOG = (
    ('"PFC_WD": {', '"PFC_WD_NOT": {'),
    ('"MAP_PFC_PRIORITY_TO_QUEUE": {', '"MAP_NOT": {'),
)


@dataclass(frozen=True)
class Row:
    """Three leaves under a spine, all of one system; or, with hosts, one leaf of each system with
    its host under two spines.

    `odd` is written on the second leaf only (with hosts: on the first), `alike` on every switch
    before that. Replaced texts have to exist. `found` are all findings: severity, rule, and a part
    of the first line.
    """

    name: str
    nos: str
    found: tuple[tuple[str, str], ...] = ()
    odd: tuple[Edit, ...] = ()
    alike: tuple[Edit, ...] = field(default=(), kw_only=True)
    at: str = field(default="", kw_only=True)  # the switch that is odd, where it is another
    more: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)  # files by path
    without: tuple[str, ...] = field(default=(), kw_only=True)  # files that are taken away
    hosts: Mapping[str, tuple[Edit, ...]] | None = field(default=None, kw_only=True)  # by file
    classes: tuple[str, ...] | None = field(default=None, kw_only=True)
    unknown: str = field(default="", kw_only=True)  # words that some unknown has

    def __str__(self) -> str:
        return self.name


def made(row: Row) -> Files:
    """Fabric of a row."""
    systems = row.nos.split()
    files = build([row.nos] * 4) if row.hosts is None else mixed.build(systems)
    odd = row.at or ("leaf2" if row.hosts is None else f"leaf-{systems[0]}")
    for device, name in switches(files).items():
        mine = row.alike if row.hosts is None or device.startswith("leaf-") else ()
        files = edit(files, name, *mine, *(row.odd if device == odd else ()), every=True)
    for where, edits in (row.hosts or {}).items():
        for name in fnmatch.filter(files, where):
            files = edit(files, name, *edits, every=True)
    kept = {n: t for n, t in files.items() if not any(fnmatch.fnmatch(n, w) for w in row.without)}
    return kept | dict(row.more)


def observed(report: Report) -> list[tuple[str, str]]:
    """Severity and rule of each finding, and its first line."""
    return [
        (f"{f.severity.label} {f.rule}", f.location.text.strip() if f.location else "")
        for f in report.findings
    ]
